import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startWebServer } from '../../main/server/webServer.ts'
import type { WebServer } from '../../main/server/webServer.ts'
import { fakeWorkspace } from '../harness/handlers.ts'
import { ask, enter, openSocket } from '../harness/http.ts'
import { tinyPage } from '../harness/page.ts'

const page = tinyPage()
let server: WebServer
let origin: string
let cookie: string
let secret: string

beforeAll(async () => {
  server = await startWebServer({
    root: page.root,
    handlers: fakeWorkspace('web').handlers,
    renewal: ['press <Enter>', 'run kill'],
  })
  ;({ origin } = server)
  ;({ cookie, secret } = await enter(server.newAddress().url))
})
afterAll(async () => {
  await server.close()
  page.remove()
})

const get = (path: string) => ask(origin, { path, headers: { cookie } })
/** The path of a fresh address. */
const newPath = (): string => server.newAddress().url.slice(origin.length)
const ownHeaders = (): Record<string, string> => ({ origin, cookie })

test('listens on loopback only', () => {
  expect(new URL(origin).hostname).toBe('127.0.0.1')
})

test('says what to do when the page is not built', async () => {
  const starting = startWebServer({ root: `${page.root}/nowhere`, handlers: fakeWorkspace().handlers })
  await expect(starting).rejects.toThrow('npm run build')
})

describe('the way in', () => {
  test('an address opens once: for a cookie, and a page that stores the secret and leaves the address', async () => {
    const path = newPath()
    const first = await ask(origin, { path })
    expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    const [given = ''] = first.headers['set-cookie'] ?? []
    expect(given).toMatch(/^apf-console-\d+=[\w-]{32}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
    const policy = String(first.headers['content-security-policy'])
    const [, nonce = 'none'] = /^default-src 'none'; script-src 'nonce-([\w-]{20,})'; /.exec(policy) ?? []
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(first.body).toContain(`<script nonce="${nonce}">localStorage.setItem(`)
    expect(first.body).toContain('location.replace("/")')
    const again = await ask(origin, { path })
    expect(again.status).toBe(401)
    expect(again.headers['set-cookie']).toBeUndefined()
    expect(again.body).not.toContain('localStorage')
  })

  test('a used address still leads a browser with a session home', async () => {
    const address = server.newAddress()
    const own = await enter(address.url)
    const again = await ask(origin, { path: address.url.slice(origin.length), headers: { cookie: own.cookie } })
    expect(again.status).toBe(303)
    expect(again.headers['set-cookie']).toBeUndefined()
    expect(again.body).toBe('')
  })

  test('the page without a session says what to do', async () => {
    const { status, headers: given, body } = await ask(origin)
    expect(status).toBe(401)
    expect(given).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'nonce-/),
    })
    expect(body).toContain('To get a new address, press &#60;Enter&#62;, or run kill.')
    expect(body).toContain('once, within 10 minutes')
  })

  test('a visit to the page keeps the cookie for longer', async () => {
    const [given = ''] = (await get('/')).headers['set-cookie'] ?? []
    expect(given.startsWith(`${cookie}; Path=/; Max-Age=`)).toBe(true)
  })

  test('the page can check its session', async () => {
    const check = async (more: Record<string, string>) =>
      (await ask(origin, { path: '/session', headers: more })).status
    expect(await check({ cookie, 'apf-console-secret': secret })).toBe(204)
    expect(await check({ cookie })).toBe(401)
    expect(await check({ 'apf-console-secret': secret })).toBe(401)
    expect(await check({ cookie, 'apf-console-secret': 'wrong' })).toBe(401)
  })

  test('looking ahead and asking for headers do not use an address up', async () => {
    const path = newPath()
    expect((await ask(origin, { path, headers: { 'sec-purpose': 'prefetch;prerender' } })).status).toBe(503)
    expect((await ask(origin, { path, method: 'HEAD' })).status).toBe(503)
    expect((await ask(origin, { path })).status).toBe(200)
  })

  test.each(['/?token=', '/?token=wrong', `/?token=${'x'.repeat(64)}`, '/?token=a&token=b', '/?token=%00'])(
    'a wrong token is not let in: %s',
    async (path) => {
      expect((await ask(origin, { path })).status).toBe(401)
    },
  )

  test.each(['/', '/index.html', '/assets/index-Ab3_xY9-.js', '/nothing'])(
    'without a cookie there is no %s',
    async (path) => {
      const { status, body } = await ask(origin, { path })
      expect(status).toBe(401)
      expect(body).toContain('address')
    },
  )

  test('nobody else’s cookie is a session', async () => {
    const [name] = cookie.split('=')
    for (const wrong of [`${name}=`, `${name}=x`, `apf-console=${cookie.split('=')[1]}`, `x${cookie}`, '=', ';;;']) {
      expect((await ask(origin, { headers: { cookie: wrong } })).status).toBe(401)
    }
    expect((await ask(origin, { headers: { cookie: `other=1; ${cookie}; more=2` } })).status).toBe(200)
    // Another port of this host can set one of the same name.
    expect((await ask(origin, { headers: { cookie: `${name}=planted; ${cookie}` } })).status).toBe(200)
  })

  test('sessions end with their server', async () => {
    const other = await startWebServer({ root: page.root, handlers: fakeWorkspace('web').handlers })
    const foreign = await enter(other.newAddress().url)
    await other.close()
    expect((await ask(origin, { headers: { cookie: foreign.cookie } })).status).toBe(401)
    await expect(ask(other.origin)).rejects.toThrow('ECONNREFUSED')
  })
})

