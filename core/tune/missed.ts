import { check } from '../scenario/check.ts'
import { type Assertion, type Measured, MEASURES } from '../scenario/scenario.ts'
import type { VariantResult } from '../whatif/results.ts'

/** Beyond this, the size of a miss does not matter. */
export const FARTHEST = 10
/** A difference of one of these counts as much as one as large as the bound itself. */
export const SCALE: Readonly<Record<string, number>> = { ms: 10, '%': 1, '/s': 1, seats: 1, requests: 10, '': 0.1 }
/** By how much a result misses a bound, from 0 (not at all) to `FARTHEST`. */
export function missedBy(assertion: Assertion, result: VariantResult): number {
  const { least, most, measure } = assertion
  if (measure.startsWith('wait') && starves(assertion, result)) return FARTHEST
  const { value, holds } = check(assertion, result)
  if (holds) return 0
  const bound = most !== undefined && value > most ? most : (least ?? 0)
  return Math.min(FARTHEST, Math.abs(value - bound) / Math.max(Math.abs(bound), SCALE[MEASURES[measure]] ?? 1))
}

/** Requests arrived but none was served, so the absence of waits is not a success. */
export function starves({ of }: Pick<Measured, 'of'>, result: VariantResult): boolean {
  const measured = (measure: 'offered' | 'served') => check({ of, measure, least: 1 }, result).holds
  return measured('offered') && !measured('served')
}
