import { Agent, createServer } from 'node:http'
import { request as requestTls } from 'node:https'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createClient, type ConnectedClient } from '../../core/contract/client.ts'
import { procedures, streams } from '../../core/contract/contract.ts'
import { assertReadOnly } from '../../core/contract/readOnly.ts'
import { checked } from '../../core/contract/shapes.ts'
import { sendWith } from '../../main/cluster/nodeHttp.ts'
import { missingRights, reviewToken } from '../../main/cluster/tokenReview.ts'
import { makeCertificate } from '../../main/listen/certificate.ts'
import type { Admission, AccessControl } from '../../main/server/accessControl.ts'
import { createLogins } from '../../main/server/logins.ts'
import { startWebServer } from '../../main/server/webServer.ts'
import { webSocketPorts } from '../../main/transport/webSocketPort.ts'
import { fakeWorkspace } from '../harness/handlers.ts'
import { openSocket } from '../harness/http.ts'
import { tinyPage } from '../harness/page.ts'

/*
 * The console in a cluster, which others reach (docs/security.md, "In a cluster").
 */
const GOOD = 'good.token-of.alice'

interface Asked {
  readonly status: number
  readonly body: string
  readonly cookie: string
}

async function world(more: Partial<AccessControl> = {}) {
  const page = tinyPage()
  const say: string[] = []
  const asked: string[] = []
  let may = true
  let now = 1_000_000
  const ask = (token: string): Promise<Admission> => {
    asked.push(token)
    return Promise.resolve(
      token === GOOD
        ? { user: 'alice', ms: 60_000, stillMay: () => Promise.resolve(may) }
        : { status: 401, sentence: 'The API server does not accept this token; it may have expired.' },
    )
  }
  const { handlers } = fakeWorkspace('web')
  let relayed = 0
  const server = await startWebServer({
    root: page.root,
    handlers,
    lineTo: () => {
      relayed += 1
      return undefined
    },
    access: {
      address: '127.0.0.1',
      certificate: undefined,
      hosts: ['127.0.0.1'],
      base: '/',
      login: createLogins({ now: () => now, ask, say: (line) => void say.push(line) }),
      recheckMs: 20,
      ...more,
    },
  })
  onTestFinished(async () => {
    await server.close()
    page.remove()
  })
  const { origin } = server
  const post = async (path: string, body: string, headers: Record<string, string> = {}): Promise<Asked> => {
    const answer = await fetch(origin + path, {
      method: 'POST',
      body,
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
    const cookie = answer.headers.get('set-cookie') ?? ''
    return { status: answer.status, body: await answer.text(), cookie }
  }
  const login = (token: string, headers?: Record<string, string>) =>
    post('/login', new URLSearchParams({ token }).toString(), headers)
  return {
    origin,
    say,
    asked,
    relayed: () => relayed,
    post,
    login,
    later: (ms: number) => void (now += ms),
    forbid: () => void (may = false),
    enter: async () => {
      const { body, cookie } = await login(GOOD)
      const [, secret = ''] = /setItem\("[\w.-]+", "([\w-]+)"\)/.exec(body) ?? []
      return { cookie: cookie.split(';')[0] ?? '', secret }
    },
  }
}

const opened = async (origin: string, cookie: string, secret: string): Promise<WebSocket> => {
  const socket = await openSocket(origin, { origin, cookie }, { secret })
  if (!(socket instanceof WebSocket)) throw new Error(`refused with ${socket}`)
  return socket
}

async function clientOf(origin: string, cookie: string, secret: string): Promise<ConnectedClient> {
  const port = webSocketPorts()(await opened(origin, cookie, secret))
  const client = createClient({
    connect: async () => port,
    after: () => () => undefined,
    random: () => 0,
    reading: checked,
  })
  onTestFinished(() => client.close())
  return client
}

test('a token opens a session whose cookie no script and no other site gets; the token is in no answer and no log', async () => {
  const { origin, login, say } = await world()
  const { status, body, cookie } = await login(`Bearer ${GOOD} `)
  expect({ status, say }).toEqual({ status: 200, say: ['Login from 127.0.0.1: alice'] })
  expect(cookie).toMatch(/HttpOnly; SameSite=Strict$/)
  expect(body + cookie + say.join('\n')).not.toContain(GOOD)
  expect((await fetch(origin)).status).toBe(401)
})

test('guesses are stopped before the API server hears of them, and a waiting minute ends', async () => {
  const { login, asked, say, later } = await world()
  for (let guess = 0; guess < 5; guess++) expect((await login(`guess-${guess}`)).status).toBe(401)
  expect((await login(GOOD)).status).toBe(429)
  expect(asked).toHaveLength(5)
  expect(say.join('\n')).not.toContain('guess-')
  later(60_001)
  expect((await login(GOOD)).status).toBe(200)
})

test('many guesses at once are counted before their answers', async () => {
  const { login, asked } = await world()
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => (await login(`at-once-${index}`)).status),
  )
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5)
  expect(asked.length).toBeLessThanOrEqual(5)
})

