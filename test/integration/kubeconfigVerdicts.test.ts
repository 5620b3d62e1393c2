import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toProblem } from '../../core/errors.ts'
import { getText } from '../../main/cluster/http.ts'
import { kubeconfigConnection } from '../../main/cluster/connection.ts'
import { METRICS_LIMITS } from '../../main/cluster/httpProblems.ts'
import { onPath } from '../chromium.mjs'
import { allNamed } from '../harness/consent.ts'
import { startConnectProxy, startSocksProxy } from '../harness/forwardProxies.ts'
import { createAuthority } from '../harness/hostileServerCertificates.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-verdicts-'))
  await writeFile(join(folder, 'token'), 'from the file', { mode: 0o600 })
  await writeFile(join(folder, 'ca.crt'), authority.cert)
})
afterAll(() => rm(folder, { recursive: true }))

const authority = createAuthority()
const CA = Buffer.from(authority.cert).toString('base64')

const BASE = `apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: k, cluster: { server: "https://127.0.0.1:1", insecure-skip-tls-verify: true } }]
contexts: [{ name: c, context: { cluster: k, user: u } }]
users: [{ name: u, user: { token: t } }]
`
const cluster = (fields: string): string => BASE.replace('insecure-skip-tls-verify: true', fields)
const insecure = (fields: string): string => cluster(`insecure-skip-tls-verify: true, ${fields}`)
const user = (fields: string): string => BASE.replace('token: t', fields)
const exec = (fields: string): string => user(`exec: { command: "true", ${fields} }`)
const server = (address: string): string => BASE.replace('https://127.0.0.1:1', address)
const named = (name: string): string => BASE.replaceAll(/(cluster|name): k/g, `$1: ${name}`)
const utf16 = (text: string): Buffer => Buffer.from(`\uFEFF${text}`, 'utf16le')
const V1 = 'apiVersion: client.authentication.k8s.io/v1, interactiveMode'

/** Opens a kubeconfig and resolves its credentials, which contacts nothing: the problem, or the settings. */
async function opened(content: string | Buffer) {
  const file = join(folder, 'config')
  await writeFile(file, content, { mode: 0o600 })
  const surroundings = { consent: allNamed, env: { PATH: process.env['PATH'] } }
  const connection = await kubeconfigConnection({ kind: 'kubeconfig', file }, Date.now, surroundings)
  const [address] = connection.servers
  if (address === undefined) throw new Error('no server')
  return { address, settings: await connection.settings(address) }
}
const problemOf = (content: string | Buffer): Promise<string> =>
  opened(content).then(
    () => 'accepted',
    (error: unknown) => toProblem(error).message,
  )

/** Each was given to kubectl v1.36.3, which then tried to connect. */
describe('kubectl accepts', () => {
  test.each<readonly [string, string | Buffer]>([
    ['a plain file', BASE],
    ['yes for true', cluster('insecure-skip-tls-verify: yes')],
    ['On for true', cluster('insecure-skip-tls-verify: On')],
    ['y for true', cluster('insecure-skip-tls-verify: y')],
    ['null for false', cluster('insecure-skip-tls-verify: null')],
    ['merge keys', `x: &x { insecure-skip-tls-verify: true }\n${cluster('<<: *x')}`],
    ['a repeated key', user('token: s, token: t')],
    ['a repeated key at the top', `${BASE}current-context: c\n`],
    ['unknown fields', `${user('token: t, color: red')}color: red\n`],
    ['several documents', `${BASE}---\n${BASE}`],
    ['a broken second document', `${BASE}---\n{{{\n`],
    ['a document marker at the start', `# a comment\n---\n${BASE}`],
    ['a date as a name', named('2026-01-01')],
    ['a byte order mark', `\uFEFF${BASE}`],
    ['UTF-16', utf16(BASE)],
    ['big-endian UTF-16', utf16(BASE).swap16()],
    ['several documents in UTF-16', utf16(`${BASE}---\n{{{\n`)],
    ['ends of lines of Windows', BASE.replaceAll('\n', '\r\n')],
    ['ends of lines of old Macs', BASE.replaceAll('\n', '\r')],
    ['a directive for YAML 1.1', `%YAML 1.1\n---\n${BASE}`],
    ['a binary token', user('token: !!binary dA==')],
    ['base64 with an end of line', cluster(String.raw`certificate-authority-data: "${CA}\n"`)],
    ['no kind and no version', BASE.replace(/^apiVersion.*\nkind.*\n/, '')],
    ['an address without a scheme', server('127.0.0.1:1')],
    ['a host alone', server('localhost')],
    ['a path', server('https://127.0.0.1:1/k8s/clusters/c-1')],
    ['a user name and a password', user('username: a, password: b')],
    ['impersonation', user('token: t, as: a, as-uid: "5", as-user-extra: { k: [v] }')],
    ['a proxy by http', insecure('proxy-url: "http://127.0.0.1:1"')],
    ['a proxy by socks5', insecure('proxy-url: "socks5://127.0.0.1:1"')],
    ['an empty proxy-url', insecure('proxy-url: ""')],
    ['a key without a certificate', user('token: t, client-key: nowhere')],
    ['extensions', insecure('extensions: [{ name: a, extension: { b: 1 } }]')],
    ['preferences', `${BASE}preferences: { colors: true }\n`],
    ['an auth-provider without TLS', user('token: t, auth-provider: { name: gcp }').replace('https:', 'http:')],
  ])('%s', async (_, content) => {
    expect(await problemOf(content)).toBe('accepted')
  })
})

