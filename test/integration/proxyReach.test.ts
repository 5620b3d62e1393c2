import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import type { SecureContextOptions } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { type ProxySpec, ProxySpecSchema } from '../../core/contract/live.ts'
import { makePki, type Pki } from '../cluster/pki.ts'
import { startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { createAuthority, selfSigned } from '../harness/hostileServerCertificates.ts'
import { type LiveConsole, openLiveConsole, smallServer, type SmallServer } from '../harness/live.ts'

const KubeconfigSchema = z.object({
  clusters: z.tuple([
    z.object({
      cluster: z.object({
        server: z.url(),
        'certificate-authority-data': z.string().optional(),
        'tls-server-name': z.string().optional(),
      }),
    }),
  ]),
  users: z.tuple([z.object({ user: z.object({ token: z.string().optional() }) })]),
  'current-context': z.string(),
})

interface Client {
  readonly server: string
  /** The only certificate that it trusts. */
  readonly ca: string
  readonly servername: string | undefined
  readonly token: string | undefined
}

/** What a client has that got the file and nothing else. */
async function clientOf(file: string): Promise<Client> {
  const { clusters, users } = KubeconfigSchema.parse(parse(await readFile(file, 'utf8')))
  const [{ cluster }] = clusters
  return {
    server: cluster.server,
    ca: Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64').toString(),
    servername: cluster['tls-server-name'],
    token: users[0].user.token,
  }
}

const bearer = (token: string | undefined): OutgoingHttpHeaders =>
  token === undefined ? {} : { Authorization: `Bearer ${token}` }

/** The status of a response over HTTP/1.1; rejects if the server is not trusted. */
const statusOf = (
  { server, ca, servername }: Client,
  headers: OutgoingHttpHeaders,
  more: https.RequestOptions = {},
): Promise<number> =>
  new Promise((resolve, reject) => {
    const named = servername === undefined ? {} : { servername }
    https
      .get(`${server}/api/v1/pods`, { ca, agent: false, headers, ...named, ...more }, (answer) =>
        resolve(answer.resume().statusCode ?? 0),
      )
      .on('error', reject)
  })

/** The same over HTTP/2. */
async function statusOver2({ server, ca }: Client, headers: OutgoingHttpHeaders, more: SecureContextOptions = {}) {
  const session = http2.connect(server, { ca, ...more })
  try {
    return await new Promise<number | undefined>((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request({ ':path': '/api/v1/pods', ...headers })
      stream.on('response', (head) => resolve(head[':status']))
      stream.on('error', reject)
      stream.resume()
    })
  } finally {
    session.destroy()
  }
}

let folder: string
let desk: LiveConsole
let upstream: SmallServer
let seen: IncomingMessage[]

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'apf-reach-'))
  seen = []
  upstream = await smallServer((request, response) => {
    seen.push(request)
    response.end('{}')
  })
  desk = await openLiveConsole('proxy')
})
afterEach(async () => {
  await desk.close()
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

const inFolder = async (name: string, text: string, mode = 0o600): Promise<string> => {
  const file = path.join(folder, name)
  await writeFile(file, text)
  await chmod(file, mode)
  return file
}

const specOf = (listen: ProxySpec['listen'], more: Partial<ProxySpec> = {}): ProxySpec =>
  ProxySpecSchema.parse({
    kind: 'proxy',
    upstream: { kind: 'url', url: upstream.url },
    identity: 'headers',
    objects: 'built-in',
    ...(listen && { listen }),
    ...more,
  })

/** Connects, and returns what the console reports about it. */
async function open(listen: ProxySpec['listen'], more: Partial<ProxySpec> = {}) {
  await desk.connect(specOf(listen, more))
  await vi.waitFor(() => expect(desk.state()?.address).toBeDefined())
  const { address = '', clientKubeconfig } = desk.state() ?? {}
  return { address, clientKubeconfig: clientKubeconfig ?? '', notes: desk.notes().join('\n') }
}

const rows = async () => (await desk.client.call('live.page', { count: 100 })).requests

/** Every file under a folder, with its mode and text. */
async function filesUnder(root: string): Promise<{ name: string; mode: string; text: string }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name)
        const { mode } = await stat(file)
        return { name: entry.name, mode: (mode & 0o777).toString(8), text: await readFile(file, 'utf8') }
      }),
  )
}

