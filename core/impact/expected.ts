import {
  allocate,
  NO_DEMAND,
  type AllocationInput,
  type AllocationRegime,
  type AllocationRules,
  type BorrowingRule,
  type Clamp,
  type LevelAllocation,
} from '../engine/allocation.ts'
import { profileFor } from '../engine/profiles.ts'
import type { Demand, Limits } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'

/**
 * Expected current limits by the specification (6.4, 6.4a), computed from a server's own report of its limits and
 * demand, and whether the reported limits equal them.
 */

/** The data of one page of a server about one recomputation; frames and adjustment steps have this shape. */
export interface ReportedAllocation {
  /** gitVersion; it determines which rule applies. */
  readonly version?: string | undefined
  readonly seatFairFrac?: number | undefined
  readonly levels: readonly ReportedLevel[]
}
export interface ReportedLevel {
  readonly name: string
  readonly limits: Limits
  readonly demand: Demand
}

/**
 * The reason for a level's limit.
 * - `takes-what-it-uses`: Exempt, outside the solver: its high watermark, at least its min.
 * - `raised-to-floor`, `at-p`, `capped`: where p × target fell: below its bounds, between them, above them.
 * - `at-min`, `interpolated`: cases 1 and 2, when Exempt leaves too little.
 * - `kept`: the solver failed, so the previous limit stays.
 */
export type LevelVerdict =
  'takes-what-it-uses' | 'raised-to-floor' | 'at-p' | 'capped' | 'at-min' | 'interpolated' | 'kept'

export interface ExpectedLevel {
  readonly name: string
  readonly exempt: boolean
  /** Seats, as reported. */
  readonly nominal: number
  readonly min: number
  readonly max: number
  /** Lower bound of this recomputation. */
  readonly floor: number
  /** Absent for Exempt if it is not an item of the solver. */
  readonly target: number | undefined
  /** p × target, before it is bounded by floor and max; only if the solver decided. */
  readonly share: number | undefined
  /** Before rounding; only if the solver decided. */
  readonly allocation: number | undefined
  readonly verdict: LevelVerdict
  readonly expected: number
  readonly reported: number | undefined
  readonly agrees: boolean | undefined
}

export type Comparison =
  | { readonly kind: 'equal' }
  /** `fairFraction` when the reported one differs from the expected one. */
  | { readonly kind: 'differs'; readonly levels: readonly string[]; readonly fairFraction: boolean }
  | { readonly kind: 'not-comparable'; readonly why: 'limits-missing' | 'kept' }

export interface ExpectedAllocation {
  readonly kind: 'known'
  readonly rule: BorrowingRule
  readonly regime: AllocationRegime
  /** Sum of all nominal limits: the seats that are divided. */
  readonly nominalSum: number
  /** What the high watermark of Exempt leaves of them; it only decides the case. */
  readonly remaining: number
  /** Sums over the levels that share: the Limited ones, and Exempt if it is an item of the solver. */
  readonly minSum: number
  readonly floorSum: number
  /** Case 2: the position of every limit between min and floor, 0 to 1. */
  readonly interpolation: number | undefined
  readonly fairFraction: number
  readonly reportedFairFraction: number | undefined
  /** In the order of the page. */
  readonly levels: readonly ExpectedLevel[]
  readonly comparison: Comparison
}

/** Gauges without which the limits cannot be computed. */
export const NEEDED_GAUGES = ['nominal', 'lower', 'upper', 'highWatermark', 'smoothed'] as const
export type NeededGauge = (typeof NEEDED_GAUGES)[number]

export interface UnknownAllocation {
  readonly kind: 'unknown'
  /** Values that are not reported for at least one level; empty when there are no levels. */
  readonly missing: readonly NeededGauge[]
}

