import { z } from 'zod'
import type { RejectReason } from '../frame/frame.ts'
import { Clock, Integrator } from '../engine/clock.ts'
import { SeatRequest } from '../engine/queue.ts'
import { QueueSet, UNHEARD } from '../engine/queueSet.ts'
import { FixedSeatSeconds } from '../engine/seatSeconds.ts'
import { hashFromBigInt } from '../request/match.ts'
import { isLegalDealer } from '../config/shape.ts'
import { printable } from './statistics.ts'
import {
  instant,
  int,
  list,
  optionalInt64,
  optionalUint64,
  record,
  row,
  signedCount,
  text,
  uint64,
} from './question.ts'

export type OutcomeRow = [
  outcome: 'executed' | 'waiting' | RejectReason | 'timed-out',
  queueAtArrival: number,
  arrivalR: string,
  time: string,
  queueAtTime: number,
  R: string,
  finalSeats: number,
  additionalLatency: string,
]

type Request = SeatRequest<{ readonly outcome: OutcomeRow; readonly exec: bigint }>

const placeOf = (request: Request): number => request.queue?.index ?? -1

/**
 * Runs one queue set through scripted arrivals (specification 4). Everything due at one instant happens in the order in
 * which it was added to the agenda; upstream runs it concurrently, so `ties` counts how often upstream could choose.
 * With `removeStaleQueues` it throws where upstream panics (trap T29).
 */
export function answerQueueSet(
  question: QueueSetQuestion,
  { removeStaleQueues = false }: { readonly removeStaleQueues?: boolean } = {},
) {
  const clock = new Clock()
  const agenda = new Agenda()
  const demand = new Integrator(clock)
  const counts = { dispatched: 0, noAccommodation: 0, staleRemovals: 0 }
  const rejectReasons: Partial<Record<RejectReason, number>> = {}
  const epochAdvances: Partial<Record<'true' | 'false', number>> = {}
  let now = 0n

  const settle = (request: Request, what: OutcomeRow[0]): void => {
    const { outcome } = request.payload
    outcome[0] = what
    outcome[3] = String(now)
    outcome[4] = placeOf(request)
    outcome[5] = String(queueSet.R.toBigInt())
    outcome[6] = request.finalSeats
    outcome[7] = String(BigInt(request.additionalLatency))
  }
  const queueSet = new QueueSet<Request>(
    clock,
    {
      ...UNHEARD,
      dispatched(request) {
        counts.dispatched += 1
        settle(request, 'executed')
        agenda.put(now + request.payload.exec, () => finish(request))
      },
      rejected(request, reason) {
        rejectReasons[reason] = (rejectReasons[reason] ?? 0) + 1
        settle(request, reason === 'time-out' ? 'timed-out' : reason)
      },
      didNotFit: () => void (counts.noAccommodation += 1),
      demand: (seats) => demand.set(seats),
      epochAdvanced: (success) => void (epochAdvances[`${success}`] = (epochAdvances[`${success}`] ?? 0) + 1),
      staleRemovalGuarded: () => void (counts.staleRemovals += 1),
    },
    { correctClampDrift: false, removeStaleQueues },
  )
  const finish = (request: Request): void => {
    const latency = BigInt(request.additionalLatency)
    if (latency > 0n) agenda.put(now + latency, () => queueSet.endLinger(request))
    queueSet.finish(request)
  }
  const arrive = (arrival: Arrival, outcome: OutcomeRow): void => {
    const { hash, exec, cancelAt } = arrival
    const request = new SeatRequest({ outcome, exec }, arrival)
    const admitted = queueSet.arrive(request, hashFromBigInt(hash))
    outcome[1] = admitted ? placeOf(request) : -1
    outcome[2] = String(request.arrivalR.toBigInt())
    if (cancelAt === undefined) return
    if (cancelAt <= now) queueSet.cancel(request)
    // An event even if the request no longer waits: the oracle's run ends with the last event of any kind.
    else agenda.put(cancelAt, () => void queueSet.cancel(request))
  }
  const sample = () => sampleOf(queueSet, now, counts.dispatched)

  queueSet.reconfigure(question.config, question.config.limit)
  if (question.initialR !== undefined) queueSet.R.copyFrom(FixedSeatSeconds.fromBigInt(question.initialR))
  const outcomes = question.arrivals.map((arrival): OutcomeRow => {
    const { finalSeats, additionalLatency } = arrival
    const outcome: OutcomeRow = ['waiting', -1, '0', '-1', -1, '0', finalSeats, String(additionalLatency)]
    agenda.put(arrival.at, () => arrive(arrival, outcome))
    return outcome
  })
  for (const { at, limit, ...config } of question.reconfigs) {
    agenda.put(at, () => queueSet.reconfigure(config, limit))
  }
  // By their position in the question, regardless of their times.
  const samples = new Map<number, ReturnType<typeof sample>>()
  for (const [i, at] of question.samples.entries()) agenda.put(at, () => void samples.set(i, sample()))

  agenda.run((at) => {
    now = at
    clock.moveToExact(at)
  })
  return {
    ...(question.id === '' ? {} : { id: question.id }),
    outcomes,
    ...(samples.size === 0 ? {} : { samples: question.samples.map((_at, i) => samples.get(i)) }),
    final: sample(),
    demand: printable(demand.results()),
    rejectReasons,
    ...(Object.keys(epochAdvances).length === 0 ? {} : { epochAdvances }),
    noAccommodation: counts.noAccommodation,
    ...(agenda.ties === 0 ? {} : { ties: agenda.ties }),
    ...(counts.staleRemovals === 0 ? {} : { staleRemovals: counts.staleRemovals }),
  }
}

