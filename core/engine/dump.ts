import type { RequestDigest } from '../classify/match.ts'
import type { PriorityLevel } from './priorityLevels.ts'
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
  readonly initialSeats: number
  readonly maxSeats: number
  readonly totalWork: SeatSeconds
}

/** Queue −1: without one; position −1: executing. Times are nanoseconds of the engine's clock. */
export interface DumpedTicket<T> {
  readonly ticket: Ticket<T>
  readonly level: string
  readonly schema: string
  readonly queue: number
  readonly position: number
  readonly distinguisher: string
  readonly arrivedNs: number
  /** Absent while it waits. */
  readonly startedNs: number | undefined
  readonly initialSeats: number
  readonly finalSeats: number
  readonly additionalLatencyNs: number
  readonly digest: RequestDigest
}

/** Everything one by one: levels by name, of each its queues in order, of each its requests; lingering ones are left out. */
export interface EngineDump<T> {
  readonly levels: readonly DumpedLevel[]
  readonly queues: readonly DumpedQueue[]
  readonly requests: readonly DumpedTicket<T>[]
}

/** What the debug endpoints of a server would tell now. Amounts of seat-seconds are copies. */
export function takeDump<T>(
  levels: readonly PriorityLevel<Ticket<T>>[],
  dispatched: (level: string) => number,
): EngineDump<T> {
  return {
    levels: levels.map((level) => dumpedLevel(level, dispatched(level.plan.name))),
    queues: levels.flatMap(dumpedQueues),
    requests: levels.flatMap(dumpedTickets),
  }
}

function dumpedLevel<T>({ plan, quiescing, queueSet }: PriorityLevel<Ticket<T>>, dispatched: number): DumpedLevel {
  return {
    name: plan.name,
    activeQueues: queueSet.queues.reduce((count, { waiting }) => (waiting.length > 0 ? count + 1 : count), 0),
    idle: queueSet.idle,
    quiescing,
    waiting: queueSet.waitingCount,
    executing: queueSet.executingCount,
    dispatched,
    rejected: queueSet.rejectedCount,
    timedOut: 0,
    cancelled: queueSet.cancelledCount,
  }
}

const dumpedQueues = <T>({ plan, queueSet }: PriorityLevel<Ticket<T>>): readonly DumpedQueue[] =>
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
  }))

function dumpedTickets<T>({ plan, queueSet }: PriorityLevel<Ticket<T>>): readonly DumpedTicket<T>[] {
  const rows: DumpedTicket<T>[] = []
  const add = (ticket: Ticket<T>, queue: number, position: number): void =>
    void rows.push(dumpedTicket(ticket, plan.name, queue, position))
  for (const queue of queueSet.queues) {
    let position = 0
    for (const ticket of queue.waiting) add(ticket, queue.index, position++)
    for (const ticket of queue.executing) add(ticket, queue.index, -1)
  }
  for (const ticket of queueSet.queueless) add(ticket, -1, -1)
  return rows
}

const dumpedTicket = <T>(ticket: Ticket<T>, level: string, queue: number, position: number): DumpedTicket<T> => ({
  ticket,
  level,
  schema: ticket.lane.schema,
  queue,
  position,
  distinguisher: ticket.flow?.distinguisher ?? '',
  arrivedNs: ticket.arrivedNs,
  startedNs: ticket.state === 'waiting' ? undefined : ticket.startedNs,
  initialSeats: ticket.initialSeats,
  finalSeats: ticket.finalSeats,
  additionalLatencyNs: ticket.additionalLatency,
  digest: ticket.payload,
})
