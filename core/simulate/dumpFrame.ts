import type { DumpFrame, DumpRequest } from '../frame/dump.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import { type Instant, instantToBigInt } from '../engine/clock.ts'
import type { PriorityLevel } from '../engine/priorityLevels.ts'
import type { EngineSnapshot } from '../engine/snapshot.ts'
import type { Ticket } from '../engine/ticket.ts'

const NS_PER_MS = 1e6

/**
 * What the debug dumps of this instant would show, with the details of requests (specification 12). They are read from the
 * engine itself, so that they cost nothing and hold nobody up.
 */
export function dumpFrame<T>(server: string, engine: ApfEngine<T>): DumpFrame {
  const snapshot = engine.snapshot()
  const levels = engine.levels()
  const dispatched = dispatchedByLevel(snapshot)
  const timeOf = (instant: Instant): number => snapshot.startUnixMs + Number(instantToBigInt(instant)) / NS_PER_MS
  return {
    server,
    at: new Date(snapshot.unixMs).toISOString(),
    costMs: 0,
    bytes: 0,
    levels: levels.map(({ plan, quiescing, queueSet }) => ({
      name: plan.name,
      activeQueues: queueSet.queues.filter(({ waiting }) => waiting.length > 0).length,
      idle: queueSet.idle,
      quiescing,
      waiting: queueSet.waitingCount,
      executing: queueSet.executingCount,
      dispatched: dispatched.get(plan.name) ?? 0,
      rejected: queueSet.rejectedCount,
      // Never counted upstream: time-outs are under rejected and cancelled (trap T24).
      timedOut: 0,
      cancelled: queueSet.cancelledCount,
    })),
    queues: levels.flatMap(({ plan, queueSet }) =>
      queueSet.queues.map((queue) => ({
        level: plan.name,
        index: queue.index,
        pending: queue.waiting.length,
        executing: queue.executing.length,
        seatsInUse: queue.seatsInUse,
        nextDispatchR: queue.S.toSeconds(),
        initialSeats: queue.initialSeatsWaiting,
        maxSeats: queue.maxSeatsWaiting,
        totalWork: queue.workWaiting.toSeconds(),
      })),
    ),
    requests: levels.flatMap((level) => requestsOf(level, timeOf)),
    errors: [],
  }
}

/** Requests that the filter dispatched, by level; the queue sets do not count them (specification 4.13). */
export const dispatchedByLevel = ({ levels }: EngineSnapshot): ReadonlyMap<string, number> =>
  new Map(levels.map(({ name, lanes }) => [name, lanes.reduce((sum, { dispatched }) => sum + dispatched, 0)]))

/** Queue by queue, those that wait before those that execute; then those without a queue. Lingering ones do not appear. */
function requestsOf<T>(
  { plan, queueSet }: PriorityLevel<Ticket<T>>,
  timeOf: (instant: Instant) => number,
): readonly DumpRequest[] {
  const rows: DumpRequest[] = []
  const add = (ticket: Ticket<T>, queue: number, position: number): void =>
    void rows.push(requestOf(ticket, plan.name, queue, position, timeOf))
  for (const queue of queueSet.queues) {
    let position = 0
    for (const ticket of queue.waiting) add(ticket, queue.index, position++)
    for (const ticket of queue.executing) add(ticket, queue.index, -1)
  }
  for (const ticket of queueSet.queueless) add(ticket, -1, -1)
  return rows
}

function requestOf<T>(
  ticket: Ticket<T>,
  level: string,
  queue: number,
  position: number,
  timeOf: (instant: Instant) => number,
): DumpRequest {
  const { user, info } = ticket.payload
  return {
    level,
    schema: ticket.lane.schema,
    queue,
    position,
    flow: ticket.flow?.distinguisher ?? '',
    arrivedAt: timeOf(ticket.arrivedAt),
    initialSeats: ticket.initialSeats,
    finalSeats: ticket.finalSeats,
    additionalLatencyMs: ticket.additionalLatency / NS_PER_MS,
    ...(ticket.state === 'waiting' ? {} : { startedAt: timeOf(ticket.startedAt) }),
    user: user.name,
    verb: info.verb,
    path: info.path,
    namespace: info.namespace,
    name: info.name,
    apiVersion: info.apiGroup === '' ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`,
    resource: info.resource,
    subresource: info.subresource,
  }
}
