import type { Seats, UnixMs } from '../units.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { SeatRequest } from './queue.ts'
import type { SeatSeconds } from './seatSeconds.ts'
import type { Ticket } from './ticket.ts'

/** One level as the dump of levels lists it (specification 12). Totals count since the level was made. */
export interface DumpedLevel {
  readonly name: string
  readonly activeQueues: number
  readonly idle: boolean
  readonly quiescing: boolean
  readonly waiting: number
  readonly executing: number
  readonly dispatched: number
  readonly rejected: number
  /** Always 0: time-outs are under rejected and cancelled (trap T24). */
  readonly timedOut: number
  readonly cancelled: number
}

/** Sums cover waiting requests only. */
export interface DumpedQueue {
  readonly level: string
  readonly index: number
  readonly pending: number
  readonly executing: number
  readonly seatsInUse: number
  readonly nextDispatchR: SeatSeconds
  readonly initialSeats: Seats
  readonly maxSeats: Seats
  readonly totalWork: SeatSeconds
}

/** Where a request stands. Queue −1: without one; position −1: executing. */
export interface PlacedRequest<R> {
  readonly level: string
  readonly ticket: R
  readonly queue: number
  readonly position: number
}

/** Everything one by one: levels by name, of each its queues in order, of each its requests; lingering ones are left out. */
export interface EngineDump<T> {
  /** Unix milliseconds at which the engine's clock is 0. */
  readonly startUnixMs: UnixMs
  readonly levels: readonly DumpedLevel[]
  readonly queues: readonly DumpedQueue[]
  readonly requests: readonly PlacedRequest<Ticket<T>>[]
}

type Levels<R extends SeatRequest> = readonly PriorityLevel<R>[]

/** `dispatched` by level name; the queue sets do not count them (specification 4.13). */
export const dumpedLevels = <R extends SeatRequest>(
  levels: Levels<R>,
  dispatched: (level: string) => number,
): readonly DumpedLevel[] =>
  levels.map(({ plan, quiescing, queueSet }) => ({
    name: plan.name,
    activeQueues: queueSet.queues.reduce((count, { waiting }) => (waiting.length > 0 ? count + 1 : count), 0),
    idle: queueSet.idle,
    quiescing,
    waiting: queueSet.waitingCount,
    executing: queueSet.executingCount,
    dispatched: dispatched(plan.name),
    rejected: queueSet.rejectedCount,
    timedOut: 0,
    cancelled: queueSet.cancelledCount,
  }))

/** Amounts of seat-seconds are copies. */
export const dumpedQueues = <R extends SeatRequest>(levels: Levels<R>): readonly DumpedQueue[] =>
  levels.flatMap(({ plan, queueSet }) =>
    queueSet.queues.map((queue) => ({
      level: plan.name,
      index: queue.index,
      pending: queue.waiting.length,
      executing: queue.executing.length,
      seatsInUse: queue.seatsInUse,
      nextDispatchR: queue.S.copy(),
      initialSeats: queue.initialSeatsWaiting,
      maxSeats: queue.maxSeatsWaiting,
      totalWork: queue.workWaiting.copy(),
    })),
  )

/** Queue by queue, those that wait before those that execute; then those without a queue. */
export function placedRequests<R extends SeatRequest>(levels: Levels<R>): readonly PlacedRequest<R>[] {
  const placed: PlacedRequest<R>[] = []
  for (const { plan, queueSet } of levels) {
    const add = (ticket: R, queue: number, position: number): void =>
      void placed.push({ level: plan.name, ticket, queue, position })
    for (const queue of queueSet.queues) {
      let position = 0
      for (const ticket of queue.waiting) add(ticket, queue.index, position++)
      for (const ticket of queue.executing) add(ticket, queue.index, -1)
    }
    for (const ticket of queueSet.queueless) add(ticket, -1, -1)
  }
  return placed
}