test('the same token is asked about once in ten seconds', async () => {
  const { login, asked, later } = await world()
  await login(GOOD)
  await login(GOOD)
  expect(asked).toEqual([GOOD])
  later(10_001)
  await login(GOOD)
  expect(asked).toHaveLength(2)
})

test.each([{ origin: 'https://evil.example' }, { origin: 'null' }])(
  'a form of another site is refused: %j',
  async (headers) => {
    const { login, asked } = await world()
    expect((await login(GOOD, headers)).status).toBe(403)
    expect(asked).toEqual([])
  },
)

test('a name that resolves to the console is refused (DNS rebinding)', async () => {
  const { origin } = await world({ hosts: ['console.example'] })
  expect((await fetch(origin)).status).toBe(421)
})

test.each([
  ['too long', `token=${'x'.repeat(30_000)}`],
  ['no token', 'user=alice'],
  ['a header in it', `token=${encodeURIComponent('a\r\nImpersonate-User: admin')}`],
])('a form is refused that is %s', async (_, body) => {
  const { post, asked } = await world()
  expect((await post('/login', body)).status).toBe(401)
  expect(asked).toEqual([])
})

test('a session looks and does nothing else: nothing of the contract is allowed that is not named', async () => {
  const { origin, enter } = await world()
  const { cookie, secret } = await enter()
  const client = await clientOf(origin, cookie, secret)
  expect((await client.call('app.info', null)).mode).toBe('web')
  const refused = [...Object.keys(procedures), ...Object.keys(streams)].filter((name) => {
    try {
      assertReadOnly(name)
      return false
    } catch {
      return true
    }
  })
  for (const name of [
    'sources.connect',
    'sources.contexts',
    'sources.permissions',
    'editing.switch',
    'objects.apply',
  ]) {
    expect(refused).toContain(name)
  }
  await expect(client.call('sources.connect', { spec: { kind: 'demo' } })).rejects.toThrow(/read-only/)
  await expect(client.call('editing.switch', { connection: 1, on: true })).rejects.toThrow(/read-only/)
  await expect(client.call('settings.write', { record: false })).rejects.toThrow(/in the deployment of this console/)
})

test('what is refused is refused on the socket, as a call and as a stream, before a source hears of it', async () => {
  const { origin, enter, relayed } = await world()
  const { cookie, secret } = await enter()
  const socket = await opened(origin, cookie, secret)
  const replies = new Map<number, unknown>()
  socket.on('message', (data: Buffer) => {
    const { id, ...reply }: { id: number } = JSON.parse(data.toString())
    replies.set(id, reply)
  })
  const isAllowed = (name: string): boolean => {
    try {
      assertReadOnly(name)
      return true
    } catch {
      return false
    }
  }
  const names = [...Object.keys(procedures), ...Object.keys(streams), 'no.such', '__proto__']
  const refused = names.filter((name) => !isAllowed(name))
  expect(refused.length).toBeGreaterThan(30)
  for (const [index, name] of refused.entries()) {
    const input = { connection: 1 }
    socket.send(JSON.stringify({ type: 'call', id: 2 * index + 1, name, input }))
    socket.send(JSON.stringify({ type: 'subscribe', id: 2 * index + 2, name, params: input }))
  }
  await vi.waitFor(() => expect(replies.size).toBe(2 * refused.length))
  for (const [index] of refused.entries()) {
    const problem = { code: 'forbidden' }
    expect(replies.get(2 * index + 1)).toMatchObject({ type: 'problem', problem })
    expect(replies.get(2 * index + 2)).toMatchObject({ type: 'end', problem })
  }
  expect(relayed()).toBe(0)
})

