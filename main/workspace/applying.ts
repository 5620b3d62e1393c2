import { manifestOf, versionOf, type JsonObject } from '../../core/config/content.ts'
import type { Finding } from '../../core/config/finding.ts'
import type { AppliedChange, ChangeVerdict, JournalEntry, ObjectChange } from '../../core/contract/objects.ts'
import type { Done, ObjectEditor } from '../sources/objectDoor.ts'
import { verdictOf } from '../sources/objectVerdicts.ts'
import { differencesOf } from './differences.ts'
import { divide, stepsOf, type Turn } from './journal.ts'
import { prepareStep, type Prepared } from './turns.ts'

export interface Applying {
  readonly editor: ObjectEditor
  /** What our own validation says of a change. */
  readonly findings: (change: ObjectChange) => readonly Finding[]
  /** Asked before each change: nothing is applied any more once editing was switched off or another source connected. */
  readonly mayGoOn: () => boolean
}

/**
 * Applies changes in their order until one is not accepted; the others are skipped. `onDone` hears of each change that
 * was carried out, before the next one is begun.
 */
export async function applyInOrder(
  changes: readonly ObjectChange[],
  force: boolean,
  { editor, findings, mayGoOn }: Applying,
  onDone: (change: AppliedChange) => Promise<void>,
): Promise<ChangeVerdict[]> {
  const verdicts: ChangeVerdict[] = []
  let stopped = false
  for (const change of changes) {
    if (stopped || !mayGoOn()) {
      verdicts.push({ ...verdictOf(change, 'skipped'), differences: [] })
      continue
    }
    const { verdict, done } = await editor.apply(change, force)
    verdicts.push({ ...verdict, differences: differencesOf(verdict, findings(change)) })
    if (done !== undefined) await onDone(appliedChange(change, done))
    stopped = verdict.outcome !== 'accepted' && verdict.outcome !== 'unchanged'
  }
  return verdicts
}

function appliedChange({ kind, name }: ObjectChange, { from, to }: Done): AppliedChange {
  const written = (object: JsonObject | null) => (object === null ? null : manifestOf(kind, object))
  const version = to === null ? undefined : versionOf(to)
  return {
    kind,
    name,
    from: written(from),
    to: written(to),
    ...(version && { resourceVersion: version.resourceVersion }),
  }
}

/** What became of an entry that was turned. */
export interface Turned {
  readonly verdicts: ChangeVerdict[]
  /** The entry, or the part of it, that is turned now. */
  readonly turned?: JournalEntry
  /** The part that is not; absent when there is none. */
  readonly left?: JournalEntry
}

/**
 * Takes an entry back or applies it again. All its objects are looked at first: when one of them is neither as the entry
 * left it nor as it should become, nothing is done. `onPart` hears of the entry after every single change, so that the
 * journal is right whatever happens next.
 */
export async function turnEntry(
  entry: JournalEntry,
  turn: Turn,
  force: boolean,
  applying: Applying,
  {
    newId,
    onPart,
  }: { readonly newId: () => string; readonly onPart: (part: Omit<Turned, 'verdicts'>) => Promise<void> },
): Promise<Turned> {
  const prepared: Prepared[] = []
  for (const step of stepsOf(entry, turn)) prepared.push(await prepareStep(step, applying.editor))
  if (prepared.some(({ ready }) => ready === 'no')) {
    const verdicts = prepared.map((step): ChangeVerdict => {
      const verdict = step.ready === 'yes' ? verdictOf(step.change, 'skipped') : step.verdict
      return { ...verdict, differences: [] }
    })
    return { verdicts, left: entry }
  }

  const id = newId()
  const versions = new Map<string, { readonly resourceVersion?: string }>()
  const parts = () => divide(entry, turn, (change) => versions.get(keyOf(change)), id)
  for (const step of prepared) {
    if (step.ready === 'already') versions.set(keyOf(step.verdict), versionPart(step.resourceVersion))
  }
  const ready = prepared.flatMap((step) => (step.ready === 'yes' ? [step.change] : []))
  const applied = await applyInOrder(ready, force, applying, async (done) => {
    versions.set(keyOf(done), versionPart(done.resourceVersion))
    await onPart(parts())
  })
  const verdicts = prepared.map((step): ChangeVerdict => {
    const found = applied.find((verdict) => keyOf(verdict) === keyOf(step.ready === 'yes' ? step.change : step.verdict))
    if (found !== undefined) return found
    return { ...(step.ready === 'yes' ? verdictOf(step.change, 'skipped') : step.verdict), differences: [] }
  })
  return { verdicts, ...parts() }
}

const keyOf = ({ kind, name }: Pick<ObjectChange, 'kind' | 'name'>): string => `${kind}/${name}`

const versionPart = (resourceVersion: string | undefined) => ({
  ...(resourceVersion !== undefined && { resourceVersion }),
})
