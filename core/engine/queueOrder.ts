import type { Nanoseconds, Seats } from '../units.ts'
import type { Queue, SeatRequest } from './queue.ts'
import { seatNanoseconds } from './seatSeconds.ts'

/**
 * Which queue is served next, for algorithms that do not use the virtual finish of `queueSet.ts`. Amounts of work are
 * in seat-nanoseconds.
 */
export interface QueueOrder<R extends SeatRequest> {
  /** Time has passed in which nothing arrived, started or ended; `limit` is the limit of the level. */
  advance(elapsed: Nanoseconds, limit: Seats): void
  /** The queue has another head, became active or inactive, or left. */
  update(queue: Queue<R>): void
  /** The queue whose head starts next, if it fits. `robinIndex`: the queue of the last dispatch. */
  next(robinIndex: number, limit: Seats): Queue<R> | undefined
  /** A request of the queue starts. */
  dispatched(queue: Queue<R>, request: R): void
  /** An executing request of the queue ended, this long after its start. */
  finished(queue: Queue<R>, request: R, served: Nanoseconds): void
}

/** Deficit round robin: how much a queue may start in a turn. */
export interface RoundRobinRules {
  /** Work that each turn adds, in seat-nanoseconds. */
  readonly quantum: number
  /** Assumed duration of a request until it ends. */
  readonly assumedNs: Nanoseconds
}

/**
 * Deficit round robin. A queue in turn receives the quantum and starts requests while its deficit covers their assumed
 * work; when a request ends, the deficit is corrected by the actual work. A queue in which nothing waits loses its
 * savings, and keeps its debt while its requests execute.
 */
export class DeficitRoundRobin<R extends SeatRequest> implements QueueOrder<R> {
  private readonly rules: RoundRobinRules
  /** Of active queues. */
  private readonly deficits = new Map<Queue<R>, number>()
  /** Queues with waiting requests; the first one is in turn. */
  private readonly turns = new Set<Queue<R>>()
  /** The queue that has received the quantum of its turn. */
  private inTurn: Queue<R> | undefined

  constructor(rules: RoundRobinRules) {
    this.rules = rules
  }

  advance(): void {
    // Turns do not depend on time.
  }

  update(queue: Queue<R>): void {
    const left = queue.index < 0
    if (queue.waiting.length > 0 && !left) {
      if (!this.deficits.has(queue)) this.deficits.set(queue, 0)
      this.turns.add(queue)
      return
    }
    this.turns.delete(queue)
    if (this.inTurn === queue) this.inTurn = undefined
    if (left || !queue.active) this.deficits.delete(queue)
    else this.deficits.set(queue, Math.min(0, this.deficitOf(queue)))
  }

  next(): Queue<R> | undefined {
    this.skipRounds()
    for (const queue of this.turns) {
      if (this.inTurn !== queue) {
        this.inTurn = queue
        this.add(queue, this.rules.quantum)
      }
      if (this.missing(queue) <= 0) return queue
      // Iterating over a set includes the elements added meanwhile.
      this.turns.delete(queue)
      this.turns.add(queue)
    }
    return undefined
  }

  dispatched(queue: Queue<R>, request: R): void {
    this.add(queue, -this.assumed(request))
  }

  finished(queue: Queue<R>, request: R, served: Nanoseconds): void {
    this.add(queue, this.assumed(request) - request.maxSeats * served)
  }

  /** Grants at once the rounds in which no queue could start anything: a long request may owe thousands of them. */
  private skipRounds(): void {
    let rounds = Number.POSITIVE_INFINITY
    for (const queue of this.turns) {
      const missing = this.missing(queue)
      // The quantum of the current turn has been received.
      const more = Math.ceil(missing / this.rules.quantum) + (this.inTurn === queue ? 1 : 0)
      rounds = Math.min(rounds, missing <= 0 ? 0 : more - 1)
    }
    if (rounds < 1 || !Number.isFinite(rounds)) return
    for (const queue of this.turns) {
      const granted = this.inTurn === queue ? rounds - 1 : rounds
      this.add(queue, granted * this.rules.quantum)
    }
    this.inTurn = undefined
  }

