import { type Clock, instantToBigInt } from './clock.ts'

/** Cumulative counts in nanoseconds by bucket, without +Inf. */
export interface TimingRatioSnapshot {
  readonly bounds: readonly number[]
  readonly cumulative: readonly bigint[]
  readonly count: bigint
  readonly sum: number
}

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
  private last: bigint
  private sum = 0
  private lost = 0
  private bucket: number

  constructor(clock: Clock, bounds: readonly number[], numerator = 0, denominator = 1) {
    this.clock = clock
    this.bounds = bounds
    this.buckets = new Float64Array(bounds.length + 1)
    this.numerator = numerator
    this.denominator = denominator
    this.last = instantToBigInt(clock)
    this.bucket = this.bucketOf(numerator / denominator)
  }

  setNumerator(numerator: number): void {
    this.touch()
    this.numerator = numerator
    this.bucket = this.bucketOf(this.ratio)
  }

  add(difference: number): void {
    this.setNumerator(this.numerator + difference)
  }

  setDenominator(denominator: number): void {
    this.touch()
    this.denominator = denominator
    this.bucket = this.bucketOf(this.ratio)
  }

  snapshot(): TimingRatioSnapshot {
    this.touch()
    let total = 0n
    const cumulative = Array.from(this.buckets, (count) => (total += BigInt(count)))
    return { bounds: this.bounds, cumulative: cumulative.slice(0, -1), count: total, sum: this.sum + this.lost }
  }

  private get ratio(): number {
    return this.numerator / this.denominator
  }

  /** Counts what has passed. After a step back nothing is counted until the clock passes where it was. */
  private touch(): void {
    const now = instantToBigInt(this.clock)
    if (now <= this.last) return
    const elapsed = Number(now - this.last)
    this.last = now
    this.buckets[this.bucket] = (this.buckets[this.bucket] ?? 0) + elapsed
    // The sum keeps what each addition rounds away in a second number, as upstream does for precision.
    const addend = this.ratio * elapsed
    const sum = this.sum + addend
    this.lost += Math.abs(this.sum) >= Math.abs(addend) ? this.sum - sum + addend : addend - sum + this.sum
    this.sum = sum
  }

  private bucketOf(ratio: number): number {
    const index = this.bounds.findIndex((bound) => ratio <= bound)
    return index === -1 ? this.bounds.length : index
  }
}
