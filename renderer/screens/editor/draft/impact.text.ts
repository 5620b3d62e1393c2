import type { ImpactRow, ImpactSums, SeatImpact } from '../../../../core/impact/seatImpact.ts'
import { format } from '../../../theme/format.ts'

/** One line about what the table shows: `600 seats; shares 245 → 255`. */
export function impactNote({ serverLimit, sums }: SeatImpact): string {
  const { before, after } = sums
  const shares =
    before.shares === after.shares
      ? `${format.fixed(before.shares)} shares`
      : `shares ${format.fixed(before.shares)} → ${format.fixed(after.shares)}`
  return `${format.seats(serverLimit)} on one server; ${shares}`
}

export const limitChange = ({ limitBefore, limitAfter }: ImpactRow): number =>
  (limitAfter?.current ?? 0) - (limitBefore?.current ?? 0)

/** Why the sum is more than the server has. */
export const sumText = ({ nominal, surplus }: ImpactSums): string =>
  surplus <= 0
    ? `${format.seats(nominal)} seats in all`
    : `${format.seats(surplus)} more than the server has, because every nominal limit is rounded up`
