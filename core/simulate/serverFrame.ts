import { observed } from './exposed.ts'
import type { Histogram, LevelFrame, MissingFamily, SchemaFrame, ServerFrame } from '../frame/frame.ts'
import { sumRejected } from '../frame/recent.ts'
import { missingFamilies } from '../metrics/catalogue.ts'
import type { EngineSnapshot, LaneSnapshot, LevelSnapshot } from '../engine/snapshot.ts'
import { MS_PER_SECOND, type Nanoseconds, nsToMs, type UnixMs, unixMsAfter } from '../units.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import { groupVersion, type PlacedRequest } from '../engine/dump.ts'
import type { Ticket } from '../engine/ticket.ts'
import type { DumpFrame, DumpRequest } from '../frame/dump.ts'

export interface FrameMeta {
  readonly id: string
  /** gitVersion that the simulated server reports. */
  readonly version: string
}

/** The frame that a scrape at this instant would yield; the engine's own numbers, not parsed from text. */
export function serverFrame(snapshot: EngineSnapshot, { id, version }: FrameMeta): ServerFrame {
  return {
    id,
    at: new Date(snapshot.unixMs).toISOString(),
    version,
    startedAt: snapshot.startUnixMs / MS_PER_SECOND,
    seatFairFrac: snapshot.fairFrac,
    inFlight: { readOnly: snapshot.readOnly.peakExecuting, mutating: snapshot.mutating.peakExecuting },
    inQueue: { readOnly: snapshot.readOnly.peakWaiting, mutating: snapshot.mutating.peakWaiting },
    executingByKind: { readOnly: known(snapshot.readOnly.executing), mutating: known(snapshot.mutating.executing) },
    waitingByKind: { readOnly: known(snapshot.readOnly.waiting), mutating: known(snapshot.mutating.waiting) },
    levels: snapshot.levels.map(levelFrame),
    missing: hiddenIn(version),
  }
}

/** A ratio to nothing, as to the places in queues of a server that has none, has no sum; pages are read likewise. */
const known = (histogram: Histogram | undefined): Histogram | undefined =>
  histogram !== undefined && Number.isFinite(histogram.sum) ? histogram : undefined

/** Parts that this version does not show by default; everything else is present. */
const hiddenIn = (version: string): MissingFamily[] =>
  missingFamilies(version, new Set()).filter(({ reason }) => reason !== 'not-exposed')

function levelFrame(level: LevelSnapshot): LevelFrame {
  const schemas = level.lanes.filter(hasSeries).map(schemaFrame)
  const sum = (of: (schema: SchemaFrame) => number | undefined): number =>
    schemas.reduce((total, schema) => total + (of(schema) ?? 0), 0)
  const { limits, demand, virtualTime, epochAdvances } = level
  return {
    name: level.name,
    limits: { nominal: limits.nominal, lower: limits.min, upper: limits.max, current: level.current },
    seats: { executing: sum(({ seats }) => seats.executing), queued: sum(({ seats }) => seats.queued) },
    requests: { executing: sum(({ requests }) => requests.executing), queued: sum(({ requests }) => requests.queued) },
    demand: {
      highWatermark: demand.highWatermark,
      average: demand.average,
      stdev: demand.stdev,
      smoothed: demand.smoothed,
      ...(level.target !== undefined && { target: level.target }),
    },
    dispatched: sum(({ dispatched }) => dispatched),
    rejected: sumRejected(schemas),
    noAccommodation: sum(({ noAccommodation }) => noAccommodation),
    virtualTime: { ...virtualTime, epochs: epochAdvances.succeeded + epochAdvances.failed },
    seatUtilization: known(level.seatUtilization),
    demandRatio: level.demandRatio,
    executingUtilization: known(level.executingUtilization),
    waitingUtilization: known(level.waitingUtilization),
    schemas,
  }
}

/** A server has no series of a schema before its first request was classified. */
const hasSeries = ({ estimatedSeats }: LaneSnapshot): boolean => estimatedSeats.count > 0

const schemaFrame = (lane: LaneSnapshot): SchemaFrame => ({
  name: lane.schema,
  dispatched: lane.dispatched,
  rejected: { ...lane.rejected },
  seats: { executing: lane.executingSeats, queued: lane.waitingSeats },
  requests: { executing: lane.executingRequests, queued: lane.waitingRequests },
  noAccommodation: lane.noAccommodation,
  wait: observed(lane.wait),
  waitRejected: observed(lane.waitRejected),
  execution: observed(lane.execution),
  executionWatch: observed(lane.executionWatch),
  queueLength: observed(lane.queueLength),
  estimatedSeats: observed(lane.estimatedSeats),
  watchCount: observed(lane.watchCount),
})

/**
 * The debug dumps of this instant, with the details of requests (specification 12). They are read from the engine
 * itself, so that they cost nothing and delay no requests.
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
