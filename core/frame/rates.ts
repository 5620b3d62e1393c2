import { histogramIncrease, histogramMean, sumHistograms, histogramQuantile, quantileRange } from './quantile.ts'
import type { DerivedFlow } from './derived.ts'
import type { Histogram, LevelFrame, Rejected, SchemaFrame, ServerFrame } from './frame.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS, isRestart, REJECT_REASONS } from './reading.ts'

/** Levels and schemas of one frame by name. */
export interface FrameIndex {
  readonly levels: ReadonlyMap<string, LevelFrame>
  readonly schemas: ReadonlyMap<string, SchemaFrame>
}

export const flowKey = (level: string, schema: string): string => `${level}\u0000${schema}`

/** The level and the flow schema of such a key. */
export function flowOf(key: string): { readonly level: string; readonly schema: string } {
  const at = key.indexOf('\u0000')
  return { level: key.slice(0, at), schema: key.slice(at + 1) }
}

const INDEXED = new WeakMap<ServerFrame, FrameIndex>()

/** Each page is indexed once, however often it is looked at. */
export function indexFrame(frame: ServerFrame): FrameIndex {
  const known = INDEXED.get(frame)
  if (known !== undefined) return known
  const levels = new Map<string, LevelFrame>()
  const schemas = new Map<string, SchemaFrame>()
  for (const level of frame.levels) {
    levels.set(level.name, level)
    for (const schema of level.schemas) schemas.set(flowKey(level.name, schema.name), schema)
  }
  const index = { levels, schemas }
  INDEXED.set(frame, index)
  return index
}

type Rates = Pick<DerivedFlow, 'dispatchedPerSecond' | 'rejectedPerSecond' | 'noAccommodationPerSecond'>

/** Rates between two readings of the totals of one process; each is absent if either reading lacks the total. */
export function rates(
  later: Pick<SchemaFrame, 'dispatched' | 'rejected' | 'noAccommodation'>,
  earlier: Pick<SchemaFrame, 'dispatched' | 'rejected' | 'noAccommodation'>,
  seconds: number,
): Rates {
  return {
    dispatchedPerSecond: rate(later.dispatched, earlier.dispatched, seconds),
    rejectedPerSecond: rejectedRates(later.rejected, earlier.rejected, seconds),
    noAccommodationPerSecond: rate(later.noAccommodation, earlier.noAccommodation, seconds),
  }
}

function rate(later: number | undefined, earlier: number | undefined, seconds: number): number | undefined {
  return later === undefined || earlier === undefined ? undefined : (later - earlier) / seconds
}

function rejectedRates(
  later: Rejected | undefined,
  earlier: Rejected | undefined,
  seconds: number,
): Rejected | undefined {
  if (later === undefined || earlier === undefined) return undefined
  const of = (reason: keyof Rejected) => (later[reason] - earlier[reason]) / seconds
  return { 'queue-full': of('queue-full'), 'concurrency-limit': of('concurrency-limit'), 'time-out': of('time-out') }
}

/** Whether the process of the server is another one, or its totals started anew. */
export function hasRestarted(
  before: ServerFrame,
  after: ServerFrame,
  earlier: FrameIndex = indexFrame(before),
  later: FrameIndex = indexFrame(after),
): boolean {
  if (isRestart(before.startedAt, after.startedAt)) return true
  for (const [where, schema] of later.schemas) {
    const known = earlier.schemas.get(where)
    if (known !== undefined && fell(schema, known)) return true
  }
  return false
}

/** Computes once what follows from two readings; of each the one before it is almost always the same. */
export function betweenTwo<R extends object, T>(of: (earlier: R, later: R) => T): (earlier: R, later: R) => T {
  const known = new WeakMap<R, { readonly earlier: R; readonly value: T }>()
  return (earlier, later) => {
    const found = known.get(later)
    if (found?.earlier === earlier) return found.value
    const value = of(earlier, later)
    known.set(later, { earlier, value })
    return value
  }
}

