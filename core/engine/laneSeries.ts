import type { RejectReason } from '../frame/frame.ts'
import { CountingHistogram } from './countingHistogram.ts'

/** Upper bounds of the histograms that are kept per schema and level (specification 8.1). */
const SECONDS_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30] as const
const QUEUE_LENGTH_BOUNDS = [0, 10, 25, 50, 100, 250, 500, 1000] as const
const WATCH_COUNT_BOUNDS = [0, 1, 10, 100, 1000, 10_000] as const

/** What the server counts for one flow schema in one priority level (specification 8.1). */
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
  /** Seconds; by what upstream labels `execute`, which is `true` for those that timed out, too (trap T64). */
  readonly wait = new CountingHistogram(SECONDS_BOUNDS)
  readonly waitRejected = new CountingHistogram(SECONDS_BOUNDS)
  /** Seconds, by what upstream labels `type`: `regular` and `watch`. */
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
