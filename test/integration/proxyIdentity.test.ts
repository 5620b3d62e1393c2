import { createServer as createTlsServer } from 'node:https'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type ProxySpec, ProxySpecSchema } from '../../core/contract/live.ts'
import { openProxy, type ListenOptions, type ProxySurroundings } from '../../main/proxy/open.ts'
import { makePki } from '../cluster/pki.ts'
import { createAuthority, selfSigned } from '../harness/hostileServerCertificates.ts'
import { type Cleanups, cleanUp, liveRun, portOf, upstreamServer } from '../harness/proxied.ts'
import { allNamed } from '../harness/consent.ts'

const cleanups: Cleanups = []
afterEach(() => cleanUp(cleanups))

const REVIEW = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const OWNERS: Readonly<Record<string, string>> = {
  'Bearer own-token': 'operator',
  'Bearer alices-token': 'alice',
  'Bearer bobs-token': 'bob',
}

interface Seen {
  readonly reviews: string[]
  readonly requests: IncomingMessage[]
}

/** The part of an API server for identities: it has tokens, answers reviews, and records requests. */
function apiServer(seen: Seen, accepted: () => Readonly<Record<string, string>> = () => OWNERS) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { authorization = '' } = request.headers
    const owner = accepted()[authorization]
    request.resume()
    if (request.url === REVIEW) seen.reviews.push(authorization)
    else seen.requests.push(request)
    if (owner === undefined) return void response.writeHead(401).end('{"message":"Unauthorized"}')
    if (request.url !== REVIEW) return void response.end(owner)
    const userInfo = { username: owner, groups: ['devs', 'system:authenticated'] }
    response.writeHead(201, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ kind: 'SelfSubjectReview', status: { userInfo } }))
  }
}

const nothing = (): Seen => ({ reviews: [], requests: [] })

async function kubeconfig(port: number, user: object, more: object = {}, protocol = 'http'): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'apf-proxy-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'kubeconfig')
  const cluster = { server: `${protocol}://127.0.0.1:${port}`, ...more }
  await writeFile(
    file,
    JSON.stringify({
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user }],
    }),
  )
  return file
}

async function open(
  spec: Pick<ProxySpec, 'upstream' | 'identity'>,
  more: Partial<ProxySurroundings> & { readonly listen?: ListenOptions } = {},
) {
  const run = liveRun(600)
  cleanups.push(() => run.close())
  const proxy = await openProxy(ProxySpecSchema.parse({ kind: 'proxy', ...spec }), {
    run,
    names: { level: (uid) => `level ${uid}`, schema: () => undefined },
    now: Date.now,
    consent: allNamed,
    env: {},
    ...more,
  })
  cleanups.push(() => proxy.close())
  return { run, proxy }
}

const whoWas = ({ run }: Awaited<ReturnType<typeof open>>) =>
  run.log.before(1).map(({ user, groups }) => [user, groups.join(' ')])[0]

