import type { Period } from '../../core/compare/period.ts'
import type { Series } from '../../core/history/series.ts'
import { lowerBound } from '../../core/search.ts'

/** Index of the instant closest to `at` in ascending `times`; −1 when there is none. */
export function nearestIndex(times: readonly number[], at: number): number {
  if (times.length === 0) return -1
  const low = lowerBound(0, times.length - 1, (i) => (times[i] ?? 0) >= at)
  const after = times[low] ?? 0
  const before = times[low - 1]
  return before !== undefined && at - before <= after - at ? low - 1 : low
}

/** The sample `steps` away from the cursor; without a cursor, counted from the newest. */
export function stepCursor(times: readonly number[], cursor: number | undefined, steps: number): number | undefined {
  if (times.length === 0) return undefined
  const from = cursor === undefined ? times.length - 1 : nearestIndex(times, cursor)
  return times[Math.min(times.length - 1, Math.max(0, from + steps))]
}

/** The range between the two ends of a drag; `undefined` when it is too short to be intended. */
export function dragRange(start: number, end: number, leastMs: number): Period | undefined {
  const range = { from: Math.min(start, end), to: Math.max(start, end) }
  return range.to - range.from >= leastMs ? range : undefined
}

export interface RangeSummary {
  readonly seconds: number
  readonly samples: number
  /** Seats, over the samples of the range. */
  readonly executingMean: number | undefined
  readonly demandMax: number | undefined
  /** Requests per second × seconds, all reasons together. */
  readonly rejected: number | undefined
  /** Requests, from the same rates. */
  readonly dispatched: number | undefined
}

const sumOfRates = (
  columns: readonly (readonly (number | null)[] | undefined)[],
  index: number,
): number | undefined => {
  let sum: number | undefined
  for (const column of columns) {
    const value = column?.[index] ?? null
    if (value !== null) sum = (sum ?? 0) + value
  }
  return sum
}

/** Sums up one level over a selected range; rates are integrated over the width of a point. */
export function summariseRange(series: Series, levelName: string, range: Period): RangeSummary {
  const columns = series.levels.find((level) => level.name === levelName)?.columns
  let samples = 0
  let executing = 0
  let demandMax: number | undefined
  let rejected: number | undefined
  let dispatched: number | undefined
  for (const [index, at] of series.times.entries()) {
    if (at < range.from || at > range.to) continue
    const running = columns?.executing?.[index] ?? null
    if (running === null) continue
    samples += 1
    executing += running
    const queued = columns?.queuedSeatsMax?.[index] ?? columns?.queuedSeats?.[index] ?? 0
    demandMax = Math.max(demandMax ?? 0, running + queued)
    const refused = sumOfRates([columns?.queueFullRate, columns?.concurrencyLimitRate, columns?.timeOutRate], index)
    if (refused !== undefined) rejected = (rejected ?? 0) + refused * series.stepSeconds
    const served = columns?.dispatchedRate?.[index] ?? null
    if (served !== null) dispatched = (dispatched ?? 0) + served * series.stepSeconds
  }
  return {
    seconds: (range.to - range.from) / 1_000,
    samples,
    executingMean: samples > 0 ? executing / samples : undefined,
    demandMax,
    rejected,
    dispatched,
  }
}
