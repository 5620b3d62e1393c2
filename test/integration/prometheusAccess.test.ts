import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createClient, type ConnectedClient } from '../../core/contract/client.ts'
import { checked } from '../../core/contract/shapes.ts'
import type { AddressCredentials } from '../../core/contract/credentials.ts'
import { PrometheusSpecSchema, type PrometheusSpec } from '../../core/contract/prometheus.ts'
import { serve } from '../../core/contract/server.ts'
import type { Connected } from '../../core/contract/source.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { createPrometheusSource, prometheusServers } from '../../main/sources/prometheus.ts'
import { LIVE_LIMITS, openPrometheus } from '../../main/sources/prometheus/api.ts'
import { openInThread } from '../../main/threads/sourceThread.ts'
import { systemAccess } from '../../main/workspace/access.ts'
import { createWorkspace } from '../../main/workspace/workspace.ts'
import { runCommand, startCommand } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { allNamed } from '../harness/consent.ts'
import { refuse, startFakePrometheus, type FakePrometheus } from '../harness/fakePrometheus.ts'
import { drip, metricsPage, saySilent, startHostileServer } from '../harness/hostileServer.ts'
import { createAuthority } from '../harness/hostileServerCertificates.ts'
import { memoryPorts } from '../harness/ports.ts'

const authority = createAuthority()
const certificate = authority.issue({ name: 'prometheus', ips: ['127.0.0.1'] })
const client = authority.issue({ name: 'operator' })
const BASIC = `Basic ${Buffer.from('jo:pw-s3cr3t').toString('base64')}`

let folder = ''
const file = (name: string): string => path.join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'apf-prometheus-'))
  const files = {
    'ca.pem': authority.cert,
    'cert.pem': client.cert,
    'key.pem': client.key,
    token: 't0k-s3cr3t\n',
    password: 'pw-s3cr3t\n',
    headers: '# of the gateway\n\nX-Key: key-s3cr3t\n',
    'no-headers': 'X-Key: fine\nkey-s3cr3t\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(file(name), text, { mode: 0o600 })
})
afterAll(() => rm(folder, { recursive: true }))

let cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Scrapes `10.0.0.1:6443` of cluster `prod` each second of the real clock. */
async function prometheus(server: NonNullable<Parameters<typeof startFakePrometheus>[2]>['server'] = {}) {
  const targets = [
    {
      labels: { job: 'apiserver', instance: '10.0.0.1:6443', cluster: 'prod' },
      intervalMs: 1_000,
      page: (at: number) => metricsPage({ step: Math.round(at / 1_000) % 100_000 }),
    },
  ]
  const made = await startFakePrometheus(Date.now, () => targets, { server })
  cleanups.push(() => made.close())
  return made
}

const specOf = (api: FakePrometheus, over: Partial<PrometheusSpec> = {}): PrometheusSpec =>
  PrometheusSpecSchema.parse({ kind: 'prometheus', url: api.url('/'), pastMs: 0, ...over })

describe('credentials', () => {
  const ca = (): AddressCredentials => ({ certificateAuthority: file('ca.pem') })
  test.each([
    ['a token', () => ({ token: 't0k' }), 'Bearer t0k'],
    ['a token file', () => ({ tokenFile: file('token') }), 'Bearer t0k-s3cr3t'],
    ['user name and password', () => ({ username: 'jo', password: 'pw-s3cr3t' }), BASIC],
    ['a password file', () => ({ username: 'jo', passwordFile: file('password') }), BASIC],
  ] as const)('%s', async (_, credentials, authorization) => {
    const api = await prometheus({ tls: certificate })
    const target = { url: api.url('/'), credentials: { ...credentials(), ...ca() } }
    const { clusters } = await prometheusServers(target, systemEnvironment, allNamed)
    expect(clusters).toMatchObject([{ name: 'prod', servers: [{ instance: '10.0.0.1:6443' }] }])
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([authorization])
  })

  test('a client certificate, and nothing without one', async () => {
    const api = await prometheus({ tls: certificate, clientCa: authority.cert })
    const pair = { clientCertificate: file('cert.pem'), clientKey: file('key.pem') }
    const source = (credentials: AddressCredentials) =>
      createPrometheusSource(specOf(api, { credentials }), systemEnvironment, allNamed)
    expect(await source({ ...ca(), ...pair })).toMatchObject({ ok: true, source: { info: { name: 'prod' } } })
    expect(await source(ca())).toMatchObject({ ok: false, problem: { code: 'tls' } })
    expect(await source(pair)).toMatchObject({
      ok: false,
      problem: { code: 'tls', message: expect.stringMatching(/certificate-authority/) },
    })
  })

  test('that are refused are named by their kind, and not repeated', async () => {
    const api = await prometheus({ tls: certificate })
    api.fail((_, response) => refuse(response, 401, 'pw-s3cr3t is wrong'))
    const credentials = { username: 'jo', password: 'pw-s3cr3t', ...ca() }
    const made = await createPrometheusSource(specOf(api, { credentials }), systemEnvironment, allNamed)
    expect(made).toMatchObject({
      problem: {
        code: 'unauthorized',
        message: expect.stringMatching(/\(401\)\. Check the user name and the password/),
      },
    })
    expect(JSON.stringify(made)).not.toContain('s3cr3t')
  })
})

