import type { Queuing } from '../config/objects.ts'
import type { Nanoseconds, Seats } from '../units.ts'
import type { CodelState } from './codel.ts'
import type { Instant } from './clock.ts'
import { FixedSeatSeconds, UNITS_PER_SEAT_G, seatsTimesDuration } from './seatSeconds.ts'

/** The estimate of a request (specification 5). `additionalLatency` is in nanoseconds. */
export interface WorkEstimate {
  readonly initialSeats: Seats
  readonly finalSeats: Seats
  readonly additionalLatency: Nanoseconds
}

/** The state of a request in its priority level. */
export type RequestState = 'new' | 'waiting' | 'executing' | 'lingering' | 'rejected' | 'timed-out' | 'done'

/**
 * A request inside a queue set (specification 4.2). `payload` is the caller's own object. Times and seat-seconds are kept
 * as words: there is one of these for every waiting request.
 */
export class SeatRequest<T = unknown> {
  readonly payload: T
  readonly initialSeats: Seats
  /**
   * Clamped to the limit of the level at dispatch, with `additionalLatency` stretched so that the work stays the same.
   */
  finalSeats: Seats
  additionalLatency: Nanoseconds
  state: RequestState = 'new'
  /** Its queue; absent when it was dispatched without queuing. */
  queue: Queue<this> | undefined
  arrivalRHi = 0
  arrivalRLo = 0
  arrivedHi = 0
  arrivedLo = 0
  startedHi = 0
  startedLo = 0
  /** Neighbours in the list that holds it: the waiting ones of its queue, or the executing ones. */
  previous: this | undefined
  next: this | undefined

  constructor(payload: T, estimate: WorkEstimate) {
    this.payload = payload
    this.initialSeats = estimate.initialSeats
    this.finalSeats = estimate.finalSeats
    this.additionalLatency = estimate.additionalLatency
  }

  /** Seats that it occupies during its whole life. */
  get maxSeats(): number {
    return this.initialSeats > this.finalSeats ? this.initialSeats : this.finalSeats
  }

  /** Units of the final phase. Fixed at arrival; invalid after the clamp of dispatching. */
  get finalWork(): number {
    return this.finalSeats === 0 ? 0 : seatsTimesDuration(this.finalSeats, this.additionalLatency)
  }

  /** R of its level when it arrived; a copy. */
  get arrivalR(): FixedSeatSeconds {
    return FixedSeatSeconds.fromWords(this.arrivalRHi, this.arrivalRLo)
  }

  get arrivedAt(): Instant {
    return { hi: this.arrivedHi, lo: this.arrivedLo }
  }

  get startedAt(): Instant {
    return { hi: this.startedHi, lo: this.startedLo }
  }
}

/** A doubly linked list through the requests themselves: first in, first out, removal anywhere in constant time. */
export class RequestList<R extends SeatRequest> {
  head: R | undefined
  tail: R | undefined
  length = 0

  append(request: R): void {
    request.previous = this.tail
    request.next = undefined
    if (this.tail === undefined) this.head = request
    else this.tail.next = request
    this.tail = request
    this.length += 1
  }

  remove(request: R): void {
    if (request.previous === undefined) this.head = request.next
    else request.previous.next = request.next
    if (request.next === undefined) this.tail = request.previous
    else request.next.previous = request.previous
    request.previous = undefined
    request.next = undefined
    this.length -= 1
  }

  *[Symbol.iterator](): Generator<R> {
    for (let request = this.head; request !== undefined; request = request.next) yield request
  }
}

/** One queue of a queue set. The sums cover waiting requests only. */
export class Queue<R extends SeatRequest> {
  /** Position in the queue set; −1 once it has left by attrition (specification 4.12). */
  index: number
  /** Its position when it left, which upstream still uses afterwards (trap T29). */
  staleIndex = -1
  readonly waiting = new RequestList<R>()
  readonly executing = new RequestList<R>()
  initialSeatsWaiting = 0
  maxSeatsWaiting = 0
  readonly workWaiting = new FixedSeatSeconds()
  seatsInUse = 0
  /** R at which its next request is considered to start. */
  readonly S = new FixedSeatSeconds()
  /** The number of a dispatch; the next three fields are the values when it selected. See `virtualBounds.ts`. */
  keptFor = -1
  readonly keptS = new FixedSeatSeconds()
  keptSeatsInUse = 0
  keptWaiting = false
  /** Set where the queue drops by CoDel. */
  codel: CodelState | undefined

  /** Units that a seat is charged at dispatch: the assumed service time. */
  readonly unitsPerSeat: number
  /** Whether a request is charged as much as one seat, however wide it is. */
  private readonly guessesWork: boolean

  constructor(index: number, unitsPerSeat: number = UNITS_PER_SEAT_G, guess?: 'work') {
    this.index = index
    this.unitsPerSeat = unitsPerSeat
    this.guessesWork = guess === 'work'
  }

  /** Units of the initial phase of a request under the assumed service time. */
  initialWork({ initialSeats }: R): number {
    return this.guessesWork ? this.unitsPerSeat : initialSeats * this.unitsPerSeat
  }

  get active(): boolean {
    return this.waiting.length > 0 || this.executing.length > 0
  }

  enqueue(request: R): void {
    this.waiting.append(request)
    this.initialSeatsWaiting += request.initialSeats
    this.maxSeatsWaiting += request.maxSeats
    this.workWaiting.addUnits(this.initialWork(request))
    this.workWaiting.addUnits(request.finalWork)
  }

  /** The sums are reduced by the present values of the fields. */
  unqueue(request: R): void {
    this.waiting.remove(request)
    this.initialSeatsWaiting -= request.initialSeats
    this.maxSeatsWaiting -= request.maxSeats
    this.workWaiting.addUnits(-this.initialWork(request))
    this.workWaiting.addUnits(-request.finalWork)
  }

  /**
   * Anti-windup (specification 4.8): a queue does not bank virtual time from before its oldest waiting request. Run
   * after every change of its head or of S.
   */
  boundS(): void {
    const head = this.waiting.head
    if (head !== undefined && this.S.compareWords(head.arrivalRHi, head.arrivalRLo) < 0) {
      this.S.setWords(head.arrivalRHi, head.arrivalRLo)
    }
  }
}

/** How a level queues (specification 4.1). `queues`: −1 never limits (Exempt), 0 has no queues (Reject). */
export type QueuingConfig = Queuing
