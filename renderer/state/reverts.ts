import { create } from 'zustand'
import { objectOf, writerName } from '../../core/config/objects.ts'
import type { Client } from '../../core/contract/contract.ts'
import type { AppliedChange, JournalEntry } from '../../core/contract/objects.ts'
import { refKey } from '../../core/draft/draft.ts'
import { fieldTexts } from '../../core/draft/fieldText.ts'
import { cleanManifest, writeManifest } from '../../core/manifest/write.ts'
import { draftApplyStore } from './draftApply.ts'
import { objectsStore } from './objects.ts'
import { openDraft } from './openDraft.ts'

/** An edit that somebody reverted or changed after it was applied. */
export interface Revert extends Pick<AppliedChange, 'kind' | 'name' | 'to'> {
  readonly connection: number
  /** Of the journal entry and the later write. */
  readonly id: string
  /** Who changed which fields, in a sentence. */
  readonly text: string
}

/** Those of the shown source since it was shown, until the object is as edited again, or they are dismissed. */
export const revertStore = create<{ readonly reverts: readonly Revert[]; readonly dismissed: readonly string[] }>(
  () => ({ reverts: [], dismissed: [] }),
)

export const dismissRevert = ({ id }: Revert): void =>
  revertStore.setState(({ dismissed }) => ({ dismissed: [...dismissed, id] }))

/** Puts the edit into the draft again. */
export function keepEdit({ kind, name, to }: Revert): void {
  openDraft([{ kind, name, text: to === null ? null : writeManifest(kind, to) }])
}

/**
 * Compares the objects with the journal whenever either changes. What had been reverted before is not announced: the
 * journal shows it. Returns the function that ends it.
 */
export function startReverts(client: Pick<Client, 'call'>): () => void {
  let asked = 0
  let known: { readonly connection: number; readonly ids: ReadonlySet<string> } | undefined
  const look = async (): Promise<void> => {
    const { state } = objectsStore.getState()
    const own = ++asked
    if (state?.state !== 'current') return
    const { connection, editing } = state
    // Without any edit there is nothing to revert.
    if (editing.state !== 'on' && known?.connection !== connection) return revertStore.setState({ reverts: [] })
    // The Journal itself reports why it cannot be read.
    const entries = await client.call('journal.read', { connection }).catch(() => [])
    if (own !== asked) return
    const found = revertsIn(entries, connection)
    if (known?.connection !== connection) known = { connection, ids: new Set(found.map(({ id }) => id)) }
    const { ids } = known
    revertStore.setState({ reverts: found.filter(({ id }) => !ids.has(id)) })
  }
  const stops = [
    objectsStore.subscribe(({ state }, before) => {
      if (state?.objects !== before.state?.objects) void look()
    }),
    draftApplyStore.subscribe(({ applied }, before) => {
      if (applied !== before.applied) void look()
    }),
  ]
  void look()
  return () => {
    asked++
    for (const stop of stops) stop()
    revertStore.setState({ reverts: [] })
  }
}

/** `entries`: newest first. The newest one about an object says what it should be. */
function revertsIn(entries: readonly JournalEntry[], connection: number): readonly Revert[] {
  const seen = new Set<string>()
  return entries.flatMap((entry) =>
    entry.changes.flatMap((change): Revert[] => {
      const { kind, name, to, state, sending, since } = change
      const key = refKey(change)
      if (seen.has(key)) return []
      seen.add(key)
      if (state !== 'applied' || sending !== undefined || since === undefined) return []
      const text = revertText(change, since)
      return [{ connection, kind, name, to, text, id: `${entry.id} ${key} ${text}` }]
    }),
  )
}

const DID = { 'taken-back': 'reverted', changed: 'changed', deleted: 'deleted', created: 'created' } as const

function revertText(change: AppliedChange, { what, by }: NonNullable<AppliedChange['since']>): string {
  const { kind, name, to } = change
  const { state } = objectsStore.getState()
  const present = state && objectOf(state.objects, change)
  const fields =
    to === null || present === undefined ? [] : fieldTexts(cleanManifest(kind, to), cleanManifest(kind, { ...present }))
  const who = by === undefined ? 'Another client' : writerName(by).replace(/^the /, 'The ')
  return `${who} ${DID[what]} ${name}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}.`
}