const GENERATED = { tls: { kind: 'generated' }, token: { kind: 'generated' } } as const
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address

describe('a proxy that makes its certificate and its token', () => {
  test('serves the client that was given its kubeconfig, over HTTP/1.1 and HTTP/2, and nobody without the token', async () => {
    const { address, clientKubeconfig, notes } = await open({ host: '0.0.0.0', ...GENERATED })
    const client = await clientOf(clientKubeconfig)
    expect(client.server).toBe(address)
    expect(address).not.toContain('0.0.0.0')
    expect(notes).toContain(`kubectl --kubeconfig ${clientKubeconfig}. Only this user can read that file.`)
    expect(client.token).toMatch(/^\S{16,}$/)
    const { token = '' } = client
    const own = { ...bearer(token), 'x-remote-user': 'alice' }
    expect([await statusOf(client, own), await statusOver2(client, own)]).toEqual([200, 200])
    expect(await statusOf(client, { 'Proxy-Authorization': `Bearer ${token}` })).toBe(200)
    const refused = [{}, bearer(`${token}x`), bearer(token.slice(0, -1)), bearer(''), { Authorization: token }]
    for (const headers of refused) {
      expect(await statusOf(client, headers)).toBe(401)
      expect(await statusOver2(client, headers)).toBe(401)
    }
    expect(seen).toHaveLength(3)
    await expect(statusOf({ ...client, ca: createAuthority().cert }, own)).rejects.toThrow(/certificate/)
    expect((await rows()).map(({ user }) => user).toSorted()).toEqual(['alice', 'alice', 'system:anonymous'])
  })

  test('tells the token to nobody: not to the upstream, nor in rows, notes, recent sources or other files', async () => {
    const { clientKubeconfig } = await open(GENERATED)
    const client = await clientOf(clientKubeconfig)
    const { token = '' } = client
    expect(await statusOf(client, bearer(token))).toBe(200)
    expect(await statusOver2(client, bearer(token))).toBe(200)
    await vi.waitFor(async () => expect(await rows()).toHaveLength(2))
    const recent = await desk.client.call('sources.recent', null)
    expect(recent).toMatchObject([{ spec: { kind: 'proxy', listen: GENERATED } }])
    const told = JSON.stringify([
      await rows(),
      desk.state(),
      desk.frame(),
      recent,
      ...seen.map((one) => one.rawHeaders),
    ])
    expect(told).toContain(clientKubeconfig)
    expect(told).not.toContain(token)
    expect(told).not.toContain('PRIVATE KEY')
    const files = await filesUnder(desk.stateDir)
    expect(
      files
        .filter(({ text }) => text.includes(token))
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['client.kubeconfig', 'token'])
    expect(files.filter(({ text }) => text.includes('PRIVATE KEY')).map(({ name }) => name)).toEqual([
      'certificate.pem',
    ])
    const secret = files.filter(({ name }) => ['client.kubeconfig', 'token', 'certificate.pem'].includes(name))
    expect(secret.map(({ mode }) => mode)).toEqual(['600', '600', '600'])
  })

  test('keeps both over a restart, so that its clients go on', async () => {
    const { clientKubeconfig: firstFile } = await open(GENERATED)
    const first = await clientOf(firstFile)
    await desk.client.call('sources.disconnect', null)
    const port = Number(new URL(first.server).port)
    const kept = path.join(path.dirname(firstFile), 'token')
    await chmod(kept, 0o644)
    await open(GENERATED, { port })
    expect(await statusOf(first, bearer(first.token))).toBe(200)
    expect((await stat(kept)).mode & 0o777).toBe(0o600)
    // Other names need another certificate; the token stays.
    const wider = await clientOf((await open({ ...GENERATED, host: '0.0.0.0' })).clientKubeconfig)
    expect(wider.token).toBe(first.token)
    await expect(statusOf({ ...wider, ca: first.ca }, bearer(wider.token)))
      .resolves.toBe(200)
      .catch(() => undefined)
    expect(await statusOf(wider, bearer(wider.token))).toBe(200)
  })
})

