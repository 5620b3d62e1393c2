import { sameContent, versionOf, type JsonObject } from '../../core/config/content.ts'
import type { AppliedChange, ObjectChange } from '../../core/contract/objects.ts'
import type { ObjectEditor, ServerVerdict } from '../sources/objectDoor.ts'
import { verdictOf } from '../sources/objectVerdicts.ts'

/** A step of undo or redo, looked at before anything is done. */
export type Prepared =
  /** To be applied. */
  | { readonly ready: 'yes'; readonly change: ObjectChange }
  /** The object is as it should become. */
  | { readonly ready: 'already'; readonly verdict: ServerVerdict; readonly resourceVersion?: string }
  /** The object is neither as it was left nor as it should become. */
  | { readonly ready: 'no'; readonly verdict: ServerVerdict }

/** Compares an object as it is now with how the step expects it. Rejects with `ProblemError`. */
export async function prepareStep(step: AppliedChange, editor: ObjectEditor): Promise<Prepared> {
  const { kind, name, from, to } = step
  const now = await editor.read(step)
  if (same(now, to)) {
    const base = now === null ? undefined : versionOf(now)
    return {
      ready: 'already',
      verdict: verdictOf(step, 'unchanged', { ...(now && { object: now }) }),
      ...(base && { resourceVersion: base.resourceVersion }),
    }
  }
  if (!same(now, from)) {
    return {
      ready: 'no',
      verdict: verdictOf(step, 'conflict', {
        ...(now && { theirs: now }),
        problem: {
          code: 'invalid-input',
          message: `${kind} ${name} is not as this change left it: somebody else changed it since, so nothing was done. Compare the two, and edit it by hand.`,
        },
      }),
    }
  }
  const base = now === null ? undefined : versionOf(now)
  return { ready: 'yes', change: { kind, name, object: to, ...(base && { base }) } }
}

const same = (a: JsonObject | null, b: JsonObject | null): boolean =>
  a === null || b === null ? a === b : sameContent(a, b)
