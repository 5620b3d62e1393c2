import type { DerivedLevel } from './derived.ts'
import type { LevelFrame } from './frame.ts'
import { LEVEL_COLUMNS, type LevelColumn } from './series.ts'

/** How several points of a column become one. */
export type Merge = 'last' | 'max' | 'mean'

const MERGE: Partial<Record<LevelColumn, Merge>> = {
  executingMax: 'max',
  queuedSeatsMax: 'max',
  queuedRequestsMax: 'max',
  dispatchedRate: 'mean',
  queueFullRate: 'mean',
  concurrencyLimitRate: 'mean',
  timeOutRate: 'mean',
  utilizationMean: 'mean',
}

/** Merge rules in the order of LEVEL_COLUMNS; all others keep the last value. */
export const COLUMN_MERGES: readonly Merge[] = LEVEL_COLUMNS.map((column) => MERGE[column] ?? 'last')

/** One level's point in the order of LEVEL_COLUMNS, NaN for what is not known. */
export function levelRow(level: LevelFrame, derived: DerivedLevel | undefined): Float64Array {
  const { seats, requests, limits, demand } = level
  const rejected = derived?.rejectedPerSecond
  const point: Record<LevelColumn, number | undefined> = {
    executing: seats.executing,
    executingMax: seats.executing,
    queuedSeats: seats.queued,
    queuedSeatsMax: seats.queued,
    executingRequests: requests.executing,
    queuedRequests: requests.queued,
    queuedRequestsMax: requests.queued,
    current: limits.current,
    nominal: limits.nominal,
    lower: limits.lower,
    upper: limits.upper,
    highWatermark: demand.highWatermark,
    average: demand.average,
    stdev: demand.stdev,
    smoothed: demand.smoothed,
    target: demand.target,
    dispatchedRate: derived?.dispatchedPerSecond,
    queueFullRate: rejected?.['queue-full'],
    concurrencyLimitRate: rejected?.['concurrency-limit'],
    timeOutRate: rejected?.['time-out'],
    waitP50: derived?.waitP50,
    waitP99: derived?.waitP99,
    utilizationMean: derived?.utilizationMean,
  }
  return Float64Array.from(LEVEL_COLUMNS, (column) => point[column] ?? Number.NaN)
}

/**
 * `merged` with one more value, `known` being how many values it already has. NaN is "not known": it never spoils a
 * maximum or a mean, but it is a last value like any other.
 */
export function mergeValue(merge: Merge, merged: number, value: number, known: number): number {
  if (merge === 'last') return value
  if (Number.isNaN(value)) return merged
  if (known === 0) return value
  return merge === 'max' ? Math.max(merged, value) : merged + (value - merged) / (known + 1)
}

/** A value as a cell of a series: `null` for NaN, which is "not known". */
export const cellOf = (value: number): number | null => (Number.isNaN(value) ? null : value)