describe('names', () => {
  test.skipIf(ownAddress === undefined)('beyond loopback are addresses and those of the certificate', async () => {
    const { clientKubeconfig } = await open({ host: ownAddress ?? '', ...GENERATED })
    const client = await clientOf(clientKubeconfig)
    const { port } = new URL(client.server)
    const as = (Host: string, more: OutgoingHttpHeaders = {}): Promise<number> =>
      statusOf(client, { ...bearer(client.token), Host, ...more }, { servername: 'localhost' })
    expect(await as(`${ownAddress}:${port}`)).toBe(200)
    expect(await as(`localhost:${port}`)).toBe(200)
    // Where ports are forwarded.
    expect(await as('localhost:9443')).toBe(200)
    expect(await as('192.0.2.77')).toBe(200)
    expect(await as('[2001:db8::7]:443')).toBe(200)
    for (const foreign of [`evil.example:${port}`, 'evil.example', 'localhost.evil.example', 'a b', 'x@localhost']) {
      expect(await as(foreign)).toBe(421)
    }
    expect(await statusOver2(client, { ...bearer(client.token), ':authority': 'evil.example' })).toBe(421)
    expect(await as(`${ownAddress}:${port}`, { Origin: 'https://192.0.2.77' })).toBe(403)
    expect(await as(`${ownAddress}:${port}`, { 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
    expect(await as(`${ownAddress}:${port}`, { Origin: `https://${ownAddress}:${port}` })).toBe(200)
  })

  test('on loopback are those of loopback at the port of the proxy', async () => {
    const { clientKubeconfig } = await open(GENERATED)
    const client = await clientOf(clientKubeconfig)
    const { port } = new URL(client.server)
    const as = (Host: string): Promise<number> =>
      statusOf(client, { ...bearer(client.token), Host }, { servername: 'localhost' })
    expect(await as(`localhost:${port}`)).toBe(200)
    expect([await as('localhost:1'), await as(`192.0.2.77:${port}`), await as(`evil.example:${port}`)]).toEqual([
      421, 421, 421,
    ])
  })
})

describe('files of the operator', () => {
  let pki: Pki
  beforeEach(async () => {
    pki = await makePki(path.join(folder, 'pki'))
  })

  test('are what it speaks TLS by; the kubeconfig expects one of its names', async () => {
    const own = selfSigned({ name: 'apf.corp.example', dns: ['*.else.example', 'apf.corp.example'] })
    const certFile = await inFolder('tls.crt', own.cert, 0o644)
    const keyFile = await inFolder('tls.key', own.key, 0o640)
    const { clientKubeconfig, notes } = await open({ tls: { kind: 'files', certFile, keyFile } })
    const client = await clientOf(clientKubeconfig)
    // kubectl prompts for a user name without credentials.
    expect(client).toMatchObject({ servername: 'apf.corp.example', ca: own.cert, token: 'none-is-needed' })
    expect(await statusOf(client, bearer(client.token))).toBe(200)
    expect(await statusOf(client, {})).toBe(200)
    expect(await statusOf(client, { Host: `apf.corp.example:${new URL(client.server).port}` })).toBe(200)
    expect(notes).toContain(`The key ${keyFile} can be read by other users of this machine`)
    expect(notes).not.toContain(`${certFile} can be read`)
  })

  test('that hold a certificate which has ended are used, and that is said', async () => {
    const old = selfSigned({ name: 'localhost', ips: ['127.0.0.1'], fromDay: -9, toDay: -1 })
    const [certFile, keyFile] = [await inFolder('tls.crt', old.cert), await inFolder('tls.key', old.key)]
    const { notes } = await open({ tls: { kind: 'files', certFile, keyFile } })
    expect(notes).toMatch(/tls\.crt ended on \d{4}-\d\d-\d\d, so clients reject it\. Renew it\./)
  })

  test('say who may call: common name and organisations, over HTTP/1.1 and HTTP/2', async () => {
    const listen = {
      tls: { kind: 'files', certFile: pki.serverCert, keyFile: pki.serverKey },
      clientCaFile: pki.ca,
    } as const
    const { address, clientKubeconfig } = await open(listen, { identity: 'certificate' })
    const client = { ...(await clientOf(clientKubeconfig)), ca: await readFile(pki.ca, 'utf8') }
    expect(client.server).toBe(address)
    const own = { cert: await readFile(pki.adminCert), key: await readFile(pki.adminKey) }
    expect(await statusOf(client, {}, own)).toBe(200)
    expect(await statusOver2(client, {}, own)).toBe(200)
    await vi.waitFor(async () => expect(await rows()).toHaveLength(2))
    for (const row of await rows()) {
      expect(row).toMatchObject({
        user: 'kubernetes-admin',
        groups: ['system:masters', 'system:authenticated'],
        level: 'exempt',
      })
    }
    expect([await statusOf(client, {}), await statusOver2(client, {})]).toEqual([401, 401])
    // Resumed sessions keep their certificate.
    const agent = new https.Agent({ keepAlive: false, maxCachedSessions: 10 })
    expect([await statusOf(client, {}, { ...own, agent }), await statusOf(client, {}, { ...own, agent })]).toEqual([
      200, 200,
    ])
    agent.destroy()
    const foreign = createAuthority('apf-kube-ca').issue({ name: 'kubernetes-admin' })
    expect([await statusOf(client, {}, foreign), await statusOver2(client, {}, foreign)]).toEqual([401, 401])
    expect(seen).toHaveLength(4)
  })

  test('with a token are read without the white space around it, and complained of where others can read them', async () => {
    const file = await inFolder('token', '  the-token-of-the-operator\r\n\n', 0o644)
    const { clientKubeconfig, notes } = await open({ tls: { kind: 'generated' }, token: { kind: 'file', file } })
    const client = await clientOf(clientKubeconfig)
    expect(client.token).toBe('the-token-of-the-operator')
    expect([await statusOf(client, bearer(client.token)), await statusOf(client, {})]).toEqual([200, 401])
    expect(notes).toContain(`The token file ${file} can be read by other users of this machine`)
    await chmod(file, 0o600)
    expect((await open({ tls: { kind: 'generated' }, token: { kind: 'file', file } })).notes).not.toContain('chmod')
  })

  test('that cannot be used are named in one sentence, and nothing listens or is left behind', async () => {
    const short = await inFolder('short', 'hunter2\n')
    const two = await inFolder('two', 'one-token-of-hunter2\nanother-one-of-hunter2\n')
    const empty = await inFolder('empty', '\n')
    const huge = await inFolder('huge', 'x y'.repeat(200_000))
    const none = path.join(folder, 'none')
    const token = (file: string) => ({ token: { kind: 'file', file } }) as const
    const tls = (certFile: string, keyFile: string) => ({ tls: { kind: 'files', certFile, keyFile } }) as const
    const certificate = { identity: 'certificate' } as const
    const generated = { kind: 'generated' } as const
    const cases: readonly (readonly [ProxySpec['listen'], string, Partial<ProxySpec>?])[] = [
      [token(none), `The token file ${none} cannot be read: there is no such file.`],
      [token(folder), `The token file ${folder} is a folder, not a file. Name a file in it.`],
      [token(empty), `The token file ${empty} is empty; write at least 16 characters, without spaces, into it.`],
      [token(short), `The token in ${short} must be one line of at least 16 characters, without spaces.`],
      [token(two), `The token in ${two} must be one line of`],
      [token(huge), `The token in ${huge} must be one line of`],
      [tls(none, pki.serverKey), `The certificate ${none} cannot be read`],
      [tls(pki.serverCert, none), `The key of the certificate ${none} cannot be read`],
      [tls(pki.serverCert, pki.adminKey), 'check that certificate and key are PEM and belong together'],
      [
        { tls: generated, clientCaFile: short },
        `The authority of the client certificates ${short} is no certificate in PEM.`,
        certificate,
      ],
      [
        { host: '0.0.0.0' },
        'Other than on loopback, the proxy requires TLS. Let it generate a certificate for 0.0.0.0',
      ],
      [{ host: '0.0.0.0', tls: generated }, 'Other than on loopback, the proxy requires a client token'],
      [{ host: '127.0.0.1.', tls: generated }, 'Other than on loopback, the proxy requires a client token'],
      [undefined, 'requires TLS and the CA of the client certificates', certificate],
      [{ tls: generated }, 'requires TLS and the CA of the client certificates', certificate],
      [{ clientCaFile: pki.ca }, 'Client certificates require TLS', certificate],
      [{ tls: generated, clientCaFile: pki.ca }, 'only with the identity "certificate"'],
      [{ tls: generated, token: generated }, 'each caller sends their own token', { identity: 'token' }],
    ]
    for (const [listen, sentence, more] of cases) {
      const failure = await desk.connect(specOf(listen, more)).then(
        () => 'connected',
        (error: unknown) => String(error),
      )
      expect(failure).toContain(sentence)
      expect(failure).not.toContain('hunter2')
    }
    const left = (await filesUnder(desk.stateDir)).map(({ name }) => name)
    expect(left.filter((name) => /token|certificate|kubeconfig/.test(name))).toEqual([])
  })
})

describe('kubectl sends no token without TLS', () => {
  test('so no kubeconfig is written, and that is said', async () => {
    const { clientKubeconfig, notes } = await open({ token: { kind: 'generated' } })
    expect(clientKubeconfig).toBe('')
    expect(notes).toContain('kubectl sends no token without TLS')
    expect((await open(undefined, { identity: 'token' })).notes).toContain('kubectl sends no token without TLS')
    expect((await open(undefined)).notes).not.toContain('kubectl')
  })
})

describe('apf-console proxy', () => {
  const upstreamArgs = (): string[] => ['proxy', '--upstream', upstream.url]

  test('writes the kubeconfig of its clients where it is told to, and keeps secrets out of what it prints', async () => {
    vi.stubEnv('APF_CONSOLE_STATE', path.join(folder, 'state'))
    const file = path.join(folder, 'for clients')
    const command = startCommand(...upstreamArgs(), '--tls', '--generate-token', '--client-kubeconfig', file, '--json')
    try {
      await vi.waitFor(
        () => expect(command.told()).toContain(`Try it: kubectl --kubeconfig '${file}' get pods`),
        10_000,
      )
      const client = await clientOf(file)
      const { token = 'none' } = client
      expect(await statusOf(client, bearer(token))).toBe(200)
      expect(await statusOf(client, {})).toBe(401)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      await vi.waitFor(() => expect(command.output()).toContain('/api/v1/pods'), 5_000)
      command.interrupt()
      expect(await command.ended).toBe(0)
      expect(command.told() + command.output()).not.toContain(token)
      expect(command.told()).toContain('which only this user can read')
    } finally {
      command.interrupt()
      await command.ended
      vi.unstubAllEnvs()
    }
  })

  test('writes one for plain loopback, too; never over a file of somebody else', async () => {
    vi.stubEnv('APF_CONSOLE_STATE', path.join(folder, 'state'))
    const file = path.join(folder, 'config')
    const command = startCommand(...upstreamArgs(), '--listen', 'localhost', '--client-kubeconfig', file)
    try {
      await vi.waitFor(() => expect(command.output()).toContain(`kubectl --kubeconfig ${file} get pods`), 10_000)
      const { server, token } = await clientOf(file)
      expect(server).toMatch(/^http:\/\/localhost:\d+$/)
      expect(token).toBeUndefined()
      expect((await fetch(`${server}/version`)).status).toBe(200)
    } finally {
      command.interrupt()
      await command.ended
    }
    const mine = await inFolder('mine', 'apiVersion: v1\nkind: Config\n')
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['--client-kubeconfig', mine], /mine is there already and was not written by the console, so it is left alone/],
      [['--client-kubeconfig', folder], /is there already/],
      [
        ['--client-kubeconfig', path.join(folder, 'no', 'file')],
        /no\/file cannot be written: there is no such file or/,
      ],
      [['--generate-token', '--client-kubeconfig', file], /kubectl sends no token without TLS, so/],
      [['--listen', '0.0.0.0'], /requires TLS\. .* \(--tls, or --tls-cert and --tls-key\)$/],
    ]
    for (const [args, sentence] of cases) {
      const { code, output, told } = await runHere(...upstreamArgs(), ...args)
      expect([code, output, told.trim().split('\n').length]).toEqual([2, '', 1])
      expect(told.trim()).toMatch(sentence)
    }
    expect(await readFile(mine, 'utf8')).toBe('apiVersion: v1\nkind: Config\n')
    vi.unstubAllEnvs()
  })
})