describe('a slow Prometheus', () => {
  const limits = { ...LIVE_LIMITS, firstByteMs: 200, idleMs: 5_000, totalMs: 600 }
  test.each([
    [
      'that sends nothing',
      saySilent,
      /api\/v1\/query accepted the request and sent nothing for 0\.2 s; the server may be/,
    ],
    [
      'that never finishes',
      drip(50),
      /did not finish its answer within 0\.6 s; the server or the link may be overloaded/,
    ],
  ])('%s is given up, and a smaller part may be asked for', async (_, behaviour, sentence) => {
    const server = await startHostileServer({ behaviour })
    cleanups.push(() => server.close())
    const api = await openPrometheus({ url: server.url('/') }, Date.now, allNamed)
    cleanups.push(() => api.close())
    const { signal } = new AbortController()
    expect(await api.query('{up="1"}', undefined, { signal, limits })).toMatchObject({
      ok: false,
      problem: { code: 'timeout', message: expect.stringMatching(sentence) },
      tooMuch: true,
    })
    // The server may give up by itself, with a reason, before the console does.
    expect(server.requests[0]?.path).toContain('&timeout=180ms')
  })
})

describe('on the command line', () => {
  test('snapshot and watch read it, with all that it is sent', async () => {
    const api = await prometheus({ tls: certificate })
    const address = ['--prometheus', api.url('/prefix'), '--certificate-authority', file('ca.pem')]
    const sent = ['--username', 'jo', '--password-file', file('password'), '--tenant', 'team-a']
    const chosen = [
      '--header-file',
      file('headers'),
      '--prometheus-label',
      'job=apiserver',
      '--instance',
      '10.0.0.1:6443',
    ]
    const done = await runCommand('snapshot', ...address, ...sent, ...chosen)
    expect(done).toMatchObject({ code: 0, told: expect.stringMatching(/scrapes this server every 1 s/) })
    expect(JSON.parse(done.output)).toMatchObject({
      source: { kind: 'prometheus', name: 'prod' },
      servers: [{ id: '10.0.0.1:6443', version: 'v1.36.3' }],
    })
    expect(api.requests.length).toBeGreaterThan(0)
    for (const { path: asked, headers } of api.requests) {
      expect(asked).toMatch(/^\/prefix\/api\/v1\/query\?/)
      expect(headers).toMatchObject({ authorization: BASIC, 'x-scope-orgid': 'team-a', 'x-key': 'key-s3cr3t' })
    }
    expect(api.queries().every(({ query }) => query.includes('job="apiserver"'))).toBe(true)
    expect(done.output + done.told).not.toContain('s3cr3t')

    const watching = startCommand('watch', ...address, '--count', '3')
    const times = [await watching.nextFrame(), await watching.nextFrame(), await watching.nextFrame()].map(({ at }) =>
      Date.parse(at),
    )
    expect(await watching.ended).toBe(0)
    expect(times.map((at) => at % 1_000)).toEqual([0, 0, 0])
    expect(times[2]).toBeGreaterThan(times[0] ?? Number.NaN)
  })

  const AT = ['--prometheus', 'http://127.0.0.1:9']
  test.each([
    [['--instance', 'a'], /--instance goes with --prometheus\./],
    [['--past', '1h'], /--past goes with --prometheus\./],
    [['--token-file', 'f'], /--token-file goes with --metrics-url or --prometheus/],
    [['--prometheus', 'ftp://x'], /--prometheus takes an address that begins with https:\/\/ or http:\/\//],
    [[...AT, '--interval', '5'], /--interval does not go with --prometheus: a frame follows each of its scrapes/],
    [[...AT, '--past', '25h'], /--past takes a time like 30m or 6h, up to 24h, not "25h"/],
    [[...AT, '--past', 'soon'], /--past takes a time .* not "soon"/],
    [[...AT, '--prometheus-label', 'prod'], /--prometheus-label takes NAME=VALUE, not "prod"/],
    [[...AT, '--tenant', 'a b'], /tenant is too long or contains invalid characters/],
    [[...AT, '--header-file', 'no-headers'], /Line 2 of .*no-headers is not a header; write Name: value\./],
    [[...AT, '--header-file', 'absent'], /absent/],
    [[...AT, '--username', 'jo'], /--username and --password-file go together/],
    [[...AT, '--token-file', 'token', '--username', 'jo'], /--token-file or --username, not both/],
    [[...AT, '--client-key', 'key.pem'], /--client-certificate and --client-key go together/],
    [[...AT, '--demo'], /Only one source can be read at a time, not --prometheus and --demo/],
    [[...AT, '--context', 'x'], /not --prometheus and a cluster/],
  ])('%j is refused', async (options, sentence) => {
    const inFolder = options.map((option) =>
      /^(?:no-headers|absent|token|key\.pem)$/.test(option) ? file(option) : option,
    )
    const { code, told, output } = await runHere('snapshot', ...inFolder)
    expect({ code, output }).toEqual({ code: 2, output: '' })
    expect(told).toMatch(sentence)
    expect(told).not.toContain('s3cr3t')
  })

  test('a Prometheus that does not answer, or has no such server, is told', async () => {
    const none = await runCommand('snapshot', ...AT)
    expect(none).toMatchObject({ code: 2, told: expect.stringMatching(/127\.0\.0\.1:9/) })
    const api = await prometheus()
    const strange = await runCommand('snapshot', '--prometheus', api.url('/'), '--instance', '10.9.9.9:6443')
    expect(strange).toMatchObject({
      code: 2,
      told: expect.stringMatching(/has no server "10\.9\.9\.9:6443" by the label instance; it has 10\.0\.0\.1:6443/),
    })
  })
})

describe('in a thread of its own', () => {
  const ROOT = path.join(import.meta.dirname, '../..')
  async function open(): Promise<{ readonly page: ConnectedClient; readonly stateDir: string }> {
    const stateDir = await mkdtemp(path.join(folder, 'state-'))
    const workspace = createWorkspace({
      stateDir,
      environment: systemEnvironment,
      access: systemAccess('', stateDir, allNamed),
      open: openInThread({
        file: path.join(ROOT, 'main/threads/thread.ts'),
        stateDir,
        recording: '',
        words: [],
        consent: allNamed,
      }),
      version: '0.0.0-test',
      mode: 'memory',
      platform: 'test',
      warn: () => undefined,
    })
    const page = createClient({
      ...systemEnvironment,
      reading: checked,
      connect: async () => {
        const [asking, serving] = memoryPorts()
        serve(serving, workspace.handlers, workspace)
        return asking
      },
    })
    cleanups.push(
      () => workspace.close(),
      () => page.close(),
    )
    return { page, stateDir }
  }

  test('it gets every secret that was typed, and tells and keeps none', async () => {
    const api = await prometheus({ tls: certificate })
    const { page, stateDir } = await open()
    const told: unknown[] = []
    let connected: readonly Connected[] = []
    page.subscribe('connections', null, (connections) => {
      connected = connections
      told.push(connections)
    })
    const spec = specOf(api, {
      credentials: { token: 't0k-s3cr3t', certificateAuthority: file('ca.pem') },
      headers: [{ name: 'X-Key', value: 'key-s3cr3t' }],
      tenant: 'team-a',
      pastMs: 60_000,
    })
    const made = await page.call('sources.connect', { spec })
    told.push(made)
    const { id: connection } = made
    page.subscribe('frames', { connection }, (frames) => told.push(frames))
    await vi.waitFor(() => expect(connected[0]?.servers[0]?.past?.state).toBe('done'), 10_000)
    expect(connected[0]).toMatchObject({
      source: { kind: 'prometheus' },
      cadence: { intervalMs: 1_000, dumpsEveryMs: null },
      still: false,
    })
    const sent = { authorization: 'Bearer t0k-s3cr3t', 'x-key': 'key-s3cr3t', 'x-scope-orgid': 'team-a' }
    const isSent = ({ headers }: (typeof api.requests)[number]): boolean =>
      Object.entries(sent).every(([name, value]) => headers[name] === value)
    expect(api.requests.every(isSent)).toBe(true)

    const now = Date.now()
    const range = { from: now - 60_000, to: now, maxPoints: 100 }
    const series = await page.call('history.series', { connection, server: '10.0.0.1:6443', ...range })
    expect(series.times.length).toBeGreaterThan(50)
    expect(await page.call('sources.stopPast', { connection })).toBeNull()
    await expect(page.call('sources.cadence', { connection, intervalMs: 5_000 })).rejects.toMatchObject({
      problem: { code: 'unsupported', message: expect.stringContaining('scrape_interval') },
    })

    // The page requests the other servers with the spec that it received, which lacks the secrets.
    const shown = connected[0]?.spec
    if (shown?.kind !== 'prometheus') throw new Error('no Prometheus')
    const { kind: _, cluster: __, instances: ___, pastMs: ____, ...target } = shown
    expect(target).not.toHaveProperty('headers')
    const before = api.requests.length
    told.push(await page.call('sources.servers', { target }))
    expect(api.requests.length).toBeGreaterThan(before)
    expect(api.requests.every(isSent)).toBe(true)

    const recent = await page.call('sources.recent', null)
    expect(recent[0]?.spec).toMatchObject({ kind: 'prometheus', url: api.url('/'), tenant: 'team-a' })
    told.push(recent)
    const files = await readdir(stateDir, { recursive: true, withFileTypes: true })
    for (const one of files.filter((entry) => entry.isFile())) {
      told.push(await readFile(path.join(one.parentPath, one.name), 'utf8'))
    }
    expect(JSON.stringify(told)).not.toContain('s3cr3t')
  })

  test('what is wrong with it comes back as a sentence', async () => {
    const { page } = await open()
    const api = await prometheus()
    await expect(page.call('sources.connect', { spec: specOf(api, { cluster: 'staging' }) })).rejects.toMatchObject({
      problem: { code: 'invalid-input', message: expect.stringMatching(/has no cluster "staging"; it has prod/) },
    })
  })
})
