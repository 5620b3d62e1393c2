import { MAX_ENTROPY_BITS, requiredEntropyBits } from '../../../../core/config/shape.ts'
import type { LevelSeats } from '../../../../core/impact/effectiveLevels.ts'
import { format } from '../../../theme/format.ts'

/** What the numbers of a level mean, in a few words each. Seats of one server. */
export const sharesText = ({ type, nominal }: LevelSeats, serverLimit: number): string =>
  type === 'Exempt' && nominal === 0
    ? 'no seats of its own'
    : `${format.seats(nominal)} of ${format.seats(serverLimit)} seats`

export const lendingText = ({ nominal, lower }: LevelSeats): string =>
  nominal === lower ? 'lends nothing' : `keeps at least ${format.seats(lower)}`

export function borrowingText({ nominal, upper }: LevelSeats, written: unknown): string {
  if (written === undefined || written === null) return 'no limit'
  return upper <= nominal ? `stays at ${format.seats(nominal)} or below` : `up to ${format.seats(upper)} seats`
}

export function entropyText({ queues, handSize }: { readonly queues: number; readonly handSize: number }): string {
  return `${requiredEntropyBits(queues, handSize)} of ${MAX_ENTROPY_BITS} entropy bits`
}

/** `min(⌈24 × 0.15⌉, 24 ÷ 4)`: what a request is at most estimated at (specification 5.2). */
export const widestFormula = (nominal: number, handSize: number): string =>
  `min(⌈${format.seats(nominal)} × 0.15⌉, ⌊${format.seats(nominal)} ÷ ${handSize}⌋)`
