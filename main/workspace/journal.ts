import { sameContent } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import type { AppliedChange, JournalEntry, ObjectChange, Way } from '../../core/contract/objects.ts'
import type { LastWrite } from '../ports/objectDoor.ts'

/** What a change of the journal does when it is sent that way: the object as it has to be, and as it becomes. */
export function stepOf({ kind, name, from, to }: AppliedChange, way: Way): Step {
  return way === 'undo' ? { kind, name, from: to, to: from } : { kind, name, from, to }
}

export type Step = Pick<AppliedChange, 'kind' | 'name' | 'from' | 'to'>

/** The change once it was carried out that way. */
export function carriedOut({ sending: _ended, ...change }: AppliedChange, way: Way): AppliedChange {
  return { ...change, state: way === 'undo' ? 'undone' : 'applied' }
}

/** The change when it was not carried out. */
export function notCarriedOut({ sending: _ended, ...change }: AppliedChange): AppliedChange {
  return change
}

/**
 * What became of a change whose console ended before it wrote the outcome, by the object that was found after it.
 * A change that seemed not to be carried out is looked at again each time: the server may have been late.
 */
export function resolved(change: AppliedChange, found: JsonObject | null): AppliedChange {
  const way = change.sending?.way ?? 'apply'
  const { from, to } = stepOf(change, way)
  if (isSame(found, to)) return carriedOut(change, way)
  if (isSame(found, from)) return notCarriedOut(change)
  return { ...notCarriedOut(change), state: 'unknown' }
}

/** Whether the outcome has to be found from the object. `isSending`: the console that sends it still does. */
export const isOpen = ({ state, sending }: AppliedChange, isSending: boolean): boolean =>
  sending === undefined ? state === 'not-applied' || state === 'unknown' : !isSending

/**
 * What later entries tell of the object after this change. The next one that was carried out read the object right before
 * and was sent at the version that was read: what it found is what this change left. `unsettled`: a later one has to be
 * found out first. `undefined`: they tell nothing. `entries`: newest first.
 */
export function foundByNext(
  entries: readonly JournalEntry[],
  entry: JournalEntry,
  of: Named,
): { readonly object: JsonObject | null } | 'unsettled' | undefined {
  const later = entries
    .slice(
      0,
      entries.findIndex(({ id }) => id === entry.id),
    )
    .toReversed()
  for (const { changes } of later) {
    const next = changes.find((change) => isOf(change, of))
    if (next === undefined) continue
    if (next.sending !== undefined) return 'unsettled'
    if (next.state === 'applied' || next.state === 'undone') return { object: next.from }
  }
  return undefined
}

/** The change with how the object differs now from how the change left it. */
export function followed(
  change: AppliedChange,
  present: JsonObject | null,
  lastWrite: LastWrite | undefined,
): AppliedChange {
  const { since: _old, ...same } = change
  if (change.sending !== undefined || (change.state !== 'applied' && change.state !== 'undone')) return same
  const { from, to } = stepOf(change, change.state === 'undone' ? 'undo' : 'apply')
  if (isSame(present, to)) return same
  const what = isSame(present, from) ? 'taken-back' : present === null ? 'deleted' : to === null ? 'created' : 'changed'
  return { ...same, since: { what, ...(present !== null && lastWrite) } }
}

/** With the change in the place of the one of its object. */
export const withChange = (entry: JournalEntry, change: AppliedChange): JournalEntry => ({
  ...entry,
  changes: entry.changes.map((one) => (isOf(one, change) ? change : one)),
})

/** What an object is called by. */
export type Named = Pick<ObjectChange, 'kind' | 'name'>

export const isOf = ({ kind, name }: Named, other: Named): boolean => kind === other.kind && name === other.name

export const isSame = (a: JsonObject | null, b: JsonObject | null): boolean =>
  a === null || b === null ? a === b : sameContent(a, b)
