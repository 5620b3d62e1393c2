import { create } from 'zustand'
import { objectOf, writerName } from '../../core/config/objects.ts'
import type { Client } from '../../core/contract/contract.ts'
import type { AppliedChange, JournalEntry, ObjectsState } from '../../core/contract/objects.ts'
import { refKey } from '../../core/draft/draft.ts'
import { fieldTexts } from '../../core/draft/fieldText.ts'
import { cleanManifest, writeManifest } from '../../core/manifest/write.ts'
import { connectionStore } from './connection.ts'
import { dismiss } from './dismissed.ts'
import { draftApplyStore } from './draftApply.ts'
import { openDraft } from './openDraft.ts'

/** An edit that somebody reverted or changed after it was applied. */
export interface Revert extends Pick<AppliedChange, 'kind' | 'name' | 'to'> {
  readonly connection: number
  readonly target: string
  /** `revert`, the journal entry and the later write. */
  readonly id: string
  /** Who changed which fields, in a sentence. */
  readonly text: string
}

/** Those of every connected source, until the object is as edited again. */
export const revertStore = create<{ readonly reverts: readonly Revert[] }>(() => ({ reverts: [] }))

/** For good: the journal still shows it. */
export const dismissRevert = ({ id }: Revert): void => dismiss(id)

/** Puts the edit into the draft again. */
export function keepEdit({ kind, name, to }: Revert): void {
  openDraft([{ kind, name, text: to === null ? null : writeManifest(kind, to) }])
}

/**
 * Compares the objects of every connected source with its journal whenever either changes. Returns the function that
 * ends it.
 */
export function startReverts(client: Pick<Client, 'call' | 'subscribe'>): () => void {
  const sources = new Map<number, { readonly look: () => Promise<void>; readonly stop: () => void }>()
  const tell = (connection: number, found: readonly Revert[]): void =>
    revertStore.setState(({ reverts }) => ({
      reverts: [...found, ...reverts.filter((one) => one.connection !== connection)],
    }))
  const follow = (connection: number): void => {
    let asked = 0
    let state: ObjectsState | undefined
    const look = async (): Promise<void> => {
      const own = ++asked
      if (state?.state !== 'current') return
      const now = state
      // The Journal itself reports why it cannot be read.
      const entries = await client.call('journal.read', { connection }).catch(() => [])
      if (own === asked) tell(connection, revertsIn(entries, now))
    }
    const unsubscribe = client.subscribe('objects', { connection }, (told) => {
      const isNew = told.objects !== state?.objects || told.state !== state.state
      state = told
      if (isNew) void look()
    })
    const stop = (): void => {
      asked++
      unsubscribe()
      tell(connection, [])
    }
    sources.set(connection, { look, stop })
  }
  const followAll = (connections: readonly { readonly id: number }[]): void => {
    for (const [id, { stop }] of sources) {
      if (connections.some((one) => one.id === id)) continue
      stop()
      sources.delete(id)
    }
    for (const { id } of connections) if (!sources.has(id)) follow(id)
  }
  const stops = [
    connectionStore.subscribe(({ connections }) => followAll(connections)),
    draftApplyStore.subscribe(({ applied, of }, before) => {
      if (applied !== before.applied && of !== undefined) void sources.get(of)?.look()
    }),
  ]
  followAll(connectionStore.getState().connections)
  return () => {
    for (const stop of stops) stop()
    followAll([])
  }
}

/** `entries`: newest first. The newest one about an object says what it should be. */
function revertsIn(entries: readonly JournalEntry[], state: ObjectsState): readonly Revert[] {
  const { connection } = state
  const seen = new Set<string>()
  return entries.flatMap((entry) =>
    entry.changes.flatMap((change): Revert[] => {
      const { kind, name, sending, since } = change
      const key = refKey(change)
      if (seen.has(key)) return []
      seen.add(key)
      if (sending !== undefined || since === undefined) return []
      // An undone edit is one as well.
      const to = change.state === 'undone' ? change.from : change.to
      const text = revertText({ ...change, to }, since, state)
      return [{ connection, target: entry.target, kind, name, to, text, id: `revert ${entry.id} ${key} ${text}` }]
    }),
  )
}

const DID = { 'taken-back': 'reverted', changed: 'changed', deleted: 'deleted', created: 'created' } as const

function revertText(
  change: AppliedChange,
  { what, by }: NonNullable<AppliedChange['since']>,
  { objects }: ObjectsState,
): string {
  const { kind, name, to } = change
  const present = objectOf(objects, change)
  const fields =
    to === null || present === undefined ? [] : fieldTexts(cleanManifest(kind, to), cleanManifest(kind, { ...present }))
  const who = by === undefined ? 'Another client' : writerName(by).replace(/^the /, 'The ')
  return `${who} ${DID[what]} ${name}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}.`
}
