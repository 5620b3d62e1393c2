import type { RejectReason } from '../frame/frame.ts'
import { type Clock, nanosecondsBetween } from './clock.ts'
import { Queue, RequestList, type SeatRequest } from './queue.ts'
import { SeatSeconds, durationPerSeat, seatsTimesDuration } from './seatSeconds.ts'
import { type Hash64, deal } from './shuffleSharding.ts'
import { Tournament } from './tournament.ts'

/** Assumed service time of every request, nanoseconds; never learned (specification 0.2, G). */
const ASSUMED_SERVICE_NS = 3_000_000

/** What is taken off R when it reaches `EPOCH_HIGH` (specification 4.4). */
const EPOCH_DECREMENT = SeatSeconds.fromBigInt(9_223_372_036_854_775_807n)
const EPOCH_HIGH = SeatSeconds.fromBigInt(13_835_058_055_282_163_710n)

/** How a level queues (specification 4.1). `queues`: −1 never limits (Exempt), 0 has no queues (Reject). */
export interface QueuingConfig {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

/** Corrections of upstream's defects (specification 11); all off reproduces upstream. */
export interface QueueSetOptions {
  /** T12: take the width that was added to the waiting seats off again, though the clamp has changed it since. */
  readonly correctClampDrift: boolean
}

/**
 * What a queue set tells while it works. The listeners must not call back into it: they note, and act when the call
 * that they were told in has returned.
 */
export interface QueueSetListener<T> {
  /** The request may run now. */
  dispatched(request: SeatRequest<T>): void
  /** The request was refused at arrival, or its wait ended (reason `time-out`). */
  rejected(request: SeatRequest<T>, reason: RejectReason): void
  /** The head that was selected did not fit: nothing else is tried (specification 4.6). */
  didNotFit(request: SeatRequest<T>): void
  /** Seats of a finished request were given back, at its finish or at the end of lingering. */
  released(request: SeatRequest<T>): void
  /** Seat demand, seats in use + seats waiting, was set (specification 6.3). */
  demand(seats: number): void
  /** R was taken back (specification 4.4). */
  epochAdvanced(success: boolean): void
  /** A release named a queue that had left before; upstream would have removed another one (trap T29, guarded). */
  staleRemovalGuarded(request: SeatRequest<T>): void
}

/**
 * Fair queuing of one priority level (specification 4), decision for decision as upstream, in logarithmic time.
 *
 * It reads the clock and owns no timer: whoever calls `finish` calls `endLinger` after the request's additional latency.
 */
export class QueueSet<T> {
  private readonly clock: Clock
  private readonly listener: QueueSetListener<T>
  private readonly options: QueueSetOptions
  private desiredQueues = 0
  private handSize = 0
  private queueLengthLimit = 0
  private hand = new Int32Array(0)
  private tournament = new Tournament(0)
  private lastHi: number
  private lastLo: number
  /** Queues with a waiting or executing request; Σ seats in use and waiting widths over the queues (4.3). */
  private activeQueues = 0
  private wantedSeats = 0

  readonly queues: Queue<T>[] = []
  readonly R = new SeatSeconds()
  /** Requests that run without a queue. */
  readonly queueless = new RequestList<T>()
  /** Seats that gate dispatching: CurrentCL. */
  limit = 0
  /** Where the last dispatch was; scanning begins after it. */
  robinIndex = 0
  /** Arrivals that chose a queue, rejected ones included. */
  enqueues = 0
  waitingCount = 0
  executingCount = 0
  seatsInUse = 0
  seatsWaiting = 0
  rejectedCount = 0
  cancelledCount = 0

  constructor(clock: Clock, listener: QueueSetListener<T>, options: QueueSetOptions) {
    this.clock = clock
    this.listener = listener
    this.options = options
    this.lastHi = clock.hi
    this.lastLo = clock.lo
  }

  /** Nothing waits and nothing executes; lingering seats do not count (trap T28). */
  get idle(): boolean {
    return this.waitingCount === 0 && this.executingCount === 0
  }

  /** Requests per queue above which arrivals are refused while all seats are taken. */
  get lengthLimit(): number {
    return this.queueLengthLimit
  }

  /** Adopts a configuration whose dealer is legal, and the limit, together (specification 4.12). */
  reconfigure(config: QueuingConfig, limit: number): void {
    this.syncTime()
    this.desiredQueues = config.queues
    if (config.queues > 0) {
      this.queueLengthLimit = config.queueLengthLimit
      this.handSize = config.handSize
      this.hand = new Int32Array(config.handSize)
      while (this.queues.length < config.queues) this.queues.push(new Queue(this.queues.length))
      if (this.tournament.size < this.queues.length) this.seatTournament()
    }
    this.limit = limit
    this.dispatchAll()
  }

