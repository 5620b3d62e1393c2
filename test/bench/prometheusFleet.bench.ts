/**
 * The fleet of a real Prometheus (Debian's): SERVERS servers of LEVELS levels in 50 clusters, from blocks that promtool
 * makes of OpenMetrics. FLEET_SERVERS sets another number of servers; 1,000 of them need about 2 GB of disk and some
 * minutes before anything is measured.
 *
 * - `read`: the time of Prometheus for all responses, and of the console to read and combine them. The
 *   goal is of the console: 1 s for all answers.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PrometheusSpecSchema } from '../../core/contract/prometheus.ts'
import { systemEnvironment } from '../../main/ports/environment.ts'
import { openPrometheus, type PrometheusApi, type Reply } from '../../main/sources/prometheus/api.ts'
import { createFleetReader, type FleetRead } from '../../main/sources/prometheus/fleet.ts'
import { startPrometheusOn, whyNoPrometheus } from '../cluster/prometheusServers.ts'
import { allNamed } from '../harness/consent.ts'
import { writeFleetBlocks } from '../harness/fleetBlocks.ts'
import { report, round } from './statistics.ts'

const SERVERS = Number(process.env['FLEET_SERVERS'] ?? 1_000)
const LEVELS = 30
const CLUSTERS = 50
const INTERVAL_MS = 60_000
/** Blocks of so many minutes after now, because making them takes some. */
const AHEAD_MS = 10 * 60_000
const GOAL_MS = 1_000

export async function run(): Promise<void> {
  const why = whyNoPrometheus()
  if (why !== undefined) throw new Error(why)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'apf-prometheus-fleet-'))
  try {
    const now = Math.floor(Date.now() / INTERVAL_MS) * INTERVAL_MS
    const shape = { clusters: CLUSTERS, serversPerCluster: SERVERS / CLUSTERS, levels: LEVELS, intervalMs: INTERVAL_MS }
    const times = { from: now - 600_000, to: now + AHEAD_MS, histogramsFrom: now + AHEAD_MS - 6 * INTERVAL_MS }
    const data = await writeFleetBlocks(folder, { ...shape, ...times })
    await sleep(Math.max(0, times.histogramsFrom + 2.5 * INTERVAL_MS - Date.now()))
    const prometheus = await startPrometheusOn(folder, data)
    try {
      await measure(prometheus.url)
    } finally {
      await prometheus.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(url: string): Promise<void> {
  const target = PrometheusSpecSchema.parse({ kind: 'prometheus', url })
  const api = await openPrometheus(target, () => Date.now(), allNamed)
  const answered: { readonly atMs: number; readonly ms: number; readonly bytes: number; readonly cpu: number }[] = []
  const notes = async (reply: Promise<Reply>): Promise<Reply> => {
    const began = performance.now()
    const answer = await reply
    if (!answer.ok) throw new Error(answer.problem.message)
    answered.push({ atMs: began + answer.ms, ms: answer.ms, bytes: answer.bytes, cpu: cpuMs() })
    return answer
  }
  const watched: PrometheusApi = {
    ...api,
    query: (...query) => notes(api.query(...query)),
    queryRange: (...query) => notes(api.queryRange(...query)),
  }
  const reads: { readonly read: FleetRead; readonly atMs: number; readonly cpu: number }[] = []
  const end = new AbortController()
  const [began, beganCpu] = [performance.now(), cpuMs()]
  await new Promise<void>((resolve, reject) => {
    const reader = createFleetReader({
      api: watched,
      target,
      environment: systemEnvironment,
      onRead(read) {
        reads.push({ read, atMs: performance.now(), cpu: cpuMs() })
        if (reads.length === 2) resolve()
      },
      onFailed: ({ message }) => reject(new Error(message)),
    })
    reader.servers.subscribe(() => undefined, end.signal)
  })
  end.abort()
  api.close()
  const [first] = reads
  if (first === undefined) return
  const all = answered.filter(({ atMs }) => atMs <= first.atMs)
  const prometheusMs = all.reduce((sum, { ms }) => sum + ms, 0)
  const lastAtMs = all.at(-1)?.atMs ?? Number.NaN
  report({
    bench: 'prometheusFleet',
    case: 'read',
    servers: first.read.servers.length,
    levels: first.read.servers.reduce((sum, { levels }) => sum + levels.length, 0),
    rejecting: first.read.servers.filter(({ states }) => states.some(([worst]) => worst === 'rejecting')).length,
    withWaits: first.read.servers.filter(({ waitP99 }) => waitP99.some((wait) => wait !== null)).length,
    queries: all.length,
    megabytes: round(all.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6, 1),
    prometheusMs: round(prometheusMs, 0),
    consoleMs: round(first.atMs - began - prometheusMs, 0),
    consoleProcessorMs: round(first.cpu - beganCpu, 0),
    // From the last response, read and parsed, until everything is combined.
    togetherMs: round(first.atMs - lastAtMs, 0),
    togetherProcessorMs: round(first.cpu - (all.at(-1)?.cpu ?? Number.NaN), 0),
    // The trend is emitted after the rest.
    trendMs: round((reads[1]?.atMs ?? Number.NaN) - first.atMs, 0),
    goalMs: GOAL_MS,
    load: round(os.loadavg()[0] ?? 0, 1),
  })
}

/** Of this process so far; unlike the clock, it does not count other work on the machine. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
