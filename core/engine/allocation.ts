import type { IntegratorResults } from './integrator.ts'
import { goRound } from './seatSeconds.ts'
import { type SolverItem, solve } from './solver.ts'

/** Seat limits of one level that follow from configuration alone (specification 6.1). */
export interface ConfiguredLimits {
  readonly nominal: number
  readonly min: number
  readonly max: number
}
/** What the configured limits of a level depend on. Percentages of absent members: nothing to lend, no limit to borrow. */
export interface SeatShares {
  readonly name: string
  readonly exempt: boolean
  readonly shares: number
  readonly lendablePercent: number | undefined
  readonly borrowingLimitPercent: number | undefined
}

/** The limits of every level, in the given order. All levels that are kept count, quiescing and imagined ones too. */
export function configuredLimits(serverLimit: number, levels: readonly SeatShares[]): readonly ConfiguredLimits[] {
  const shareSum = levels.reduce((sum, { shares }) => sum + shares, 0)
  return levels.map(({ exempt, shares, lendablePercent, borrowingLimitPercent }) => {
    const nominal = shareSum === 0 ? 0 : Math.ceil((serverLimit * shares) / shareSum)
    const lendable = lendablePercent === undefined ? 0 : goRound((nominal * lendablePercent) / 100)
    const borrowing =
      exempt || borrowingLimitPercent === undefined ? serverLimit : goRound((nominal * borrowingLimitPercent) / 100)
    return { nominal, min: nominal - lendable, max: nominal + borrowing }
  })
}

/** Seats that a request of a queuing level may at most be estimated at (specification 5.2). */
export const maxSeatsPerRequest = (nominal: number, handSize: number): number =>
  Math.max(1, Math.min(Math.ceil(nominal * 0.15), Math.trunc(nominal / handSize)))

/** Seat demand of a level over the last period, remembered with a half-life of five minutes (specification 6.3). */
export interface DemandStatistics {
  readonly highWatermark: number
  readonly average: number
  readonly stdev: number
  readonly envelope: number
  readonly smoothed: number
}
export const NO_DEMAND: DemandStatistics = { highWatermark: 0, average: 0, stdev: 0, envelope: 0, smoothed: 0 }

/** Weight of the past and, exactly, its complement: 1 − 0.977 is another double (trap T4). */
const REMEMBERED = 0.977
const OBSERVED = 0.023

export function observeDemand(before: DemandStatistics, period: IntegratorResults): DemandStatistics {
  const highWatermark = goRound(period.max)
  if (period.duration <= 0) return { ...before, highWatermark }
  const stdev = Number.isNaN(period.deviation) ? 0 : period.deviation
  const envelope = period.average + stdev
  const smoothed = Math.max(envelope, REMEMBERED * before.smoothed + OBSERVED * envelope)
  return { highWatermark, average: period.average, stdev, envelope, smoothed }
}

/** What a recomputation looks at, one level. */
export interface AllocationInput {
  readonly name: string
  readonly exempt: boolean
  readonly limits: ConfiguredLimits
  readonly demand: DemandStatistics
  /** CurrentCL before, kept should the solver refuse. */
  readonly current: number
}

/**
 * Which of the cases of the specification (6.4) decided: `min` (1) and `between` (2) when exempt requests leave too
 * little, `solver` (3) otherwise; `kept` when the solver refused.
 */
export type AllocationRegime = 'min' | 'between' | 'solver' | 'kept'

/** How one level came to its limit. */
export interface LevelAllocation {
  readonly name: string
  readonly exempt: boolean
  readonly limits: ConfiguredLimits
  readonly demand: DemandStatistics
  /** Lower bound of this recomputation: what is in use counts up to the nominal limit. */
  readonly lower: number
  /** Absent for Exempt, which is no item of the solver. */
  readonly target: number | undefined
  /** The solver's answer before rounding; only in its regime. */
  readonly allocation: number | undefined
  readonly current: number
}

/** A recomputation of all limits and everything that it followed from. */
export interface Allocation {
  readonly regime: AllocationRegime
  readonly nominalSum: number
  /** What Exempt leaves of it; only decides the regime (trap T48). */
  readonly remaining: number
  readonly fairFrac: number
  readonly levels: readonly LevelAllocation[]
}

/** Recomputes the current limits (specification 6.4), with the levels in the given order. */
export function allocate(inputs: readonly AllocationInput[]): Allocation {
  const nominalSum = inputs.reduce((sum, { limits }) => sum + limits.nominal, 0)
  let remaining = nominalSum
  let minSum = 0
  let lowerSum = 0
  const lowers = inputs.map(({ exempt, limits, demand }) => {
    if (exempt) {
      const taken = Math.max(limits.min, demand.highWatermark)
      remaining -= taken
      return taken
    }
    const lower = Math.max(limits.min, Math.min(limits.nominal, demand.highWatermark))
    minSum += limits.min
    lowerSum += lower
    return lower
  })
  const items: SolverItem[] = []
  const bounded = inputs.map((input, i) => {
    const lower = lowers[i] ?? 0
    if (input.exempt) return { input, lower, target: undefined }
    const target = Math.max(lower, input.demand.smoothed)
    items.push({ lower, upper: input.limits.max, target })
    return { input, lower, target }
  })

  const result = (
    regime: AllocationRegime,
    fairFrac: number,
    currentOf: (one: (typeof bounded)[number]) => { current: number; allocation?: number },
  ): Allocation => ({
    regime,
    nominalSum,
    remaining,
    fairFrac,
    levels: bounded.map((one) => {
      const { name, exempt, limits, demand } = one.input
      const { current, allocation } = exempt ? { current: one.lower, allocation: undefined } : currentOf(one)
      return { name, exempt, limits, demand, lower: one.lower, target: one.target, allocation, current }
    }),
  })

  if (remaining <= minSum) return result('min', 0, ({ input }) => ({ current: input.limits.min }))
  if (remaining <= lowerSum) {
    const f = (remaining - minSum) / (lowerSum - minSum)
    return result('between', 0, ({ input: { limits }, lower }) => ({
      current: limits.min + goRound((lower - limits.min) * f),
    }))
  }
  // Not what remains: the solver always distributes the whole sum (trap T48).
  const solution = solve(nominalSum, items)
  if (!solution.ok) return result('kept', 0, ({ input }) => ({ current: input.current }))
  let item = -1
  return result('solver', solution.fairFrac, () => {
    item += 1
    const allocation = solution.allocations[item] ?? 0
    return { current: goRound(allocation), allocation }
  })
}