  /** The queue that the next arrival with this hash would choose, and its hand in deal order; changes nothing. */
  handOf(hash: Hash64): Int32Array {
    const cards = new Int32Array(this.handSize)
    deal(hash, this.desiredQueues, this.handSize, cards)
    return cards
  }

  /**
   * A request arrives. `false` when it was rejected; otherwise it waits or executes already, as its state says. Its hash
   * is looked at only where there are queues.
   */
  arrive(request: SeatRequest<T>, hash: Hash64): boolean {
    this.syncTime()
    request.arrivedHi = this.clock.hi
    request.arrivedLo = this.clock.lo
    request.arrivalR.copyFrom(this.R)
    if (this.desiredQueues < 1) return this.arriveWithoutQueue(request)
    const queue = this.chooseQueue(hash)
    if (this.seatsInUse >= this.limit && queue.waiting.length >= this.queueLengthLimit) {
      this.reject(request, 'queue-full')
      this.bound(queue)
      return false
    }
    if (!queue.active) {
      queue.S.copyFrom(this.R)
      this.activeQueues += 1
    }
    request.queue = queue
    request.state = 'waiting'
    queue.enqueue(request)
    this.waitingCount += 1
    this.seatsWaiting += request.maxSeats
    this.wantedSeats += request.maxSeats
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    this.bound(queue)
    this.dispatchAll()
    return true
  }

  /**
   * The wait of a request ended before it was dispatched. `false` when it does not wait any more. No dispatch follows,
   * even if it was the one that blocked everybody (trap T23).
   */
  cancel(request: SeatRequest<T>): boolean {
    const queue = request.queue
    if (request.state !== 'waiting' || queue === undefined) return false
    this.syncTime()
    this.takeFromQueue(queue, request)
    this.seatsWaiting -= request.maxSeats
    this.cancelledCount += 1
    this.reject(request, 'time-out')
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    if (!queue.active) this.activeQueues -= 1
    this.bound(queue)
    return true
  }

  /** An executing request is done. Its seats are released now, or linger for its additional latency. */
  finish(request: SeatRequest<T>): void {
    this.syncTime()
    this.executingCount -= 1
    const queue = request.queue
    if (queue === undefined) {
      this.queueless.remove(request)
    } else {
      queue.executing.remove(request)
      const served = nanosecondsBetween({ hi: request.startedHi, lo: request.startedLo }, this.clock)
      // Only the initial phase is corrected by the measured time; the final one always costs its estimate.
      queue.S.addUnits(-seatsTimesDuration(request.initialSeats, ASSUMED_SERVICE_NS - served))
      if (!queue.active) this.activeQueues -= 1
      this.bound(queue)
    }
    if (request.additionalLatency > 0) request.state = 'lingering'
    else this.release(request)
    this.dispatchAll()
  }

  /** The additional latency of a finished request has passed. */
  endLinger(request: SeatRequest<T>): void {
    this.syncTime()
    this.release(request)
    this.dispatchAll()
  }

  /** Advances R to the clock (specification 4.3). */
  syncTime(): void {
    const elapsed = nanosecondsBetween({ hi: this.lastHi, lo: this.lastLo }, this.clock)
    if (elapsed === 0) return
    this.lastHi = this.clock.hi
    this.lastLo = this.clock.lo
    if (this.activeQueues === 0) return
    const ratio = Math.min(this.wantedSeats, this.limit) / this.activeQueues
    this.R.addUnits(seatsTimesDuration(ratio, elapsed))
    if (this.R.compare(EPOCH_HIGH) >= 0) this.advanceEpoch()
  }

  /** Whether `seats` more may execute now (specification 4.7). */
  private canAccommodate(seats: number): boolean {
    if (this.desiredQueues < 0) return true
    if (seats > this.limit) return this.executingCount === 0
    return this.seatsInUse + seats <= this.limit
  }

  private arriveWithoutQueue(request: SeatRequest<T>): boolean {
    if (!this.canAccommodate(request.maxSeats)) {
      this.reject(request, 'concurrency-limit')
      return false
    }
    this.queueless.append(request)
    this.execute(request)
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    this.listener.dispatched(request)
    return true
  }

  /** The queue of the hand with the least waiting work, the first of equals in rotated order (specification 3.3). */
  private chooseQueue(hash: Hash64): Queue<T> {
    deal(hash, this.desiredQueues, this.handSize, this.hand)
    const offset = this.enqueues % this.handSize
    this.enqueues += 1
    let best = this.cardAt(offset)
    for (let i = 1; i < this.handSize; i++) {
      const queue = this.cardAt((offset + i) % this.handSize)
      if (queue.workWaiting.compare(best.workWaiting) < 0) best = queue
    }
    return best
  }

