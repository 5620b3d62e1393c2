import type { Histogram } from '../frame/frame.ts'
import type { Clock } from './clock.ts'

/** Cumulative counts in nanoseconds by bucket, without +Inf. */
export interface TimingRatioSnapshot {
  readonly bounds: readonly number[]
  readonly cumulative: readonly bigint[]
  readonly count: bigint
  readonly sum: number
}

/**
 * How many terms of the sum accumulate before they may join it, and how much smaller than the sum they must be to wait.
 */
const TERMS_TOGETHER = 15
const NEGLIGIBLE = 2 ** 26

/**
 * A histogram of the ratio numerator ÷ denominator as if sampled at the end of every nanosecond (specification 8.2): at
 * each change the time since the last one is added to the bucket of the old ratio.
 *
 * Counting is lazy in whole nanoseconds kept as doubles, exact up to 104 days in one bucket.
 */
export class TimingRatioHistogram {
  private readonly clock: Clock
  private readonly bounds: readonly number[]
  private readonly buckets: Float64Array
  private numerator: number
  private denominator: number
  private lastHi: number
  private lastLo: number
  private sum = 0
  private recent = 0
  private recentTerms = 0

  constructor(clock: Clock, bounds: readonly number[], numerator = 0, denominator = 1) {
    this.clock = clock
    this.bounds = bounds
    this.buckets = new Float64Array(bounds.length + 1)
    this.numerator = numerator
    this.denominator = denominator
    this.lastHi = clock.hi
    this.lastLo = clock.lo
  }

  setNumerator(numerator: number): void {
    this.touch()
    this.numerator = numerator
  }

  add(difference: number): void {
    this.touch()
    this.numerator += difference
  }

  setDenominator(denominator: number): void {
    this.touch()
    this.denominator = denominator
  }

  snapshot(): TimingRatioSnapshot {
    this.touch()
    let total = 0n
    const cumulative = Array.from(this.buckets, (count) => (total += BigInt(count)))
    return { bounds: this.bounds, cumulative: cumulative.slice(0, -1), count: total, sum: this.sum + this.recent }
  }

  /** The same in the form of frames, whose counts include +Inf; exact while they are below 2^53. */
  histogram(): Histogram {
    this.touch()
    let count = 0
    const counts = Array.from(this.buckets, (own) => (count += own))
    return { bounds: [...this.bounds], counts, sum: this.sum + this.recent, count }
  }

  /**
   * Counts the time that has passed. After a step back, nothing is counted until the clock passes its earlier position.
   */
  private touch(): void {
    const elapsed = this.clock.since(this.lastHi, this.lastLo)
    if (elapsed <= 0) return
    this.lastHi = this.clock.hi
    this.lastLo = this.clock.lo
    const ratio = this.numerator / this.denominator
    const { bounds } = this
    let bucket = 0
    // Written so that NaN, too, ends above all bounds.
    while (bucket < bounds.length && !(ratio <= (bounds[bucket] ?? 0))) bucket += 1
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + elapsed
    this.addToSum(ratio * elapsed)
  }

  /**
   * Terms accumulate separately and join the sum together, unless they are too small compared to it; in upstream's
   * order.
   */
  private addToSum(term: number): void {
    this.recent += term
    this.recentTerms += 1
    if (this.recentTerms < TERMS_TOGETHER) return
    this.recentTerms = 0
    if (Math.abs(this.recent) <= Math.abs(this.sum / NEGLIGIBLE)) return
    this.sum += this.recent
    this.recent = 0
  }
}
