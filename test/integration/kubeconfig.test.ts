import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { TLSSocket } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { toProblem, type Problem } from '../../core/errors.ts'
import { listContexts } from '../../main/cluster/contexts.ts'
import { getText } from '../../main/cluster/http.ts'
import { kubeconfigConnection } from '../../main/cluster/connection.ts'
import { answerStatus, startHostileServer, startProxy, type HostileServer } from '../harness/hostileServer.ts'
import { createAuthority } from '../harness/hostileServerCertificates.ts'
import { allNamed } from '../harness/consent.ts'

const authority = createAuthority()
const certificate = authority.issue({ name: 'api', ips: ['127.0.0.1'], dns: ['api.internal'] })
const elsewhere = authority.issue({ name: 'api', dns: ['api.internal'] })
const client = authority.issue({ name: 'operator' })
const HERE = { consent: allNamed, env: process.env }
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const CA = { 'certificate-authority-data': base64(authority.cert) }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-kubeconfig-'))
})
afterAll(() => rm(folder, { recursive: true }))

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function server(...options: Parameters<typeof startHostileServer>): Promise<HostileServer> {
  const made = await startHostileServer(...options)
  cleanups.push(() => made.close())
  return made
}

let files = 0
async function write(content: string, name = `config-${files++}`): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content, { mode: 0o600 })
  return path
}

const config = (cluster: object, user: object): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'u', user }],
  })

interface Opened {
  read(): Promise<{ readonly text?: string; readonly problem?: Problem }>
  readonly notes: readonly string[]
  renew(): void
}

async function open(
  file: string,
  { now = Date.now, pluginTimeoutMs = 5_000, servers = [] as string[] } = {},
): Promise<Opened> {
  const target = { kind: 'kubeconfig', file, ...(servers.length === 0 ? {} : { servers }) } as const
  const connection = await kubeconfigConnection(target, now, {
    consent: allNamed,
    env: { PATH: process.env['PATH'] },
    pluginTimeoutMs,
  })
  cleanups.push(() => connection.close())
  const [address] = connection.servers
  if (address === undefined) throw new Error('no server')
  return {
    notes: connection.notes,
    renew: () => connection.renew(),
    async read() {
      try {
        const answer = await getText({ url: address.metrics, settings: await connection.settings(address) })
        return answer.ok ? { text: answer.value } : { problem: answer.problem }
      } catch (error) {
        return { problem: toProblem(error) }
      }
    },
  }
}

/** Responds with the user, as the request identifies it. */
const whoami: Parameters<HostileServer['behave']>[0] = (request, response) => {
  const peer = request.socket instanceof TLSSocket ? request.socket.getPeerCertificate().subject : undefined
  const { authorization, 'impersonate-user': as, 'impersonate-group': groups } = request.headers
  response.end(JSON.stringify({ authorization, certificate: peer?.CN, as, groups }))
}

describe('credentials of a kubeconfig user', () => {
  test.each([
    ['a token', { token: 't0k' }, { authorization: 'Bearer t0k' }],
    ['a password', { username: 'jo', password: 'pw' }, { authorization: `Basic ${base64('jo:pw')}` }],
    [
      'another user and groups to act as',
      { token: 't0k', as: 'jane', 'as-groups': ['devs', 'ops'] },
      { authorization: 'Bearer t0k', as: 'jane', groups: 'devs, ops' },
    ],
    ['nothing', {}, {}],
  ])('%s', async (_, user, seen) => {
    const api = await server({ tls: certificate, behaviour: whoami })
    const opened = await open(await write(config({ server: api.url(''), ...CA }, user)))
    expect(JSON.parse((await opened.read()).text ?? '')).toEqual(seen)
  })

  test('a client certificate, without which the server turns the handshake down', async () => {
    const api = await server({ tls: certificate, clientCa: authority.cert, behaviour: whoami })
    const user = { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) }
    const opened = await open(await write(config({ server: api.url(''), ...CA }, user)))
    expect(JSON.parse((await opened.read()).text ?? '')).toEqual({ certificate: 'operator' })
    const without = await open(await write(config({ server: api.url(''), ...CA }, {})))
    expect((await without.read()).problem).toMatchObject({
      code: 'tls',
      message: expect.stringMatching(/client certificate/),
    })
  })

  test('files are relative to the kubeconfig, and a token file is read again', async () => {
    const api = await server({ tls: certificate, behaviour: whoami })
    await write(authority.cert, 'ca.pem')
    await write('first\n', 'token')
    let now = Date.now()
    const file = await write(config({ server: api.url(''), 'certificate-authority': 'ca.pem' }, { tokenFile: 'token' }))
    const opened = await open(file, { now: () => now })
    expect((await opened.read()).text).toContain('Bearer first')
    await write('second\n', 'token')
    now += 61_000
    expect((await opened.read()).text).toContain('Bearer second')
  })

  test('the file is read again after a refusal', async () => {
    const api = await server({ tls: certificate, behaviour: whoami })
    const file = await write(config({ server: api.url(''), ...CA }, { token: 'old' }), 'changing')
    const opened = await open(file)
    expect((await opened.read()).text).toContain('Bearer old')
    await write(config({ server: api.url(''), ...CA }, { token: 'new' }), 'changing')
    expect((await opened.read()).text).toContain('Bearer old')
    opened.renew()
    expect((await opened.read()).text).toContain('Bearer new')
  })
})

