import { type AllocationRegime, type BorrowingRule, NO_DEMAND, allocate } from '../engine/allocation.ts'
import type { DemandByLevel } from './demand.ts'
import type { EffectiveLevel } from './effectiveLevels.ts'

/** The limit that the engine computes from a demand, in seats (specification 6.4). */
export interface LimitNow {
  readonly current: number
  /** Absent for Exempt where it is no item of the solver. */
  readonly target: number | undefined
}

/** One recomputation. */
export interface AllocationNow {
  readonly regime: AllocationRegime
  /** The factor p of the solver; 0 outside its regime. */
  readonly fairFraction: number
  /** Of all levels but an Exempt that is outside the solver, whose seats come on top. */
  readonly currentSum: number
}

export interface LimitsNow {
  readonly allocation: AllocationNow
  readonly levels: ReadonlyMap<string, LimitNow>
}

/** Recomputes the limits of all levels from a demand. A level without demand is taken to be idle. */
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
      // Where a level begins that the server did not have (specification 6.1).
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
