import type { Queue, SeatRequest } from './queue.ts'
import { SeatSeconds } from './seatSeconds.ts'

/** What is taken off R when it reaches `EPOCH_HIGH` (specification 4.4). */
const EPOCH_DECREMENT = SeatSeconds.fromBigInt(9_223_372_036_854_775_807n)
const EPOCH_HIGH = SeatSeconds.fromBigInt(13_835_058_055_282_163_710n)

/** Whether R has come so far that it must be taken back. */
export const isEpochOver = (R: SeatSeconds): boolean => R.compare(EPOCH_HIGH) >= 0

/**
 * Takes R and everything that is relative to it back by the same amount (specification 4.4), except for S of queues in
 * which nothing waits or executes, which are reset (trap T6). `false` when something was less than what was taken off.
 */
export function takeBackEpoch<R extends SeatRequest>(R: SeatSeconds, queues: readonly Queue<R>[]): boolean {
  let success = true
  const takeOff = (amount: SeatSeconds): void => {
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