describe('the user of the kubeconfig', () => {
  test('is everybody, with its credentials, whatever callers bring', async () => {
    const seen = nothing()
    const server = await upstreamServer(cleanups, apiServer(seen))
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'kubeconfig' })
    expect(opened.proxy.title).toMatch(/^http:\/\/127\.0\.0\.1:\d+ → here$/)
    const answer = await fetch(`${opened.proxy.url}/api/v1/pods`, { headers: { Authorization: 'Bearer bobs-token' } })
    expect(await answer.text()).toBe('operator')
    expect(whoWas(opened)).toEqual(['operator', 'devs system:authenticated'])
    expect(seen.reviews).toEqual(['Bearer own-token'])
    expect(JSON.stringify(opened.run.log.before(10))).not.toMatch(/token/)
  })

  test('may impersonate others, whom the engine then sees', async () => {
    const server = await upstreamServer(cleanups, apiServer(nothing()))
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'kubeconfig' })
    const as = async (headers: Record<string, string>) => {
      await (await fetch(`${opened.proxy.url}/api/v1/pods`, { headers })).text()
      return whoWas(opened)
    }
    expect(await as({ 'Impersonate-User': 'carol', 'Impersonate-Group': 'ops' })).toEqual([
      'carol',
      'ops system:authenticated',
    ])
    expect(await as({ 'Impersonate-User': 'system:serviceaccount:a:b' })).toEqual([
      'system:serviceaccount:a:b',
      'system:serviceaccounts system:serviceaccounts:a system:authenticated',
    ])
  })

  test('that is itself an impersonation cannot be impersonated from', async () => {
    const server = await upstreamServer(cleanups, apiServer(nothing()))
    const file = await kubeconfig(portOf(server), { token: 'own-token', as: 'carol' })
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'kubeconfig' })
    const refused = await fetch(`${opened.proxy.url}/api`, { headers: { 'Impersonate-User': 'dave' } })
    expect(refused.status).toBe(400)
    expect((await fetch(`${opened.proxy.url}/api`)).status).toBe(200)
  })

  test('has its credentials read anew once the upstream refuses them', async () => {
    let accepted = OWNERS
    const seen = nothing()
    const server = await upstreamServer(
      cleanups,
      apiServer(seen, () => accepted),
    )
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'kubeconfig' })
    accepted = { 'Bearer new-token': 'operator' }
    await writeFile(file, (await readFile(file, 'utf8')).replace('own-token', 'new-token'))
    expect((await fetch(`${opened.proxy.url}/api`)).status).toBe(401)
    expect((await fetch(`${opened.proxy.url}/api`)).status).toBe(200)
  })

  test('that the upstream does not tell is a reason not to open', async () => {
    const server = await upstreamServer(cleanups, (_request, response) => response.writeHead(404).end())
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    await expect(open({ upstream: { kind: 'kubeconfig', file }, identity: 'kubeconfig' })).rejects.toThrow(
      'here does not report the user of the kubeconfig (SelfSubjectReview, Kubernetes 1.28 and later). Use another identity.',
    )
    const url = `http://127.0.0.1:${portOf(server)}`
    const { proxy } = await open({ upstream: { kind: 'url', url }, identity: 'kubeconfig' })
    expect(proxy.notes.join(' ')).toMatch(/does not identify its clients, so all of them count as system:anonymous/)
  })
})

