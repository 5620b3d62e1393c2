import type { ServerSummary } from '../contract/fleet.ts'
import type { DerivedServer } from '../frame/derived.ts'
import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'
import { allRejected, levelStates, recentRejected } from '../frame/recent.ts'
import type { Series } from '../history/series.ts'
import { unixMsOf } from '../units.ts'

/** Time span of a server's trend, milliseconds, and its number of steps. */
export const TREND = { ms: 600_000, steps: 30 } as const

/** A server in a few numbers for each level, sorted by name as in its frame. */
export function summaryOf(
  frame: ServerFrame,
  derived: DerivedServer | undefined,
  trend: ServerSummary['trend'] = [],
): ServerSummary {
  const own = new Map(derived?.levels.map((level) => [level.name, level]))
  const column = (value: (level: LevelFrame) => number | undefined): (number | null)[] =>
    frame.levels.map((level) => value(level) ?? null)
  const limited = (value: (level: LevelFrame) => number | undefined): (number | null)[] =>
    column((level) => (isExempt(level) ? undefined : value(level)))
  return {
    id: frame.id,
    at: unixMsOf(frame.at),
    ...(frame.version !== undefined && { version: frame.version }),
    levels: frame.levels.map(({ name }) => name),
    states: frame.levels.map((level) => [...levelStates(level, own.get(level.name))]),
    executing: column(({ seats }) => seats.executing),
    limit: limited(({ limits }) => limits.current),
    nominal: limited(({ limits }) => limits.nominal),
    queued: column(({ requests }) => requests.queued),
    rejected: column(({ name }) => {
      const rejected = recentRejected(own.get(name)?.recent)
      return rejected && allRejected(rejected)
    }),
    waitP99: limited(({ name }) => own.get(name)?.waitP99),
    trend,
  }
}

/**
 * Executing seats over the current limit; `null` if either is unknown. A limit of 0 is full as soon as one seat
 * executes.
 */
export function saturationOf(executing: number | null, limit: number | null): number | null {
  if (executing === null || limit === null) return null
  return limit > 0 ? executing / limit : executing > 0 ? 1 : 0
}

/** Saturation of the busiest level in each step of the range that ends at `to`, Unix milliseconds. */
export function trendOf({ times, levels }: Series, to: number): ServerSummary['trend'] {
  const from = to - TREND.ms
  const trend: (number | null)[] = Array.from({ length: TREND.steps }, () => null)
  const limited = levels.filter((level) => !isExempt(level))
  times.forEach((at, index) => {
    const step = Math.min(TREND.steps - 1, Math.floor(((at - from) / TREND.ms) * TREND.steps))
    if (step < 0) return
    for (const { columns } of limited) {
      const share = saturationOf(columns.executing[index] ?? null, columns.current[index] ?? null)
      if (share !== null) trend[step] = Math.max(trend[step] ?? 0, share)
    }
  })
  return trend
}
