import { classifyingConfiguration } from '../classify/configuration.ts'
import { defaultLevel, type ObjectSet } from '../config/objects.ts'
import {
  type ConfiguredLimits,
  type AllocationRegime,
  type BorrowingRule,
  NO_DEMAND,
  allocate,
} from '../engine/allocation.ts'
import type { LevelPlan } from '../engine/levelPlan.ts'
import { type EstimatorProfile, estimateUnknown } from '../engine/workEstimator.ts'
import type { Seats } from '../units.ts'
import type { ReportedLevel } from './expected.ts'

/**
 * The effective values of one level on a server with a configuration (specification 5.2, 6.1). Seats unless stated
 * otherwise.
 */
export interface LevelSeats {
  readonly type: 'Exempt' | 'Queue' | 'Reject'
  /** It has no object: the server creates the built-in one internally. */
  readonly imagined: boolean
  readonly shares: number
  readonly nominal: number
  readonly lower: number
  readonly upper: number
  /**
   * The level's cap of seats per request; 0 when it has no cap (Exempt, Reject). A level that was switched from Queue to
   * Reject keeps the cap that it had (trap T46).
   */
  readonly maxSeatsPerRequest: number
  /** Most seats of one list on this server version, including the cap of the level. */
  readonly widestRequest: number
  /** Absent without queues. */
  readonly queues?: QueueCapacity
}

/** Requests, not seats. */
export interface QueueCapacity {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
  /** queues × queueLengthLimit. */
  readonly total: number
  /** handSize × queueLengthLimit: most waiting requests of one flow. */
  readonly perFlow: number
}

/** The state of a level in the engine. */
export interface EffectiveLevel {
  readonly plan: LevelPlan
  readonly limits: ConfiguredLimits
  readonly seats: LevelSeats
}

/** An object that the server stores and its engine ignores (specification 7.2). */
export interface RefusedLevel {
  readonly name: string
  readonly why: string
}

export interface EffectiveLevels {
  /**
   * By name, in that order: mandatory levels that the server creates internally are included, rejected ones are not.
   */
  readonly levels: ReadonlyMap<string, EffectiveLevel>
  readonly refused: readonly RefusedLevel[]
}

/**
 * The levels of a configuration on a server with this many seats. `before` are the previous levels of its server, whose
 * caps it remembers.
 */
export function effectiveLevels(
  objects: ObjectSet,
  serverLimit: Seats,
  estimator: EstimatorProfile,
  before?: EffectiveLevels,
): EffectiveLevels {
  const stored = objects.levels.map(defaultLevel)
  const accepted = new Set(stored.map(({ metadata }) => metadata.name))
  const { levels, refused } = classifyingConfiguration({ levels: stored, schemas: [] }, serverLimit)
  const seatsOf = (plan: LevelPlan, limits: ConfiguredLimits, maxSeats: Seats): LevelSeats => {
    const { queues } = plan.queuing
    const remembered = queues === 0 ? (before?.levels.get(plan.name)?.seats.maxSeatsPerRequest ?? 0) : 0
    const cap = queues > 0 ? maxSeats : remembered
    return {
      type: plan.exempt ? 'Exempt' : queues > 0 ? 'Queue' : 'Reject',
      imagined: !accepted.has(plan.name) || refused.has(plan.name),
      shares: plan.shares,
      nominal: limits.nominal,
      lower: limits.min,
      upper: limits.max,
      maxSeatsPerRequest: cap,
      widestRequest: estimateUnknown(estimator, cap).initialSeats,
      ...(queues > 0 && { queues: capacityOf(plan.queuing) }),
    }
  }
  return {
    levels: new Map(
      [...levels].map(([name, { plan, limits, maxSeats }]) => [
        name,
        { plan, limits, seats: seatsOf(plan, limits, maxSeats) },
      ]),
    ),
    refused: [...refused].map(([name, why]) => ({ name, why })),
  }
}

const capacityOf = ({ queues, handSize, queueLengthLimit }: LevelPlan['queuing']): QueueCapacity => ({
  queues,
  handSize,
  queueLengthLimit,
  total: queues * queueLengthLimit,
  perFlow: handSize * queueLengthLimit,
})

/** Demand of one level over the last period, in seats (specification 6.3). */
interface LevelDemand {
  readonly highWatermark: number
  readonly smoothed: number
  /** The limit that the server reports. */
  readonly current?: number
}
export type DemandByLevel = ReadonlyMap<string, LevelDemand>

/**
 * Demand as a page or a recomputation of one server reports it; `undefined` when it does not cover every level, because
 * then no limit can be computed.
 */
export function demandOf(reported: { readonly levels: readonly ReportedLevel[] }): DemandByLevel | undefined {
  const demand = new Map<string, LevelDemand>()
  for (const { name, limits, demand: of } of reported.levels) {
    const { highWatermark, smoothed } = of
    if (highWatermark === undefined || smoothed === undefined) return undefined
    const { current } = limits
    demand.set(name, { highWatermark, smoothed, ...(current !== undefined && { current }) })
  }
  return demand.size === 0 ? undefined : demand
}

/** The limit that the engine computes from a demand, in seats (specification 6.4). */
export interface LimitNow {
  readonly current: number
  /** Absent for Exempt if it is not an item of the solver. */
  readonly target: number | undefined
}

/** One recomputation. */
export interface AllocationNow {
  readonly regime: AllocationRegime
  /** The factor p of the solver; 0 outside its regime. */
  readonly fairFraction: number
  /** Of all levels except an Exempt outside the solver, whose seats come on top. */
  readonly currentSum: number
}

export interface LimitsNow {
  readonly allocation: AllocationNow
  readonly levels: ReadonlyMap<string, LimitNow>
}

/** Recomputes the limits of all levels from a demand. A level without demand is assumed to be idle. */
export function limitsNow(
  levels: ReadonlyMap<string, EffectiveLevel>,
  demand: DemandByLevel,
  borrowing: BorrowingRule,
): LimitsNow {
  const inputs = [...levels].map(([name, { plan, limits }]) => {
    const { highWatermark = 0, smoothed = 0, current } = demand.get(name) ?? {}
    return {
      name,
      exempt: plan.exempt,
      limits,
      demand: { ...NO_DEMAND, highWatermark, smoothed },
      // The initial values of a level that the server did not have (specification 6.1).
      current: current ?? limits.nominal - Math.trunc((limits.nominal - limits.min) / 2),
    }
  })
  const { regime, fairFrac, levels: allocated } = allocate(inputs, { borrowing, distributeRemaining: false })
  return {
    allocation: {
      regime,
      fairFraction: fairFrac,
      currentSum: allocated.reduce(
        (sum, { current, exempt, target }) => (exempt && target === undefined ? sum : sum + current),
        0,
      ),
    },
    levels: new Map(allocated.map(({ name, current, target }) => [name, { current, target }])),
  }
}
