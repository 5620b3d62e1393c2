import type { JournalEntry } from '../../../../core/contract/objects.ts'

const MOST_NAMED = 3

/** `workload-low, probes made`. */
export function changedText({ changes }: JournalEntry): string {
  const named = changes
    .slice(0, MOST_NAMED)
    .map(({ name, from, to }) => `${name}${from === null ? ' made' : to === null ? ' deleted' : ''}`)
  const more = changes.length - named.length
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}

export const countText = ({ changes }: JournalEntry): string =>
  changes.length === 1 ? '1 object' : `${changes.length} objects`

/** What the button of an entry does: `Undo 2 objects`. */
export const turnText = (entry: JournalEntry): string =>
  `${entry.state === 'applied' ? 'Undo' : 'Redo'} ${countText(entry)}`