/** Whether a total of the flow is lower than before: only a restart of the server causes that. */
function fell(later: SchemaFrame, earlier: SchemaFrame): boolean {
  return (
    lower(later.dispatched, earlier.dispatched) ||
    lower(later.noAccommodation, earlier.noAccommodation) ||
    REJECT_REASONS.some((reason) => lower(later.rejected?.[reason], earlier.rejected?.[reason])) ||
    lower(later.wait?.count, earlier.wait?.count) ||
    lower(later.execution?.count, earlier.execution?.count)
  )
}

const lower = (later: number | undefined, earlier: number | undefined): boolean =>
  later !== undefined && earlier !== undefined && later < earlier

/** Input of the quantiles of one flow: since the server started, or within the quantile window. */
export interface Observations {
  readonly wait: Histogram | undefined
  readonly execution: Histogram | undefined
}

/** `earlier` is absent for a flow that had no request yet when the window began. */
export function flowIncrease(
  later: Pick<SchemaFrame, 'wait' | 'execution'>,
  earlier: Partial<Observations> | undefined,
): Observations {
  return {
    wait: increaseOf(later.wait, earlier?.wait),
    execution: increaseOf(later.execution, earlier?.execution),
  }
}

/** The difference between two readings; `undefined` if there is none, or the two do not belong together. */
export function increaseOf(later: Histogram | undefined, earlier: Histogram | undefined): Histogram | undefined {
  if (later === undefined || later.count === earlier?.count) return undefined
  return histogramIncrease(later, earlier)
}

type Quantiles = Pick<
  DerivedFlow,
  'waitP50' | 'waitP99' | 'waitP50Range' | 'waitP99Range' | 'executionP50' | 'executionP99'
>

/** All observations of several flows. */
export function sumObservations(flows: readonly Observations[]): Observations {
  return {
    wait: sumHistograms(flows.flatMap((flow) => flow.wait ?? [])),
    execution: sumHistograms(flows.flatMap((flow) => flow.execution ?? [])),
  }
}

export function quantiles({ wait, execution }: Observations): Quantiles {
  return {
    waitP50: waitQuantile(0.5, wait),
    waitP99: waitQuantile(0.99, wait),
    waitP50Range: wait && quantileRange(0.5, wait),
    waitP99Range: wait && quantileRange(0.99, wait),
    executionP50: quantile(0.5, execution),
    executionP99: quantile(0.99, execution),
  }
}

/** Seconds that a request waits in its queue at most, unless the server has another --request-timeout. */
const DEFAULT_WAIT_LIMIT_SECONDS = DEFAULT_REQUEST_TIMEOUT_SECONDS / 4

/**
 * No request waits longer than a quarter of the server's --request-timeout, 15 s by default, so the bucket that begins
 * there contains requests that timed out then: interpolating inside it would yield impossible waits.
 */
function waitQuantile(q: number, wait: Histogram | undefined): number | undefined {
  const value = quantile(q, wait)
  if (wait === undefined || value === undefined || !(value > DEFAULT_WAIT_LIMIT_SECONDS)) return value
  const range = quantileRange(q, wait)
  return range?.above === DEFAULT_WAIT_LIMIT_SECONDS ? DEFAULT_WAIT_LIMIT_SECONDS : value
}

/** Interpolated like Prometheus does, but never outside of the range that the histogram's sum allows. */
export function quantile(q: number, histogram: Histogram | undefined): number | undefined {
  if (histogram === undefined) return undefined
  const value = histogramQuantile(q, histogram)
  if (Number.isNaN(value)) return undefined
  const upTo = quantileRange(q, histogram)?.upTo
  return upTo === undefined ? value : Math.min(value, upTo)
}

/** Mean of a time-weighted ratio between two readings. */
export function meanBetween(later: Histogram | undefined, earlier: Histogram | undefined): number | undefined {
  if (later === undefined || earlier === undefined) return undefined
  const increase = histogramIncrease(later, earlier)
  return increase === undefined ? undefined : histogramMean(increase)
}
