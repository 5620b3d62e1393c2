import type { PriorityLevelConfiguration } from '../config/objects.ts'
import { byCodeUnits } from '../text/text.ts'
import type { Seats } from '../units.ts'
import {
  type Allocation,
  type AllocationInput,
  type AllocationRules,
  type ConfiguredLimits,
  type DemandStatistics,
  NO_DEMAND,
  allocate,
  configuredLimits,
  maxSeatsPerRequest,
  observeDemand,
} from './allocation.ts'
import { type Clock, Integrator } from './clock.ts'
import type { SeatRequest } from './queue.ts'
import { IMAGINED_LEVELS, type LevelPlan, planOf, refusal } from './levelPlan.ts'
import { allocateAsPlanned, type PlannedBorrowing } from './plannedAllocation.ts'
import { QueueSet, type QueueSetListener, type QueueSetOptions } from './queueSet.ts'

/** One priority level while the engine keeps it. */
export interface PriorityLevel<R extends SeatRequest> {
  plan: LevelPlan
  /** Its object is gone; it only serves its remaining requests (specification 7.4). */
  quiescing: boolean
  readonly queueSet: QueueSet<R>
  readonly demandIntegrator: Integrator
  demand: DemandStatistics
  limits: ConfiguredLimits
  /** CurrentCL: the seats that limit dispatching. */
  current: number
  /** The most seats that the estimate of a request may have; 0 when the level sets no limit (specification 5.2). */
  maxSeats: Seats
}

/** An object that the engine ignores, and why. */
export interface RefusedLevel {
  readonly name: string
  readonly reason: string
}

/** Effect of a configuration on a level that is no longer in it. */
export type LevelDeparture = 'quiescing' | 'removed'

export interface PriorityLevelsOptions<R extends SeatRequest> extends QueueSetOptions {
  readonly serverLimit: Seats
  /** As in current upstream if absent. */
  readonly allocationRules?: AllocationRules
  /** Replaces the above by borrowing rules that upstream never had. */
  readonly planned?: PlannedBorrowing | undefined
  /** The listener of a new level's queue set. It passes the seat demand on to the integrator. */
  readonly listen: (name: string, demand: Integrator) => QueueSetListener<R>
  /** Called after recomputed limits are in force; `levels` are all levels by name. */
  readonly onAllocation: (allocation: Allocation, levels: readonly PriorityLevel<R>[]) => void
  readonly onLevel: (level: PriorityLevel<R>, departure: LevelDeparture) => void
}

const byName = (a: { readonly plan: LevelPlan }, b: { readonly plan: LevelPlan }): number =>
  byCodeUnits(a.plan.name, b.plan.name)

/** All levels that the engine keeps: how they follow the configuration, and their limits (specification 6, 7). */
export class PriorityLevels<R extends SeatRequest> {
  private readonly clock: Clock
  private readonly options: PriorityLevelsOptions<R>
  private readonly kept = new Map<string, PriorityLevel<R>>()
  private sorted: readonly PriorityLevel<R>[] = []
  private lastRefused: readonly RefusedLevel[] = []

  /** Starts with only the imagined levels, one of which has all seats (trap T55). */
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
   * Adopts a set of objects. Returns the names of the levels with objects: flow schemas can refer only to these, not to
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
    const allocation = this.allocation(
      this.sorted.map(({ plan, limits, demand, current }) => ({
        name: plan.name,
        exempt: plan.exempt,
        limits,
        demand,
        current,
      })),
    )
    for (const [i, level] of this.sorted.entries()) {
      level.current = allocation.levels[i]?.current ?? level.current
      level.queueSet.reconfigure(level.plan.queuing, level.current)
    }
    this.options.onAllocation(allocation, this.sorted)
    return allocation
  }

  private allocation(inputs: readonly AllocationInput[]): Allocation {
    const { planned, serverLimit, allocationRules } = this.options
    return planned === undefined ? allocate(inputs, allocationRules) : allocateAsPlanned(inputs, serverLimit, planned)
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

  /**
   * Levels whose object is gone: mandatory ones keep their last configuration, idle ones leave, others quiesce (7.4).
   */
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
      this.options.planned === 'none' || this.options.planned === 'limited-only',
    )
    for (const [i, level] of this.sorted.entries()) {
      level.limits = limits[i] ?? level.limits
      const { nominal, min } = level.limits
      // The initial value of a new level, which remains only if the solver fails at once (trap T54).
      if (level.current === -1) level.current = nominal - Math.trunc((nominal - min) / 2)
      const { queues, handSize } = level.plan.queuing
      // A level that stops queueing keeps its old cap (trap T46).
      if (queues > 0) level.maxSeats = maxSeatsPerRequest(nominal, handSize)
    }
  }
}
