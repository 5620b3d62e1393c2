import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { runCommand, startCommand, type Running } from '../harness/command.ts'
import { runHere } from '../harness/commandHere.ts'
import { smallServer, type SmallServer } from '../harness/live.ts'
import { auditEvent, everybodyTo, found, levelManifest, narrowFor, rowsOf, waitsOf } from '../harness/liveCommand.ts'

let folder = ''
let server: SmallServer
let running: Running[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-live-'))
  vi.stubEnv('XDG_STATE_HOME', folder)
  server = await smallServer((_request, response) => void setTimeout(() => response.end('{}'), 20))
})
afterEach(async () => {
  for (const command of running.splice(0)) {
    command.interrupt()
    await command.ended
  }
  await server.close()
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

function start(...args: readonly string[]): Running {
  const command = startCommand(...args)
  running = [...running, command]
  return command
}
/** `--config` with a level in one file, and the schema that references it in another. */
async function twoFiles(): Promise<readonly string[]> {
  const [level, schema] = [join(folder, 'level.yaml'), join(folder, 'schema.yaml')]
  await writeFile(level, levelManifest('narrow', 1))
  await writeFile(schema, everybodyTo('narrow'))
  return ['--config', level, schema]
}

const ENFORCE = ['--mode', 'enforce']

describe('apf-console proxy', () => {
  test('prints rows as they end, answers Prometheus, and ends with a summary', async () => {
    const file = join(folder, 'narrow.yaml')
    await writeFile(file, narrowFor(1))
    const seats = ['--max-requests-inflight', '4', '--max-mutating-requests-inflight', '0']
    const upstream = ['--upstream', server.url, '--identity', 'headers']
    const proxy = start('proxy', ...upstream, ...ENFORCE, '--config', file, ...seats, '--metrics-port', '0', '--json')
    const address = await found(proxy.told, /Proxy: (http:\/\/127\.0\.0\.1:\d+) → /)
    const metrics = await found(proxy.told, /Metrics: (http:\/\/127\.0\.0\.1:\d+\/metrics)/)
    expect(proxy.told()).toContain('Warning: enforcing.')
    const ask = () => fetch(`${address}/api/v1/pods`, { headers: { 'X-Remote-User': 'alice' } })
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    const refused = answers.filter(({ status }) => status === 429).length
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(8)
    await vi.waitFor(() => expect(rowsOf(proxy.output())).toHaveLength(8), 5_000)
    const rows = rowsOf(proxy.output())
    expect(new Set(rows.map(({ seq }) => seq)).size).toBe(8)
    expect(rows.filter(({ reason }) => reason === 'concurrency-limit')).toHaveLength(refused)
    expect(rows.every(({ level, schema }) => level === 'narrow' && schema === 'everybody')).toBe(true)

    const page = await (await fetch(metrics)).text()
    expect(page).toContain(
      `apiserver_flowcontrol_rejected_requests_total{flow_schema="everybody",priority_level="narrow",reason="concurrency-limit"} ${refused}`,
    )
    expect(page).toMatch(/^process_resident_memory_bytes \d+$/m)
    expect(page).toContain('apf_console_live_requests 8')
    // Each family once, as Prometheus requires.
    const families = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(families).size).toBe(families.length)
    const foreign = await new Promise((resolve) => {
      get(metrics, { headers: { Host: 'evil.example' } }, (answer) => resolve(answer.resume().statusCode))
    })
    expect(foreign).toBe(421)
    expect((await fetch(metrics.replace('/metrics', '/'))).status).toBe(404)
    expect((await fetch(metrics, { method: 'POST' })).status).toBe(405)

    proxy.interrupt()
    expect(await proxy.ended).toBe(0)
    expect(proxy.told()).toContain(`8 requests: ${8 - refused} dispatched, rejected ${refused} concurrency-limit.`)
    await expect(fetch(address)).rejects.toThrow(/fetch failed/)
  })

  test('takes several files as --config', async () => {
    const upstream = ['--upstream', server.url, '--identity', 'headers']
    const proxy = start('proxy', ...upstream, ...(await twoFiles()), '--json')
    const address = await found(proxy.told, /Proxy: (http:\/\/127\.0\.0\.1:\d+) → /)
    const ask = () => fetch(`${address}/api/v1/pods`, { headers: { 'X-Remote-User': 'alice' } })
    // More than one at once would be too many for that level: unless told to enforce, the proxy lets all pass.
    const answers = await Promise.all([ask(), ask(), ask(), ask()])
    expect(answers.filter(({ status }) => status === 429)).toEqual([])
    expect(proxy.told()).toContain('Observing: every request passes')
    await vi.waitFor(() => expect(rowsOf(proxy.output())).toHaveLength(4), 5_000)
    expect(rowsOf(proxy.output())[0]).toMatchObject({ level: 'narrow', schema: 'everybody' })
  })

  test('follows another algorithm: without borrowing every limit is nominal', async () => {
    const options = ['--upstream', server.url, '--objects', 'built-in', '--identity', 'headers', '--metrics-port', '0']
    const proxy = start('proxy', ...options, '--algorithm', 'alpha-1.18', '--json')
    const metrics = await found(proxy.told, /Metrics: (\S+)/)
    const page = await (await fetch(metrics)).text()
    expect(page).toContain('apiserver_flowcontrol_current_limit_seats{priority_level="workload-low"} 245')
  })

  test('counts requests as the max-in-flight filter does, which has no levels', async () => {
    const options = ['--upstream', server.url, '--objects', 'built-in', '--identity', 'headers', '--metrics-port', '0']
    const proxy = start(
      'proxy',
      ...options,
      '--algorithm',
      'max-in-flight',
      ...ENFORCE,
      '--max-requests-inflight',
      '1',
      '--json',
    )
    const address = await found(proxy.told, /Proxy: (http:\/\/127\.0\.0\.1:\d+) → /)
    const ask = () => fetch(`${address}/api/v1/pods`, { headers: { 'X-Remote-User': 'alice' } })
    const answers = await Promise.all([ask(), ask(), ask(), ask()])
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.headers.get('x-kubernetes-pf-flowschema-uid')).toBeNull()
    await vi.waitFor(() => expect(rowsOf(proxy.output())).toHaveLength(4), 5_000)
    expect(rowsOf(proxy.output())[0]).toMatchObject({ level: '', schema: '' })
    const page = await (await fetch(await found(proxy.told, /Metrics: (\S+)/))).text()
    expect(page).not.toContain('priority_level=')
  })

  test('examines no levels of that filter', async () => {
    const { code, told } = await runCommand('diagnose', '--simulate', '--algorithm', 'max-in-flight', '--seconds', '20')
    expect(code).toBe(2)
    expect(told).toContain(
      'The max-in-flight filter has no priority levels. Simulated cluster uses it, and this command',
    )
  })

  test('says what is wrong in one sentence', async () => {
    const file = (name: string): string => join(folder, name)
    const [wrong, empty, huge] = [file('wrong.yaml'), file('empty.yaml'), file('huge.yaml')]
    await writeFile(wrong, levelManifest('wrong', -1))
    await writeFile(empty, '')
    const queuing = '{ queues: 10000000, handSize: 1, queueLengthLimit: 1 }'
    await writeFile(huge, levelManifest('huge', 1, `{ type: Queue, queuing: ${queuing} }`))
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['proxy', '--upstream', 'anna:hunter2@host'], /--upstream takes an address/],
      [['proxy', '--upstream', server.url, '--context', 'x'], /do not go with it/],
      [
        ['proxy', '--upstream', server.url, '--algorithm', 'wfq'],
        /--algorithm takes upstream, kep-draft, .* not "wfq"/,
      ],
      [['proxy', '--upstream', server.url, '--mode', 'on'], /--mode takes enforce or observe, not "on"/],
      [['proxy', '--upstream', server.url, '--config', join(folder, 'none.yaml')], /none\.yaml cannot be/],
      // The mode `observe` was called `shadow`.
      [['proxy', '--upstream', server.url, '--mode', 'shadow', '--config', 'none.yaml'], /none\.yaml cannot be/],
      [['proxy', '--upstream', server.url, '--objects', 'built-in', '--port', new URL(server.url).port], /in use/],
      [['proxy', '--kubeconfig', join(folder, 'none')], /none/],
      [
        ['proxy', '--upstream', server.url, '--draft', wrong],
        /wrong\.yaml:7: spec\.limited\.nominalConcurrencyShares /,
      ],
      [['proxy', '--upstream', server.url, '--draft', join(folder, 'none.yaml')], /none\.yaml cannot be/],
      [['proxy', '--upstream', server.url, '--draft', empty], /empty\.yaml contains no FlowSchema or Priority/],
      [['feed', '--audit-file', 'x', '--draft', huge], /PriorityLevelConfiguration huge of the draft.*queues/],
      [['feed', '--audit-file', 'x', '--config', '-', '--draft', '-'], /can read standard input only once/],
      [['feed'], /needs one of --audit-file/],
      [['feed', '--audit-webhook-port', '0', '--once'], /--once goes with files/],
      [['feed', '--httplog', join(folder, 'none.log'), '--once'], /none\.log/],
      [['feed', '--httplog', 'x', '--server-version', 'new'], /--server-version takes/],
    ]
    for (const [args, sentence] of cases) {
      const { code, output, told } = await runHere(...args)
      expect({ args, code, output, lines: told.trim().split('\n').length }).toEqual({
        args,
        code: 2,
        output: '',
        lines: 1,
      })
      expect(told).toMatch(sentence)
      expect(told).not.toContain('hunter2')
    }
  })

  test('explains itself', async () => {
    for (const command of ['proxy', 'feed']) {
      const { code, output } = await runHere(command, '--help')
      expect(code).toBe(0)
      expect(output).toContain('--metrics-port')
      expect(output).toContain('--draft FILE…')
    }
  })
})

