const WORD = 4_294_967_296
const NANOSECONDS_PER_SECOND = 1_000_000_000

/**
 * A point of the engine's clock: whole nanoseconds since its start, as a signed 64-bit number in two words. `lo` is a
 * signed integer that is read as unsigned, so that points cost no heap number.
 */
export interface Instant {
  readonly hi: number
  readonly lo: number
}

/** Nanoseconds from `since` to `until`: the exact difference, rounded once to a double. */
export const nanosecondsBetween = (since: Instant, until: Instant): number =>
  (until.hi - since.hi) * WORD + ((until.lo >>> 0) - (since.lo >>> 0))

export const instantToBigInt = ({ hi, lo }: Instant): bigint => (BigInt(hi) << 32n) + BigInt(lo >>> 0)

/**
 * Seconds as upstream converts a duration: whole seconds and the rest are converted separately (specification 0.3).
 */
export function secondsOf(nanoseconds: number): number {
  if (!Number.isSafeInteger(nanoseconds)) return secondsOfBig(BigInt(nanoseconds))
  const whole = Math.trunc(nanoseconds / NANOSECONDS_PER_SECOND)
  return whole + (nanoseconds - whole * NANOSECONDS_PER_SECOND) / NANOSECONDS_PER_SECOND
}

function secondsOfBig(nanoseconds: bigint): number {
  const perSecond = BigInt(NANOSECONDS_PER_SECOND)
  return Number(nanoseconds / perSecond) + Number(nanoseconds % perSecond) / NANOSECONDS_PER_SECOND
}

/** Seconds between two instants, converted from the exact number of nanoseconds. */
export function secondsBetween(since: Instant, until: Instant): number {
  const nanoseconds = nanosecondsBetween(since, until)
  return Number.isSafeInteger(nanoseconds)
    ? secondsOf(nanoseconds)
    : secondsOfBig(instantToBigInt(until) - instantToBigInt(since))
}

/**
 * The engine's clock: monotonic, moved by whoever drives the engine, read by everything in it (specification 14). Its
 * present is an `Instant`; copy the words to keep one.
 */
export class Clock implements Instant {
  hi = 0
  lo = 0

  /** Moves to `nanoseconds` since the start: an integer below 2^53, which is 104 days. */
  moveTo(nanoseconds: number): void {
    const high = Math.floor(nanoseconds / WORD)
    this.hi = high
    this.lo = (nanoseconds - high * WORD) | 0
  }

  /** The same for any 64-bit time. */
  moveToExact(nanoseconds: bigint): void {
    this.hi = Number(nanoseconds >> 32n)
    this.lo = Number(BigInt.asIntN(32, nanoseconds))
  }

  get nanoseconds(): number {
    return this.hi * WORD + (this.lo >>> 0)
  }
}