/** Of one recomputation: of a torn page, which mixes two, the differences mean nothing. */
export function expectedAllocation(reported: ReportedAllocation): ExpectedAllocation | UnknownAllocation {
  const missing = NEEDED_GAUGES.filter((gauge) => reported.levels.some((level) => gaugeOf(level, gauge) === undefined))
  if (missing.length > 0 || reported.levels.length === 0) return { kind: 'unknown', missing }

  const rules: AllocationRules = { borrowing: profileFor(reported.version).borrowing, distributeRemaining: false }
  const { regime, nominalSum, remaining, fairFrac, levels } = allocate(reported.levels.map(inputOf), rules)
  const sharing = levels.filter(({ target }) => target !== undefined)
  const minSum = sumOf(sharing, ({ limits }) => limits.min)
  const floorSum = sumOf(sharing, ({ lower }) => lower)
  const explained = levels.map((level, i) => explainLevel(level, regime, fairFrac, reported.levels[i]?.limits.current))
  return {
    kind: 'known',
    rule: rules.borrowing,
    regime,
    nominalSum,
    remaining,
    minSum,
    floorSum,
    interpolation: regime === 'between' ? (remaining - minSum) / (floorSum - minSum) : undefined,
    fairFraction: fairFrac,
    reportedFairFraction: reported.seatFairFrac,
    levels: explained,
    comparison: compare(explained, regime, fairFrac, reported.seatFairFrac),
  }
}

function gaugeOf({ limits, demand }: ReportedLevel, gauge: NeededGauge): number | undefined {
  return gauge === 'highWatermark' || gauge === 'smoothed' ? demand[gauge] : limits[gauge]
}

function inputOf(level: ReportedLevel): AllocationInput {
  const { name, limits, demand } = level
  const { nominal = 0, lower: min = 0, upper: max = 0, current = 0 } = limits
  const { highWatermark = 0, smoothed = 0 } = demand
  return {
    name,
    exempt: isExempt(level),
    limits: { nominal, min, max },
    demand: { ...NO_DEMAND, highWatermark, smoothed },
    current,
  }
}

function explainLevel(
  { name, exempt, limits, lower, target, allocation, clamp, current }: LevelAllocation,
  regime: AllocationRegime,
  fairFrac: number,
  reported: number | undefined,
): ExpectedLevel {
  const verdict =
    target === undefined ? 'takes-what-it-uses' : clamp === undefined ? WITHOUT_SOLVER[regime] : CLAMPED[clamp]
  return {
    name,
    exempt,
    ...limits,
    floor: lower,
    target,
    share: allocation === undefined || target === undefined ? undefined : fairFrac * target,
    allocation,
    verdict,
    expected: current,
    reported,
    agrees: reported === undefined || verdict === 'kept' ? undefined : isRoundingOf(reported, current, allocation),
  }
}

const CLAMPED: Readonly<Record<Clamp, LevelVerdict>> = { lower: 'raised-to-floor', none: 'at-p', upper: 'capped' }
const WITHOUT_SOLVER: Readonly<Record<AllocationRegime, LevelVerdict>> = {
  min: 'at-min',
  between: 'interpolated',
  kept: 'kept',
  solver: 'at-p',
}

/**
 * The server adds up its levels in a random order, which changes the fair fraction by about 1e-10 of its value
 * (specification 6.5). An allocation that close to a half may be rounded either way.
 */
const TOLERANCE = 1e-9

function isRoundingOf(reported: number, expected: number, allocation: number | undefined): boolean {
  if (reported === expected) return true
  return allocation !== undefined && Math.abs(reported - allocation) <= 0.5 + TOLERANCE * Math.max(1, allocation)
}

function compare(
  levels: readonly ExpectedLevel[],
  regime: AllocationRegime,
  expectedFraction: number,
  reportedFraction: number | undefined,
): Comparison {
  if (regime === 'kept') return { kind: 'not-comparable', why: 'kept' }
  if (levels.some(({ reported }) => reported === undefined)) return { kind: 'not-comparable', why: 'limits-missing' }
  const differing = levels.filter(({ agrees }) => agrees === false).map(({ name }) => name)
  const fairFraction =
    reportedFraction !== undefined &&
    Math.abs(reportedFraction - expectedFraction) > TOLERANCE * Math.max(1, expectedFraction)
  return differing.length === 0 && !fairFraction
    ? { kind: 'equal' }
    : { kind: 'differs', levels: differing, fairFraction }
}

const sumOf = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0)