const event = (n: number) => auditEvent(n, { atMs: Date.now() - 60_000 + n })

describe('apf-console feed', () => {
  test('reads a file to its end', async () => {
    const path = join(folder, 'audit.log')
    await writeFile(path, `${Array.from({ length: 50 }, (_, n) => JSON.stringify(event(n))).join('\n')}\n`)
    const { code, output, told } = await runCommand('feed', '--audit-file', path, '--once', '--json')
    expect(code).toBe(0)
    expect(
      rowsOf(output)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Array.from({ length: 50 }, (_, n) => `pod-${n}`).toSorted())
    expect(told).toContain('50 requests: 50 dispatched, none rejected by the engine, not by the server.')
    expect(told).toContain('Execution times of 50 requests are not corrected: each')
    expect(waitsOf(output)).toEqual({ here: 0, bounds: { told: 0, untold: expect.closeTo(0.25), guessed: 50 } })
  })

  test('says whose verdict the rejections are', async () => {
    const path = join(folder, 'audit.log')
    // All at once for a second, in a level of one seat without queues. The server itself answered 200 to each.
    const atMs = Date.UTC(2026, 10, 22)
    const together = Array.from({ length: 5 }, (_, n) => JSON.stringify(auditEvent(n, { atMs, lastedMs: 1_000 })))
    await writeFile(path, `${together.join('\n')}\n`)
    const config = join(folder, 'narrow.yaml')
    await writeFile(config, narrowFor(1))
    const seats = ['--max-requests-inflight', '4', '--max-mutating-requests-inflight', '0']
    const args = ['feed', '--audit-file', path, '--once', '--config', config, ...seats]
    const { code, output } = await runHere(...args)
    expect(code).toBe(0)
    expect(output).toMatch(
      /5 requests: [1-4] dispatched, rejected [1-4] concurrency-limit by the engine, not by the server\b/,
    )
  })

  test('counts what the max-in-flight filter makes of an audit log and of a request log, without levels', async () => {
    const atMs = Date.UTC(2026, 10, 22)
    const audit = join(folder, 'audit.log')
    // Five reads at once, which last a second each.
    const together = Array.from({ length: 5 }, (_, n) => JSON.stringify(auditEvent(n, { atMs, lastedMs: 1_000 })))
    await writeFile(audit, `${together.join('\n')}\n`)
    const log = join(folder, 'httplog.log')
    const line = (n: number): string =>
      `I1122 00:00:01.00000${n}       1 httplog.go:134] "HTTP" verb="GET" URI="/api/v1/namespaces/default/pods/p${n}" latency="1s" userAgent="test" audit-ID="a${n}" srcIP="127.0.0.1:1" apf_pl="workload-low" apf_fs="service-accounts" apf_execution_time="1s" resp=200`
    await writeFile(log, `${[1, 2, 3, 4, 5].map(line).join('\n')}\n`)
    const filter = ['--once', '--algorithm', 'max-in-flight', '--max-requests-inflight', '2']
    const limits = [...filter, '--max-mutating-requests-inflight', '1']
    for (const feed of [
      ['--audit-file', audit],
      ['--httplog', log],
    ]) {
      const { code, output, told } = await runHere('feed', ...feed, ...limits)
      expect(code, told).toBe(0)
      expect(output).toContain(
        '5 requests: 2 dispatched, rejected 3 concurrency-limit by the engine, not by the server.',
      )
      const rows = rowsOf((await runHere('feed', ...feed, ...limits, '--json')).output)
      expect(rows.map(({ level, schema }) => [level, schema])).toEqual(Array.from({ length: 5 }, () => ['', '']))
    }
  })

  test('takes several files as --config', async () => {
    const path = join(folder, 'audit.log')
    await writeFile(path, `${JSON.stringify(event(0))}\n`)
    const { code, output } = await runHere('feed', '--audit-file', path, '--once', '--json', ...(await twoFiles()))
    expect(code).toBe(0)
    expect(rowsOf(output)).toMatchObject([{ level: 'narrow', schema: 'everybody' }])
  })

  test('counts what was before a leap of hours', async () => {
    const path = join(folder, 'audit.log')
    const earlier = { ...event(0), auditID: 'yesterday' }
    const shifted = JSON.stringify(earlier).replaceAll(/"(\d{4}-\d\d-\d\dT[^"]+)"/g, (_, at) => {
      return JSON.stringify(new Date(Date.parse(String(at)) - 24 * 3_600_000).toISOString())
    })
    await writeFile(path, `${shifted}\n${JSON.stringify(event(1))}\n`)
    const { output } = await runHere('feed', '--audit-file', path, '--once')
    expect(output).toContain('2 requests: 2 dispatched, none rejected by the engine, not by the server.')
  })

  test('prints every row of a large file, however fast it is read', async () => {
    const path = join(folder, 'audit.log')
    await writeFile(path, `${Array.from({ length: 20_000 }, (_, n) => JSON.stringify(event(n))).join('\n')}\n`)
    const { output, told } = await runHere('feed', '--audit-file', path, '--once', '--json')
    expect(told).not.toContain('too many')
    expect(new Set(rowsOf(output).map(({ seq }) => seq)).size).toBe(20_000)
  })

  test('receives what a server posts to its audit webhook, by the configuration that it writes for it', async () => {
    const feed = start('feed', '--audit-webhook-port', '0', '--json')
    const path = await found(feed.told, /--audit-webhook-config-file=(\S+?);/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const { clusters, users } = z
      .object({
        clusters: z.array(
          z.object({ cluster: z.object({ server: z.string(), 'certificate-authority-data': z.string() }) }),
        ),
        users: z.array(z.object({ user: z.object({ token: z.string() }) })),
      })
      .parse(parse(await readFile(path, 'utf8')))
    const [cluster, user] = [clusters[0]?.cluster, users[0]?.user]
    const post = (token: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const ca = Buffer.from(cluster?.['certificate-authority-data'] ?? '', 'base64')
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        request(cluster?.server ?? '', { method: 'POST', ca, headers, agent: false }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end(JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [event(1), event(2)] }))
      })
    expect(await post('wrong')).toBe(401)
    expect(await post(user?.token ?? '')).toBe(200)
    // The second is the newest that the server posted, so the engine holds it back until the end.
    feed.interrupt()
    expect(await feed.ended).toBe(0)
    expect(rowsOf(feed.output()).map(({ name }) => name)).toEqual(['pod-1', 'pod-2'])
    expect(feed.told()).toContain('2 requests: 2 dispatched, none rejected by the engine, not by the server.')
    expect(feed.told()).not.toContain('held back')
    expect(feed.told() + feed.output()).not.toContain(user?.token)
  })
})