describe('kubectl rejects', () => {
  test.each<readonly [string, string | Buffer, RegExp]>([
    ['a quoted boolean', cluster('insecure-skip-tls-verify: "true"'), /invalid at clusters\.0\.cluster\.insecure/],
    ['1 for true', cluster('insecure-skip-tls-verify: 1'), /invalid at clusters/],
    ['a number as a token', user('token: 12345'), /invalid at users\.0\.user\.token/],
    ['yes as a token', user('token: yes'), /invalid at users\.0\.user\.token/],
    ['a number as a name', named('010'), /invalid at clusters\.0\.name/],
    ['a blank before an address', server(' https://127.0.0.1:1'), /is not an address/],
    ['extensions that are no list', insecure('extensions: {}'), /invalid at clusters\.0\.cluster\.extensions/],
    ['preferences that are a list', `${BASE}preferences: []\n`, /invalid at preferences/],
    ['another kind', BASE.replace('Config', 'Pod'), /invalid at kind/],
    ['another version', BASE.replace('v1', 'v2'), /invalid at apiVersion/],
    [
      'a context twice',
      BASE.replace('contexts: [', 'contexts: [{ name: c, context: {} }, '),
      /at contexts, which has a name twice/,
    ],
    ['a cluster twice', BASE.replace('clusters: [', 'clusters: [{ name: k }, '), /at clusters, which has a name twice/],
    ['a user twice', BASE.replace('users: [', 'users: [{ name: u }, '), /at users, which has a name twice/],
    [
      'an unverified server with an authority',
      insecure(`certificate-authority-data: "${CA}"`),
      /excludes a certificate authority/,
    ],
    [
      'an unverified server with the file of an authority',
      insecure('certificate-authority: ca.crt'),
      /excludes a certificate authority/,
    ],
    [
      'an authority as a file and as data',
      cluster(`certificate-authority: nowhere, certificate-authority-data: "${CA}"`),
      /both given/,
    ],
    ['what is not base64', cluster('certificate-authority-data: "***"'), /is not base64/],
    ['base64 without padding', cluster('certificate-authority-data: "YQ"'), /is not base64/],
    ['an authority that is not PEM', cluster('certificate-authority-data: "eHh4"'), /is PEM/],
    ['a token with a password', user('token: t, username: a, password: b'), /both given/],
    ['a token file with a password', user('tokenFile: token, username: a, password: b'), /both given/],
    ['a missing token file', user('tokenFile: nowhere'), /nowhere cannot be read/],
    ['a removed version of plugins', exec('apiVersion: client.authentication.k8s.io/v1alpha1'), /no longer supports/],
    ['a plugin without a version', exec(''), /must have the apiVersion/],
    ['a plugin of v1 without a mode', exec('apiVersion: client.authentication.k8s.io/v1'), /needs an interactiveMode/],
    ['an unknown mode', exec(`${V1}: Sometimes`), /is not Never/],
    ['a plugin without a command', exec(`${V1}: Never`).replace('"true"', '""'), /has no command/],
    ['a variable without a name', exec(`${V1}: Never, env: [{ value: a }]`), /variable without a name/],
    ['a number as an argument', exec(`${V1}: Never, args: [5]`), /invalid at users\.0\.user\.exec\.args/],
    ['an auth-provider', user('auth-provider: { name: gcp }'), /gke-gcloud-auth-plugin/],
    ['groups without a user to impersonate', user('token: t, as-groups: [x]'), /need as/],
    ['a certificate without a key', user('client-certificate-data: "eHh4"'), /has no client key/],
    ['socks5h', insecure('proxy-url: "socks5h://127.0.0.1:1"'), /begins with http:\/\/, https:\/\/ or socks5/],
    ['a proxy without a scheme', insecure('proxy-url: "127.0.0.1:1"'), /begins with http/],
    ['an address of another scheme', server('ftp://127.0.0.1:1'), /neither https/],
    ['a map of clusters', BASE.replace(/clusters: \[.*\]/, 'clusters: {}'), /invalid at clusters/],
    ['an anchor within itself', `${BASE}x: &x [*x]\n`, /not valid YAML at line 7/],
    ['a list', '- a\n', /invalid at the top/],
    ['a directive for YAML 1.2', `# a comment\n%YAML 1.2\n---\n${BASE}`, /not valid YAML at line 1/],
    ['a byte of Latin-1', Buffer.from(`${BASE}# \u00E9\n`, 'latin1'), /is not UTF-8/],
    ['UTF-16 without a mark', utf16(BASE).subarray(2), /invalid at the top/],
  ])('%s', async (_, content, words) => {
    expect(await problemOf(content)).toMatch(words)
  })
})

