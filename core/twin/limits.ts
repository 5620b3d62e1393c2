import type { ClassifyingConfiguration } from '../classify/configuration.ts'
import type { DemandPeriod } from '../contract/forecast.ts'
import { allocate, type AllocationInput, NO_DEMAND, observeDemand } from '../engine/allocation.ts'
import { profileFor } from '../engine/profiles.ts'

/** The input that determines a server's current limits after an edit. */
export interface LimitCourse {
  readonly levels: ClassifyingConfiguration['levels']
  /** gitVersion, which determines the rule that applies. */
  readonly version: string
  /** Smoothed demand at the time of the edit, seats, by level. */
  readonly smoothed: ReadonlyMap<string, number>
  /** Demand from the edit on, by level, one for each recomputation; after the last one it repeats from the first. */
  readonly demands: ReadonlyMap<string, readonly DemandPeriod[]>
  /** Number of recomputations to skip, and number to count after them. */
  readonly settling: number
  readonly counted: number
}

/**
 * Mean current limits over the counted recomputations, seats, by level: the server's own rule (specification 6.3, 6.4) with
 * this demand. The recomputations begin at the `phase`-th demand.
 */
export function meanLimits(course: LimitCourse, phase: number): ReadonlyMap<string, number> {
  const { levels, version, smoothed, demands, settling, counted } = course
  const rules = { borrowing: profileFor(version).borrowing, distributeRemaining: false }
  let inputs = [...levels].map(([name, { plan, limits }]): AllocationInput => ({
    name,
    exempt: plan.exempt,
    limits,
    demand: { ...NO_DEMAND, smoothed: smoothed.get(name) ?? 0 },
    current: limits.nominal,
  }))
  const sums = new Map<string, number>()
  for (let number = 0; number < settling + counted; number++) {
    const demanded = inputs.map((input): AllocationInput => {
      const series = demands.get(input.name) ?? []
      const { average, stdev, highWatermark } = series[(number + phase) % Math.max(1, series.length)] ?? NO_DEMAND
      const period = { duration: 1, average, deviation: stdev, min: 0, max: highWatermark }
      return { ...input, demand: observeDemand(input.demand, period) }
    })
    const { levels: allocated } = allocate(demanded, rules)
    inputs = demanded.map((input, i) => ({ ...input, current: allocated[i]?.current ?? input.current }))
    if (number < settling) continue
    for (const { name, current } of inputs) sums.set(name, (sums.get(name) ?? 0) + current)
  }
  return new Map([...sums].map(([name, sum]) => [name, sum / counted]))
}
