import type { RequestInfo } from '../request/requestInfo.ts'
import {
  DUMP_DETAIL_COLUMNS,
  DUMP_LEVEL_COLUMNS,
  DUMP_QUEUE_COLUMNS,
  DUMP_REQUEST_COLUMNS,
} from '../metrics/dumpColumns.ts'
import { ZERO_TIME } from '../text/goText.ts'
import { goDuration, goTime, printDump } from '../metrics/dumpText.ts'
import { type Instant, instantToBigInt } from './clock.ts'
import type { DumpedLevel, DumpedQueue, PlacedRequest } from './dump.ts'
import type { SeatRequest } from './queue.ts'

/** As dumps print it: without a group for the core one. */
export const groupVersion = ({ apiGroup, apiVersion }: RequestInfo): string =>
  apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`

/** What a dump tells of a request beyond what the queue set knows. */
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

export interface DumpRequestsOptions<R> {
  readonly describe: (request: R) => DumpedRequest
  /** Unix nanoseconds at the start of the engine's clock. */
  readonly startUnixNs: bigint
  /** Whether `includeRequestDetails` was asked for. */
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
