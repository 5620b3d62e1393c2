import type { RejectReason } from '../frame/frame.ts'
import type { Seats } from '../units.ts'
import type { SeatRequest } from './queue.ts'

/** How a level queues (specification 4.1). `queues`: −1 never limits (Exempt), 0 has no queues (Reject). */
export interface QueuingConfig {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

/** Corrections of upstream's defects (specification 11); off reproduces upstream. */
export interface QueueSetOptions {
  /** T12: take the width that was added to the waiting seats off again, though the clamp has changed it since. */
  readonly correctClampDrift: boolean
  /**
   * T29, uncorrected: a release whose queue has left already removes the queue that is in its place now, with all that
   * waits there, or throws where there is none, as upstream's server dies of it. Guarded without.
   */
  readonly removeStaleQueues?: boolean
}

/**
 * What a queue set tells while it works. The listeners must not call back into it: they note, and act when the call
 * that they were told in has returned.
 */
export interface QueueSetListener<R extends SeatRequest> {
  /** The request is the last in its queue now. */
  enqueued(request: R): void
  /** The request may run now; `seatsUnqueued` left the waiting ones with it, 0 without a queue. */
  dispatched(request: R, seatsUnqueued: number): void
  /** The request was refused at arrival, or its wait ended (reason `time-out`). */
  rejected(request: R, reason: RejectReason): void
  /** The head that was selected did not fit: nothing else is tried (specification 4.6). */
  didNotFit(request: R): void
  /** Seats of a finished request were given back, at its finish or at the end of lingering. */
  released(request: R): void
  /** Seat demand, seats in use + seats waiting, was set (specification 6.3). */
  demand(seats: Seats): void
  /** R was taken back (specification 4.4). */
  epochAdvanced(success: boolean): void
  /** A release named a queue that had left before; upstream would have removed another one (trap T29, guarded). */
  staleRemovalGuarded(request: R): void
}