  private cardAt(position: number): Queue<T> {
    const queue = this.queues[this.hand[position] ?? -1]
    if (queue === undefined) throw new Error('a dealt card names no queue')
    return queue
  }

  private dispatchAll(): void {
    while (this.waitingCount !== 0 && this.seatsInUse < this.limit && this.dispatchOne());
  }

  /** Starts the request with the earliest virtual finish, if it fits (specification 4.6). */
  private dispatchOne(): boolean {
    const index = this.tournament.winnerAfter(this.robinIndex)
    const queue = this.queues[index]
    const head = queue?.waiting.head
    if (queue === undefined || head === undefined) return false
    if (!this.canAccommodate(head.maxSeats)) {
      this.listener.didNotFit(head)
      return false
    }
    const widthWaiting = head.maxSeats
    this.takeFromQueue(queue, head)
    if (head.finalSeats > this.limit) {
      head.finalSeats = this.limit
      head.additionalLatency = durationPerSeat(head.finalWork, this.limit)
    }
    this.robinIndex = index
    // Upstream takes off the width after the clamp, so that a wider one stays behind (trap T12).
    this.seatsWaiting -= this.options.correctClampDrift ? widthWaiting : head.maxSeats
    queue.executing.append(head)
    queue.seatsInUse += head.maxSeats
    this.wantedSeats += head.maxSeats
    this.execute(head)
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    queue.S.addUnits(head.initialWork)
    queue.S.addUnits(head.finalWork)
    this.bound(queue)
    this.listener.dispatched(head)
    return true
  }

  private execute(request: SeatRequest<T>): void {
    request.state = 'executing'
    request.startedHi = this.clock.hi
    request.startedLo = this.clock.lo
    this.executingCount += 1
    this.seatsInUse += request.maxSeats
  }

  private takeFromQueue(queue: Queue<T>, request: SeatRequest<T>): void {
    queue.unqueue(request)
    this.waitingCount -= 1
    this.wantedSeats -= request.maxSeats
  }

  private reject(request: SeatRequest<T>, reason: RejectReason): void {
    request.state = reason === 'time-out' ? 'timed-out' : 'rejected'
    this.rejectedCount += 1
    this.listener.rejected(request, reason)
  }

  private release(request: SeatRequest<T>): void {
    request.state = 'done'
    this.seatsInUse -= request.maxSeats
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    this.listener.released(request)
    const queue = request.queue
    if (queue === undefined) return
    queue.seatsInUse -= request.maxSeats
    const surplus = this.queues.length > this.desiredQueues && !queue.active
    if (queue.index >= 0) {
      this.wantedSeats -= request.maxSeats
      if (surplus) this.removeQueue(queue)
    } else if (surplus) {
      this.listener.staleRemovalGuarded(request)
    }
  }

  /** A surplus queue leaves once it is empty, whatever its place; those after it move up (specification 4.12). */
  private removeQueue(queue: Queue<T>): void {
    const removed = queue.index
    this.queues.splice(removed, 1)
    queue.index = -1
    this.wantedSeats -= queue.seatsInUse
    for (let index = removed; index < this.queues.length; index++) {
      const moved = this.queues[index]
      if (moved !== undefined) moved.index = index
    }
    if (this.robinIndex >= removed) this.robinIndex -= 1
    this.seatTournament()
  }

  private seatTournament(): void {
    this.tournament = new Tournament(this.queues.length)
    for (const queue of this.queues) this.enter(queue)
  }

  /** Bounds S and enters the queue into the tournament with the virtual finish of its head. */
  private bound(queue: Queue<T>): void {
    queue.boundS()
    this.enter(queue)
  }

  private enter(queue: Queue<T>): void {
    const head = queue.waiting.head
    if (head === undefined) return this.tournament.clear(queue.index)
    virtualFinish.copyFrom(queue.S)
    virtualFinish.addUnits(head.initialWork)
    virtualFinish.addUnits(head.finalWork)
    this.tournament.set(queue.index, virtualFinish.high, virtualFinish.low)
  }

  private advanceEpoch(): void {
    let success = true
    const takeOff = (amount: SeatSeconds): void => {
      if (amount.compare(EPOCH_DECREMENT) < 0) success = false
      amount.subtract(EPOCH_DECREMENT)
    }
    takeOff(this.R)
    for (const queue of this.queues) {
      if (!queue.active) {
        queue.S.setZero()
        continue
      }
      takeOff(queue.S)
      for (const request of queue.waiting) takeOff(request.arrivalR)
      this.enter(queue)
    }
    this.listener.epochAdvanced(success)
  }
}

/** Scratch of `enter`; a queue set is never entered twice at once. */
const virtualFinish = new SeatSeconds()