describe('what is answered', () => {
  test('the page, with a policy whose nonce is fresh each time and known to the page', async () => {
    const nonces = await Promise.all(
      ['/', '/index.html'].map(async (path) => {
        const { status, headers, body } = await get(path)
        expect(status).toBe(200)
        expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
        const policy = String(headers['content-security-policy'])
        expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/)
        expect(policy).not.toMatch(/unsafe|\*|https?:/)
        const nonce = /'nonce-([^']{20,})'/.exec(policy)?.[1] ?? 'none'
        expect(body).toContain(`<meta name="csp-nonce" content="${nonce}">`)
        return nonce
      }),
    )
    expect(new Set(nonces).size).toBe(2)
  })

  test('files, with their type and caching by their name', async () => {
    expect(await get('/assets/index-Ab3_xY9-.js')).toMatchObject({
      status: 200,
      body: 'export {}',
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': expect.stringContaining('immutable'),
      },
    })
    expect(await get('/icon.svg?x=1')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' },
    })
  })

  test('HEAD has no body', async () => {
    const { status, body, headers } = await ask(origin, { method: 'HEAD', path: '/icon.svg', headers: { cookie } })
    expect({ status, body }).toEqual({ status: 200, body: '' })
    expect(Number(headers['content-length'])).toBeGreaterThan(0)
  })

  test.each([
    '/../secret.json',
    '/..%2fsecret.json',
    '/%2e%2e/secret.json',
    '/assets/..\\..\\secret.json',
    '/assets/../../secret.json',
    '//secret.json',
    '/assets/link.json',
    '/assets/index-Ab3_xY9-.js.map',
    '/assets/',
    '/assets',
    '/index.html%00.js',
    '/__proto__',
    '/constructor',
    '/%',
    'http://127.0.0.1/icon.svg',
    '/rpc',
  ])('nothing but the listed files: %s', async (path) => {
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(body).not.toContain(page.secret)
  })

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])('%s is refused', async (method) => {
    const { status, headers } = await ask(origin, { method, headers: { cookie } })
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' })
  })

  test.each(['/', '/nothing', '/icon.svg', '/?token=wrong'])(
    'every answer carries the protective headers: %s',
    async (path) => {
      expect((await get(path)).headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
      })
    },
  )

  test('no answer allows another origin to read it', async () => {
    const { headers } = await ask(origin, { headers: { cookie, origin: 'http://evil.test' } })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('only as itself', () => {
  test.each([
    ['another name', () => `evil.test:${new URL(origin).port}`],
    ['localhost', () => `localhost:${new URL(origin).port}`],
    ['another port', () => '127.0.0.1:1'],
    ['no port', () => '127.0.0.1'],
    ['a longer name', () => `127.0.0.1:${new URL(origin).port}.evil.test`],
    ['a user', () => `x@127.0.0.1:${new URL(origin).port}`],
  ])('a Host header with %s is refused, token and cookie or not', async (_what, host) => {
    const path = newPath()
    const wrong = { host: host(), cookie }
    expect((await ask(origin, { path, headers: wrong })).status).toBe(421)
    expect((await ask(origin, { headers: wrong })).status).toBe(421)
    expect(await openSocket(origin, { ...wrong, origin }, { secret })).toBe(421)
    expect((await ask(origin, { path })).status).toBe(200)
  })
})

describe('the socket', () => {
  test('opens for the page', async () => {
    const socket = await openSocket(origin, ownHeaders(), { secret })
    expect(socket).toBeInstanceOf(WebSocket)
    expect(socket).toMatchObject({ protocol: 'apf-console' })
    if (socket instanceof WebSocket) socket.close()
  })

  test('stays shut without the secret of the session', async () => {
    const other = await enter(server.newAddress().url)
    expect(await openSocket(origin, ownHeaders())).toBe(401)
    for (const wrong of ['x', cookie.split('=')[1] ?? '', other.secret]) {
      expect(await openSocket(origin, ownHeaders(), { secret: wrong })).toBe(401)
    }
  })

  test.each([['http://evil.test'], ['null'], ['http://127.0.0.1'], ['http://127.0.0.1:1'], ['file://'], ['']])(
    'stays shut for the origin "%s"',
    async (foreign) => {
      expect(await openSocket(origin, { origin: foreign, cookie }, { secret })).toBe(403)
    },
  )

  test('stays shut without an origin, for https, and for an origin that only begins like the page’s', async () => {
    expect(await openSocket(origin, { cookie }, { secret })).toBe(403)
    expect(await openSocket(origin, { cookie, origin: origin.replace('http', 'https') }, { secret })).toBe(403)
    expect(await openSocket(origin, { cookie, origin: `${origin}.evil.test` }, { secret })).toBe(403)
  })

  test('stays shut without a session, and a token is not one', async () => {
    expect(await openSocket(origin, { origin }, { secret })).toBe(401)
    const path = newPath().replace('/', '/rpc')
    expect(await openSocket(origin, { origin }, { secret: path.split('=')[1] ?? '', path })).toBe(401)
  })

  test('is at one path', async () => {
    for (const path of ['/', '/rpc/', '/rpc?x=1', '/RPC']) {
      expect(await openSocket(origin, ownHeaders(), { secret, path })).toBe(404)
    }
  })

  test('has a bounded number', async () => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => openSocket(origin, ownHeaders(), { secret })))
    expect(opened.filter((one) => one === 503)).toHaveLength(4)
    const sockets = opened.filter((one) => one instanceof WebSocket)
    expect(sockets).toHaveLength(16)
    await Promise.all(
      sockets.map((socket) => {
        const closed = new Promise((resolve) => void socket.once('close', resolve))
        socket.terminate()
        return closed
      }),
    )
  })
})
