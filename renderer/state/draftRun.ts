import { create } from 'zustand'
import { configDiff } from '../../core/config/content.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { ask, connectionStore, useConnected } from './connection.ts'
import { draftNow, useDraftObjects } from './draft.ts'
import { liveStore } from './live.ts'

interface Given {
  /** The connection; another one starts without a draft beside. */
  readonly connection: number
  readonly objects: ObjectSet
}

/**
 * The objects that this page last sent to the engine beside; nothing where another page sent them, or this page before
 * a reload.
 */
const givenStore = create<{ readonly given?: Given }>(() => ({}))

/** Difference between the Editor's draft and the one that runs beside. */
export type DraftBeside = 'same' | 'changed' | 'gone' | 'unknown'

export function besideOf(draft: ObjectSet | undefined, given: ObjectSet | undefined): DraftBeside {
  if (draft === undefined) return 'gone'
  if (given === undefined) return 'unknown'
  return configDiff(given, draft).length === 0 ? 'same' : 'changed'
}

/** The Editor's draft beside the current configuration. */
export interface DraftRun {
  readonly exists: boolean
  /** Only meaningful while a draft runs. */
  readonly beside: DraftBeside
  /** Runs the draft, or restarts it. Rejects with the error in the draft. */
  run(): Promise<void>
  end(): Promise<void>
}

export function useDraftRun(): DraftRun {
  const draft = useDraftObjects()
  const connection = useConnected()?.id
  const given = givenStore((store) => store.given)
  return {
    exists: draft !== undefined,
    beside: besideOf(draft, given !== undefined && given.connection === connection ? given.objects : undefined),
    run: runDraftBeside,
    async end() {
      liveStore.setState({ state: await ask('live.candidate', { wish: { on: false } }) })
    },
  }
}

/** Runs the draft beside the live traffic of the connected source, or restarts it; does nothing without both. */
export async function runDraftBeside(): Promise<void> {
  const { proposal, entries } = draftNow()
  const { connection } = connectionStore.getState()
  if (proposal === undefined || entries.length === 0 || connection === undefined) return
  const { objects } = proposal
  const state = await ask('live.candidate', { wish: { on: true, objects: ObjectSetSchema.parse(objects) } })
  givenStore.setState({ given: { connection: connection.id, objects } })
  liveStore.setState({ state })
}