describe('tokens', () => {
  test('go upstream as they came, without the credentials of the kubeconfig; their owners are asked for once', async () => {
    const seen = nothing()
    const pki = await makePki(path.join(await mkdtemp(path.join(tmpdir(), 'apf-pki-')), 'pki'))
    cleanups.push(() => rm(path.dirname(path.dirname(pki.ca)), { recursive: true, force: true }))
    const asked: boolean[] = []
    const server = createTlsServer(
      {
        cert: await readFile(pki.serverCert),
        key: await readFile(pki.serverKey),
        ca: await readFile(pki.ca),
        requestCert: true,
        rejectUnauthorized: false,
      },
      (request, response) => {
        asked.push('authorized' in request.socket && request.socket.authorized === true)
        apiServer(seen)(request, response)
      },
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => server.close())
    const user = { 'client-certificate': pki.adminCert, 'client-key': pki.adminKey }
    const file = await kubeconfig(portOf(server), user, { 'certificate-authority': pki.ca }, 'https')
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'token' })
    const get = async (token: string) => {
      const answer = await fetch(`${opened.proxy.url}/api/v1/pods`, { headers: { Authorization: `Bearer ${token}` } })
      return [answer.status, (await answer.text()).slice(0, 10), whoWas(opened)?.[0]]
    }
    for (let i = 0; i < 3; i++) expect(await get('alices-token')).toEqual([200, 'alice', 'alice'])
    expect(await get('bobs-token')).toEqual([200, 'bob', 'bob'])
    for (let i = 0; i < 3; i++) expect(await get('wrong-token')).toEqual([401, '{"message"', 'system:anonymous'])
    expect(seen.reviews).toEqual(['Bearer alices-token', 'Bearer bobs-token', 'Bearer wrong-token'])
    expect(asked).not.toContain(true)
    expect(JSON.stringify(opened.run.log.before(10))).not.toMatch(/s-token/)
  })

  test('may come as the subprotocol of a WebSocket', async () => {
    const server = await upstreamServer(cleanups, apiServer(nothing()))
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'token' })
    const token = Buffer.from('bobs-token').toString('base64url')
    const protocols = `base64url.bearer.authorization.k8s.io.${token}, v5.channel.k8s.io`
    // Without a WebSocket it is no token to the server.
    await fetch(`${opened.proxy.url}/api`, { headers: { 'Sec-WebSocket-Protocol': protocols } })
    expect(whoWas(opened)?.[0]).toBe('system:anonymous')
    const headers = { 'Sec-WebSocket-Protocol': protocols, Connection: 'Upgrade', Upgrade: 'websocket' }
    const request = http.get(`${opened.proxy.url}/api`, { headers })
    await new Promise((resolve) => request.on('response', (answer) => resolve(answer.resume())))
    expect(whoWas(opened)?.[0]).toBe('bob')
  })

  test('that the server does not know never reach the engine, nor does who impersonates nobody', async () => {
    const seen = nothing()
    const server = await upstreamServer(cleanups, apiServer(seen))
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'token' })
    const get = async (headers: Record<string, string>) => {
      await (await fetch(`${opened.proxy.url}/api/v1/pods`, { headers })).text()
      return opened.run.log.before(1).map(({ state, user, status }) => [state, user, status])[0]
    }
    const own = { Authorization: 'Bearer bobs-token' }
    expect(await get({ Authorization: 'Bearer wrong' })).toEqual(['bypassed', 'system:anonymous', 401])
    expect(await get({ ...own, 'Impersonate-Group': 'ops' })).toEqual(['bypassed', 'bob', 200])
    expect(await get(own)).toEqual(['served', 'bob', 200])
    expect(seen.requests).toHaveLength(3)
  })

  test('are what the server takes for one: other schemes and spaces are nothing to it', async () => {
    const seen = nothing()
    const server = await upstreamServer(cleanups, apiServer(seen))
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    const opened = await open({ upstream: { kind: 'kubeconfig', file }, identity: 'token' })
    const userOf = async (authorization: string) => {
      await (await fetch(`${opened.proxy.url}/api`, { headers: { Authorization: authorization } })).text()
      return whoWas(opened)?.[0]
    }
    for (const other of ['Basic YTpi', 'Bearer', 'Bearer   bobs-token', 'bobs-token']) {
      expect(await userOf(other)).toBe('system:anonymous')
    }
    expect(seen.reviews).toEqual([])
    expect(await userOf('bearer bobs-token')).toBe('bob')
    expect(seen.reviews).toEqual(['Bearer bobs-token'])
  })

  test('that cannot be asked about are no anonymous requests', async () => {
    const server = await upstreamServer(cleanups, (_request, response) => response.writeHead(500).end())
    const url = `http://127.0.0.1:${portOf(server)}`
    const opened = await open({ upstream: { kind: 'url', url }, identity: 'token' })
    const answer = await fetch(`${opened.proxy.url}/api`, {
      headers: { Authorization: 'Bearer any', Accept: 'application/json' },
    })
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({ kind: 'Status', code: 502, message: /whose token/ })
    expect(opened.run.log.count).toBe(0)
  })
})

describe('client certificates', () => {
  test('say who calls; upstream they are impersonated', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'apf-pki-'))
    cleanups.push(() => rm(folder, { recursive: true, force: true }))
    const pki = await makePki(path.join(folder, 'pki'))
    const seen = nothing()
    const server = await upstreamServer(cleanups, apiServer(seen))
    const file = await kubeconfig(portOf(server), { token: 'own-token' })
    const [cert, key, clientCa] = await Promise.all(
      [pki.serverCert, pki.serverKey, pki.ca].map((name) => readFile(name, 'utf8')),
    )
    const opened = await open(
      { upstream: { kind: 'kubeconfig', file }, identity: 'certificate' },
      { listen: { tls: { cert: cert ?? '', key: key ?? '', clientCa: clientCa ?? '' } } },
    )
    const get = (options: https.RequestOptions): Promise<number> =>
      new Promise((resolve, reject) => {
        https
          .get(`${opened.proxy.url}/api`, { ca: clientCa, agent: false, ...options }, (answer) =>
            resolve(answer.resume().statusCode ?? 0),
          )
          .on('error', reject)
      })
    const own = { cert: await readFile(pki.adminCert), key: await readFile(pki.adminKey) }
    expect(await get(own)).toBe(200)
    expect(whoWas(opened)).toEqual(['kubernetes-admin', 'system:masters system:authenticated'])
    expect(seen.requests[0]?.rawHeaders.join(' ')).toMatch(
      /Impersonate-User kubernetes-admin Impersonate-Group system:masters Authorization Bearer own-token/,
    )
    expect(await get({})).toBe(401)
    expect(await get(createAuthority().issue({ name: 'kubernetes-admin' }))).toBe(401)
    expect(await get({ ...own, headers: { 'Impersonate-User': 'other' } })).toBe(400)
    expect(seen.requests).toHaveLength(1)
  })
})

