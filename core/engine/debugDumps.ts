import type { RequestInfo } from '../classify/requestInfo.ts'
import { ZERO_TIME } from '../metrics/goText.ts'
import { goDuration, goTime, printDump } from '../metrics/dumpText.ts'
import { type Instant, instantToBigInt } from './clock.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { SeatRequest } from './queue.ts'

/** What a dump tells of a request beyond what the queue set knows. */
export interface DumpedRequest {
  readonly flowSchema: string
  readonly distinguisher: string
  readonly user: string
  readonly info: RequestInfo
}

/** Requests that the filter dispatched, by level; the queue sets do not count them (specification 4.13). */
export type DispatchedCounts = ReadonlyMap<string, number>

/** The answer of `dump_priority_levels` (specification 12); the levels are given by name. */
export function dumpPriorityLevels<T>(
  levels: readonly PriorityLevel<SeatRequest<T>>[],
  dispatched: DispatchedCounts,
): string {
  const rows = levels.map(({ plan, quiescing, queueSet }) => [
    plan.name,
    String(queueSet.queues.filter(({ waiting }) => waiting.length > 0).length),
    String(queueSet.idle),
    String(quiescing),
    String(queueSet.waitingCount),
    String(queueSet.executingCount),
    String(dispatched.get(plan.name) ?? 0),
    String(queueSet.rejectedCount),
    // Never counted upstream: time-outs are under rejected and cancelled (trap T24).
    '0',
    String(queueSet.cancelledCount),
  ])
  return printDump(
    [
      'PriorityLevelName',
      'ActiveQueues',
      'IsIdle',
      'IsQuiescing',
      'WaitingRequests',
      'ExecutingRequests',
      'DispatchedRequests',
      'RejectedRequests',
      'TimedoutRequests',
      'CancelledRequests',
    ],
    rows,
  )
}

/** The answer of `dump_queues`. */
export function dumpQueues<T>(levels: readonly PriorityLevel<SeatRequest<T>>[]): string {
  const rows = levels.flatMap(({ plan, queueSet }) =>
    queueSet.queues.map((queue) => [
      plan.name,
      String(queue.index),
      String(queue.waiting.length),
      String(queue.executing.length),
      String(queue.seatsInUse),
      String(queue.S),
      String(queue.initialSeatsWaiting),
      String(queue.maxSeatsWaiting),
      String(queue.workWaiting),
    ]),
  )
  return printDump(
    [
      'PriorityLevelName',
      'Index',
      'PendingRequests',
      'ExecutingRequests',
      'SeatsInUse',
      'NextDispatchR',
      'InitialSeatsSum',
      'MaxSeatsSum',
      'TotalWorkSum',
    ],
    rows,
  )
}

const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // The server spells it so (trap T68).
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
]
const DETAIL_COLUMNS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource']

export interface DumpRequestsOptions<T> {
  readonly describe: (payload: T) => DumpedRequest
  /** Unix nanoseconds at the start of the engine's clock. */
  readonly startUnixNs: bigint
  /** Whether `includeRequestDetails` was asked for. */
  readonly details: boolean
}

/** The answer of `dump_requests`. Lingering requests do not appear. */
export function dumpRequests<T>(
  levels: readonly PriorityLevel<SeatRequest<T>>[],
  options: DumpRequestsOptions<T>,
): string {
  const rows: string[][] = []
  for (const { plan, queueSet } of levels) {
    const add = (request: SeatRequest<T>, queue: number, position: number): void =>
      void rows.push(requestRow(plan.name, request, queue, position, options))
    for (const queue of queueSet.queues) {
      let position = 0
      for (const request of queue.waiting) add(request, queue.index, position++)
      for (const request of queue.executing) add(request, queue.index, -1)
    }
    for (const request of queueSet.queueless) add(request, -1, -1)
  }
  return printDump(options.details ? [...REQUEST_COLUMNS, ...DETAIL_COLUMNS] : REQUEST_COLUMNS, rows)
}

function requestRow<T>(
  level: string,
  request: SeatRequest<T>,
  queue: number,
  position: number,
  { describe, startUnixNs, details }: DumpRequestsOptions<T>,
): string[] {
  const { flowSchema, distinguisher, user, info } = describe(request.payload)
  const time = (instant: Instant): string => goTime(startUnixNs + instantToBigInt(instant))
  const row = [
    level,
    flowSchema,
    String(queue),
    String(position),
    distinguisher,
    time(request.arrivedAt),
    String(request.initialSeats),
    String(request.finalSeats),
    goDuration(request.additionalLatency),
    request.state === 'waiting' ? ZERO_TIME : time(request.startedAt),
  ]
  if (!details) return row
  const version = info.apiGroup === '' ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`
  return [...row, user, info.verb, info.path, info.namespace, info.name, version, info.resource, info.subresource]
}
