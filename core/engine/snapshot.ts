import type { Histogram, RejectReason } from '../frame/frame.ts'
import { byCodeUnits } from '../text/text.ts'
import { type Nanoseconds, type Seats, type SeatSeconds, type UnixMs, unixMsAfter } from '../units.ts'
import type { Allocation, ConfiguredLimits, DemandStatistics } from './allocation.ts'
import type { EngineMode } from './profiles.ts'
import type { LaneSeries, LevelSeries } from './levelSeries.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import type { RequestKind, ServerMeters } from './serverMeters.ts'
import type { Ticket } from './ticket.ts'
import type { DispatchGauges } from './virtualBounds.ts'

/** The numbers of one flow schema in one priority level. Counters are totals since the engine was created. */
export interface LaneSnapshot {
  readonly schema: string
  readonly dispatched: number
  readonly rejected: Readonly<Record<RejectReason, number>>
  readonly waitingRequests: number
  readonly waitingSeats: Seats
  readonly executingRequests: number
  readonly executingSeats: Seats
  readonly noAccommodation: number
  /** Without observations, `count` is 0; a server does not show such a histogram yet. */
  readonly wait: Histogram
  readonly waitRejected: Histogram
  readonly execution: Histogram
  readonly executionWatch: Histogram
  readonly queueLength: Histogram
  readonly estimatedSeats: Histogram
  readonly watchCount: Histogram
}

/** Virtual time in seat-seconds, as the gauges of specification 8.1. */
export interface VirtualTimeSnapshot extends DispatchGauges {
  readonly currentR: SeatSeconds
}

/** One priority level. A level that has left is still here, with `present` false, as a server keeps its series (T69). */
export interface LevelSnapshot {
  readonly name: string
  readonly uid: string
  readonly exempt: boolean
  readonly present: boolean
  readonly quiescing: boolean
  readonly limits: ConfiguredLimits
  /** CurrentCL. */
  readonly current: number
  /** The most seats that the estimate of a request may have; 0 when the level sets no limit (specification 5.2). */
  readonly maxSeatsPerRequest: number
  readonly demand: DemandStatistics
  /** As the gauge `target_seats` shows it, see trap T65. */
  readonly target: number | undefined
  readonly waitingRequests: number
  readonly executingRequests: number
  readonly seatsInUse: number
  /** As the level counts them, with the rest of trap T12. */
  readonly seatsWaiting: number
  /** Seconds. */
  readonly retryAfter: number
  readonly virtualTime: VirtualTimeSnapshot
  /** Epoch advances by success. */
  readonly epochAdvances: { readonly succeeded: number; readonly failed: number }
  /** Time-weighted, in nanoseconds (specification 8.2). */
  readonly seatUtilization: Histogram
  readonly demandRatio: Histogram
  readonly waitingUtilization: Histogram
  readonly executingUtilization: Histogram
  /** By schema name. */
  readonly lanes: readonly LaneSnapshot[]
}

/** Requests of one kind in the whole server. */
export interface KindSnapshot {
  readonly executing: Histogram
  readonly waiting: Histogram
  /** Highest numbers during the last whole second (specification 8.3, trap T67). */
  readonly peakExecuting: number
  readonly peakWaiting: number
}

/** All numbers of an engine at one instant. */
export interface EngineSnapshot {
  readonly mode: EngineMode
  readonly atNs: Nanoseconds
  readonly unixMs: UnixMs
  readonly startUnixMs: UnixMs
  readonly serverLimit: Seats
  /** Factor of the solver, 0 in the constrained cases. */
  readonly fairFrac: number
  /** By name; none under the max-in-flight filter. */
  readonly levels: readonly LevelSnapshot[]
  readonly readOnly: KindSnapshot
  readonly mutating: KindSnapshot
  /** Decisions of the max-in-flight filter since it was created; absent for an engine with levels. */
  readonly filter?: FilterTally
}

/** Requests by decision of the max-in-flight filter; without those that it does not count. */
export interface FilterTally {
  readonly dispatched: number
  readonly rejected: number
}

