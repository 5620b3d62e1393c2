import type { RejectReason } from '../frame/frame.ts'
import type { Hash64 } from '../request/match.ts'
import type { Nanoseconds, Seats } from '../units.ts'
import { orderOf, type QueuingRules, unitsPerSeat, UPSTREAM_QUEUING } from './algorithms.ts'
import type { Clock } from './clock.ts'
import { type CodelRules, drops, freshCodel } from './codel.ts'
import { Dealer } from './dealer.ts'
import { isEpochOver, takeBackEpoch, type DispatchGauges, VirtualBounds } from './virtualBounds.ts'
import type { QueueOrder } from './queueOrder.ts'
import { Queue, RequestList, type SeatRequest, type QueuingConfig } from './queue.ts'
import { FixedSeatSeconds, durationPerSeat, seatsTimesDuration } from './seatSeconds.ts'
import { Tournament } from './tournament.ts'

/** Corrections of upstream's defects (specification 11), and rules of other algorithms; off reproduces upstream. */
export interface QueueSetOptions {
  /** T12: subtract the width that was added to the waiting seats, though the clamp has changed it since. */
  readonly correctClampDrift: boolean
  /**
   * T29, uncorrected: a release whose queue has already left removes the queue in its place, with all that waits there,
   * or throws where there is none, as upstream's server crashes. Guarded if absent.
   */
  readonly removeStaleQueues?: boolean
  /** As upstream if absent. */
  readonly rules?: QueuingRules
  /** The longest wait, when waits end only at arrivals. */
  readonly longestWaitNs?: Nanoseconds
}

/**
 * Callbacks of a queue set. They must not call back into it: they record, and act when the call that caused them has
 * returned.
 */
export interface QueueSetListener<R extends SeatRequest> {
  /** The request is the last in its queue now. */
  enqueued(request: R): void
  /** The request may run now; `seatsUnqueued` is its former share of the waiting seats, 0 without a queue. */
  dispatched(request: R, seatsUnqueued: number): void
  /** The request was rejected at arrival, or its wait ended (reason `time-out`). */
  rejected(request: R, reason: RejectReason): void
  /** The selected head did not fit: no other queue is tried (specification 4.6). */
  didNotFit(request: R): void
  /** Seats of a finished request were released, at its finish or at the end of lingering. */
  released(request: R): void
  /** Seat demand, seats in use + seats waiting, was set (specification 6.3). */
  demand(seats: Seats): void
  /** R was moved back (specification 4.4). */
  epochAdvanced(success: boolean): void
  /**
   * A release referred to a queue that had already left; upstream would have removed another one (trap T29, guarded).
   */
  staleRemovalGuarded(request: R): void
}

const ignore = (): void => undefined
/** A listener that hears nothing, for callers that hear little. */
export const UNHEARD: Readonly<Record<keyof QueueSetListener<SeatRequest>, () => void>> = {
  enqueued: ignore,
  dispatched: ignore,
  rejected: ignore,
  didNotFit: ignore,
  released: ignore,
  demand: ignore,
  epochAdvanced: ignore,
  staleRemovalGuarded: ignore,
}

/**
 * Fair queuing of one priority level (specification 4), decision for decision as upstream, in logarithmic time.
 *
 * It reads the clock and has no timer: the caller of `finish` calls `endLinger` after the request's additional latency.
 */
export class QueueSet<R extends SeatRequest> {
  private readonly clock: Clock
  private readonly listener: QueueSetListener<R>
  private readonly options: QueueSetOptions
  private readonly rules: QueuingRules
  /** Absent if the earliest virtual finish is served next. */
  private readonly order: QueueOrder<R> | undefined
  private desiredQueues = 0
  private queueLengthLimit = 0
  private readonly dealer = new Dealer()
  private tournament = new Tournament(0)
  private lastHi: number
  private lastLo: number
  /** Queues with a waiting or executing request; Σ seats in use and waiting widths over the queues (4.3). */
  private activeQueues = 0
  private wantedSeats = 0
  private readonly virtualBounds = new VirtualBounds()

  readonly queues: Queue<R>[] = []
  readonly R = new FixedSeatSeconds()
  /** Requests that run without a queue. */
  readonly queueless = new RequestList<R>()
  /** Seats that limit dispatching: CurrentCL. */
  limit = 0
  /** The queue of the last dispatch; scanning begins after it. */
  robinIndex = 0
  waitingCount = 0
  executingCount = 0
  seatsInUse = 0
  seatsWaiting = 0
  rejectedCount = 0
  cancelledCount = 0

