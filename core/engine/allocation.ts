import type { Seats } from '../units.ts'
import type { IntegratorResults } from './clock.ts'
import { goRound } from './seatSeconds.ts'
import { type SolverItem, solve } from './solver.ts'

/** 400 + 200: the default without flags. */
export const DEFAULT_SERVER_LIMIT = 600

/** Seat limits of one level that follow from configuration alone (specification 6.1). */
export interface ConfiguredLimits {
  readonly nominal: number
  readonly min: number
  readonly max: number
}
/** The inputs of a level's configured limits. Absent percentages: nothing to lend, no limit to borrowing. */
export interface SeatShares {
  readonly name: string
  readonly exempt: boolean
  readonly shares: number
  readonly lendablePercent: number | undefined
  readonly borrowingLimitPercent: number | undefined
}

/**
 * The limits of every level, in the given order. All levels that are kept count, including quiescing and imagined ones.
 * `withoutExempt`: only the shares of the others are summed, as before Exempt took part in borrowing.
 */
export function configuredLimits(
  serverLimit: Seats,
  levels: readonly SeatShares[],
  withoutExempt = false,
): readonly ConfiguredLimits[] {
  const shareSum = levels.reduce((sum, { exempt, shares }) => sum + (exempt && withoutExempt ? 0 : shares), 0)
  return levels.map(({ exempt, shares, lendablePercent, borrowingLimitPercent }) => {
    const nominal = shareSum === 0 || (exempt && withoutExempt) ? 0 : Math.ceil((serverLimit * shares) / shareSum)
    const lendable = lendablePercent === undefined ? 0 : goRound((nominal * lendablePercent) / 100)
    const borrowing =
      exempt || borrowingLimitPercent === undefined ? serverLimit : goRound((nominal * borrowingLimitPercent) / 100)
    return { nominal, min: nominal - lendable, max: nominal + borrowing }
  })
}

/** The most seats that the estimate of a request in a queuing level may have (specification 5.2). */
export const maxSeatsPerRequest = (nominal: number, handSize: number): number =>
  Math.max(1, Math.min(Math.ceil(nominal * 0.15), Math.trunc(nominal / handSize)))

/** Seat demand of a level over the last period, smoothed with a half-life of five minutes (specification 6.3). */
export interface DemandStatistics {
  readonly highWatermark: number
  readonly average: number
  readonly stdev: number
  readonly envelope: number
  readonly smoothed: number
}
export const NO_DEMAND: DemandStatistics = { highWatermark: 0, average: 0, stdev: 0, envelope: 0, smoothed: 0 }

/** Weight of the past and its exact complement: 1 − 0.977 would be a different double (trap T4). */
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

/** The inputs of a recomputation for one level. */
export interface AllocationInput {
  readonly name: string
  readonly exempt: boolean
  readonly limits: ConfiguredLimits
  readonly demand: DemandStatistics
  /** The previous CurrentCL, kept if the solver fails. */
  readonly current: number
}

/**
 * Which case of the specification (6.4) applied: `min` (1) and `between` (2) when exempt requests leave too little,
 * `solver` (3) otherwise; `kept` when the solver failed.
 */
export type AllocationRegime = 'min' | 'between' | 'solver' | 'kept'
/** For rules that upstream never had: all levels as configured, or their lower bounds scaled to the available seats. */
export type PlannedRegime = 'nominal' | 'scaled' | 'solver' | 'kept'

/**
 * How borrowing works: in `three-regimes` (specification 6.4), or, in servers up to 1.30, with Exempt as one more item of
 * the solver (6.4a).
 */
export type BorrowingRule = 'three-regimes' | 'exempt-in-solver'

export interface AllocationRules {
  readonly borrowing: BorrowingRule
  /** Trap T48, corrected: the solver distributes the seats that Exempt leaves. Only matters in `three-regimes`. */
  readonly distributeRemaining: boolean
}
const CURRENT_RULES: AllocationRules = { borrowing: 'three-regimes', distributeRemaining: false }

/** Where the solver's factor times the target fell: at a bound, or between the two bounds. */
export type Clamp = 'lower' | 'upper' | 'none'

/** How the limit of one level was determined. */
export interface LevelAllocation extends Omit<AllocationInput, 'current'> {
  /** Lower bound of this recomputation: seats in use count up to the nominal limit. */
  readonly lower: number
  /** Absent for Exempt where the solver does not include it. */
  readonly target: number | undefined
  /** The solver's result before rounding, and what bounded it; only in its regime, and only for its items. */
  readonly allocation: number | undefined
  readonly clamp: Clamp | undefined
  readonly current: number
}

