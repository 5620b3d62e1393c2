import type { ServerSummary } from '../../../core/contract/fleet.ts'
import type { Problem } from '../../../core/errors.ts'
import type { PrometheusSpec } from '../../../core/contract/prometheus.ts'
import { fleetOf } from '../../../core/fleet/fromPrometheus.ts'
import { TREND } from '../../../core/fleet/summary.ts'
import { recordOf } from '../../../core/frame/reading.ts'
import type { PromSeries } from '../../../core/prom/answer.ts'
import { FLEET_NUMBERS, type FleetNumber } from '../../../core/prom/fleetNumbers.ts'
import { busiestQuery, fleetQuery, versionsQuery } from '../../../core/prom/fleetQueries.ts'
import { backoffMs } from '../../cluster/reflector.ts'
import type { Environment } from '../../ports/environment.ts'
import { createPause } from '../../ports/pause.ts'
import { whileHeard, type Subscribable } from '../../ports/topic.ts'
import { PAST_LIMITS, type PrometheusApi } from './api.ts'
import type { Unanswered } from './problems.ts'
import { findServers, matchersOf } from './servers.ts'

/** Minimum pause between two readings, and a multiple of the duration of one: Prometheus has other work. */
const LEAST_PAUSE_MS = 5_000
const PAUSE_PER_READING = 3
/** Rates cover the longest usual interval of any server, so that they include two scrapes of each; up to this. */
const MOST_INTERVAL_MS = 120_000

/** The result and the cost of a reading of the whole fleet. */
export interface FleetRead {
  readonly servers: readonly ServerSummary[]
  /** Warnings of Prometheus about parts that it could not read. */
  readonly warnings: readonly string[]
  readonly queries: number
  readonly ms: number
  readonly bytes: number
}

export interface FleetOptions {
  readonly api: PrometheusApi
  /** Its matchers select the cluster, if only one is read. */
  readonly target: Pick<PrometheusSpec, 'matchers' | 'labels' | 'instances' | 'url'>
  readonly environment: Environment
  readonly onRead: (read: FleetRead) => void
  readonly onFailed: (problem: Problem, pauseMs: number) => void
}

/**
 * Key figures of all servers of a Prometheus for each level: read while there is a listener, which receives the last
 * reading first.
 */
export interface FleetReader {
  readonly servers: Subscribable<readonly ServerSummary[]>
  tryNow(): void
}

export function createFleetReader(options: FleetOptions): FleetReader {
  const { environment, onRead, onFailed } = options
  const pause = createPause(environment)
  let latest: FleetRead | undefined
  let failures = 0

  const tell = (read: FleetRead): void => {
    latest = read
    onRead(read)
    heard.tell(read.servers)
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    const began = environment.now()
    const problem = await readFleet(options, latest?.servers, tell, signal)
    if (signal.aborted) return
    failures = problem === undefined ? 0 : failures + 1
    const pauseMs =
      problem === undefined
        ? Math.max(LEAST_PAUSE_MS, PAUSE_PER_READING * (environment.now() - began))
        : backoffMs(failures, () => environment.random(), problem.retryAfterMs)
    if (problem !== undefined) onFailed(problem.problem, pauseMs)
    pause.begin(pauseMs, () => void run(signal))
  }
  const heard = whileHeard<readonly ServerSummary[]>(
    () => {
      const end = new AbortController()
      void run(end.signal)
      return () => {
        end.abort()
        pause.forget()
      }
    },
    () => latest?.servers,
  )
  return { servers: heard, tryNow: pause.end }
}

/**
 * Reads every server at the present of Prometheus, in one query for each number, and emits the result; then once more
 * with the trends, which take Prometheus longest. Until then those of `before` stay.
 */
async function readFleet(
  { api, target }: FleetOptions,
  before: readonly ServerSummary[] | undefined,
  tell: (read: FleetRead) => void,
  signal: AbortSignal,
): Promise<Pick<Unanswered, 'problem' | 'retryAfterMs'> | undefined> {
  const asking = { signal, limits: PAST_LIMITS, merged: true as const }
  const cost = { queries: 1, ms: 0, bytes: 0 }
  const warnings = new Set<string>()
  const ask = async (reply: ReturnType<PrometheusApi['query']>): Promise<readonly PromSeries[] | Unanswered> => {
    const answered = await reply
    if (!answered.ok) return answered
    cost.queries++
    cost.ms += answered.ms
    cost.bytes += answered.bytes
    for (const warning of answered.warnings) warnings.add(warning)
    return answered.series
  }

  const found = await findServers(api, target, signal)
  if (!found.ok) return found
  const { labels } = found.value
  const clusters = found.value.clusters.map(({ servers: list, ...cluster }) => ({
    ...cluster,
    servers: list.filter(({ instance }) => target.instances?.includes(instance) !== false),
  }))
  const matchers = matchersOf(target.matchers ?? [])
  const versions = await ask(api.query(versionsQuery(labels, matchers), undefined, asking))
  if ('ok' in versions) return versions
  const place = {
    matchers,
    versions: versions.map((one) => one.labels['git_version']),
    intervalMs: longestInterval(clusters.flatMap(({ servers }) => servers)),
  }
  const numbers: Record<FleetNumber, readonly PromSeries[]> = recordOf(FLEET_NUMBERS, () => [])
  for (const number of FLEET_NUMBERS) {
    const query = fleetQuery(number, place)
    if (query === undefined) continue
    const series = await ask(api.query(query, undefined, asking))
    if ('ok' in series) return series
    numbers[number] = series
  }
  const until = clusters.flatMap((one) => one.servers).reduce((last, { lastAt }) => Math.max(last, lastAt), -Infinity)
  const answers = { labels, clusters, versions, numbers, until }
  const report = (servers: readonly ServerSummary[]): void => tell({ servers, warnings: [...warnings], ...cost })
  const servers = fleetOf({ ...answers, busiest: [] })
  const known = new Map(before?.map((server) => [keyOf(server), server.trend]))
  report(servers.map((server) => ({ ...server, trend: known.get(keyOf(server)) ?? [] })))

  const query = busiestQuery(place)
  if (query === undefined) return undefined
  const steps = { start: until - TREND.ms, end: until, stepMs: TREND.ms / TREND.steps }
  const busiest = await ask(api.queryRange(query, steps, asking))
  if ('ok' in busiest) return busiest
  if (!signal.aborted) report(fleetOf({ ...answers, busiest }))
  return undefined
}

const keyOf = ({ cluster, id }: ServerSummary): string => JSON.stringify([cluster, id])

function longestInterval(servers: readonly { readonly intervalMs?: number }[]): number | undefined {
  const known = servers.flatMap(({ intervalMs }) => intervalMs ?? [])
  return known.length === 0 ? undefined : Math.min(MOST_INTERVAL_MS, Math.max(...known))
}