  constructor(clock: Clock, listener: QueueSetListener<R>, options: QueueSetOptions) {
    this.clock = clock
    this.listener = listener
    this.options = options
    this.rules = options.rules ?? UPSTREAM_QUEUING
    this.order = orderOf(this.rules)
    this.lastHi = clock.hi
    this.lastLo = clock.lo
  }

  /** Nothing waits and nothing executes; lingering seats do not count (trap T28). */
  get idle(): boolean {
    return this.waitingCount === 0 && this.executingCount === 0
  }

  /** Arrivals for which a queue was chosen, including rejected ones. */
  get enqueues(): number {
    return this.dealer.enqueues
  }

  /** Number of queues for arrivals, −1 or 0 as in `QueuingConfig`. */
  get desired(): number {
    return this.desiredQueues
  }

  /** Values for the gauges of the last dispatch. */
  dispatchGauges(): DispatchGauges {
    return this.virtualBounds.gauges(this.queues)
  }

  /** Requests per queue above which arrivals are rejected while all seats are taken. */
  get lengthLimit(): number {
    return this.queueLengthLimit
  }

  /** Adopts a configuration whose dealer is legal, and the limit, together (specification 4.12). */
  reconfigure(config: QueuingConfig, limit: number): void {
    this.syncTime()
    this.desiredQueues = config.queues
    if (config.queues > 0) {
      this.queueLengthLimit = config.queueLengthLimit
      this.dealer.configure(config.queues, config.handSize)
      while (this.queues.length < config.queues)
        this.queues.push(new Queue(this.queues.length, unitsPerSeat(this.rules), this.rules.guess))
      if (this.tournament.size < this.queues.length) this.seatTournament()
    }
    this.limit = limit
    this.dispatchAll()
  }

  /** The queues that a flow with this hash may use, in deal order; empty where there are none. Read-only. */
  handOf(hash: Hash64): Int32Array {
    return this.desiredQueues < 1 ? new Int32Array(0) : this.dealer.handOf(hash)
  }

