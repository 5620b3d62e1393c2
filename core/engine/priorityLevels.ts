import type { PriorityLevelConfiguration } from '../config/objects.ts'
import {
  type Allocation,
  type ConfiguredLimits,
  type DemandStatistics,
  NO_DEMAND,
  allocate,
  configuredLimits,
  maxSeatsPerRequest,
  observeDemand,
} from './allocation.ts'
import type { Clock } from './clock.ts'
import { Integrator } from './integrator.ts'
import { IMAGINED_LEVELS, type LevelPlan, planOf, refusal } from './levelPlan.ts'
import { QueueSet, type QueueSetListener, type QueueSetOptions } from './queueSet.ts'

/** One priority level while the engine keeps it. */
export interface PriorityLevel<T> {
  plan: LevelPlan
  /** Its object is gone; it only serves what it holds (specification 7.4). */
  quiescing: boolean
  readonly queueSet: QueueSet<T>
  readonly demandIntegrator: Integrator
  demand: DemandStatistics
  limits: ConfiguredLimits
  /** CurrentCL: the seats that gate dispatching. */
  current: number
  /** Seats that a request may at most be estimated at; 0 when the level has no say (specification 5.2). */
  maxSeats: number
}

/** A refused object, which is treated as if it did not exist. */
export interface RefusedLevel {
  readonly name: string
  readonly reason: string
}

export interface PriorityLevelsOptions<T> extends QueueSetOptions {
  readonly serverLimit: number
  /** What listens to the queue set of a level, besides its demand integrator. */
  readonly listen: (name: string) => Omit<QueueSetListener<T>, 'demand'>
  readonly onAllocation: (allocation: Allocation) => void
}

const byName = (a: { readonly plan: LevelPlan }, b: { readonly plan: LevelPlan }): number =>
  a.plan.name < b.plan.name ? -1 : 1

/** All levels that the engine keeps: their reaction to configuration and their limits (specification 6, 7). */
export class PriorityLevels<T> {
  private readonly clock: Clock
  private readonly options: PriorityLevelsOptions<T>
  private readonly kept = new Map<string, PriorityLevel<T>>()
  private sorted: readonly PriorityLevel<T>[] = []
  private lastRefused: readonly RefusedLevel[] = []

  /** Starts with the imagined levels only, one of which owns all seats (trap T55). */
  constructor(clock: Clock, options: PriorityLevelsOptions<T>) {
    this.clock = clock
    this.options = options
    this.digest([])
  }

  get(name: string): PriorityLevel<T> | undefined {
    return this.kept.get(name)
  }

  /** By name, the fixed order in which limits are computed. */
  all(): readonly PriorityLevel<T>[] {
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
    )
    for (const [i, level] of this.sorted.entries()) {
      level.current = allocation.levels[i]?.current ?? level.current
      level.queueSet.reconfigure(level.plan.queuing, level.current)
    }
    this.options.onAllocation(allocation)
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
    const queueSet = new QueueSet<T>(
      this.clock,
      { ...this.options.listen(plan.name), demand: (seats) => demandIntegrator.set(seats) },
      this.options,
    )
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
      if (level.queueSet.idle) this.kept.delete(name)
      else level.quiescing = true
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