  private assumed(request: R): number {
    return request.maxSeats * this.rules.assumedNs
  }

  /** The deficit that a queue lacks to start its head. */
  private missing(queue: Queue<R>): number {
    const { head } = queue.waiting
    return head === undefined ? Number.POSITIVE_INFINITY : this.assumed(head) - this.deficitOf(queue)
  }

  private deficitOf(queue: Queue<R>): number {
    return this.deficits.get(queue) ?? 0
  }

  private add(queue: Queue<R>, work: number): void {
    if (this.deficits.has(queue)) this.deficits.set(queue, this.deficitOf(queue) + work)
  }
}

/**
 * Max-min fair queuing: the limit is split among the active queues by progressive filling, so that a queue whose demand
 * is below an equal share receives its demand and saves nothing. The head that would finish first at the rate of its
 * queue starts next.
 */
export class MaxMinFairness<R extends SeatRequest> implements QueueOrder<R> {
  private readonly assumedNs: Nanoseconds
  /** Of active queues: work that started or ended beyond what their rates allowed, S − P of the specification. */
  private readonly leads = new Map<Queue<R>, number>()

  constructor(assumedNs: Nanoseconds) {
    this.assumedNs = assumedNs
  }

  advance(elapsed: Nanoseconds, limit: Seats): void {
    const rates = this.rates(limit)
    for (const [queue, lead] of this.leads) this.leads.set(queue, lead - (rates.get(queue) ?? 0) * elapsed)
  }

  update(queue: Queue<R>): void {
    if (queue.index < 0 || !queue.active) this.leads.delete(queue)
    else if (!this.leads.has(queue)) this.leads.set(queue, 0)
  }

  next(robinIndex: number, limit: Seats): Queue<R> | undefined {
    const rates = this.rates(limit)
    let best: Queue<R> | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [queue, lead] of this.leads) {
      const { head } = queue.waiting
      if (head === undefined) continue
      const left = (lead + this.assumed(head)) / (rates.get(queue) ?? 1)
      if (best !== undefined && (left > least || (left === least && !isSooner(queue, best, robinIndex)))) continue
      best = queue
      least = left
    }
    return best
  }

  dispatched(queue: Queue<R>, request: R): void {
    this.add(queue, this.assumed(request))
  }

  finished(queue: Queue<R>, request: R, served: Nanoseconds): void {
    this.add(queue, request.initialSeats * (served - this.assumedNs))
  }

  /** The limit split by progressive filling over the demand of the queues: seats in use and waiting. */
  private rates(limit: Seats): ReadonlyMap<Queue<R>, number> {
    const rates = new Map<Queue<R>, number>()
    let open = [...this.leads.keys()]
    let left = limit
    while (open.length > 0) {
      const equal = left / open.length
      const rest = open.filter((queue) => wanted(queue) > equal)
      if (rest.length === open.length) {
        for (const queue of open) rates.set(queue, equal)
        return rates
      }
      for (const queue of open) {
        const seats = wanted(queue)
        if (seats > equal) continue
        rates.set(queue, seats)
        left -= seats
      }
      open = rest
    }
    return rates
  }

  private assumed(request: R): number {
    return request.initialSeats * this.assumedNs + seatNanoseconds(request.finalWork)
  }

  private add(queue: Queue<R>, work: number): void {
    const lead = this.leads.get(queue)
    if (lead !== undefined) this.leads.set(queue, lead + work)
  }
}

const wanted = <R extends SeatRequest>(queue: Queue<R>): Seats => queue.seatsInUse + queue.maxSeatsWaiting

/** Whether the first of two queues comes sooner in the cyclic order after the last dispatch. */
function isSooner<R extends SeatRequest>(a: Queue<R>, b: Queue<R>, robinIndex: number): boolean {
  const later = (queue: Queue<R>): boolean => queue.index <= robinIndex
  return later(a) === later(b) ? a.index < b.index : later(b)
}
