import type { Clock } from './clock.ts'

/** Time-weighted statistics of one period. Average and deviation are NaN for a period without length. */
export interface IntegratorResults {
  /** Seconds. */
  readonly duration: number
  readonly average: number
  readonly deviation: number
  readonly min: number
  readonly max: number
}

/** Follows a value over time and tells its average and deviation (specification 6.3). */
export class Integrator {
  private readonly clock: Clock
  private lastHi: number
  private lastLo: number
  private x = 0
  private duration = 0
  private sum = 0
  private sumOfSquares = 0
  private min = 0
  private max = 0

  constructor(clock: Clock) {
    this.clock = clock
    this.lastHi = clock.hi
    this.lastLo = clock.lo
  }

  get value(): number {
    return this.x
  }

  set(x: number): void {
    this.advance()
    this.x = x
    if (x < this.min) this.min = x
    if (x > this.max) this.max = x
  }

  results(): IntegratorResults {
    this.advance()
    const { duration, min, max } = this
    if (duration <= 0) return { duration, average: Number.NaN, deviation: Number.NaN, min, max }
    const average = this.sum / duration
    const variance = this.sumOfSquares / duration - average * average
    return { duration, average, deviation: variance >= 0 ? Math.sqrt(variance) : Number.NaN, min, max }
  }

  /** Answers the results and begins a new period, whose extremes start at the present value (trap T52). */
  reset(): IntegratorResults {
    const results = this.results()
    this.duration = 0
    this.sum = 0
    this.sumOfSquares = 0
    this.min = this.x
    this.max = this.x
    return results
  }

  private advance(): void {
    const seconds = this.clock.secondsSince(this.lastHi, this.lastLo)
    this.lastHi = this.clock.hi
    this.lastLo = this.clock.lo
    this.duration += seconds
    this.sum += this.x * seconds
    this.sumOfSquares += this.x * this.x * seconds
  }
}
