import { type PriorityLevelConfiguration, CATCH_ALL, EXEMPT, type PriorityLevelSpec } from '../config/objects.ts'
import { byCodeUnits } from '../text/text.ts'
import type { Seats } from '../units.ts'
import { isLegalDealer } from '../config/shape.ts'
import { mandatoryLevels } from '../config/builtIn.ts'
import {
  type Allocation,
  type AllocationRules,
  type ConfiguredLimits,
  type DemandStatistics,
  NO_DEMAND,
  allocate,
  configuredLimits,
  maxSeatsPerRequest,
  observeDemand,
  type SeatShares,
} from './allocation.ts'
import { type Clock, Integrator } from './clock.ts'
import type { SeatRequest, QueueSetListener, QueueSetOptions, QueuingConfig } from './queue.ts'
import { QueueSet } from './queueSet.ts'

/** One priority level while the engine keeps it. */
export interface PriorityLevel<R extends SeatRequest> {
  plan: LevelPlan
  /** Its object is gone; it only serves what it holds (specification 7.4). */
  quiescing: boolean
  readonly queueSet: QueueSet<R>
  readonly demandIntegrator: Integrator
  demand: DemandStatistics
  limits: ConfiguredLimits
  /** CurrentCL: the seats that gate dispatching. */
  current: number
  /** Seats that a request may at most be estimated at; 0 when the level has no say (specification 5.2). */
  maxSeats: Seats
}

/** A refused object, which is treated as if it did not exist. */
export interface RefusedLevel {
  readonly name: string
  readonly reason: string
}

/** What a configuration does to a level that it does not hold any more. */
export type LevelDeparture = 'quiescing' | 'removed'

export interface PriorityLevelsOptions<R extends SeatRequest> extends QueueSetOptions {
  readonly serverLimit: Seats
  /** As upstream now does it, without. */
  readonly allocationRules?: AllocationRules
  /** What listens to the queue set of a new level. It passes the seat demand on to the integrator. */
  readonly listen: (name: string, demand: Integrator) => QueueSetListener<R>
  /** After limits were recomputed and are in force; `levels` are all levels by name. */
  readonly onAllocation: (allocation: Allocation, levels: readonly PriorityLevel<R>[]) => void
  readonly onLevel: (level: PriorityLevel<R>, departure: LevelDeparture) => void
}

const byName = (a: { readonly plan: LevelPlan }, b: { readonly plan: LevelPlan }): number =>
  byCodeUnits(a.plan.name, b.plan.name)

/** All levels that the engine keeps: their reaction to configuration and their limits (specification 6, 7). */
export class PriorityLevels<R extends SeatRequest> {
  private readonly clock: Clock
  private readonly options: PriorityLevelsOptions<R>
  private readonly kept = new Map<string, PriorityLevel<R>>()
  private sorted: readonly PriorityLevel<R>[] = []
  private lastRefused: readonly RefusedLevel[] = []

  /** Starts with the imagined levels only, one of which owns all seats (trap T55). */
  constructor(clock: Clock, options: PriorityLevelsOptions<R>) {
    this.clock = clock
    this.options = options
    this.digest([])
  }

  get(name: string): PriorityLevel<R> | undefined {
    return this.kept.get(name)
  }

  /** By name, the fixed order in which limits are computed. */
  all(): readonly PriorityLevel<R>[] {
    return this.sorted
  }

  refused(): readonly RefusedLevel[] {
    return this.lastRefused
  }

  /**
   * Adopts a set of objects. Answers the names of the levels that objects stand for: only those can be referred to, not
   * quiescing or imagined ones (specification 7.3).
   */
  digest(objects: readonly PriorityLevelConfiguration[]): ReadonlySet<string> {
    const accepted = new Set<string>()
    const refused: RefusedLevel[] = []
    for (const object of objects) {
      const reason = refusal(object)
      if (reason === undefined) {
        accepted.add(object.metadata.name)
        this.adopt(planOf(object))
      } else {
        refused.push({ name: object.metadata.name, reason })
      }
    }
    this.lastRefused = refused
    this.retire(accepted)
    for (const plan of IMAGINED_LEVELS) if (!this.kept.has(plan.name)) this.adopt(plan)
    this.sorted = [...this.kept.values()].toSorted(byName)
    this.configureLimits()
    this.adjust()
    return accepted
  }

  /** Ends the observation period of every level and recomputes all limits (specification 6.2, 6.4). */
  adjust(): Allocation {
    for (const level of this.sorted) level.demand = observeDemand(level.demand, level.demandIntegrator.reset())
    const allocation = allocate(
      this.sorted.map(({ plan, limits, demand, current }) => ({
        name: plan.name,
        exempt: plan.exempt,
        limits,
        demand,
        current,
      })),
      this.options.allocationRules,
    )
    for (const [i, level] of this.sorted.entries()) {
      level.current = allocation.levels[i]?.current ?? level.current
      level.queueSet.reconfigure(level.plan.queuing, level.current)
    }
    this.options.onAllocation(allocation, this.sorted)
    return allocation
  }

