import { adjustmentLedger, type AdjustmentLedger } from '../../../core/impact/adjustmentLedger.ts'
import type { AdjustmentLevel, AdjustmentStep } from '../../../core/frame/derived.ts'
import {
  expectedAllocation,
  type ExpectedAllocation,
  type ExpectedLevel,
  type UnknownAllocation,
} from '../../../core/impact/expected.ts'
import { differenceCause, type DifferenceCause } from '../../../core/impact/serverLimit.ts'
import { sumOfKnown } from '../../../core/frame/reading.ts'
import type { RoundMark } from '../../charts/RoundHistory.tsx'

/** One recomputation with its expected result. */
export interface Round {
  readonly step: AdjustmentStep
  readonly expected: ExpectedAllocation | UnknownAllocation
  /** Where the limits are not as expected: an explanation other than the server's algorithm. */
  readonly cause: DifferenceCause | undefined
}

/** A recomputation whose limits can be explained. */
export interface KnownRound extends Round {
  readonly expected: ExpectedAllocation
}

const MOST = 360

/** The known steps, with the newer ones: a step that was completed since then replaces its incomplete version. */
export function mergeSteps(
  known: readonly AdjustmentStep[],
  newer: readonly AdjustmentStep[],
): readonly AdjustmentStep[] {
  const [first] = newer
  if (first === undefined) return known
  return [...known.filter(({ number }) => number < first.number), ...newer].slice(-MOST)
}

export const roundsOf = (steps: readonly AdjustmentStep[]): readonly Round[] =>
  steps.map((step, i) => {
    const expected = expectedAllocation(step)
    return { step, expected, cause: differs(expected) ? differenceCause(step, steps[i - 1]) : undefined }
  })

const differs = (expected: Round['expected']): boolean =>
  expected.kind === 'known' && expected.comparison.kind === 'differs'

/** Whether the limits are not as expected, and nothing on the console's side explains it. */
export const isUnexplained = ({ expected, cause }: Round): boolean => differs(expected) && cause === undefined

export const isKnown = (round: Round): round is KnownRound => round.expected.kind === 'known'

/** The round that decided the limits at an instant: the newest without one, the oldest before all. */
export function roundAtInstant(rounds: readonly Round[], at: number | undefined): Round | undefined {
  if (at === undefined) return rounds.at(-1)
  return rounds.findLast(({ step }) => step.at <= at) ?? rounds[0]
}

export const markOf = (round: Round): RoundMark => ({
  number: round.step.number,
  p: round.expected.kind === 'known' ? round.expected.fairFraction : round.step.seatFairFrac,
  differs: isUnexplained(round),
})

/** How many rounds can be compared, and how many are as expected; rounds with another explanation do not count. */
export function agreement(rounds: readonly Round[]): { readonly compared: number; readonly equal: number } {
  const kinds = rounds.flatMap(({ expected, cause }) =>
    expected.kind === 'known' && cause === undefined ? [expected.comparison.kind] : [],
  )
  return {
    compared: kinds.filter((kind) => kind !== 'not-comparable').length,
    equal: kinds.filter((kind) => kind === 'equal').length,
  }
}

/** One level's steps from demand to limit, in seats. */
export interface StepRow extends ExpectedLevel {
  readonly highWatermark: number | undefined
  readonly average: number | undefined
  readonly stdev: number | undefined
  readonly envelope: number | undefined
  readonly smoothed: number | undefined
  readonly smoothedBefore: number | undefined
  readonly limitBefore: number | undefined
  /** Limit − nominal; absent for Exempt outside the solver, whose limit is not part of the nominal seats. */
  readonly change: number | undefined
}

export interface StepSums {
  readonly min: number
  readonly floor: number
  readonly target: number
  readonly share: number | undefined
  /** Of the reported limits; absent when one is not reported. */
  readonly limit: number | undefined
  readonly expected: number
  readonly nominal: number
}

/** Rows in the fixed order of levels, and sums over the levels that share. */
export function stepTable(
  { step, expected }: KnownRound,
  order: (a: string, b: string) => number,
): { readonly rows: readonly StepRow[]; readonly sums: StepSums } {
  const reported = new Map(step.levels.map((level) => [level.name, level]))
  const rows = expected.levels
    .map((level) => rowOf(level, reported.get(level.name)))
    .toSorted((a, b) => order(a.name, b.name))
  const sharing = rows.filter(({ target }) => target !== undefined)
  const sum = (of: (row: StepRow) => number): number => sharing.reduce((total, row) => total + of(row), 0)
  return {
    rows,
    sums: {
      min: sum(({ min }) => min),
      floor: sum(({ floor }) => floor),
      target: sum(({ target = 0 }) => target),
      share: expected.regime === 'solver' ? sum(({ share = 0 }) => share) : undefined,
      limit: sharing.some(({ reported: limit }) => limit === undefined)
        ? undefined
        : sum(({ reported: limit = 0 }) => limit),
      expected: sum((row) => row.expected),
      nominal: expected.nominalSum,
    },
  }
}

function rowOf(level: ExpectedLevel, reported: AdjustmentLevel | undefined): StepRow {
  const { highWatermark, average, stdev, smoothed } = reported?.demand ?? {}
  return {
    ...level,
    highWatermark,
    average,
    stdev,
    envelope: sumOfKnown([average, stdev]),
    smoothed,
    smoothedBefore: reported?.before?.smoothed,
    limitBefore: reported?.before?.current,
    change: level.target === undefined || level.reported === undefined ? undefined : level.reported - level.nominal,
  }
}

/** The account of every seat, levels in the fixed order. */
export function roundLedger({ step, expected }: KnownRound, order: (a: string, b: string) => number): AdjustmentLedger {
  return adjustmentLedger(
    step.levels.toSorted((a, b) => order(a.name, b.name)),
    expected.rule,
  )
}
