import { type RequestInfo, isReadOnly } from '../request/requestInfo.ts'
import { nsToSeconds } from '../units.ts'
import type { Clock } from './clock.ts'
import { TimingRatioHistogram } from './timingRatioHistogram.ts'

const BOUNDS = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1] as const

/**
 * Requests of one kind in one phase in the whole server: over time, and the highest number of each second, which a
 * server publishes every second and then restarts from 0, whatever the present number is (specification 8.2, 8.3).
 */
export class KindMeter {
  private readonly clock: Clock
  private count = 0
  private second = 0
  private peak = 0
  private published = 0
  readonly overTime: TimingRatioHistogram

  constructor(clock: Clock) {
    this.clock = clock
    this.overTime = new TimingRatioHistogram(clock, BOUNDS)
  }

  get value(): number {
    return this.count
  }

  add(difference: number): void {
    this.count += difference
    this.overTime.setNumerator(this.count)
    this.turn()
    if (this.count > this.peak) this.peak = this.count
  }

  /** Highest number of the last whole second of the clock; 0 when it did not change then (trap T67). */
  lastPeak(): number {
    this.turn()
    return this.published
  }

  private turn(): void {
    const second = Math.floor(nsToSeconds(this.clock.nanoseconds))
    if (second === this.second) return
    this.published = second === this.second + 1 ? this.peak : 0
    this.second = second
    this.peak = 0
  }
}

/** The kind of a request's verb once it is classified, and the meters of that kind. */
export interface RequestKind {
  readonly isWatch: boolean
  readonly waiting: KindMeter
  readonly executing: KindMeter
}

/** Measurements of a server over all its requests, by kind (specification 8.2, 8.3). */
export class ServerMeters {
  readonly readOnly: RequestKind
  readonly mutating: RequestKind
  /** Counted with the read-only ones. */
  private readonly watches: RequestKind

  constructor(clock: Clock) {
    const kind = (): RequestKind => ({
      isWatch: false,
      waiting: new KindMeter(clock),
      executing: new KindMeter(clock),
    })
    this.readOnly = kind()
    this.mutating = kind()
    this.watches = { ...this.readOnly, isWatch: true }
  }

  kindOf(info: RequestInfo): RequestKind {
    if (info.verb === 'watch') return this.watches
    return isReadOnly(info) ? this.readOnly : this.mutating
  }

  /** The references of their ratios. */
  setDenominators(denominators: {
    readonly waiting: number
    readonly readOnly: number
    readonly mutating: number
  }): void {
    this.readOnly.waiting.overTime.setDenominator(denominators.waiting)
    this.mutating.waiting.overTime.setDenominator(denominators.waiting)
    this.readOnly.executing.overTime.setDenominator(denominators.readOnly)
    this.mutating.executing.overTime.setDenominator(denominators.mutating)
  }
}
