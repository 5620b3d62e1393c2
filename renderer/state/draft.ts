import { create } from 'zustand'
import type { ObjectSet } from '../../core/config/objects.ts'
import type { Client } from '../../core/contract/contract.ts'
import { toProblem, type Problem } from '../../core/errors.ts'
import type { Draft } from '../../core/contract/objects.ts'
import {
  type DraftEntries,
  recordStep,
  redoStep,
  startHistory,
  undoStep,
  type History,
} from '../../core/draft/draft.ts'
import { draftBase, baseChoiceStore } from './draftBase.ts'
import { NOTHING_DRAFTED, understand, type UnderstoodDraft } from './draft.logic.ts'
import { refusalOf } from './limits.ts'
import { NO_OBJECTS, objectsStore } from './objects.ts'

interface DraftStore {
  /** The target of this draft; absent before one was read. */
  readonly targetKey?: string
  readonly history: History<DraftEntries>
  /** Why the draft could not be stored. */
  readonly notKept?: Problem
  /** What the draft means for the present objects. */
  readonly understood: UnderstoodDraft
}

const NOTHING: DraftEntries = []

export const draftStore = create<DraftStore>(() => ({
  history: startHistory(NOTHING),
  understood: NOTHING_DRAFTED,
}))

/** Milliseconds without a change after which a draft is written. */
const REST_MS = 400

/** Reads the draft of the connected source, and stores changes. Returns the function that ends it. */
export function startDraft(client: Client): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let unsaved: { readonly targetKey: string; readonly draft: Draft } | undefined
  let reading: string | undefined

  const save = (): void => {
    clearTimeout(timer)
    timer = undefined
    const written = unsaved
    unsaved = undefined
    if (written === undefined) return
    client.call('drafts.write', written).then(
      () => draftStore.setState(({ notKept: _gone, ...kept }) => kept, true),
      (thrown: unknown) => draftStore.setState({ notKept: toProblem(thrown) }),
    )
  }
  const read = (): void => {
    const { state } = objectsStore.getState()
    if (state === undefined || state.targetKey === reading) return
    const { connection, targetKey: key } = state
    save()
    reading = key
    forget()
    const take = (entries: DraftEntries): void => {
      if (reading === key && objectsStore.getState().state?.targetKey === key) {
        draftStore.setState({ targetKey: key, history: startHistory(entries) })
        refresh()
      }
    }
    if (refusalOf('drafts.read') !== undefined || state === NO_OBJECTS) return take(NOTHING)
    // Without a stored draft an empty one starts.
    client.call('drafts.read', { connection }).then(
      (draft) => take(draft.entries),
      () => take(NOTHING),
    )
  }
  const stops = [
    objectsStore.subscribe(() => {
      read()
      refresh()
    }),
    baseChoiceStore.subscribe(refresh),
    draftStore.subscribe(({ history, targetKey }, old) => {
      if (targetKey === undefined || history.present === old.history.present || targetKey !== old.targetKey) return
      unsaved = { targetKey, draft: { entries: [...history.present] } }
      clearTimeout(timer)
      timer = setTimeout(save, REST_MS)
    }),
  ]
  window.addEventListener('pagehide', save)
  read()
  return () => {
    reading = undefined
    save()
    window.removeEventListener('pagehide', save)
    for (const stop of stops) stop()
    forget()
  }
}

const forget = (): void => draftStore.setState({ history: startHistory(NOTHING), understood: NOTHING_DRAFTED }, true)

function refresh(): void {
  const { history, understood } = draftStore.getState()
  const next = understand(history.present, draftBase(), understood)
  if (next !== understood) draftStore.setState({ understood: next })
}

const go = (history: History<DraftEntries>): void => {
  draftStore.setState({ history })
  refresh()
}

/** Changes the draft; steps of one group in quick succession are undone together. */
export function changeDraft(change: (entries: DraftEntries, objects: ObjectSet) => DraftEntries, group?: string): void {
  const base = draftBase()
  const { history, targetKey } = draftStore.getState()
  if (base === undefined || targetKey === undefined) return
  const next = change(history.present, base.objects)
  go(recordStep(history, next, group === undefined ? undefined : { group, at: Date.now() }))
}

export const undoDraft = (): void => go(undoStep(draftStore.getState().history))
export const redoDraft = (): void => go(redoStep(draftStore.getState().history))

/** Changes the draft without an undo step: applied changes are reverted in the journal, not by undo. */
export function settleDraft(change: (entries: DraftEntries) => DraftEntries): void {
  const { present } = draftStore.getState().history
  const next = change(present)
  if (next !== present) go(startHistory(next))
}

export const draftNow = (): UnderstoodDraft => draftStore.getState().understood

/** The draft of the connected target and its meaning. */
export const useDraft = (): UnderstoodDraft => draftStore(({ understood }) => understood)

/** Whether the draft of the connected source was read. */
export const useDraftReady = (): boolean => {
  const key = objectsStore(({ state }) => state?.targetKey)
  return draftStore(({ targetKey }) => targetKey !== undefined && targetKey === key)
}

/**
 * The configuration that the draft proposes: the present objects with those of the draft, with defaults. `undefined`
 * without a draft. Texts with errors count with their last valid values (`useDraftIsStale`).
 */
export const useDraftObjects = (): ObjectSet | undefined =>
  draftStore(({ understood }) => (understood.entries.length === 0 ? undefined : understood.proposal?.objects))

/** Whether `useDraftObjects` contains older values than the text of the draft. */
export const useDraftIsStale = (): boolean =>
  draftStore(({ understood }) => (understood.proposal?.stale.length ?? 0) > 0)