  private adopt(plan: LevelPlan): void {
    const present = this.kept.get(plan.name)
    if (present !== undefined) {
      present.plan = plan
      present.quiescing = false
      return
    }
    const demandIntegrator = new Integrator(this.clock)
    const listener = this.options.listen(plan.name, demandIntegrator)
    const queueSet = new QueueSet<R>(this.clock, listener, this.options)
    this.kept.set(plan.name, {
      plan,
      quiescing: false,
      queueSet,
      demandIntegrator,
      demand: NO_DEMAND,
      limits: { nominal: 0, min: 0, max: 0 },
      current: -1,
      maxSeats: 0,
    })
  }

  /** Levels whose object is gone: mandatory ones stay as they were last, idle ones go, others quiesce (7.4). */
  private retire(accepted: ReadonlySet<string>): void {
    for (const [name, level] of this.kept) {
      if (accepted.has(name) || IMAGINED_LEVELS.some((plan) => plan.name === name)) continue
      const departs = level.queueSet.idle
      if (departs) this.kept.delete(name)
      if (departs || !level.quiescing) this.options.onLevel(level, departs ? 'removed' : 'quiescing')
      level.quiescing = true
    }
  }

  private configureLimits(): void {
    const limits = configuredLimits(
      this.options.serverLimit,
      this.sorted.map(({ plan }) => plan),
    )
    for (const [i, level] of this.sorted.entries()) {
      level.limits = limits[i] ?? level.limits
      const { nominal, min } = level.limits
      // A new level starts here, which survives only if the solver fails at once (trap T54).
      if (level.current === -1) level.current = nominal - Math.trunc((nominal - min) / 2)
      const { queues, handSize } = level.plan.queuing
      // A level that stops queueing keeps its old cap (trap T46).
      if (queues > 0) level.maxSeats = maxSeatsPerRequest(nominal, handSize)
    }
  }
}

/** What the engine needs of a level's specification. Percentages keep their absence (specification 6.1). */
export interface LevelPlan extends SeatShares {
  /** Empty for levels that no API object stands for (trap T71). */
  readonly uid: string
  readonly queuing: QueuingConfig
}

const WITHOUT_QUEUES = { handSize: 0, queueLengthLimit: 0 }

/** Queues of a level: −1 for Exempt, 0 for Reject (specification 4.1). */
function queuingOf(spec: PriorityLevelSpec): QueuingConfig {
  if (spec.type === 'Exempt') return { queues: -1, ...WITHOUT_QUEUES }
  return spec.limited?.limitResponse.queuing ?? { queues: 0, ...WITHOUT_QUEUES }
}

/** Why the engine treats an object as if it did not exist; `undefined` when it takes it (specification 7.2). */
export function refusal({ metadata, spec }: PriorityLevelConfiguration): string | undefined {
  if ((spec.type === 'Limited') !== (spec.limited !== undefined))
    return 'spec.limited must be there exactly for type Limited'
  if ((spec.type === 'Exempt') !== (spec.exempt !== undefined))
    return 'spec.exempt must be there exactly for type Exempt'
  if ((spec.type === 'Exempt') !== (metadata.name === EXEMPT))
    return 'type Exempt is for the level named exempt and no other'
  if (spec.limited === undefined) return undefined
  const { type, queuing } = spec.limited.limitResponse
  if ((type === 'Reject') !== (queuing === undefined)) return 'queuing must be there exactly for limit response Queue'
  if (queuing !== undefined && queuing.queues > 0 && !isLegalDealer(queuing.queues, queuing.handSize)) {
    return `no hand of ${queuing.handSize} can be dealt from ${queuing.queues} queues`
  }
  return undefined
}

export function planOf({ metadata, spec }: PriorityLevelConfiguration): LevelPlan {
  const shared = spec.limited ?? spec.exempt
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    exempt: spec.type === 'Exempt',
    shares: shared?.nominalConcurrencyShares ?? 0,
    lendablePercent: shared?.lendablePercent,
    borrowingLimitPercent: spec.limited?.borrowingLimitPercent,
    queuing: queuingOf(spec),
  }
}

const planOfBuiltIn = (name: string): LevelPlan => {
  const object = mandatoryLevels.find(({ metadata }) => metadata.name === name)
  if (object === undefined) throw new Error(`${name} is no mandatory level`)
  return planOf(object)
}

/** Levels that exist even when no object says so. */
export const IMAGINED_LEVELS: readonly LevelPlan[] = [planOfBuiltIn(EXEMPT), planOfBuiltIn(CATCH_ALL)]
