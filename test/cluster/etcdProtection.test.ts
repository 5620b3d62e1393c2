import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { PRESETS } from '../../core/qos/advise.ts'
import { readToken } from '../../main/etcd/requests.ts'
import { type Running, startCommand } from '../harness/command.ts'
import { call, keepAlive, login, type Metadata, pause, percentile, put } from './etcdClient.ts'
import { DEBIAN, type EtcdPrograms, type EtcdServer, missingDebian, startEtcd } from './etcdServer.ts'
import { freePort } from './process.ts'
import { noCluster } from './suite.ts'

// What protects a store on the real thing. Proxy and storm are processes of their own, so that what is measured is how
// long etcd takes to keep a lease alive; how long is printed, as a busy machine decides about it too.

const SECONDS = Number(process.env['APF_ETCD_STORM_SECONDS'] ?? 8)
const QUOTA = 32 * 1024 * 1024
const BEATS_EVERY_MS = 50
const KEYS = 20_000
/**
 * A list of 20,000 keys costs this machine half a second of a processor, so that ten a second are no protection here.
 */
const PODS = JSON.stringify({
  classes: [{ name: 'slow-query', qdisc: 'tbf', qps: 1, burst: 2 }],
  rules: [
    {
      name: 'pods',
      qClassName: 'slow-query',
      priority: 10,
      ops: ['Range'],
      prefixPaths: ['/registry/pods/'],
      conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }],
    },
  ],
})
const starter = (wanted: string): string => {
  const preset = PRESETS.find(({ id }) => id === wanted)
  return JSON.stringify({ classes: preset?.classes, rules: preset?.rules })
}

const Counts = z.object({ served: z.number(), refused: z.number(), failed: z.number() })
const Statuses = z.array(z.object({ Status: z.object({ dbSize: z.number(), dbSizeInUse: z.number() }) }))

/** Of one storm: keep-alives to etcd itself and through the proxy, and another client's writes through the proxy. */
interface Measured {
  readonly etcd: readonly number[]
  readonly proxied: readonly number[]
  readonly writes: readonly number[]
  readonly refusedWrites: number
  readonly storm: z.infer<typeof Counts>
}

