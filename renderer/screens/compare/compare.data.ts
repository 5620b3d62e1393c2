import type { Mark } from '../../../core/compare/period.ts'
import type { JournalEntry } from '../../../core/contract/objects.ts'
import { unixMsOf } from '../../../core/units.ts'

/** Edits of the journal as marks. */
export const editMarks = (entries: readonly JournalEntry[]): readonly Mark[] =>
  entries.map(({ at, user, label, changes }) => ({
    at: unixMsOf(at),
    kind: 'edit',
    text: `${label}${changes.length > 1 ? ` (${changes.length} objects)` : ''}${user === undefined ? '' : ` by ${user}`}`,
  }))
