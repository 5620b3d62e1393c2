import { fewOf } from '../../../../core/text/text.ts'
import { plural } from '../../../../core/text/format.ts'
import type { AppliedChange, JournalEntry, ObjectsOrigin } from '../../../../core/contract/objects.ts'
import { fieldTexts } from '../../../../core/draft/fieldText.ts'
import { writerName } from '../../../../core/config/objects.ts'
import { cleanManifest } from '../../../../core/manifest/write.ts'
import { unixMsOf } from '../../../../core/units.ts'
import { format } from '../../../theme/format.ts'
import { countOf } from '../draft/apply.logic.ts'

/** `workload-low and probes`: each name once. */
export const namesText = ({ changes }: JournalEntry): string => fewOf([...new Set(changes.map(({ name }) => name))])

/** `2 created, 1 deleted`, `shares 100 → 30`, and how many more fields an entry changed. */
export function whatText({ changes }: JournalEntry): string {
  const created = changes.filter(({ from }) => from === null).length
  const deleted = changes.filter(({ to }) => to === null).length
  const [first, ...more] = changes.flatMap(({ kind, from, to }) =>
    from === null || to === null ? [] : fieldTexts(cleanManifest(kind, from), cleanManifest(kind, to)),
  )
  return [
    ...(created > 0 ? [`${created} created`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
    ...(first === undefined ? [] : [fewOf([first, ...more], 1)]),
  ].join(', ')
}

export const isInForce = ({ changes }: JournalEntry): boolean =>
  changes.every(({ state, sending, since }) => state === 'applied' && sending === undefined && since === undefined)

export function journalSentence(entries: readonly JournalEntry[], target: string): string {
  const gone = entries.filter((entry) => !isInForce(entry)).length
  const edits = `${plural(entries.length, 'The edit', `${entries.length} edits`)} of ${target}`
  if (gone === 0) return plural(entries.length, `${edits} is in force.`, `All ${edits} are in force.`)
  if (entries.length === 1) return `${edits} is no longer in force.`
  return `${gone} of ${edits} ${plural(gone, 'is', 'are')} no longer in force.`
}

/** `Undo 2 objects`. */
export const turnText = (way: 'undo' | 'redo', changes: readonly unknown[]): string =>
  `${way === 'undo' ? 'Undo' : 'Redo'} ${countOf(changes)}`

export function turnSentence({ from, to }: AppliedChange, way: 'undo' | 'redo'): string {
  const [before, after] = way === 'undo' ? [to, from] : [from, to]
  if (after === null) return 'is deleted'
  if (before === null) return 'is created'
  return way === 'undo' ? 'is restored' : 'is changed again'
}

/** The state of one change: `applied`, `reverted by the API server's reconciler at 03:12:43`. */
export function stateText({ state, sending, since }: AppliedChange): string {
  if (sending !== undefined) return 'being sent'
  if (since !== undefined) return sinceText(since)
  return { applied: 'applied', undone: 'undone', 'not-applied': 'not applied', unknown: 'outcome unknown' }[state]
}

function sinceText({ what, by, at }: NonNullable<AppliedChange['since']>): string {
  const who = by === undefined ? '' : ` by ${writerName(by)}`
  const when = at === undefined ? '' : ` at ${format.dateTime(unixMsOf(at))}`
  const did = {
    'taken-back': 'reverted',
    changed: 'changed since',
    deleted: 'deleted since',
    created: 'created again since',
  }[what]
  return `${did}${who}${when}`
}

export function entryStateText({ changes }: JournalEntry): string {
  const texts = [...new Set(changes.map(stateText))]
  const [only] = texts
  if (texts.length === 1 && only !== undefined) return only
  const short = new Map<string, number>()
  for (const change of changes) {
    const text = change.since === undefined ? stateText(change) : WORD[change.since.what]
    short.set(text, (short.get(text) ?? 0) + 1)
  }
  return [...short].map(([text, count]) => `${count} ${text}`).join(', ')
}

const WORD = {
  'taken-back': 'reverted',
  changed: 'changed since',
  deleted: 'deleted since',
  created: 'created again',
}

/** Advice about a change, if there is something to do. */
export function adviceText({ state, sending }: AppliedChange): string | undefined {
  if (sending !== undefined) {
    return `Console process ${sending.pid} is sending this, or ended before the server answered. The outcome appears here once the server can be read.`
  }
  if (state === 'not-applied') {
    return 'The console ended before the server carried this out. Apply it again from a draft if it is still needed.'
  }
  if (state === 'unknown') {
    return 'The console ended before the server answered, and the object is neither as before nor as after this change. Compare the versions below with the object, and edit it in a draft.'
  }
  return undefined
}

/** What the journal of such a target will contain, and where it is stored: shown while it is empty. */
export const recordsOf = (origin: ObjectsOrigin): readonly (readonly [what: string, text: string])[] => [
  ['Edits', 'Each applied edit: time, user, objects, and every field before and after.'],
  ['Outcome', 'Whether the edit is still in force, or who changed or reverted it since.'],
  [
    'Storage',
    origin === 'simulation'
      ? 'Kept in memory until this source is disconnected, like its objects.'
      : 'Kept in the console.db file of the state folder on this computer, readable by you only.',
  ],
  ['Not recorded', 'Edits made with kubectl, by controllers, or from another computer.'],
]
