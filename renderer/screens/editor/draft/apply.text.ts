import type { ObjectChange } from '../../../../core/contract/objects.ts'
import type { SeatImpact } from '../../../../core/impact/seatImpact.ts'
import { format } from '../../../theme/format.ts'

/** What one change does, in a sentence: with its seats where it has some. */
export function changeSentence({ kind, name, object, base }: ObjectChange, { rows }: SeatImpact): string {
  const what = object === null ? 'is deleted' : base === undefined ? 'is made' : 'is changed'
  if (kind === 'FlowSchema') return `${what}.`
  const row = rows.find((one) => one.name === name)
  const [before, after] = [row?.before?.nominal, row?.after?.nominal]
  if (before === undefined && after === undefined) return `${what}.`
  if (before === after) return `${what}; nominal stays ${format.seats(before)} seats.`
  if (before === undefined) return `${what}; nominal ${format.seats(after)} seats.`
  return after === undefined
    ? `${what}; its ${format.seats(before)} seats go to the other levels.`
    : `${what}; nominal ${format.seats(before)} → ${format.seats(after)} seats.`
}
