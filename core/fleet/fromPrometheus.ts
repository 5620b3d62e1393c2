import type { ServerSummary } from '../contract/fleet.ts'
import type { DerivedLevel, DerivedServer } from '../frame/derived.ts'
import type { LevelFrame, RejectReason, ServerFrame } from '../frame/frame.ts'
import { REJECT_REASONS, recordOf } from '../frame/reading.ts'
import type { PromSeries } from '../prom/answer.ts'
import { placeOf, type FoundServer, type TargetLabels } from '../prom/discovery.ts'
import type { FleetNumber } from '../prom/fleetNumbers.ts'
import { byCodeUnits } from '../text/text.ts'
import { rfc3339 } from '../units.ts'
import { summaryOf, TREND } from './summary.ts'

/** Query results about all servers of a Prometheus. */
export interface FleetAnswers {
  readonly labels: TargetLabels
  readonly clusters: readonly { readonly name?: string; readonly servers: readonly FoundServer[] }[]
  readonly versions: readonly PromSeries[]
  readonly numbers: Readonly<Record<FleetNumber, readonly PromSeries[]>>
  /** Saturation of the busiest level of each server in steps; empty if it was not read. */
  readonly busiest: readonly PromSeries[]
  /** Unix milliseconds at which the steps end. */
  readonly until: number
}

/** The servers of all clusters in a few numbers for each level, cluster by cluster. */
export function fleetOf({ labels, clusters, versions, numbers, busiest, until }: FleetAnswers): ServerSummary[] {
  const keyOf = ({ labels: own }: PromSeries): string => keyIn(placeOf(own, labels))
  const versionOf = new Map(versions.map((one) => [keyOf(one), one.labels['git_version']]))
  const trends = Map.groupBy(busiest, keyOf)
  const levels = levelsByServer(numbers, keyOf)
  // Without any series the family is not scraped; a level without one has executed nothing yet.
  const idle = numbers.executing.length > 0 ? 0 : undefined
  return clusters.flatMap(({ name, servers }) =>
    servers.map(({ instance, lastAt }): ServerSummary => {
      const key = keyIn({ ...(name !== undefined && { cluster: name }), instance })
      const version = versionOf.get(key)
      const own = [...(levels.get(key)?.values() ?? [])].toSorted((a, b) => byCodeUnits(a.name, b.name))
      const frame: ServerFrame = {
        id: instance,
        at: rfc3339(lastAt),
        ...(version !== undefined && { version }),
        levels: own.map((level) => levelFrame(level, idle)),
        missing: [],
      }
      const derived: DerivedServer = { id: instance, torn: false, levels: own.map(derivedLevel) }
      const summary = summaryOf(frame, derived, trendIn(trends.get(key) ?? [], until))
      return name === undefined ? summary : { ...summary, cluster: name }
    }),
  )
}

/**
 * In practice, label values do not contain this character; two servers with the same key would only be shown as one.
 */
const keyIn = ({ cluster, instance }: { readonly cluster?: string; readonly instance: string }): string =>
  cluster === undefined ? instance : `${cluster}\n${instance}`

/** Numbers with one series for each level. */
const VALUES = ['executing', 'limit', 'nominal', 'queued', 'dispatched', 'waitP99'] as const

/** The query results for a level of a server. */
interface Level {
  readonly name: string
  readonly values: Partial<Record<(typeof VALUES)[number], number>>
  readonly rejected: Partial<Record<RejectReason, number>>
}

function levelsByServer(
  numbers: FleetAnswers['numbers'],
  keyOf: (series: PromSeries) => string,
): ReadonlyMap<string, ReadonlyMap<string, Level>> {
  const servers = new Map<string, Map<string, Level>>()
  const levelOf = (series: PromSeries): Level | undefined => {
    const name = series.labels['priority_level']
    if (name === undefined) return undefined
    const key = keyOf(series)
    const levels = servers.get(key) ?? new Map<string, Level>()
    servers.set(key, levels)
    const level = levels.get(name) ?? { name, values: {}, rejected: {} }
    levels.set(name, level)
    return level
  }
  for (const number of VALUES) {
    for (const series of numbers[number]) {
      const level = levelOf(series)
      const value = lastOf(series)
      // Two replicas of a Prometheus may scrape one server: the larger number of both.
      if (level !== undefined && value !== undefined)
        level.values[number] = Math.max(level.values[number] ?? value, value)
    }
  }
  for (const series of numbers.rejected) {
    const reason = REJECT_REASONS.find((one) => one === series.labels['reason'])
    const value = lastOf(series)
    if (reason === undefined || value === undefined) continue
    const level = levelOf(series)
    if (level !== undefined) level.rejected[reason] = Math.max(level.rejected[reason] ?? value, value)
  }
  return servers
}

const lastOf = ({ samples }: PromSeries): number | undefined => {
  const sample = samples.at(-1)
  return typeof sample === 'number' ? sample : undefined
}

function levelFrame({ name, values }: Level, idle: number | undefined): LevelFrame {
  const { limit, nominal, queued = 0, executing = idle } = values
  return {
    name,
    limits: { ...(limit !== undefined && { current: limit }), ...(nominal !== undefined && { nominal }) },
    seats: executing === undefined ? {} : { executing },
    requests: { queued },
    demand: {},
    schemas: [],
  }
}

/** Rates are over the window of the query, so they equal the counts of one second. */
const derivedLevel = ({ name, values: { dispatched, waitP99 }, rejected }: Level): DerivedLevel => ({
  name,
  recent: {
    seconds: 1,
    dispatched: dispatched ?? 0,
    rejected: recordOf(REJECT_REASONS, (reason) => rejected[reason] ?? 0),
  },
  ...(waitP99 !== undefined && { waitP99 }),
  schemas: [],
})

/** The maximum in each step of the trend that ends at an instant; a level without a limit is full at 1. */
function trendIn(series: readonly PromSeries[], until: number): ServerSummary['trend'] {
  if (series.length === 0) return []
  const from = until - TREND.ms
  const trend: (number | null)[] = Array.from({ length: TREND.steps }, () => null)
  for (const { times, samples } of series) {
    for (const [index, at] of times.entries()) {
      const value = samples[index]
      const step = Math.min(TREND.steps - 1, Math.floor(((at - from) / TREND.ms) * TREND.steps))
      if (step >= 0 && typeof value === 'number') trend[step] = Math.max(trend[step] ?? 0, value)
    }
  }
  return trend
}
