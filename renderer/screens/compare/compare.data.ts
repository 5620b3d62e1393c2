import {
  missingText,
  NUMBERS,
  type ComparedLevel,
  type Comparison,
  type NumberName,
} from '../../../core/compare/compare.ts'
import type { Mark } from '../../../core/compare/period.ts'
import type { JournalEntry } from '../../../core/contract/objects.ts'
import { unixMsOf } from '../../../core/units.ts'
import { numberLook, shareText } from '../../components/comparedNumbers.ts'
import { format } from '../../theme/format.ts'

export interface KeyRow {
  readonly name: NumberName
  readonly label: string
  readonly a: string
  readonly b: string
  readonly change: string
  readonly share: string
}

/** The totals of two periods, one number per row. */
export const keyRows = ({ totals, perSecond }: Comparison): readonly KeyRow[] =>
  NUMBERS.map((name) => {
    const { label, text, change } = numberLook(name, perSecond)
    const difference = totals[name]
    return {
      name,
      label,
      a: text(difference.a),
      b: text(difference.b),
      change: change(difference.change),
      share: shareText(difference),
    }
  })

/** The periods may be on different days. */
const WORDS = { when: format.dateTime, length: format.age, percent: format.percent }

/** The largest change in one sentence; then what is missing. */
export function compareSentence(
  comparison: Comparison,
  names: { readonly a: string; readonly b: string },
): { readonly title: string; readonly evidence: string } {
  const { totals, levels, perSecond } = comparison
  const missing = (['a', 'b'] as const).map((side) => missingText(names[side], comparison[side], WORDS))
  const evidence = missing.filter((one) => one !== '').join(' ')
  if (comparison.a.samples === 0 || comparison.b.samples === 0) {
    return { title: 'A comparison needs samples in both periods.', evidence }
  }
  const { rejected } = totals
  const look = numberLook('rejected', perSecond)
  const [most] = levels
  const level = most === undefined ? '' : levelText(most, perSecond)
  const title =
    rejected.a === undefined || rejected.b === undefined
      ? 'Rejections are unknown in one period or both.'
      : rejected.a === rejected.b
        ? rejected.a === 0
          ? 'No requests were rejected in either period.'
          : `Rejections stayed at ${look.text(rejected.b)}.`
        : `Rejected requests ${rejected.b > rejected.a ? 'rose' : 'fell'} from ${look.text(rejected.a)} to ${look.text(rejected.b)}.`
  return { title, evidence: [level, evidence].filter((part) => part !== '').join(' ') }
}

function levelText({ name, in: where, numbers }: ComparedLevel, perSecond: boolean): string {
  if (where !== 'both') return `${name} has no samples in ${where === 'a' ? 'B' : 'A'}.`
  const changed = (['rejected', 'queued', 'executing'] as const).find((number) => (numbers[number].change ?? 0) !== 0)
  if (changed === undefined) return ''
  const { text } = numberLook(changed, perSecond)
  const { a, b } = numbers[changed]
  const what = { rejected: 'rejected requests', queued: 'queued requests', executing: 'executing seats' }[changed]
  return `Largest change: ${name}, ${what} from ${text(a)} to ${text(b)}.`
}

/** Edits of the journal as marks. */
export const editMarks = (entries: readonly JournalEntry[]): readonly Mark[] =>
  entries.map(({ at, user, label, changes }) => ({
    at: unixMsOf(at),
    kind: 'edit',
    text: `${label}${changes.length > 1 ? ` (${changes.length} objects)` : ''}${user === undefined ? '' : ` by ${user}`}`,
  }))