describe('listening', () => {
  const upstream = { kind: 'url', url: 'http://127.0.0.1:9' } as const
  const tls = selfSigned({ name: 'localhost', dns: ['localhost'], ips: ['127.0.0.1'] })
  const token = 'a-long-enough-token'

  test.each([
    [
      'plain',
      { host: '0.0.0.0', token },
      'Other than on loopback, the proxy requires TLS. Let it generate a certificate for 0.0.0.0, or provide a certificate and its key.',
    ],
    [
      'without a token',
      { host: '0.0.0.0', tls },
      'Other than on loopback, the proxy requires a client token. Let it generate one, or provide a file with one.',
    ],
    ['with a short token', { token: 'short' }, 'The token of the proxy needs at least 16 characters, without spaces.'],
    [
      'without a maker of certificates',
      { tls: { generated: true } },
      'Certificates cannot be made here; give one and its key.',
    ],
    ['with a broken certificate', { tls: { cert: 'x', key: 'y' } }, /^The certificate of the proxy cannot be used/],
    ['where this machine is not', { host: '192.0.2.1', tls, token }, '192.0.2.1 is no address of this machine.'],
  ] as [string, ListenOptions, string | RegExp][])('%s is refused', async (_case, listen, sentence) => {
    await expect(open({ upstream, identity: 'headers' }, { listen })).rejects.toThrow(sentence)
  })

  test('by certificates needs an authority', async () => {
    await expect(open({ upstream, identity: 'certificate' })).rejects.toThrow(/requires TLS and the CA/)
  })

  test('on a port that is taken is refused with a sentence', async () => {
    const server = await upstreamServer(cleanups, () => undefined)
    const spec = ProxySpecSchema.parse({ kind: 'proxy', upstream, identity: 'headers', port: portOf(server) })
    const names = { level: () => undefined, schema: () => undefined }
    const opening = openProxy(spec, { run: liveRun(1), names, now: Date.now, consent: allNamed, env: {} })
    await expect(opening).rejects.toThrow(/^Port \d+ of 127\.0\.0\.1 is in use; choose another one/)
  })

  test('beyond loopback lets in who brings the token', async () => {
    const server = await upstreamServer(cleanups, (_request, response) => response.end('served'))
    const made: (readonly string[])[] = []
    const opened = await open(
      { upstream: { kind: 'url', url: `http://127.0.0.1:${portOf(server)}` }, identity: 'headers' },
      {
        listen: { host: '0.0.0.0', tls: { generated: true }, token },
        makeCertificate: (hosts) => {
          made.push(hosts)
          return Promise.resolve(tls)
        },
      },
    )
    expect(made).toEqual([['0.0.0.0', '127.0.0.1', 'localhost', '::1']])
    const get = (headers: http.OutgoingHttpHeaders): Promise<number> =>
      new Promise((resolve, reject) => {
        https
          .get(`${opened.proxy.url.replace('0.0.0.0', '127.0.0.1')}/api`, { ca: tls.cert, headers }, (answer) =>
            resolve(answer.resume().statusCode ?? 0),
          )
          .on('error', reject)
      })
    expect(await get({ Authorization: `Bearer ${token}` })).toBe(200)
    expect(await get({ 'Proxy-Authorization': `Bearer ${token}` })).toBe(200)
    expect(await get({ Authorization: `Bearer ${token}x` })).toBe(401)
    expect(await get({})).toBe(401)
    expect(await get({ Authorization: `Bearer ${token}`, Origin: 'https://evil.example' })).toBe(403)
  })
})

test('what the server says is resolved to names', async () => {
  const server = await upstreamServer(cleanups, (_request, response) => {
    response.writeHead(200, { 'X-Kubernetes-PF-PriorityLevel-UID': 'a', 'X-Kubernetes-PF-FlowSchema-UID': 'b' }).end()
  })
  const opened = await open({
    upstream: { kind: 'url', url: `http://127.0.0.1:${portOf(server)}` },
    identity: 'headers',
  })
  const answer = await fetch(`${opened.proxy.url}/api/v1/pods`)
  expect(answer.headers.get('x-kubernetes-pf-prioritylevel-uid')).toBe('a')
  await vi.waitFor(() => expect(opened.run.log.before(1)[0]?.server).toEqual({ level: 'level a' }))
})
