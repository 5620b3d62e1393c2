import type { Nanoseconds, Seats } from '../units.ts'

/**
 * Seat-seconds as upstream keeps them: unsigned 64-bit fixed point, one unit = 1e-8 seat-second (10 ns·seat), with
 * addition and subtraction modulo 2^64 (specification 0.3).
 *
 * The value is split into two 32-bit words, so that the hot path of fair queuing is exact without big integers.
 */
const WORD = 4_294_967_296

/** Units of the assumed service time G = 3 ms for one seat (specification 4.2). */
export const UNITS_PER_SEAT_G = 300_000

/**
 * Rounds half away from zero, as Go's math.Round does. Adding a half and flooring would be wrong for odd numbers
 * from 2^52 on, whose sum with a half is itself rounded, and for 0.49999999999999994.
 */
export function goRound(x: number): number {
  const magnitude = Math.abs(x)
  let whole = Math.trunc(magnitude)
  if (magnitude - whole >= 0.5) whole += 1
  return x < 0 ? -whole : whole
}

/** Units of `seats` held for `nanoseconds`: an integer, possibly negative, exactly representable as a double. */
export function seatsTimesDuration(seats: Seats, nanoseconds: Nanoseconds): number {
  return goRound((seats * nanoseconds) / 10)
}

/** Seat-nanoseconds of `units`. */
export const seatNanoseconds = (units: number): number => units * 10

/** Nanoseconds that `units` (an exact integer) last when `seats` share them. */
export function durationPerSeat(units: number, seats: Seats): Nanoseconds {
  return Math.trunc((units / seats) * 10)
}

/** A mutable amount of seat-seconds in fixed point. Words are kept as signed 32-bit integers and read as unsigned. */
export class FixedSeatSeconds {
  private hi = 0
  private lo = 0

  /** The amount whose 64 bits are those of `value`. */
  static fromBigInt(value: bigint): FixedSeatSeconds {
    return FixedSeatSeconds.fromWords(Number(BigInt.asIntN(32, value >> 32n)), Number(BigInt.asIntN(32, value)))
  }

  /** The amount of two words, signed or unsigned. */
  static fromWords(hi: number, lo: number): FixedSeatSeconds {
    const made = new FixedSeatSeconds()
    made.setWords(hi, lo)
    return made
  }

  toBigInt(): bigint {
    return (BigInt(this.hi >>> 0) << 32n) | BigInt(this.lo >>> 0)
  }

  copy(): FixedSeatSeconds {
    return FixedSeatSeconds.fromWords(this.hi, this.lo)
  }

  copyFrom(other: FixedSeatSeconds): void {
    this.hi = other.hi
    this.lo = other.lo
  }

  setWords(hi: number, lo: number): void {
    this.hi = hi | 0
    this.lo = lo | 0
  }

  setZero(): void {
    this.hi = 0
    this.lo = 0
  }

  /** Adds an integer number of units, negative ones included, modulo 2^64. Exact for |units| < 2^84. */
  addUnits(units: number): void {
    if (units === 0) return
    const high = Math.floor(units / WORD)
    const low = (this.lo >>> 0) + (units - high * WORD)
    this.lo = low | 0
    this.hi = ((this.hi >>> 0) + (high % WORD) + (low >= WORD ? 1 : 0)) | 0
  }

  add(other: FixedSeatSeconds): void {
    const low = (this.lo >>> 0) + (other.lo >>> 0)
    this.hi = (this.hi + other.hi + (low >= WORD ? 1 : 0)) | 0
    this.lo = low | 0
  }

  subtract(other: FixedSeatSeconds): void {
    const low = (this.lo >>> 0) - (other.lo >>> 0)
    this.hi = (this.hi - other.hi - (low < 0 ? 1 : 0)) | 0
    this.lo = low | 0
  }

  /** Negative, zero or positive, as this is less than, equal to or greater than `other`, unsigned. */
  compare(other: FixedSeatSeconds): number {
    return this.compareWords(other.hi, other.lo)
  }

  /** The same, with an amount given as two words. */
  compareWords(hi: number, lo: number): number {
    return this.hi === (hi | 0) ? (this.lo >>> 0) - (lo >>> 0) : (this.hi >>> 0) - (hi >>> 0)
  }

  /** The upper word, unsigned. */
  get high(): number {
    return this.hi >>> 0
  }

  /** The words as stored: signed, so that storing them elsewhere needs no heap number. */
  get signedHigh(): number {
    return this.hi
  }
  get signedLow(): number {
    return this.lo
  }

  /** The lower word, unsigned. */
  get low(): number {
    return this.lo >>> 0
  }

  /** In seat-seconds, as gauges report it: the nearest double of the units, divided by 1e8. */
  toSeconds(): number {
    return ((this.hi >>> 0) * WORD + (this.lo >>> 0)) / 1e8
  }

  /** As dumps print it: `12.03000000ss`. */
  toString(): string {
    const value = this.toBigInt()
    return `${value / 100_000_000n}.${String(value % 100_000_000n).padStart(8, '0')}ss`
  }
}
