import { assertionText, measuredIn, measuredText } from '../scenario/check.ts'
import { type Measured, MEASURES } from '../scenario/scenario.ts'
import type { VariantResult } from '../whatif/results.ts'
import { FARTHEST, missedBy, SCALE, starves } from './missed.ts'
import type { GuardRail, NoRise } from './tune.ts'

/** Smaller rises are noise, or do not matter. */
export const LEAST_RISE = { waitMs: 5, waitFactor: 1.1, percent: 0.1 } as const

/** Whether a wait in milliseconds, or a share of requests in percent, rose by more than noise. */
export const rises = (unit: string, before: number, after: number): boolean =>
  unit === 'ms'
    ? after > before * LEAST_RISE.waitFactor && after - before > LEAST_RISE.waitMs
    : after - before > LEAST_RISE.percent

export const isNoRise = (rail: GuardRail): rail is NoRise => 'mayNotRise' in rail

/** By how much an edit violates a guard rail. One that is already violated only must not get worse. */
export function crossedBy(rail: GuardRail, before: VariantResult, after: VariantResult): number {
  if (!isNoRise(rail)) return Math.max(0, missedBy(rail, after) - missedBy(rail, before))
  const unit = MEASURES[rail.measure]
  if (unit === 'ms' && subjectsOf(rail, before, after).some((of) => starves({ of }, after) && !starves({ of }, before)))
    return FARTHEST
  const [was, is] = largestRise(rail, before, after)
  return rises(unit, was, is) ? (is - was) / Math.max(was, SCALE[unit] ?? 1) : 0
}

const subjectsOf = ({ of }: NoRise, before: VariantResult, after: VariantResult): readonly Measured['of'][] =>
  of === 'each level' ? [...before.levels, ...after.levels].map(({ level }) => ({ kind: 'level', name: level })) : [of]

/** The values before and after at the largest rise of the measure. */
export function largestRise(
  rail: NoRise,
  before: VariantResult,
  after: VariantResult,
): readonly [before: number, after: number] {
  const { measure } = rail
  const pairs = subjectsOf(rail, before, after).map(
    (of) => [measuredIn(before, { of, measure }), measuredIn(after, { of, measure })] as const,
  )
  const [first = [0, 0] as const, ...others] = pairs
  return others.reduce((most, one) => (one[1] - one[0] > most[1] - most[0] ? one : most), first)
}

/** `rejected requests of no level may rise`. */
export function guardRailText(rail: GuardRail): string {
  if (!isNoRise(rail)) return assertionText(rail)
  const { of, measure } = rail
  return of === 'each level'
    ? `${measuredText({ of: { kind: 'clients', name: 'no level' }, measure })} may rise`
    : `${measuredText({ of, measure })} may not rise`
}
