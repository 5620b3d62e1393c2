import type { Seats } from '../units.ts'
import {
  type Allocation,
  type AllocationInput,
  allocateBySolver,
  type Bounded,
  lowerOfLimited,
  type PlannedRegime,
  unsolved,
} from './allocation.ts'
import { goRound } from './seatSeconds.ts'

/**
 * Borrowing as upstream never had it: not at all, between limited levels alone (the first revision of the enhancement
 * proposal), or with Exempt taking its demand first (the second).
 */
export type PlannedBorrowing = 'none' | 'limited-only' | 'exempt-first'

/**
 * The limits as described by both revisions of the enhancement proposal. Lower bounds that exceed the available seats,
 * which the first revision cannot solve, are scaled as in the second.
 */
export function allocateAsPlanned(
  inputs: readonly AllocationInput[],
  serverLimit: Seats,
  borrowing: PlannedBorrowing,
): Allocation<PlannedRegime> {
  const nominalSum = inputs.reduce((sum, { limits }) => sum + limits.nominal, 0)
  const exemptFirst = borrowing === 'exempt-first'
  let remaining = serverLimit
  const bounded = inputs.map((input): Bounded => {
    const { exempt, limits, demand } = input
    if (!exempt) {
      const lower = lowerOfLimited(input)
      return { input, lower, target: Math.max(lower, demand.smoothed) }
    }
    const lower = exemptFirst ? Math.max(limits.min, demand.highWatermark) : limits.nominal
    if (exemptFirst) remaining -= lower
    return { input, lower, target: undefined }
  })
  const sums = { nominalSum, remaining }
  const all = (regime: PlannedRegime, currentOf: (one: Bounded) => number): Allocation<PlannedRegime> => ({
    regime,
    ...sums,
    fairFrac: 0,
    levels: bounded.map((one) => unsolved(one, currentOf(one))),
  })
  const counted = bounded.filter(({ input }) => exemptFirst || !input.exempt)
  if (borrowing === 'none' || counted.every(({ input, lower }) => lower === input.limits.nominal)) {
    return all('nominal', ({ input }) => input.limits.nominal)
  }
  if (remaining <= 0) return all('scaled', () => 0)
  const lowerSum = bounded.reduce((sum, { input, lower }) => sum + (input.exempt ? 0 : lower), 0)
  if (lowerSum >= remaining) return all('scaled', ({ lower }) => goRound((lower * remaining) / lowerSum))
  return allocateBySolver(bounded, remaining, sums)
}
