import type { ApfEngine } from '../engine/apfEngine.ts'
import { groupVersion } from '../engine/debugDumps.ts'
import type { PlacedRequest } from '../engine/dump.ts'
import type { Ticket } from '../engine/ticket.ts'
import type { DumpFrame, DumpRequest } from '../frame/dump.ts'
import { type Nanoseconds, nsToMs, type UnixMs, unixMsAfter } from '../units.ts'

/**
 * What the debug dumps of this instant would show, with the details of requests (specification 12). They are read from the
 * engine itself, so that they cost nothing and hold nobody up.
 */
export function dumpFrame<T>(server: string, engine: ApfEngine<T>): DumpFrame {
  const { startUnixMs, levels, queues, requests } = engine.dump()
  const timeOf = (ns: Nanoseconds): UnixMs => unixMsAfter(startUnixMs, ns)
  return {
    server,
    at: new Date(timeOf(engine.nowNs)).toISOString(),
    costMs: 0,
    bytes: 0,
    levels: [...levels],
    queues: queues.map(({ nextDispatchR, totalWork, ...queue }) => ({
      ...queue,
      nextDispatchR: nextDispatchR.toSeconds(),
      totalWork: totalWork.toSeconds(),
    })),
    requests: requests.map((placed) => requestOf(placed, timeOf)),
    errors: [],
  }
}

function requestOf<T>(
  { level, ticket, queue, position }: PlacedRequest<Ticket<T>>,
  timeOf: (ns: Nanoseconds) => UnixMs,
): DumpRequest {
  const { user, info } = ticket.payload
  return {
    level,
    schema: ticket.lane.schema,
    queue,
    position,
    flow: ticket.flow?.distinguisher ?? '',
    arrivedAt: timeOf(ticket.arrivedNs),
    initialSeats: ticket.initialSeats,
    finalSeats: ticket.finalSeats,
    additionalLatencyMs: nsToMs(ticket.additionalLatency),
    ...(ticket.state === 'waiting' ? {} : { startedAt: timeOf(ticket.startedNs) }),
    user: user.name,
    verb: info.verb,
    path: info.path,
    namespace: info.namespace,
    name: info.name,
    apiVersion: groupVersion(info),
    resource: info.resource,
    subresource: info.subresource,
  }
}
