import { FixedSeatSeconds } from './seatSeconds.ts'
import type { Queue, SeatRequest } from './queue.ts'

/** Values for the gauges of the last dispatch, in seat-seconds (specification 8.1); all 0 before the first. */
export interface DispatchGauges {
  /** R, and S of the selected queue, at selection. */
  readonly dispatchR: number
  readonly latestS: number
  /** Least and greatest S, and S − seats in use × G, over the queues in which requests waited then. */
  readonly nextSMin: number
  readonly nextSMax: number
  readonly nextDiscountedSMin: number
  readonly nextDiscountedSMax: number
}

interface Bounds {
  readonly min: FixedSeatSeconds
  readonly max: FixedSeatSeconds
  readonly discountedMin: FixedSeatSeconds
  readonly discountedMax: FixedSeatSeconds
}

/**
 * The gauges that upstream sets at each dispatch from a scan of all queues. Here the scan is deferred until the gauges
 * are read: a queue that changes for the first time since a dispatch saves its values at the selection of that
 * dispatch.
 */
export class VirtualBounds {
  private dispatches = 0
  private readonly dispatchR = new FixedSeatSeconds()
  private readonly latestS = new FixedSeatSeconds()
  /** The scan, when it could not be deferred: because a queue left, or because all S were moved. */
  private frozenFor = 0
  private frozen: Bounds | undefined

  /** To be called before a queue changes S, seats in use, or whether requests wait in it. */
  keep<R extends SeatRequest>(queue: Queue<R>): void {
    if (queue.keptFor === this.dispatches) return
    queue.keptFor = this.dispatches
    queue.keptS.copyFrom(queue.S)
    queue.keptSeatsInUse = queue.seatsInUse
    queue.keptWaiting = queue.waiting.length > 0
  }

  /** A dispatch has selected this queue, which is not changed yet. */
  selected<R extends SeatRequest>(queue: Queue<R>, R: FixedSeatSeconds): void {
    this.dispatches += 1
    this.dispatchR.copyFrom(R)
    this.latestS.copyFrom(queue.S)
    this.keep(queue)
  }

  /** To be called before a queue leaves or all S are moved. */
  freeze<R extends SeatRequest>(queues: readonly Queue<R>[]): void {
    if (this.frozenFor === this.dispatches) return
    this.frozen = this.scan(queues)
    this.frozenFor = this.dispatches
  }

  gauges<R extends SeatRequest>(queues: readonly Queue<R>[]): DispatchGauges {
    const bounds = this.frozenFor === this.dispatches ? this.frozen : this.scan(queues)
    return {
      dispatchR: this.dispatchR.toSeconds(),
      latestS: this.latestS.toSeconds(),
      nextSMin: bounds?.min.toSeconds() ?? 0,
      nextSMax: bounds?.max.toSeconds() ?? 0,
      nextDiscountedSMin: bounds?.discountedMin.toSeconds() ?? 0,
      nextDiscountedSMax: bounds?.discountedMax.toSeconds() ?? 0,
    }
  }

  private scan<R extends SeatRequest>(queues: readonly Queue<R>[]): Bounds | undefined {
    let bounds: Bounds | undefined
    const discounted = new FixedSeatSeconds()
    for (const queue of queues) {
      const kept = queue.keptFor === this.dispatches
      if (kept ? !queue.keptWaiting : queue.waiting.length === 0) continue
      const S = kept ? queue.keptS : queue.S
      // Unsigned, so that it wraps where S is less.
      discounted.copyFrom(S)
      discounted.addUnits(-(kept ? queue.keptSeatsInUse : queue.seatsInUse) * queue.unitsPerSeat)
      bounds ??= { min: S.copy(), max: S.copy(), discountedMin: discounted.copy(), discountedMax: discounted.copy() }
      if (S.compare(bounds.min) < 0) bounds.min.copyFrom(S)
      if (S.compare(bounds.max) > 0) bounds.max.copyFrom(S)
      if (discounted.compare(bounds.discountedMin) < 0) bounds.discountedMin.copyFrom(discounted)
      if (discounted.compare(bounds.discountedMax) > 0) bounds.discountedMax.copyFrom(discounted)
    }
    return bounds
  }
}

/** The amount subtracted from R when it reaches `EPOCH_HIGH` (specification 4.4). */
const EPOCH_DECREMENT = FixedSeatSeconds.fromBigInt(9_223_372_036_854_775_807n)
const EPOCH_HIGH = FixedSeatSeconds.fromBigInt(13_835_058_055_282_163_710n)

/** Whether R has reached the point at which it must be moved back. */
export const isEpochOver = (R: FixedSeatSeconds): boolean => R.compare(EPOCH_HIGH) >= 0

/**
 * Moves R and everything relative to it back by the same amount (specification 4.4), except for S of queues in which
 * nothing waits or executes, which are reset (trap T6). `false` when a value was less than that amount.
 */
export function takeBackEpoch<R extends SeatRequest>(R: FixedSeatSeconds, queues: readonly Queue<R>[]): boolean {
  let success = true
  const takeOff = (amount: FixedSeatSeconds): void => {
    if (amount.compare(EPOCH_DECREMENT) < 0) success = false
    amount.subtract(EPOCH_DECREMENT)
  }
  takeOff(R)
  for (const queue of queues) {
    if (!queue.active) {
      queue.S.setZero()
      continue
    }
    takeOff(queue.S)
    for (const request of queue.waiting) {
      const { arrivalR } = request
      takeOff(arrivalR)
      request.arrivalRHi = arrivalR.signedHigh
      request.arrivalRLo = arrivalR.signedLow
    }
  }
  return success
}