export interface SnapshotSources<T> {
  readonly mode: EngineMode
  readonly atNs: Nanoseconds
  readonly startUnixMs: UnixMs
  readonly serverLimit: Seats
  /** The latest recomputation of the limits. */
  readonly allocation: Allocation | undefined
  readonly series: readonly LevelSeries<Ticket<T>>[]
  readonly levelNamed: (name: string) => PriorityLevel<Ticket<T>> | undefined
  readonly retryAfter: (level: string) => number
  /** Trap T65, corrected. */
  readonly correctExemptTarget: boolean
  readonly meters: ServerMeters
}

export function takeSnapshot<T>(sources: SnapshotSources<T>): EngineSnapshot {
  const { mode, atNs, startUnixMs, serverLimit, allocation, series, meters } = sources
  return {
    mode,
    atNs,
    unixMs: unixMsAfter(startUnixMs, atNs),
    startUnixMs,
    serverLimit,
    fairFrac: allocation?.fairFrac ?? 0,
    levels: series
      .flatMap((one) => {
        const present = sources.levelNamed(one.name)
        const level = present ?? one.departed
        return level === undefined ? [] : [levelSnapshot(one, level, present !== undefined, sources)]
      })
      .toSorted((a, b) => byCodeUnits(a.name, b.name)),
    readOnly: kindSnapshot(meters.readOnly),
    mutating: kindSnapshot(meters.mutating),
  }
}

function levelSnapshot<T>(
  series: LevelSeries<Ticket<T>>,
  level: PriorityLevel<Ticket<T>>,
  present: boolean,
  { allocation, retryAfter, correctExemptTarget }: SnapshotSources<T>,
): LevelSnapshot {
  const { plan, quiescing, limits, current, maxSeats, demand, queueSet } = level
  return {
    name: plan.name,
    uid: plan.uid,
    exempt: plan.exempt,
    present,
    quiescing,
    limits,
    current,
    maxSeatsPerRequest: maxSeats,
    demand,
    target: reportedTarget(allocation, level, correctExemptTarget),
    waitingRequests: queueSet.waitingCount,
    executingRequests: queueSet.executingCount,
    seatsInUse: queueSet.seatsInUse,
    seatsWaiting: queueSet.seatsWaiting,
    retryAfter: retryAfter(plan.name),
    virtualTime: { currentR: queueSet.R.toSeconds(), ...queueSet.dispatchGauges() },
    epochAdvances: { succeeded: series.epochAdvancesSucceeded, failed: series.epochAdvancesFailed },
    seatUtilization: series.seatUtilization.histogram(),
    demandRatio: series.demandRatio.histogram(),
    waitingUtilization: series.waitingUtilization.histogram(),
    executingUtilization: series.executingUtilization.histogram(),
    lanes: [...series.lanes.values()].map(laneSnapshot).toSorted((a, b) => byCodeUnits(a.schema, b.schema)),
  }
}

/**
 * The target of a level as its gauge shows it. For Exempt, upstream shows the target of a limited level, the first in
 * its random order; here the first by name (trap T65).
 */
function reportedTarget<T>(
  allocation: Allocation | undefined,
  { plan, demand }: PriorityLevel<Ticket<T>>,
  correct: boolean,
): number | undefined {
  const own = allocation?.levels.find(({ name }) => name === plan.name)
  if (own === undefined || !plan.exempt || own.target !== undefined) return own?.target
  if (correct) return Math.max(own.lower, demand.smoothed)
  return allocation?.levels.find(({ exempt }) => !exempt)?.target
}

const laneSnapshot = (series: LaneSeries): LaneSnapshot => ({
  schema: series.schema,
  dispatched: series.dispatched,
  rejected: { ...series.rejected },
  waitingRequests: series.waitingRequests,
  waitingSeats: series.waitingSeats,
  executingRequests: series.executingRequests,
  executingSeats: series.executingSeats,
  noAccommodation: series.noAccommodation,
  wait: series.wait.snapshot(),
  waitRejected: series.waitRejected.snapshot(),
  execution: series.execution.snapshot(),
  executionWatch: series.executionWatch.snapshot(),
  queueLength: series.queueLength.snapshot(),
  estimatedSeats: series.estimatedSeats.snapshot(),
  watchCount: series.watchCount.snapshot(),
})

const kindSnapshot = ({ executing, waiting }: RequestKind): KindSnapshot => ({
  executing: executing.overTime.histogram(),
  waiting: waiting.overTime.histogram(),
  peakExecuting: executing.lastPeak(),
  peakWaiting: waiting.lastPeak(),
})