let folder = ''
const running: Running[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-etcd-protection-'))
  vi.stubEnv('APF_CONSOLE_STATE', folder)
})
afterAll(async () => {
  for (const one of running) one.interrupt()
  for (const one of running) await one.ended
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

/** The address of a proxy with these rules, or without any. */
async function proxy(upstream: string, rules = JSON.stringify({ classes: [], rules: [] })): Promise<string> {
  const name = `p${running.length}`
  const file = join(folder, `${name}.json`)
  await writeFile(file, rules)
  const port = await freePort()
  const options = ['--upstream', upstream, '--rules', file, '--port', String(port), '--name', name]
  const started = startCommand('etcd-proxy', ...options)
  running.push(started)
  for (let tries = 0; tries < 600 && !started.output().includes('Management: '); tries++) await pause(100)
  return `http://127.0.0.1:${port}`
}

let leases = 0

async function during(kind: string, etcd: string, proxied: string, metadata: Metadata = {}): Promise<Measured> {
  const sessions = [connect(etcd), connect(proxied)] as const
  const [direct, through] = await Promise.all(sessions.map((one) => keepAlive(one, ++leases, metadata)))
  if (direct === undefined || through === undefined) throw new Error('there are two leases')
  const script = fileURLToPath(new URL('./etcdStorm.ts', import.meta.url))
  const over = new AbortController()
  const storm = promisify(execFile)(process.execPath, [script, kind, proxied, String(SECONDS)]).finally(() =>
    over.abort(),
  )
  const took = { etcd: [] as number[], proxied: [] as number[], writes: [] as number[] }
  let refusedWrites = 0
  // The storm has to begin first.
  await pause(1_000)
  while (!over.signal.aborted) {
    const [own, other, write] = await Promise.all([
      direct.beat(),
      through.beat(),
      call(sessions[1], 'KV/Put', put('/innocent', 10), metadata),
    ])
    took.etcd.push(own)
    took.proxied.push(other)
    took.writes.push(write.ms)
    if (write.status !== '0') refusedWrites += 1
    await pause(BEATS_EVERY_MS)
  }
  const { stdout } = await storm
  for (const one of sessions) one.destroy()
  return { ...took, refusedWrites, storm: Counts.parse(JSON.parse(stdout)) }
}

function tell(what: string, without: Measured, withRules: Measured): void {
  const line = (name: string, of: (one: Measured) => readonly number[]): string => {
    const [free, limited] = [of(without), of(withRules)].map((took) => [percentile(took, 50), percentile(took, 99)])
    const [p50 = 0, p99 = 0] = free ?? []
    const [limitedP50 = 0, limitedP99 = 0] = limited ?? []
    return `${name}: p50 ${p50.toFixed(1)} ms without and ${limitedP50.toFixed(1)} ms with rules (ratio ${(p50 / limitedP50).toFixed(1)}), p99 ${p99.toFixed(0)} and ${limitedP99.toFixed(0)} ms (ratio ${(p99 / limitedP99).toFixed(1)})`
  }
  console.warn(
    [
      `${what}: ${without.storm.served} served without rules; ${withRules.storm.served} served and ${withRules.storm.refused} refused with them.`,
      line('Keep-alive at etcd', ({ etcd }) => etcd),
      line('Keep-alive through the proxy', ({ proxied }) => proxied),
      line('Writes of others', ({ writes }) => writes),
    ].join('\n  '),
  )
}

const ETCDS: readonly (readonly [name: string, missing: boolean, programs: Partial<EtcdPrograms>])[] = [
  ['etcd 3.6', noCluster, {}],
  ['Debian’s etcd 3.4', missingDebian, DEBIAN],
]

for (const [name, missing, programs] of ETCDS)
  describe.skipIf(missing)(`${name} behind the proxy is protected`, () => {
    let etcd: EtcdServer | undefined
    afterAll(() => etcd?.stop())

    test('from a tenant that lists everything', { timeout: 240_000 }, async () => {
      etcd = await startEtcd(programs)
      const filling = connect(etcd.url)
      for (let i = 0; i < KEYS; i += 200)
        await Promise.all(
          Array.from({ length: 200 }, (_, j) => call(filling, 'KV/Put', put(`/registry/pods/${i + j}`, 500))),
        )
      filling.destroy()
      const without = await during('lists', etcd.url, await proxy(etcd.url))
      const withRules = await during('lists', etcd.url, await proxy(etcd.url, PODS))
      tell(`${name}, lists of ${KEYS} keys`, without, withRules)
      expect(without.storm.refused).toBe(0)
      expect(withRules.storm.refused).toBeGreaterThan(0)
      // The first is admitted, because its cost is still unknown; then the burst and the rate.
      expect(withRules.storm.served).toBeLessThanOrEqual(1 + 2 + SECONDS + 2)
      expect(withRules.refusedWrites).toBe(0)
    })

    test('from a storm of passwords, by the starter rule', { timeout: 240_000 }, async () => {
      etcd ??= await startEtcd(programs)
      const server = etcd
      for (const words of ['user add root:secret', 'role add root', 'user grant-role root root', 'auth enable'])
        await server.etcdctl(server.url, words.split(' '))
      const session = connect(server.url)
      const { status, payload } = await call(session, 'Auth/Authenticate', login('root', 'secret'))
      session.destroy()
      expect(status).toBe('0')
      const metadata = { token: readToken(payload) }
      const without = await during('passwords', server.url, await proxy(server.url), metadata)
      const withRules = await during('passwords', server.url, await proxy(server.url, starter('passwords')), metadata)
      tell(`${name}, storm of passwords`, without, withRules)
      expect(without.storm.refused).toBe(0)
      expect(withRules.storm.refused).toBeGreaterThan(0)
      expect(withRules.storm.served).toBeLessThanOrEqual(10 + 5 * (SECONDS + 2))
      expect(withRules.refusedWrites).toBe(0)
    })

    test('from events near its quota, by the starter rule', { timeout: 240_000 }, async () => {
      const flood = async (rules?: string): Promise<Measured & { readonly alarm: string }> => {
        const small = await startEtcd({ ...programs, more: [`--quota-backend-bytes=${QUOTA}`] })
        try {
          const address = await proxy(small.url, rules)
          await fill(small)
          // The proxy reads the size once a second.
          await pause(2_500)
          const measured = await during('events', small.url, address)
          return { ...measured, alarm: await small.etcdctl(small.url, ['alarm', 'list']) }
        } finally {
          await small.stop()
        }
      }
      const without = await flood()
      const withRules = await flood(starter('events'))
      tell(`${name}, events above 90 % of the quota`, without, withRules)
      console.warn(
        `  Writes of others refused: ${without.refusedWrites} without rules, ${withRules.refusedWrites} with.`,
      )
      expect(without.alarm).toContain('NOSPACE')
      expect(without.refusedWrites).toBeGreaterThan(0)
      expect(withRules.alarm).not.toContain('NOSPACE')
      expect(withRules.storm.refused).toBeGreaterThan(0)
      expect(withRules.refusedWrites).toBe(0)
    })
  })

/** Writes until more than 90 % of the quota is in use. The size follows the writes by a tenth of a second. */
async function fill(etcd: EtcdServer): Promise<void> {
  const session = connect(etcd.url)
  const used = async (): Promise<number> => {
    const printed = await etcd.etcdctl(etcd.url, ['endpoint', 'status', '--write-out=json'])
    const [one] = Statuses.parse(JSON.parse(printed.slice(0, printed.lastIndexOf(']') + 1)))
    return (one?.Status.dbSizeInUse ?? 0) / QUOTA
  }
  for (let i = 0; i < 400; i++) {
    const { status } = await call(session, 'KV/Put', put(`/fill/${i}`, 100_000))
    if (status !== '0') throw new Error(`etcd refused to be filled: ${status}`)
    if (i < 250) continue
    await pause(150)
    if ((await used()) > 0.92) break
  }
  session.destroy()
}
