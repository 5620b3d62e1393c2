import { type Nanoseconds, NS_PER_SECOND } from '../units.ts'

const WORD = 4_294_967_296

/**
 * A point of the engine's clock: whole nanoseconds since its start, as a signed 64-bit number in two words. `lo` is a
 * signed integer that is read as unsigned, so that points cost no heap number.
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
 * The engine's clock: monotonic, moved by whoever drives the engine, read by everything in it (specification 14). Its
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