/** The state as it is, without advancing R to the current time. */
const sampleOf = (queueSet: QueueSet<Request>, now: bigint, dispatched: number) => ({
  at: String(now),
  R: String(queueSet.R.toBigInt()),
  robinIndex: queueSet.robinIndex,
  enqueues: queueSet.enqueues,
  limit: queueSet.limit,
  numQueues: queueSet.queues.length,
  waiting: queueSet.waitingCount,
  executing: queueSet.executingCount,
  seatsInUse: queueSet.seatsInUse,
  seatsWaiting: queueSet.seatsWaiting,
  dispatched,
  rejected: queueSet.rejectedCount,
  timedOut: 0,
  cancelled: queueSet.cancelledCount,
  idle: queueSet.idle,
  queues: queueSet.queues
    .map((queue) => [
      queue.index,
      queue.waiting.length,
      queue.executing.length,
      queue.seatsInUse,
      queue.initialSeatsWaiting,
      queue.maxSeatsWaiting,
      String(queue.workWaiting),
      String(queue.S),
    ])
    .filter((cells) => cells.slice(1).some((cell) => cell !== 0 && cell !== '0.00000000ss')),
})

interface Entry<N> {
  readonly at: N
  readonly order: number
  readonly run: () => void
}

/** Of two events the earlier one comes first; at the same instant, the one that was added first. */
const before = <N extends number | bigint>(a: Entry<N>, b: Entry<N>): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)

/**
 * Pending events, the earliest first: a binary heap over instants in nanoseconds. The engine's own timers would do, but
 * instants of the protocol exceed 2^53.
 */
export class EventHeap<N extends number | bigint> {
  private readonly heap: Entry<N>[] = []
  private order = 0

  get size(): number {
    return this.heap.length
  }

  /** When the next event is due; `undefined` when there is none. */
  get next(): N | undefined {
    return this.heap[0]?.at
  }

  put(at: N, run: () => void): void {
    const { heap } = this
    const entry = { at, order: this.order++, run }
    let hole = heap.length
    heap.push(entry)
    while (hole > 0) {
      const parent = (hole - 1) >>> 1
      const above = heap[parent]
      if (above === undefined || before(above, entry)) break
      heap[hole] = above
      hole = parent
    }
    heap[hole] = entry
  }

  /** Removes the next event. */
  take(): (() => void) | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (first !== undefined && last !== undefined && first !== last) this.sink(last)
    return first?.run
  }

  private sink(entry: Entry<N>): void {
    const { heap } = this
    let hole = 0
    for (;;) {
      const left = 2 * hole + 1
      const leftEntry = heap[left]
      if (leftEntry === undefined) break
      const rightEntry = heap[left + 1]
      const [child, at] =
        rightEntry !== undefined && before(rightEntry, leftEntry) ? [rightEntry, left + 1] : [leftEntry, left]
      if (before(entry, child)) break
      heap[hole] = child
      hole = at
    }
    heap[hole] = entry
  }
}

/** Due items by time, and how often upstream could have chosen another order (specification 13, ordering note). */
class Agenda {
  private readonly events = new EventHeap<bigint>()
  private readonly times = new Set<bigint>()
  private registered = 0

  /** Items added at a time that already had another one. */
  get ties(): number {
    return this.registered - this.times.size
  }

  put(at: bigint, act: () => void): void {
    this.times.add(at)
    this.registered += 1
    this.events.put(at, act)
  }

  /** Runs all items, reporting the time before each. */
  run(moveTo: (at: bigint) => void): void {
    for (let at = this.events.next; at !== undefined; at = this.events.next) {
      moveTo(at)
      this.events.take()?.()
    }
  }
}

const configFields = { queues: int, handSize: int, queueLengthLimit: int, limit: int }

/** A queue set with queues must be able to deal hands. */
const isPossible = ({ queues, handSize }: { readonly queues: number; readonly handSize: number }): boolean =>
  queues < 1 || isLegalDealer(queues, handSize)
const IMPOSSIBLE = 'must have a handSize that can be dealt from its queues'

const arrival = row({
  at: instant,
  hash: uint64,
  initialSeats: int,
  finalSeats: int,
  additionalLatency: signedCount,
  /** From dispatch to finish. */
  exec: instant,
  /** When the wait ends; never if absent. */
  cancelAt: optionalInt64,
})

/** One queue set, its arrivals and its changes. Times are nanoseconds from its creation. */
export const queueSetQuestion = record({
  id: text,
  config: z.preprocess((config) => config ?? {}, record(configFields).refine(isPossible, IMPOSSIBLE)),
  initialR: optionalUint64,
  samples: list(instant),
  arrivals: list(arrival),
  reconfigs: list(record({ at: instant, ...configFields }).refine(isPossible, IMPOSSIBLE)),
})
type QueueSetQuestion = z.output<typeof queueSetQuestion>
type Arrival = z.output<typeof arrival>
