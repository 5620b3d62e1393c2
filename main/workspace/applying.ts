import { versionOf } from '../../core/config/content.ts'
import type { Finding } from '../../core/config/finding.ts'
import { toProblem } from '../../core/errors.ts'
import type { AppliedChange, ChangeVerdict, ObjectChange } from '../../core/contract/objects.ts'
import { type Done, type ObjectEditor, type ServerVerdict, verdictOf } from '../ports/objectGateway.ts'
import { differencesOf } from './differences.ts'
import { isOf, isSame, type Named, type Step, stepOf } from './journal.ts'

export interface Applying {
  readonly editor: ObjectEditor
  /** The findings of our own validation for a change. */
  readonly findings: (change: ObjectChange) => readonly Finding[]
  /**
   * Checked before each change: nothing more is applied once editing was switched off or another source was connected.
   */
  readonly mayGoOn: () => boolean
}

/** Records each change before it is sent, and its outcome afterwards; both reject when that is impossible. */
export interface Recorder {
  /** Nothing is sent before this resolves. */
  begin(change: Named, about: Done): Promise<void>
  /** `lost`: there was no response. `undefined`: the server rejected it. */
  end(change: Named, outcome: Done | 'lost' | undefined): Promise<void>
}

/** Applies changes in order until one is not accepted; the others are skipped. */
export async function applyInOrder(
  changes: readonly ObjectChange[],
  force: boolean,
  applying: Applying,
  recorder: Recorder,
): Promise<ChangeVerdict[]> {
  const verdicts: ChangeVerdict[] = []
  let stopped = false
  for (const change of changes) {
    const verdict: ChangeVerdict =
      stopped || !applying.mayGoOn() ? skipped(change) : await applyOne(change, force, applying, recorder)
    verdicts.push(verdict)
    stopped = verdict.outcome !== 'accepted' && verdict.outcome !== 'unchanged'
  }
  return verdicts
}

async function applyOne(
  change: ObjectChange,
  force: boolean,
  { editor, findings }: Applying,
  recorder: Recorder,
): Promise<ChangeVerdict> {
  let step: 'before' | 'unwritten' | 'sent' = 'before'
  const announce = async (about: Done): Promise<void> => {
    step = 'unwritten'
    await recorder.begin(change, about)
    step = 'sent'
  }
  const stepNow = (): typeof step => step
  try {
    const { verdict, done, open } = await editor.apply(change, force, announce)
    const differences = differencesOf(verdict, findings(change))
    if (stepNow() !== 'sent') return { ...verdict, differences }
    const unwritten = await problemOf(recorder.end(change, done ?? (open === true ? 'lost' : undefined)))
    return { ...verdict, differences: [...differences, ...unwritten] }
  } catch (error) {
    if (stepNow() === 'unwritten')
      return skipped(change, `Nothing was sent, because the journal cannot be written. ${toProblem(error).message}`)
    if (stepNow() === 'sent') await problemOf(recorder.end(change, 'lost'))
    throw error
  }
}

/** The change is done whether or not its outcome can be recorded; the object itself shows it later. */
async function problemOf(written: Promise<void>): Promise<string[]> {
  try {
    await written
    return []
  } catch (error) {
    return [
      `The journal still shows this change as being sent, because its outcome cannot be written. ${toProblem(error).message}`,
    ]
  }
}

const skipped = (change: Named, message?: string): ChangeVerdict => ({
  ...verdictOf(change, 'skipped', message === undefined ? {} : { problem: { code: 'internal', message } }),
  differences: [],
})

/**
 * Undoes or redoes the changes of an entry. All objects are read first: if one of them is neither as its change left it
 * nor as it should become, nothing is done.
 */
export async function turnChanges(
  changes: readonly AppliedChange[],
  way: 'undo' | 'redo',
  force: boolean,
  applying: Applying,
  recorder: Recorder & {
    /** The object is already as it should become. */
    already(change: Named, resourceVersion: string | undefined): Promise<void>
  },
): Promise<ChangeVerdict[]> {
  const prepared: Prepared[] = []
  // The last change may depend on earlier ones.
  for (const change of way === 'undo' ? changes.toReversed() : changes) {
    prepared.push(await prepareStep(stepOf(change, way), applying.editor))
  }
  if (prepared.some(({ ready }) => ready === 'no')) {
    return prepared.map((step) => (step.ready === 'yes' ? skipped(step.change) : { ...step.verdict, differences: [] }))
  }
  for (const step of prepared) {
    if (step.ready === 'already') await recorder.already(step.verdict, step.resourceVersion)
  }
  const ready = prepared.flatMap((step) => (step.ready === 'yes' ? [step.change] : []))
  const applied = await applyInOrder(ready, force, applying, recorder)
  return prepared.map((step) => {
    if (step.ready !== 'yes') return { ...step.verdict, differences: [] }
    return applied.find((verdict) => isOf(verdict, step.change)) ?? skipped(step.change)
  })
}

/** A step of undo or redo, checked before anything is done. */
type Prepared =
  /** To be applied. */
  | { readonly ready: 'yes'; readonly change: ObjectChange }
  /** The object is already as it should become. */
  | { readonly ready: 'already'; readonly verdict: ServerVerdict; readonly resourceVersion?: string }
  /** The object is neither as it was left nor as it should become. */
  | { readonly ready: 'no'; readonly verdict: ServerVerdict }

/** Compares the current object with what the step expects. Rejects with `ProblemError`. */
async function prepareStep(step: Step, editor: ObjectEditor): Promise<Prepared> {
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
