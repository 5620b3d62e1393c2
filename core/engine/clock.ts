import { type Nanoseconds, NS_PER_SECOND } from '../units.ts'

const WORD = 4_294_967_296

/**
 * A point on the engine's clock: whole nanoseconds since its start, as a signed 64-bit number in two words. `lo` is a
 * signed integer that is read as unsigned, so that points need no heap numbers.
 */
export interface Instant {
  readonly hi: number
  readonly lo: number
}

/** Nanoseconds since the start of the instant of these words, rounded to a double. */
export const nanosecondsOf = (hi: number, lo: number): Nanoseconds => hi * WORD + (lo >>> 0)

export const instantToBigInt = ({ hi, lo }: Instant): bigint => (BigInt(hi) << 32n) + BigInt(lo >>> 0)

/**
 * Seconds as upstream converts a duration: whole seconds and the rest are converted separately (specification 0.3).
 */
function secondsOf(nanoseconds: Nanoseconds): number {
  const whole = Math.trunc(nanoseconds / NS_PER_SECOND)
  return whole + (nanoseconds - whole * NS_PER_SECOND) / NS_PER_SECOND
}

function secondsOfBig(nanoseconds: bigint): number {
  const perSecond = BigInt(NS_PER_SECOND)
  return Number(nanoseconds / perSecond) + Number(nanoseconds % perSecond) / NS_PER_SECOND
}

/**
 * The engine's clock: monotonic, moved by the engine's driver, read by everything in the engine (specification 14). Its
 * present is an `Instant`; copy the words to keep one.
 */
export class Clock implements Instant {
  hi = 0
  lo = 0

  /** Moves to `nanoseconds` since the start: an integer below 2^53, which is 104 days. */
  moveTo(nanoseconds: Nanoseconds): void {
    const high = Math.floor(nanoseconds / WORD)
    this.hi = high
    this.lo = (nanoseconds - high * WORD) | 0
  }

  /** The same for any 64-bit time. */
  moveToExact(nanoseconds: bigint): void {
    this.hi = Number(nanoseconds >> 32n)
    this.lo = Number(BigInt.asIntN(32, nanoseconds))
  }

  /** Nanoseconds since the instant of these words: the exact difference, rounded once to a double. */
  since(hi: number, lo: number): Nanoseconds {
    return (this.hi - hi) * WORD + ((this.lo >>> 0) - (lo >>> 0))
  }

  /** Seconds since that instant, converted from the exact number of nanoseconds. */
  secondsSince(hi: number, lo: number): number {
    const nanoseconds = this.since(hi, lo)
    return Number.isSafeInteger(nanoseconds)
      ? secondsOf(nanoseconds)
      : secondsOfBig(instantToBigInt(this) - instantToBigInt({ hi, lo }))
  }

  get nanoseconds(): Nanoseconds {
    return nanosecondsOf(this.hi, this.lo)
  }
}

/** Time-weighted statistics of one period. Average and deviation are NaN for a period without length. */
export interface IntegratorResults {
  /** Seconds. */
  readonly duration: number
  readonly average: number
  readonly deviation: number
  readonly min: number
  readonly max: number
}

/** Tracks a value over time and returns its average and deviation (specification 6.3). */
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

  /** Returns the results and begins a new period, whose extremes start at the present value (trap T52). */
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
