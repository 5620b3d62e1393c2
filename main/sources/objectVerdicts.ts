import { sameContent, versionOf, type JsonObject } from '../../core/config/content.ts'
import type { ObjectChange } from '../../core/contract/objects.ts'
import type { ServerVerdict } from './objectDoor.ts'

/** A verdict with nothing in it but its outcome and what is given. */
export function verdictOf(
  { kind, name }: Pick<ObjectChange, 'kind' | 'name'>,
  outcome: ServerVerdict['outcome'],
  more: Partial<Omit<ServerVerdict, 'kind' | 'name' | 'outcome'>> = {},
): ServerVerdict {
  return { kind, name, outcome, causes: [], conflicts: [], warnings: [], ...more }
}

/** Somebody else changed, made or deleted the object meanwhile; `theirs` is how it is now. */
export function changedMeanwhile(change: ObjectChange, theirs: JsonObject | undefined): ServerVerdict {
  const { kind, name, base } = change
  const what =
    theirs === undefined
      ? 'was deleted by somebody else after the draft was begun'
      : base === undefined
        ? 'exists already, perhaps made by somebody else after the draft was begun'
        : 'was changed by somebody else after the draft was begun'
  return verdictOf(change, 'conflict', {
    problem: {
      code: 'invalid-input',
      message: `${kind} ${name} ${what}; nothing was done. Compare the draft with the object as it is now, and apply again.`,
    },
    ...(theirs !== undefined && { theirs }),
  })
}

/**
 * What can be said before anything is tried: there is nothing to do, or somebody else changed the object meanwhile.
 * `saidTheSame` tells whether another version of it said the same as the present one: its status may have been written.
 */
export function judgeBeforehand(
  change: ObjectChange,
  present: JsonObject | undefined,
  saidTheSame: (base: NonNullable<ObjectChange['base']>) => boolean = () => false,
): ServerVerdict | undefined {
  const { object: wish, base } = change
  if (present === undefined) {
    if (wish === null) return verdictOf(change, 'unchanged')
    return base === undefined ? undefined : changedMeanwhile(change, undefined)
  }
  const now = versionOf(present)
  const known =
    base !== undefined && base.uid === now?.uid && (base.resourceVersion === now.resourceVersion || saidTheSame(base))
  if (known) return undefined
  if (wish !== null && sameContent(wish, present)) return verdictOf(change, 'unchanged', { object: present })
  return changedMeanwhile(change, present)
}
