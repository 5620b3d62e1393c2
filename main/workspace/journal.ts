import { sameContent } from '../../core/config/content.ts'
import type { JsonObject } from '../../core/config/jsonValues.ts'
import type { AppliedChange, JournalEntry, ObjectChange, Way } from '../../core/contract/objects.ts'
import type { LastWrite } from '../ports/objectGateway.ts'

/** The step of a journal change in a direction: the object that it expects, and the object that results. */
export function stepOf({ kind, name, from, to }: AppliedChange, way: Way): Step {
  return way === 'undo' ? { kind, name, from: to, to: from } : { kind, name, from, to }
}

export type Step = Pick<AppliedChange, 'kind' | 'name' | 'from' | 'to'>

/** The change after it was applied in that direction. */
export function carriedOut({ sending: _ended, ...change }: AppliedChange, way: Way): AppliedChange {
  return { ...change, state: way === 'undo' ? 'undone' : 'applied' }
}

/** The change after it was not applied. */
export function notCarriedOut({ sending: _ended, ...change }: AppliedChange): AppliedChange {
  return change
}

/**
 * The outcome of a change whose console ended before recording it, determined from the object that was found
 * afterwards. A change that appears not to be applied is checked again each time: the server may have been late.
 */
export function resolved(change: AppliedChange, found: JsonObject | null): AppliedChange {
  const way = change.sending?.way ?? 'apply'
  const { from, to } = stepOf(change, way)
  if (isSame(found, to)) return carriedOut(change, way)
  if (isSame(found, from)) return notCarriedOut(change)
  return { ...notCarriedOut(change), state: 'unknown' }
}

/** Whether the outcome has to be determined from the object. `isSending`: the console that sends it is still running. */
export const isOpen = ({ state, sending }: AppliedChange, isSending: boolean): boolean =>
  sending === undefined ? state === 'not-applied' || state === 'unknown' : !isSending

/**
 * What later entries show about the object after this change. The next applied change read the object immediately
 * before and was sent at the version that was read: the object that it found is the one that this change left.
 * `unsettled`: the outcome of a later change has to be determined first. `undefined`: they show nothing. `entries`:
 * newest first.
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

/** The change with the difference between the current object and the object that the change left. */
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

/** The entry with this change in place of its change of the same object. */
export const withChange = (entry: JournalEntry, change: AppliedChange): JournalEntry => ({
  ...entry,
  changes: entry.changes.map((one) => (isOf(one, change) ? change : one)),
})

/** Identifies an object. */
export type Named = Pick<ObjectChange, 'kind' | 'name'>

export const isOf = ({ kind, name }: Named, other: Named): boolean => kind === other.kind && name === other.name

export const isSame = (a: JsonObject | null, b: JsonObject | null): boolean =>
  a === null || b === null ? a === b : sameContent(a, b)
