import type { AppliedChange, JournalEntry } from '../../core/contract/objects.ts'

/**
 * What was applied, newest first. An entry that is taken back stays and is marked, so that it can be applied again. These
 * are functions of the whole list: whoever keeps it, keeps it in a file.
 */
export type Journal = readonly JournalEntry[]

/** Of more entries, or more text, the oldest are forgotten. */
const MOST_ENTRIES = 500
const MOST_CHARACTERS = 8 * 1024 * 1024

export const entriesOf = (journal: Journal, targetKey: string): JournalEntry[] =>
  journal.filter((entry) => entry.targetKey === targetKey)

/** With the entry in front, or in the place of the one with its id. */
export function withEntry(journal: Journal, entry: JournalEntry): JournalEntry[] {
  const known = journal.some(({ id }) => id === entry.id)
  return bounded(known ? journal.map((one) => (one.id === entry.id ? entry : one)) : [entry, ...journal])
}

export const withoutTarget = (journal: Journal, targetKey: string): JournalEntry[] =>
  journal.filter((entry) => entry.targetKey !== targetKey)

function bounded(journal: Journal): JournalEntry[] {
  let characters = 0
  return journal.slice(0, MOST_ENTRIES).filter((entry, index) => {
    characters += JSON.stringify(entry).length
    return index === 0 || characters <= MOST_CHARACTERS
  })
}

export type Turn = 'undo' | 'redo'

/** What has to be done to take an entry back, or to apply it again: each object from how it was left to how it was before. */
export function stepsOf({ changes }: JournalEntry, turn: Turn): AppliedChange[] {
  if (turn === 'redo') return [...changes]
  // The last change may lean on the ones before it.
  return changes.toReversed().map(({ kind, name, from, to }) => ({ kind, name, from: to, to: from }))
}

/**
 * The entry after some of its changes were turned. Where it was not all of them the entry is divided: `turned` has what was,
 * and `left` the rest as it is, so that each can be turned by itself.
 */
export function divide(
  entry: JournalEntry,
  turn: Turn,
  done: (change: AppliedChange) => { readonly resourceVersion?: string } | undefined,
  newId: string,
): { readonly turned?: JournalEntry; readonly left?: JournalEntry } {
  const state = turn === 'undo' ? 'undone' : 'applied'
  const turned = entry.changes.flatMap((change): AppliedChange[] => {
    const { resourceVersion: _before, ...same } = change
    const after = done(change)
    return after === undefined ? [] : [{ ...same, ...after }]
  })
  const left = entry.changes.filter((change) => done(change) === undefined)
  if (turned.length === 0) return { left: entry }
  if (left.length === 0) return { turned: { ...entry, state, changes: turned } }
  return {
    turned: { ...entry, id: newId, state, changes: turned },
    left: { ...entry, changes: left },
  }
}