  /**
   * A request arrives. `false` when it was rejected; otherwise it waits or executes already, according to its state.
   * Its hash is read only where there are queues.
   */
  arrive(request: R, hash: Hash64): boolean {
    this.syncTime()
    request.arrivedHi = this.clock.hi
    request.arrivedLo = this.clock.lo
    request.arrivalRHi = this.R.signedHigh
    request.arrivalRLo = this.R.signedLow
    if (this.desiredQueues < 1) return this.arriveWithoutQueue(request)
    const queue =
      this.rules.choice === 'shortest'
        ? this.dealer.chooseShortest(this.queues, hash)
        : this.dealer.choose(this.queues, hash)
    this.virtualBounds.keep(queue)
    if (this.rules.waitsEnd === 'at arrivals') this.endLongWaits(queue)
    if (this.seatsInUse >= this.limit && queue.waiting.length >= this.queueLengthLimit) {
      const { head } = queue.waiting
      if (this.rules.overflow === 'newest' || head === undefined) {
        this.reject(request, 'queue-full')
        this.bound(queue)
        return false
      }
      this.evict(queue, head, 'queue-full')
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
    this.listener.enqueued(request)
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    this.bound(queue)
    this.dispatchAll()
    return true
  }

  /**
   * The wait of a request ended before it was dispatched. `false` when it does not wait any more. No dispatch follows,
   * even if this request blocked all others (trap T23).
   */
  cancel(request: R): boolean {
    const queue = request.queue
    if (request.state !== 'waiting' || queue === undefined) return false
    this.syncTime()
    this.virtualBounds.keep(queue)
    this.evict(queue, request, 'time-out')
    this.bound(queue)
    return true
  }

  /** An executing request has finished. Its seats are released now, or linger for its additional latency. */
  finish(request: R): void {
    this.syncTime()
    this.executingCount -= 1
    const queue = request.queue
    if (queue === undefined) {
      this.queueless.remove(request)
    } else {
      this.virtualBounds.keep(queue)
      queue.executing.remove(request)
      const served = this.clock.since(request.startedHi, request.startedLo)
      // Only the initial phase is corrected by the measured time; the final one always costs its estimate.
      const { assumedServiceNs, guess, finalAtEnd } = this.rules
      if (guess === undefined) queue.S.addUnits(-seatsTimesDuration(request.initialSeats, assumedServiceNs - served))
      else queue.S.addUnits(seatsTimesDuration(request.initialSeats, served) - queue.initialWork(request))
      if (finalAtEnd === true) queue.S.addUnits(request.finalWork)
      this.order?.finished(queue, request, served)
      this.noteInactive(queue)
      this.bound(queue)
    }
    if (request.additionalLatency > 0) request.state = 'lingering'
    else this.release(request)
    this.dispatchAll()
  }

  /** The additional latency of a finished request has passed. */
  endLinger(request: R): void {
    this.syncTime()
    this.release(request)
    this.dispatchAll()
  }

  /** Advances R to the clock (specification 4.3). */
  syncTime(): void {
    const elapsed = this.clock.since(this.lastHi, this.lastLo)
    if (elapsed === 0) return
    this.lastHi = this.clock.hi
    this.lastLo = this.clock.lo
    if (this.activeQueues === 0) return
    this.order?.advance(elapsed, this.limit)
    const seats = this.rules.progress === 'executing' ? this.seatsInUse : this.wantedSeats
    const ratio = Math.min(seats, this.limit) / this.activeQueues
    this.R.addUnits(seatsTimesDuration(ratio, elapsed))
    if (isEpochOver(this.R)) this.advanceEpoch()
  }

  /** Whether `seats` more may execute now (specification 4.7). */
  private canAccommodate(seats: Seats): boolean {
    if (this.desiredQueues < 0) return true
    if (seats > this.limit) return this.executingCount === 0
    return this.seatsInUse + seats <= this.limit
  }

  private arriveWithoutQueue(request: R): boolean {
    if (!this.canAccommodate(request.maxSeats)) {
      this.reject(request, 'concurrency-limit')
      return false
    }
    this.queueless.append(request)
    this.execute(request)
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    this.listener.dispatched(request, 0)
    return true
  }

  private dispatchAll(): void {
    while (this.waitingCount !== 0 && this.seatsInUse < this.limit && this.dispatchOne());
  }

  /** Starts the request with the earliest virtual finish, if it fits (specification 4.6). */
  private dispatchOne(): boolean {
    const queue =
      this.order === undefined
        ? this.queues[this.tournament.winnerAfter(this.robinIndex)]
        : this.order.next(this.robinIndex, this.limit)
    const head = queue?.waiting.head
    // Only when the queue of all waiting requests was removed by mistake; upstream's server crashes too.
    if (queue === undefined || head === undefined) throw new Error('requests wait in no queue (trap T29)')
    if (this.rules.codel !== undefined && this.dropsHead(queue, head, this.rules.codel)) return true
    if (!this.canAccommodate(head.maxSeats)) {
      // The scan wrapped around: an index from before the first queue, where its removal put it, now means the last
      // one.
      if (this.robinIndex < 0) this.robinIndex = this.queues.length - 1
      this.listener.didNotFit(head)
      return false
    }
    this.virtualBounds.selected(queue, this.R)
    const widthWaiting = head.maxSeats
    const { finalWork } = head
    this.order?.dispatched(queue, head)
    this.takeFromQueue(queue, head)
    if (head.finalSeats > this.limit) {
      head.finalSeats = this.limit
      head.additionalLatency = durationPerSeat(finalWork, this.limit)
    }
    this.robinIndex = queue.index
    // Upstream subtracts the width after the clamp, so that part of a wider one remains (trap T12).
    const seatsUnqueued = this.options.correctClampDrift ? widthWaiting : head.maxSeats
    this.seatsWaiting -= seatsUnqueued
    // An empty queue starts anew.
    if (queue.waiting.length === 0) queue.codel = undefined
    queue.executing.append(head)
    queue.seatsInUse += head.maxSeats
    this.wantedSeats += head.maxSeats
    this.execute(head)
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    queue.S.addUnits(queue.initialWork(head))
    if (this.rules.finalAtEnd !== true) queue.S.addUnits(finalWork)
    this.bound(queue)
    this.listener.dispatched(head, seatsUnqueued)
    return true
  }

  private dropsHead(queue: Queue<R>, head: R, rules: CodelRules): boolean {
    queue.codel ??= freshCodel()
    const waitedNs = this.clock.since(head.arrivedHi, head.arrivedLo)
    if (!drops(queue.codel, { waitedNs, nowNs: this.clock.nanoseconds }, rules)) return false
    this.virtualBounds.keep(queue)
    this.evict(queue, head, 'time-out')
    this.bound(queue)
    return true
  }

  private execute(request: R): void {
    request.state = 'executing'
    request.startedHi = this.clock.hi
    request.startedLo = this.clock.lo
    this.executingCount += 1
    this.seatsInUse += request.maxSeats
  }

  private takeFromQueue(queue: Queue<R>, request: R): void {
    queue.unqueue(request)
    this.waitingCount -= 1
    if (queue.index >= 0) this.wantedSeats -= request.maxSeats
  }

  /** A waiting request is rejected. The caller bounds the queue afterwards. */
  private evict(queue: Queue<R>, request: R, reason: RejectReason): void {
    this.takeFromQueue(queue, request)
    this.seatsWaiting -= request.maxSeats
    if (reason === 'time-out') this.cancelledCount += 1
    this.reject(request, reason)
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    this.noteInactive(queue)
  }

  private endLongWaits(queue: Queue<R>): void {
    const longest = this.options.longestWaitNs ?? Number.POSITIVE_INFINITY
    for (let { head } = queue.waiting; head !== undefined; { head } = queue.waiting) {
      if (this.clock.since(head.arrivedHi, head.arrivedLo) <= longest) return
      this.evict(queue, head, 'time-out')
    }
  }

  /** A queue that has left is not counted. */
  private noteInactive(queue: Queue<R>): void {
    if (queue.index >= 0 && !queue.active) this.activeQueues -= 1
  }

  private reject(request: R, reason: RejectReason): void {
    request.state = reason === 'time-out' ? 'timed-out' : 'rejected'
    this.rejectedCount += 1
    this.listener.rejected(request, reason)
  }

  private release(request: R): void {
    request.state = 'done'
    this.seatsInUse -= request.maxSeats
    this.listener.demand(this.seatsInUse + this.seatsWaiting)
    this.listener.released(request)
    const queue = request.queue
    if (queue === undefined) return
    this.virtualBounds.keep(queue)
    queue.seatsInUse -= request.maxSeats
    const surplus = this.queues.length > this.desiredQueues && !queue.active
    if (queue.index >= 0) {
      this.wantedSeats -= request.maxSeats
      if (surplus) this.removeQueue(queue)
    } else if (surplus) {
      if (this.options.removeStaleQueues === true) this.removeStale(queue.staleIndex)
      else this.listener.staleRemovalGuarded(request)
    }
  }

  private removeStale(index: number): void {
    const victim = this.queues[index]
    if (victim === undefined) throw new Error(`queue ${index} no longer exists (trap T29)`)
    this.removeQueue(victim)
  }

  /** A surplus queue leaves once it is empty, whatever its position; those after it move up (specification 4.12). */
  private removeQueue(queue: Queue<R>): void {
    this.virtualBounds.freeze(this.queues)
    const removed = queue.index
    this.queues.splice(removed, 1)
    queue.index = -1
    queue.staleIndex = removed
    this.wantedSeats -= queue.seatsInUse + queue.maxSeatsWaiting
    if (queue.active) this.activeQueues -= 1
    for (let index = removed; index < this.queues.length; index++) {
      const moved = this.queues[index]
      if (moved !== undefined) moved.index = index
    }
    if (this.robinIndex >= removed) this.robinIndex -= 1
    this.order?.update(queue)
    this.seatTournament()
  }

  private seatTournament(): void {
    this.tournament = new Tournament(this.queues.length)
    for (const queue of this.queues) this.enter(queue)
  }

  /** Bounds S and enters the queue into the tournament with the virtual finish of its head. */
  private bound(queue: Queue<R>): void {
    if (this.rules.bounded) queue.boundS()
    this.enter(queue)
  }

  private enter(queue: Queue<R>): void {
    if (this.order !== undefined) return this.order.update(queue)
    if (queue.index < 0) return
    const head = queue.waiting.head
    if (head === undefined) return this.tournament.clear(queue.index)
    virtualFinish.copyFrom(queue.S)
    virtualFinish.addUnits(queue.initialWork(head))
    if (this.rules.finalAtEnd !== true) virtualFinish.addUnits(head.finalWork)
    this.tournament.set(queue.index, virtualFinish.high, virtualFinish.low)
  }

  private advanceEpoch(): void {
    this.virtualBounds.freeze(this.queues)
    const success = takeBackEpoch(this.R, this.queues)
    for (const queue of this.queues) this.enter(queue)
    this.listener.epochAdvanced(success)
  }
}

/** Scratch of `enter`; a queue set is never entered twice at once. */
const virtualFinish = new FixedSeatSeconds()
