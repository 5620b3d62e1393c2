import type { Seats, UnixMs } from '../units.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import {
  DUMP_DETAIL_COLUMNS,
  DUMP_LEVEL_COLUMNS,
  DUMP_QUEUE_COLUMNS,
  DUMP_REQUEST_COLUMNS,
  goDuration,
  goTime,
  printDump,
} from '../metrics/dumpText.ts'
import { ZERO_TIME } from '../text/text.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { FixedSeatSeconds } from './seatSeconds.ts'
import type { Ticket } from './ticket.ts'
import { type Instant, instantToBigInt } from './clock.ts'
import type { SeatRequest } from './queue.ts'

/** One level as listed in the dump of levels (specification 12). Totals count since the level was created. */
interface DumpedLevel {
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
interface DumpedQueue {
  readonly level: string
  readonly index: number
  readonly pending: number
  readonly executing: number
  readonly seatsInUse: number
  readonly nextDispatchR: FixedSeatSeconds
  readonly initialSeats: Seats
  readonly maxSeats: Seats
  readonly totalWork: FixedSeatSeconds
}

/** The position of a request. Queue −1: without one; position −1: executing. */
export interface PlacedRequest<R> {
  readonly level: string
  readonly ticket: R
  readonly queue: number
  readonly position: number
}

/**
 * Everything in detail: levels by name, each with its queues in order, each with its requests; lingering ones are left
 * out.
 */
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

/** Queue by queue, waiting requests before executing ones; then those without a queue. */
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

/** As dumps print it: the core group has no suffix. */
export const groupVersion = ({ apiGroup, apiVersion }: RequestInfo): string =>
  apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`

/** Details of a request in a dump that the queue set does not have. */
export interface DumpedRequest {
  readonly flowSchema: string
  readonly distinguisher: string
  readonly user: string
  readonly info: RequestInfo
}

/** The answer of `dump_priority_levels` (specification 12); the levels are given by name. */
export function dumpPriorityLevels(levels: readonly DumpedLevel[]): string {
  const rows = levels.map((level) =>
    [
      level.name,
      level.activeQueues,
      level.idle,
      level.quiescing,
      level.waiting,
      level.executing,
      level.dispatched,
      level.rejected,
      level.timedOut,
      level.cancelled,
    ].map(String),
  )
  return printDump(DUMP_LEVEL_COLUMNS, rows)
}

/** The answer of `dump_queues`. */
export function dumpQueues(queues: readonly DumpedQueue[]): string {
  const rows = queues.map((queue) =>
    [
      queue.level,
      queue.index,
      queue.pending,
      queue.executing,
      queue.seatsInUse,
      queue.nextDispatchR,
      queue.initialSeats,
      queue.maxSeats,
      queue.totalWork,
    ].map(String),
  )
  return printDump(DUMP_QUEUE_COLUMNS, rows)
}

interface DumpRequestsOptions<R> {
  readonly describe: (request: R) => DumpedRequest
  /** Unix nanoseconds at the start of the engine's clock. */
  readonly startUnixNs: bigint
  /** Whether `includeRequestDetails` is set. */
  readonly details: boolean
}

/** The answer of `dump_requests`. Lingering requests do not appear. */
export const dumpRequests = <R extends SeatRequest>(
  requests: readonly PlacedRequest<R>[],
  options: DumpRequestsOptions<R>,
): string =>
  printDump(
    options.details ? [...DUMP_REQUEST_COLUMNS, ...DUMP_DETAIL_COLUMNS] : DUMP_REQUEST_COLUMNS,
    requests.map((placed) => requestRow(placed, options)),
  )

function requestRow<R extends SeatRequest>(
  { level, ticket, queue, position }: PlacedRequest<R>,
  { describe, startUnixNs, details }: DumpRequestsOptions<R>,
): string[] {
  const { flowSchema, distinguisher, user, info } = describe(ticket)
  const time = (instant: Instant): string => goTime(startUnixNs + instantToBigInt(instant))
  const row = [
    level,
    flowSchema,
    String(queue),
    String(position),
    distinguisher,
    time(ticket.arrivedAt),
    String(ticket.initialSeats),
    String(ticket.finalSeats),
    goDuration(ticket.additionalLatency),
    ticket.state === 'waiting' ? ZERO_TIME : time(ticket.startedAt),
  ]
  if (!details) return row
  return [
    ...row,
    user,
    info.verb,
    info.path,
    info.namespace,
    info.name,
    groupVersion(info),
    info.resource,
    info.subresource,
  ]
}