/** A recomputation of all limits with all its intermediate results. */
export interface Allocation<Regime extends string = AllocationRegime | PlannedRegime> {
  readonly regime: Regime
  readonly nominalSum: number
  /** The seats that Exempt leaves; used only to choose the regime (trap T48). */
  readonly remaining: number
  readonly fairFrac: number
  readonly levels: readonly LevelAllocation[]
}

/** One level with the bounds of this recomputation. */
export interface Bounded {
  readonly input: AllocationInput
  readonly lower: number
  readonly target: number | undefined
}

/** Recomputes the current limits (specification 6.4), with the levels in the given order. */
export function allocate(
  inputs: readonly AllocationInput[],
  rules: AllocationRules = CURRENT_RULES,
): Allocation<AllocationRegime> {
  const nominalSum = inputs.reduce((sum, { limits }) => sum + limits.nominal, 0)
  return rules.borrowing === 'exempt-in-solver'
    ? allocateWithExempt(inputs, nominalSum)
    : allocateBesideExempt(inputs, nominalSum, rules)
}

export const lowerOfLimited = ({ limits, demand }: AllocationInput): number =>
  Math.max(limits.min, Math.min(limits.nominal, demand.highWatermark))

function allocateBesideExempt(
  inputs: readonly AllocationInput[],
  nominalSum: number,
  { distributeRemaining }: AllocationRules,
): Allocation<AllocationRegime> {
  let remaining = nominalSum
  let minSum = 0
  let lowerSum = 0
  const bounded = inputs.map((input): Bounded => {
    const { exempt, limits, demand } = input
    if (exempt) {
      const lower = Math.max(limits.min, demand.highWatermark)
      remaining -= lower
      return { input, lower, target: undefined }
    }
    const lower = lowerOfLimited(input)
    minSum += limits.min
    lowerSum += lower
    return { input, lower, target: Math.max(lower, demand.smoothed) }
  })
  const sums = { nominalSum, remaining }
  if (remaining <= minSum) {
    return { regime: 'min', ...sums, fairFrac: 0, levels: bounded.map((one) => unsolved(one, one.input.limits.min)) }
  }
  if (remaining <= lowerSum) {
    const f = (remaining - minSum) / (lowerSum - minSum)
    const currentOf = ({ input: { limits }, lower }: Bounded): number => limits.min + goRound((lower - limits.min) * f)
    return { regime: 'between', ...sums, fairFrac: 0, levels: bounded.map((one) => unsolved(one, currentOf(one))) }
  }
  // Not the remainder: upstream's solver always distributes the whole sum (trap T48).
  return allocateBySolver(bounded, distributeRemaining ? remaining : nominalSum, sums)
}

/** Up to 1.30 (specification 6.4a): Exempt's lower bound is the part that it never lends, not its peak use. */
function allocateWithExempt(inputs: readonly AllocationInput[], nominalSum: number): Allocation<AllocationRegime> {
  const bounded = inputs.map((input): Bounded => {
    const lower = input.exempt ? input.limits.min : lowerOfLimited(input)
    return { input, lower, target: Math.max(lower, input.demand.smoothed) }
  })
  return allocateBySolver(bounded, nominalSum, { nominalSum, remaining: nominalSum })
}

export function allocateBySolver(
  bounded: readonly Bounded[],
  required: number,
  sums: Pick<Allocation, 'nominalSum' | 'remaining'>,
): Allocation<'solver' | 'kept'> {
  const items = bounded.flatMap(({ input, lower, target }): SolverItem[] =>
    target === undefined ? [] : [{ lower, upper: input.limits.max, target }],
  )
  const solution = solve(required, items)
  if (!solution.ok) {
    const levels = bounded.map((one) => unsolved(one, one.input.current))
    return { regime: 'kept', ...sums, fairFrac: 0, levels }
  }
  let item = 0
  const levels = bounded.map((one): LevelAllocation => {
    if (one.target === undefined) return unsolved(one, one.lower)
    const allocation = solution.allocations[item] ?? 0
    item += 1
    const { max } = one.input.limits
    // Where both bounds are equal, the one that holds it.
    const isAtFloor = allocation === one.lower && (one.lower < max || solution.fairFrac * one.target <= max)
    const clamp = isAtFloor ? 'lower' : allocation === max ? 'upper' : 'none'
    return { ...unsolved(one, goRound(allocation)), allocation, clamp }
  })
  return { regime: 'solver', ...sums, fairFrac: solution.fairFrac, levels }
}

/**
 * A level whose limit does not come from the solver; `current` applies to those that Exempt's own rule does not set.
 */
export function unsolved({ input, lower, target }: Bounded, current: number): LevelAllocation {
  const { name, exempt, limits, demand } = input
  const own = exempt && target === undefined ? lower : current
  return { name, exempt, limits, demand, lower, target, allocation: undefined, clamp: undefined, current: own }
}