test('settings of one session are not those of another', async () => {
  const { origin, enter } = await world()
  const clients = await Promise.all(
    [await enter(), await enter()].map(({ cookie, secret }) => clientOf(origin, cookie, secret)),
  )
  await clients[0]?.call('settings.write', { density: 'compact', theme: 'light' })
  expect((await clients[0]?.call('settings.read', null))?.theme).toBe('light')
  expect((await clients[1]?.call('settings.read', null))?.theme).not.toBe('light')
})

test('half a session opens no socket', async () => {
  const { origin, enter } = await world()
  const one = await enter()
  const other = await enter()
  expect(await openSocket(origin, { origin, cookie: one.cookie }, { secret: other.secret })).toBe(401)
  expect(await openSocket(origin, { origin: 'http://evil.example', cookie: one.cookie }, { secret: one.secret })).toBe(
    403,
  )
})

test('who loses the rights loses the session and its sockets', async () => {
  const { origin, enter, forbid } = await world()
  const { cookie, secret } = await enter()
  const socket = await opened(origin, cookie, secret)
  forbid()
  await vi.waitFor(() => expect(socket.readyState).toBe(WebSocket.CLOSED))
  expect(await openSocket(origin, { origin, cookie }, { secret })).toBe(401)
})

test('signing out ends the session', async () => {
  const { origin, enter, post } = await world()
  const { cookie, secret } = await enter()
  expect((await post('/logout', '', { cookie })).status).toBe(200)
  expect(await openSocket(origin, { origin, cookie }, { secret })).toBe(401)
})

/** The cookie of a login to a console with a certificate. */
async function loginOverTls(more: Partial<AccessControl> = {}) {
  const { cert, key } = await makeCertificate(['127.0.0.1'], Date.now())
  const { origin } = await world({ certificate: { cert: Buffer.from(cert), key: Buffer.from(key) }, ...more })
  const cookie = await new Promise<string>((resolve, reject) => {
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
    const sent = requestTls(`${origin}/login`, { method: 'POST', ca: cert, agent: false, headers }, (answer) => {
      answer.resume()
      resolve(answer.headers['set-cookie']?.[0] ?? '')
    })
    sent.on('error', reject)
    sent.end(`token=${GOOD}`)
  })
  return { origin, cookie }
}

test('with a certificate the cookie belongs to HTTPS and to this host alone', async () => {
  const { origin, cookie } = await loginOverTls()
  expect(origin).toMatch(/^https:/)
  expect(cookie).toMatch(/^__Host-apf-console-\d+=.*Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/)
})

