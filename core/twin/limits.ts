import type { ClassifyingConfiguration } from '../classify/configuration.ts'
import type { DemandPeriod } from '../contract/forecast.ts'
import { allocate, type AllocationInput, NO_DEMAND, observeDemand } from '../engine/allocation.ts'
import { profileFor } from '../engine/profiles.ts'

/** What decides the current limits of a server from an edit on. */
export interface LimitCourse {
  readonly levels: ClassifyingConfiguration['levels']
  /** gitVersion; it decides which rule applies. */
  readonly version: string
  /** Smoothed demand when the edit is made, seats, by level. */
  readonly smoothed: ReadonlyMap<string, number>
  /** Demand from the edit on, by level, one of each recomputation; from the last one it goes on with the first. */
  readonly demands: ReadonlyMap<string, readonly DemandPeriod[]>
  /** Recomputations that are left out, and that count after them. */
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
