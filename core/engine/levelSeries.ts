import type { Histogram, RejectReason } from '../frame/frame.ts'
import { SECONDS_BOUNDS } from '../frame/quantile.ts'
import type { Clock } from './clock.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { SeatRequest } from './queue.ts'
import { TimingRatioHistogram } from './timingRatioHistogram.ts'

/** Upper bounds of the other histograms that are kept per schema and level (specification 8.1). */
const QUEUE_LENGTH_BOUNDS = [0, 10, 25, 50, 100, 250, 500, 1000] as const
const WATCH_COUNT_BOUNDS = [0, 1, 10, 100, 1000, 10_000] as const

/** Series of a server for one flow schema in one priority level (specification 8.1). */
export class LaneSeries {
  readonly schema: string
  dispatched = 0
  readonly rejected: Record<RejectReason, number> = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 }
  waitingRequests = 0
  waitingSeats = 0
  executingRequests = 0
  executingSeats = 0
  /** Times that a selected head did not fit. */
  noAccommodation = 0
  /** Seconds; by upstream's label `execute`, which is `true` also for requests that timed out (trap T64). */
  readonly wait = new CountingHistogram(SECONDS_BOUNDS, true)
  readonly waitRejected = new CountingHistogram(SECONDS_BOUNDS)
  /** Seconds, by upstream's label `type`: `regular` and `watch`. */
  readonly execution = new CountingHistogram(SECONDS_BOUNDS)
  readonly executionWatch = new CountingHistogram(SECONDS_BOUNDS)
  readonly queueLength = new CountingHistogram(QUEUE_LENGTH_BOUNDS)
  readonly watchCount = new CountingHistogram(WATCH_COUNT_BOUNDS)
  readonly estimatedSeats: CountingHistogram

  constructor(schema: string, estimatedSeatsBounds: readonly number[]) {
    this.schema = schema
    this.estimatedSeats = new CountingHistogram(estimatedSeatsBounds)
  }
}

/** A Prometheus histogram: an observation falls into the first bucket whose upper bound it does not exceed. */
export class CountingHistogram {
  private readonly bounds: readonly number[]
  /** Non-cumulative count of each bucket; the last is for observations above all bounds. */
  private readonly counts: Float64Array
  /** Largest observation of each bucket, where these are kept. */
  private readonly largest: Float64Array | undefined
  private sum = 0
  private total = 0

  constructor(bounds: readonly number[], keepLargest = false) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
    this.largest = keepLargest ? new Float64Array(bounds.length + 1) : undefined
  }

  observe(value: number): void {
    const { bounds, counts, largest } = this
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1
    counts[bucket] = (counts[bucket] ?? 0) + 1
    if (largest !== undefined && value > (largest[bucket] ?? 0)) largest[bucket] = value
    this.sum += value
    this.total += 1
  }

  get count(): number {
    return this.total
  }

  /** In the format of frames: counts are cumulative, the last for +Inf. */
  snapshot(): Histogram {
    let below = 0
    const counts = Array.from(this.counts, (count) => (below += count))
    const { bounds, largest, sum, total } = this
    return { bounds: [...bounds], counts, sum, count: total, ...(largest !== undefined && { largest: [...largest] }) }
  }
}

const SEAT_BOUNDS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const
const REQUEST_BOUNDS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1] as const
const DEMAND_BOUNDS = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6] as const

/** Time-weighted measurements of a server for all levels of one name, kept when the level leaves (trap T69). */
export class LevelSeries<R extends SeatRequest> {
  readonly name: string
  /** The last level of this name that has left. */
  departed: PriorityLevel<R> | undefined
  /** Time-weighted, specification 8.2. */
  readonly seatUtilization: TimingRatioHistogram
  readonly demandRatio: TimingRatioHistogram
  readonly waitingUtilization: TimingRatioHistogram
  readonly executingUtilization: TimingRatioHistogram
  epochAdvancesSucceeded = 0
  epochAdvancesFailed = 0
  /** By schema. */
  readonly lanes = new Map<string, LaneSeries>()

  constructor(name: string, clock: Clock) {
    this.name = name
    this.seatUtilization = new TimingRatioHistogram(clock, SEAT_BOUNDS)
    this.demandRatio = new TimingRatioHistogram(clock, DEMAND_BOUNDS)
    this.waitingUtilization = new TimingRatioHistogram(clock, REQUEST_BOUNDS)
    this.executingUtilization = new TimingRatioHistogram(clock, REQUEST_BOUNDS)
  }

  lane(schema: string, estimatedSeatsBounds: readonly number[]): LaneSeries {
    const known = this.lanes.get(schema)
    if (known !== undefined) return known
    const made = new LaneSeries(schema, estimatedSeatsBounds)
    this.lanes.set(schema, made)
    return made
  }
}

/** The series of all levels that have ever existed. */
export class SeriesByLevel<R extends SeatRequest> {
  private readonly clock: Clock
  private readonly series = new Map<string, LevelSeries<R>>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Creates them with the first level of that name. */
  of(level: string): LevelSeries<R> {
    const known = this.series.get(level)
    if (known !== undefined) return known
    const made = new LevelSeries<R>(level, this.clock)
    this.series.set(level, made)
    return made
  }

  all(): readonly LevelSeries<R>[] {
    return [...this.series.values()]
  }
}