test.each([
  ['leaves', (path: string) => path],
  ['removes', (path: string) => path.slice('/tools/apf'.length)],
])('at a path, an ingress that %s it reaches everything, and nothing leads out of the path', async (_, sent) => {
  const { origin, post } = await world({ base: '/tools/apf/' })
  const get = (path: string, cookie = '') => fetch(origin + sent(path), { headers: { cookie }, redirect: 'manual' })
  const addresses = (html: string): string[] =>
    Array.from(html.matchAll(/(?:href|src|action|replace)(?:="|\(")([^"]+)/g), ([, address = '']) => address)
  const refused = await get('/tools/apf/')
  expect([refused.status, addresses(await refused.text())]).toEqual([401, ['data:,', '/tools/apf/login']])

  const { status, body, cookie } = await post(sent('/tools/apf/login'), `token=${GOOD}`)
  expect([status, addresses(body)]).toEqual([200, ['data:,', '/tools/apf/']])
  expect(cookie).toMatch(/^apf-console-\d+=.*; Path=\/tools\/apf; /)
  const [, key, secret = ''] = /setItem\("([\w./-]+)", "([\w-]+)"\)/.exec(body) ?? []
  expect(key).toBe('apf-console.session/tools/apf/')
  const own = cookie.split(';')[0] ?? ''

  for (const path of ['/tools/apf/', '/tools/apf', '/tools/apf/?a=b', '/tools/apf?a=b']) {
    const page = await get(path, own)
    expect([path, page.status]).toEqual([path, 200])
    expect(addresses(await page.text())).toEqual(['/tools/apf/assets/index-Ab3_xY9-.js'])
  }
  const asset = await get('/tools/apf/assets/index-Ab3_xY9-.js', own)
  expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'private, max-age=31536000, immutable'])
  expect((await get('/tools/apf/nothing', own)).status).toBe(404)
  expect((await fetch(`${origin}/tools/apfel`, { headers: { cookie: own } })).status).toBe(404)
  expect(addresses(await (await get('/tools/apf/logout', own)).text())).toEqual([
    'data:,',
    '/tools/apf/logout',
    '/tools/apf/',
  ])

  const socket = await openSocket(origin, { origin, cookie: own }, { secret, path: sent('/tools/apf/rpc') })
  expect(socket).toBeInstanceOf(WebSocket)
  const out = await post(sent('/tools/apf/logout'), '', { cookie: own })
  expect([out.status, out.cookie]).toEqual([200, expect.stringMatching(/=; Path=\/tools\/apf; Max-Age=0;/)])
  expect((await get('/tools/apf/', own)).status).toBe(401)
})

test('with a certificate, the cookie at a path is not sent to the other paths of the host', async () => {
  const { cookie } = await loginOverTls({ base: '/apf/' })
  expect(cookie).toMatch(/^__Secure-apf-console-\d+=.*Path=\/apf; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/)
})

/** An API server that answers reviews. */
async function reviewer(answers: { readonly token: unknown; readonly access?: (spec: string) => unknown }) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const status = request.url?.endsWith('tokenreviews') === true ? answers.token : answers.access?.(body)
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ status }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return { base: `http://127.0.0.1:${port}`, settings: { send: sendWith(new Agent()), headers: {}, secrets: [] } }
}
const ALICE = { username: 'alice', groups: ['devs'] }

test.each([
  ['not authenticated', { authenticated: false, user: ALICE }, [], undefined],
  ['an error beside it', { error: 'expired', user: ALICE }, [], undefined],
  ['for another audience', { authenticated: true, user: ALICE, audiences: ['vault'] }, ['apf'], undefined],
  ['without any audience', { authenticated: true, user: ALICE }, ['apf'], undefined],
  ['for us', { authenticated: true, user: ALICE, audiences: ['apf'] }, ['apf'], ALICE],
])('a token is reviewed: %s', async (_, token, audiences, value) => {
  expect(await reviewToken(await reviewer({ token }), 'x', audiences)).toEqual({ ok: true, value })
})

test('an answer that is no review lets nobody in', async () => {
  expect(await reviewToken(await reviewer({ token: { authenticated: true } }), 'x', [])).toMatchObject({ ok: false })
  expect(await missingRights(await reviewer({ token: {}, access: () => ({}) }), ALICE)).toMatchObject({ ok: false })
})

test('each right that is missing or denied is named', async () => {
  const context = await reviewer({
    token: {},
    access: (spec) => ({ allowed: !spec.includes('/metrics'), denied: spec.includes('"watch"') }),
  })
  expect(await missingRights(context, ALICE)).toEqual({
    ok: true,
    value: ['get /metrics', 'watch flowschemas', 'watch prioritylevelconfigurations'],
  })
})