test('a token file takes precedence over a token, which is used while there is no such file', async () => {
  const authorization = async (content: string): Promise<unknown> =>
    (await opened(content)).settings.headers['Authorization']
  expect(await authorization(user('token: t, tokenFile: token'))).toBe('Bearer from the file')
  expect(await authorization(user('token: t, tokenFile: nowhere'))).toBe('Bearer t')
})

test('whom to impersonate is sent in full', async () => {
  const { settings } = await opened(
    user('token: t, as: a, as-uid: "5", as-groups: [g], as-user-extra: { "x/y": [v, w] }'),
  )
  expect(settings.headers).toMatchObject({
    'Impersonate-User': 'a',
    'Impersonate-Uid': '5',
    'Impersonate-Group': ['g'],
    'Impersonate-Extra-x%2Fy': ['v', 'w'],
  })
})

test.each(['socks5', 'http', 'https'])(
  'a %s proxy that is down is named, and the name of the server is not looked up',
  async (scheme) => {
    const content = insecure(`proxy-url: "${scheme}://127.0.0.1:1"`).replace(
      '127.0.0.1:1"',
      'api.example.invalid:6443"',
    )
    const { address, settings } = await opened(content)
    const result = await getText({ url: address.metrics, settings, limits: METRICS_LIMITS })
    expect(result).toMatchObject({
      ok: false,
      problem: {
        code: 'unreachable',
        message:
          'Nothing listens at the proxy 127.0.0.1:1 of the kubeconfig; check the port, and that the server runs.',
      },
    })
  },
)

describe('a proxy resolves the name of the server, and passes bytes on', () => {
  const pair = authority.issue({ name: 'api', dns: ['api.cluster.example.invalid'] })
  let api: Server
  let port = 0
  beforeAll(async () => {
    api = createServer({ cert: pair.cert, key: pair.key }, (request, response) => {
      response.end(`# ${request.url} ${request.headers.authorization}\n`)
    })
    await new Promise<void>((resolve) => {
      api.listen(0, '127.0.0.1', resolve)
    })
    port = (api.address() as AddressInfo).port
  })
  afterAll(() => {
    api.closeAllConnections()
    api.close()
  })

  test.each([
    ['socks5', '', startSocksProxy],
    ['socks5', 'user:secret@', startSocksProxy],
    ['http', '', startConnectProxy],
    ['http', 'user:secret@', startConnectProxy],
  ])('%s://%s…', async (scheme, login, start) => {
    const proxy = await start(port)
    const content = cluster(
      `certificate-authority-data: "${CA}", proxy-url: "${scheme}://${login}127.0.0.1:${proxy.port}"`,
    ).replace('127.0.0.1:1"', `api.cluster.example.invalid:${port}"`)
    const { address, settings } = await opened(content)
    const result = await getText({ url: address.metrics, settings, limits: METRICS_LIMITS })
    expect(result).toMatchObject({ ok: true, status: 200, value: '# /metrics Bearer t\n' })
    expect(proxy.asked).toEqual([`api.cluster.example.invalid:${port}`])
    expect(proxy.logins).toEqual(login === '' ? [] : ['user:secret'])
    await proxy.close()
  })
})

