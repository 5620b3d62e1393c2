import { versionOf } from '../../core/config/content.ts'
import type { ObjectChange } from '../../core/contract/objects.ts'
import { type ObjectEditor, type ServerVerdict, verdictOf } from '../ports/objectDoor.ts'
import { isSame, type Step } from './journal.ts'

/** A step of undo or redo, looked at before anything is done. */
export type Prepared =
  /** To be applied. */
  | { readonly ready: 'yes'; readonly change: ObjectChange }
  /** The object is as it should become. */
  | { readonly ready: 'already'; readonly verdict: ServerVerdict; readonly resourceVersion?: string }
  /** The object is neither as it was left nor as it should become. */
  | { readonly ready: 'no'; readonly verdict: ServerVerdict }

/** Compares an object as it is now with how the step expects it. Rejects with `ProblemError`. */
export async function prepareStep(step: Step, editor: ObjectEditor): Promise<Prepared> {
  const { kind, name, from, to } = step
  const now = await editor.read(step)
  if (isSame(now, to)) {
    const base = now === null ? undefined : versionOf(now)
    return {
      ready: 'already',
      verdict: verdictOf(step, 'unchanged', { ...(now && { object: now }) }),
      ...(base && { resourceVersion: base.resourceVersion }),
    }
  }
  if (!isSame(now, from)) {
    return {
      ready: 'no',
      verdict: verdictOf(step, 'conflict', {
        ...(now && { theirs: now }),
        problem: {
          code: 'invalid-input',
          message: `${kind} ${name} has been changed by someone else since, so nothing was done. Compare the two versions, and edit the object in a draft.`,
        },
      }),
    }
  }
  const base = now === null ? undefined : versionOf(now)
  return { ready: 'yes', change: { kind, name, object: to, ...(base && { base }) } }
}