/** Whether a process runs; one that only its parent has not noticed yet does not. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('a credential plugin', () => {
  const plugin = (script: string, more: object = {}): object => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'Never',
      command: process.execPath,
      args: ['-e', script],
      ...more,
    },
  })
  const credential = (status: string): string =>
    `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: ${status} }))`

  test('gives a token, told about the cluster, and is run again when that expires or is refused', async () => {
    const api = await server({ tls: certificate, behaviour: whoami })
    const counter = join(folder, 'runs')
    const script = `
      const fs = require('node:fs')
      fs.appendFileSync(${JSON.stringify(counter)}, 'x')
      const runs = fs.readFileSync(${JSON.stringify(counter)}, 'utf8').length
      const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO)
      const token = [info.spec.interactive, info.spec.cluster.server === ${JSON.stringify(api.url(''))}, process.env.EXTRA, runs].join('-')
      ${credential(`{ token, expirationTimestamp: new Date(${Date.now()} + 3600000).toISOString() }`)}`
    const user = plugin(script, { env: [{ name: 'EXTRA', value: 'e' }], provideClusterInfo: true })
    let now = Date.now()
    const opened = await open(await write(config({ server: api.url(''), ...CA }, user)), { now: () => now })
    const [a, b] = await Promise.all([opened.read(), opened.read()])
    expect(a.text).toContain('Bearer false-true-e-1')
    expect(b.text).toContain('Bearer false-true-e-1')
    now += 3_590_000
    expect((await opened.read()).text).toContain('e-2')
    opened.renew()
    expect((await opened.read()).text).toContain('e-3')
  })

  test('gives a certificate', async () => {
    const api = await server({ tls: certificate, clientCa: authority.cert, behaviour: whoami })
    const status = JSON.stringify({ clientCertificateData: client.cert, clientKeyData: client.key })
    const opened = await open(await write(config({ server: api.url(''), ...CA }, plugin(credential(status)))))
    expect((await opened.read()).text).toContain('operator')
  })

  test.each([
    [
      'fails',
      plugin('console.error("sign in first; token=s3cr3t"); process.exit(3)'),
      'credentials',
      /failed with status 3/,
      'sign in first; token=[hidden]',
    ],
    ['prints nonsense', plugin('console.log("s3cr3t")'), 'credentials', /did not print JSON/, undefined],
    ['prints something else', plugin('console.log("{}")'), 'credentials', /ExecCredential/, undefined],
    [
      'has an argument that no program can be given',
      plugin('1', { args: ['-e', 'a\u0000b'] }),
      'credentials',
      /cannot be started; check its args and env/,
      String.raw`The argument 'args[1]' must be a string without null bytes. Received 'a\x00b'`,
    ],
    [
      'has too long an argument',
      plugin('1', { args: ['-e', 'x'.repeat(3_000_000)] }),
      'credentials',
      /cannot be started/,
      'spawn E2BIG',
    ],
    [
      'is missing',
      {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: 'no-such-plugin-of-apf',
          installHint: 'Install it.',
        },
      },
      'credentials',
      /not installed/,
      'Install it.',
    ],
    ['wants a terminal', plugin('', { interactiveMode: 'Always' }), 'credentials', /needs a terminal/, undefined],
  ])('that %s is told in a sentence', async (_, user, code, words, details) => {
    const opened = await open(await write(config({ server: 'https://127.0.0.1:1', ...CA }, user)))
    const { problem } = await opened.read()
    expect(problem).toMatchObject({ code, message: expect.stringMatching(words) })
    expect(problem?.details).toBe(details)
    expect(JSON.stringify(problem)).not.toContain('s3cr3t')
  })

  test('that hangs is ended with what it started, and told in a sentence with what it had said', async () => {
    const script = `setInterval(() => {}, 1000)`
    const user = plugin(`
      const { pid } = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(script)}], { stdio: 'inherit' })
      require('node:fs').writeSync(2, String(pid))
      ${script}`)
    // Time enough to start, on a busy machine as well.
    const opened = await open(await write(config({ server: 'https://127.0.0.1:1', ...CA }, user)), {
      pluginTimeoutMs: 5_000,
    })
    const { problem } = await opened.read()
    expect(problem).toMatchObject({ code: 'credentials', message: expect.stringMatching(/within 5 s/) })
    const started = Number(problem?.details)
    expect(started).toBeGreaterThan(0)
    // Nothing that it started goes on.
    await expect.poll(() => isAlive(started)).toBe(false)
  })
})

describe('the way to a cluster', () => {
  test('an unknown authority is refused, and accepted unverified only where the kubeconfig says so', async () => {
    const api = await server({ tls: certificate, behaviour: whoami })
    const strict = await open(await write(config({ server: api.url('') }, { token: 't' })))
    expect((await strict.read()).problem?.code).toBe('tls')
    const lax = await open(
      await write(config({ server: api.url(''), 'insecure-skip-tls-verify': true }, { token: 't' })),
    )
    expect((await lax.read()).text).toContain('Bearer t')
    expect(lax.notes).toEqual([expect.stringMatching(/not verified/)])
    expect(strict.notes).toEqual([])
  })

  test('a certificate for another name needs tls-server-name', async () => {
    const api = await server({ tls: elsewhere, behaviour: whoami })
    const plain = await open(await write(config({ server: api.url(''), ...CA }, {})))
    expect((await plain.read()).problem).toMatchObject({
      code: 'tls',
      message: expect.stringContaining('tls-server-name'),
    })
    const named = await open(await write(config({ server: api.url(''), 'tls-server-name': 'api.internal', ...CA }, {})))
    expect((await named.read()).text).toBe('{}')
  })

  test('a proxy-url is gone through', async () => {
    const api = await server({ tls: certificate, behaviour: whoami })
    const proxy = await startProxy()
    cleanups.push(() => proxy.close())
    const cluster = { server: api.url(''), 'proxy-url': `http://127.0.0.1:${proxy.port}`, ...CA }
    const opened = await open(await write(config(cluster, { token: 't' })))
    expect((await opened.read()).text).toContain('Bearer t')
    expect(proxy.targets).toEqual([`127.0.0.1:${api.port}`])
  })

  test('credentials do not travel unencrypted', async () => {
    const opened = await open(await write(config({ server: 'http://10.1.2.3:8080' }, { token: 't' })))
    expect((await opened.read()).problem).toMatchObject({
      code: 'credentials',
      message: expect.stringMatching(/unencrypted/),
    })
    const local = await server({ behaviour: whoami })
    const opened2 = await open(await write(config({ server: local.url('') }, { token: 't' })))
    expect((await opened2.read()).text).toContain('Bearer t')
  })

  test('single API servers are read with the credentials of the context, below the path of each', async () => {
    const api = await server({ tls: certificate, behaviour: answerStatus(200, 'fine') })
    const file = await write(config({ server: 'https://lb.example', ...CA }, { token: 't' }))
    const opened = await open(file, { servers: [api.url('/clusters/a/')] })
    expect((await opened.read()).text).toBe('fine')
    expect(api.requests[0]).toMatchObject({ path: '/clusters/a/metrics', headers: { authorization: 'Bearer t' } })
  })
})

describe('what a kubeconfig offers', () => {
  test('contexts of several files are one list; the first of a name counts', async () => {
    const first = await write(config({ server: 'https://one.example:6443' }, { token: 'x' }))
    const second = await write(
      stringify({
        'current-context': 'd',
        contexts: [
          { name: 'c', context: { cluster: 'other', user: 'u' } },
          { name: 'd', context: { cluster: 'missing', user: 'u' } },
          { name: 'e', context: { cluster: 'k', user: 'nobody' } },
        ],
        clusters: [{ name: 'k', cluster: { server: 'https://two.example' } }],
      }),
    )
    const found = await listContexts(undefined, { KUBECONFIG: `${first}:${second}:${join(folder, 'absent')}` })
    expect(found).toEqual([
      { file: first, context: 'c', cluster: 'k', server: 'https://one.example:6443', user: 'u', current: true },
      {
        file: second,
        context: 'd',
        cluster: 'missing',
        server: '',
        user: 'u',
        current: false,
        problem: 'There is no cluster "missing" in the kubeconfig.',
      },
      {
        file: second,
        context: 'e',
        cluster: 'k',
        server: 'https://one.example:6443',
        user: 'nobody',
        current: false,
        problem: 'There is no user "nobody" in the kubeconfig.',
      },
    ])
  })

  test('the current context comes first, the others as the file has them', async () => {
    const contexts = ['a', 'b', 'c'].map((name) => ({ name, context: { cluster: 'k', user: 'u' } }))
    const file = await write(stringify({ 'current-context': 'b', contexts }))
    const found = await listContexts(file)
    expect(found.map(({ context, current }) => [context, current])).toEqual([
      ['b', true],
      ['a', false],
      ['c', false],
    ])
  })

  test('nothing at the default places is an empty list', async () => {
    expect(await listContexts(undefined, { KUBECONFIG: join(folder, 'absent') })).toEqual([])
  })

  test.each([
    ['no YAML', 'a: [b\ntoken: s3cr3t', /is not valid YAML at line \d/],
    ['a list', '- token: s3cr3t', /is invalid at the top/],
    ['a wrong type', 'users: [{name: u, user: {token: [s3cr3t]}}]', /is invalid at users\.0\.user\.token/],
    ['no current context', 'contexts: []', /no current context/],
  ])('a file with %s is told in a sentence', async (_, content, words) => {
    const file = await write(content)
    const problem = await kubeconfigConnection({ kind: 'kubeconfig', file }, Date.now, HERE).then(
      () => undefined,
      toProblem,
    )
    expect(problem).toMatchObject({ code: 'invalid-input', message: expect.stringMatching(words) })
    expect(problem?.message).toContain(file)
    expect(JSON.stringify(problem)).not.toContain('s3cr3t')
  })

  test('an unknown context is told with those that there are; a missing file with its path', async () => {
    const file = await write(config({ server: 'https://one.example' }, {}))
    const choose = (target: { file: string; context?: string }) =>
      kubeconfigConnection({ kind: 'kubeconfig', ...target }, Date.now, HERE).then(() => undefined, toProblem)
    expect((await choose({ file, context: 'x' }))?.message).toMatch(/has no context "x"; its contexts are c\.$/)
    expect((await choose({ file: join(folder, 'absent') }))?.message).toMatch(/There is no kubeconfig at .*absent/)
  })

  test('a token that cannot be sent is told without it', async () => {
    const api = await server({ tls: certificate, behaviour: whoami })
    const opened = await open(await write(config({ server: api.url(''), ...CA }, { token: 's3cr3t\nx' })))
    const { problem } = await opened.read()
    expect(problem).toMatchObject({ code: 'invalid-input', message: expect.stringMatching(/cannot be made/) })
    expect(JSON.stringify(problem)).not.toContain('s3cr3t')
  })

  test('a certificate that cannot be used is told without its contents', async () => {
    const user = { 'client-certificate-data': base64('no pem'), 'client-key-data': base64('s3cr3t') }
    const opened = await open(await write(config({ server: 'https://127.0.0.1:1', ...CA }, user)))
    const { problem } = await opened.read()
    expect(problem).toMatchObject({
      code: 'credentials',
      message: expect.stringMatching(/client certificate of user "u"/),
    })
    expect(JSON.stringify(problem)).not.toContain('s3cr3t')
  })
})