/** `APF_KUBECTL`, or the kubectl on the path. */
const kubectl = process.env['APF_KUBECTL'] ?? onPath('kubectl')
if (kubectl === undefined)
  console.log('Without kubectl (APF_KUBECTL=FILE), random kubeconfigs are not compared with it.')

describe.skipIf(kubectl === undefined)('random kubeconfigs are accepted and rejected as by kubectl', () => {
  const often = (usual: string | undefined, ...others: readonly string[]) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
  const odd = ['true', 'yes', 'on', '"true"', '1', 'null', '""', '[]', '{}', '!!binary dA==']
  const lines = (entry: Readonly<Record<string, string | undefined>>): string =>
    Object.entries(entry)
      .flatMap(([name, value]) => (value === undefined ? [] : [`    ${name}: ${value}\n`]))
      .join('')
  const text = fc
    .record({
      head: often('apiVersion: v1\nkind: Config\n', '', 'kind: Config\n', 'apiVersion: v2\n', 'kind: Pod\n'),
      cluster: fc.record({
        server: often(
          '"https://127.0.0.1:1"',
          '127.0.0.1:1',
          '"https://127.0.0.1:1/p"',
          '"https://[::1]:1"',
          '5',
          '" a"',
        ),
        'insecure-skip-tls-verify': often(undefined, ...odd),
        'certificate-authority': often(undefined, 'ca.crt', 'nowhere', '""'),
        'certificate-authority-data': often(undefined, `"${CA}"`, '"***"', '""'),
        'tls-server-name': often(undefined, 'a.b', '5', '""'),
        'proxy-url': often(undefined, '"http://127.0.0.1:1"', '"socks5://127.0.0.1:1"', '"ftp://a"', '"a:1"', '""'),
        'disable-compression': often(undefined, ...odd),
        extensions: often(undefined, '[]', '[{ name: a }]', '{}', 'null'),
      }),
      // Without credentials, kubectl asks for a user name.
      user: fc.record({
        token: often('t', '"5"', '5', '"a b"'),
        tokenFile: often(undefined, 'token', '""'),
        username: often(undefined, 'u', '""'),
        password: often(undefined, 'p', '""'),
        'client-certificate-data': often(undefined, '"eHh4"', '""', '"***"'),
        'client-key': often(undefined, 'nowhere', '""'),
        as: often(undefined, 'a', '""', '5'),
        'as-groups': often(undefined, '[g]', '[]', 'g', '[5]'),
        'as-uid': often(undefined, '"u"', '5'),
        'auth-provider': often(undefined, 'null', '{ name: gcp }'),
      }),
      context: often('{ cluster: k, user: u }', '{ cluster: k, user: u, namespace: n }', '{ cluster: x, user: u }'),
      more: often('', 'preferences: {}\n', 'preferences: []\n', 'color: red\n', '---\n{{{\n', 'current-context: c\n'),
    })
    .map(
      ({ head, cluster: entry, user: credentials, context, more }) =>
        `${head}current-context: c\nclusters:\n- name: k\n  cluster:\n${lines(entry)}contexts: [{ name: c, context: ${context} }]\nusers:\n- name: u\n  user:\n${lines(credentials)}${more}`,
    )

  /** Whether kubectl reads the file and tries to connect. Without a server it takes localhost:8080, which is none of it. */
  const accepts = (file: string): boolean => {
    const args = ['get', '--raw', '/version', '--kubeconfig', file, '--request-timeout=5s']
    const { stderr } = spawnSync(kubectl ?? '', args, {
      encoding: 'utf8',
      input: '',
      env: { HOME: folder },
      cwd: folder,
    })
    return /refused|proxyconnect|socks connect/.test(stderr) && !stderr.includes('localhost:8080')
  }

  test('in the same words of the file', async () => {
    const file = join(folder, 'random')
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        await writeFile(file, content, { mode: 0o600 })
        expect([content, (await problemOf(content)) === 'accepted']).toEqual([content, accepts(file)])
      }),
      { numRuns: 60 },
    )
  })
})
