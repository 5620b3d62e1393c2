import type { DerivedLevel, DerivedServer } from '../frame/derived.ts'
import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { unixMsOf } from '../units.ts'
import { LEVEL_COLUMNS, type LevelColumn } from './columns.ts'
import type { Series } from './series.ts'

/** The point that one frame adds to a history; values that are unknown are NaN. */
export interface Point {
  /** Unix milliseconds. */
  readonly at: number
  readonly fairFrac: number
  /** By level, in the order of LEVEL_COLUMNS. */
  readonly levels: ReadonlyMap<string, ArrayLike<number>>
}

export function pointOf(frame: ServerFrame, derived: DerivedServer | undefined): Point {
  const rates = new Map(derived?.levels.map((level) => [level.name, level]))
  return {
    at: unixMsOf(frame.at),
    fairFrac: frame.seatFairFrac ?? Number.NaN,
    levels: new Map(frame.levels.map((level) => [level.name, levelRow(level, rates.get(level.name))])),
  }
}

/** The value of a column in a sample; `undefined` is unknown. */
type ColumnOf = (level: LevelFrame, derived: DerivedLevel | undefined) => number | undefined

const COLUMN_OF: Readonly<Record<LevelColumn, ColumnOf>> = {
  executing: ({ seats }) => seats.executing,
  executingMax: ({ seats }) => seats.executing,
  queuedSeats: ({ seats }) => seats.queued,
  queuedSeatsMax: ({ seats }) => seats.queued,
  executingRequests: ({ requests }) => requests.executing,
  queuedRequests: ({ requests }) => requests.queued,
  queuedRequestsMax: ({ requests }) => requests.queued,
  current: ({ limits }) => limits.current,
  nominal: ({ limits }) => limits.nominal,
  lower: ({ limits }) => limits.lower,
  upper: ({ limits }) => limits.upper,
  highWatermark: ({ demand }) => demand.highWatermark,
  average: ({ demand }) => demand.average,
  stdev: ({ demand }) => demand.stdev,
  smoothed: ({ demand }) => demand.smoothed,
  target: ({ demand }) => demand.target,
  dispatchedRate: (_, derived) => derived?.dispatchedPerSecond,
  queueFullRate: (_, derived) => derived?.rejectedPerSecond?.['queue-full'],
  concurrencyLimitRate: (_, derived) => derived?.rejectedPerSecond?.['concurrency-limit'],
  timeOutRate: (_, derived) => derived?.rejectedPerSecond?.['time-out'],
  waitP50: (_, derived) => derived?.waitP50,
  waitP99: (_, derived) => derived?.waitP99,
  utilizationMean: (_, derived) => derived?.utilizationMean,
}
/** In the order of LEVEL_COLUMNS. */
const COLUMNS_OF = LEVEL_COLUMNS.map((column) => COLUMN_OF[column])

/** One level's values in the order of LEVEL_COLUMNS, NaN for unknown ones. */
function levelRow(level: LevelFrame, derived: DerivedLevel | undefined): Float64Array {
  const row = new Float64Array(COLUMNS_OF.length)
  for (const [i, columnOf] of COLUMNS_OF.entries()) row[i] = columnOf(level, derived) ?? Number.NaN
  return row
}

/** One point of a series, with the levels for which it contains a value. */
export function pointIn({ times, fairFrac, levels }: Series, i: number): Point {
  const rows = new Map<string, Float64Array>()
  for (const { name, columns } of levels) {
    const row = Float64Array.from(LEVEL_COLUMNS, (column) => columns[column][i] ?? Number.NaN)
    if (row.some((value) => !Number.isNaN(value))) rows.set(name, row)
  }
  return { at: times[i] ?? Number.NaN, fairFrac: fairFrac[i] ?? Number.NaN, levels: rows }
}
