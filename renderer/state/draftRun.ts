import { create } from 'zustand'
import { configDiff } from '../../core/config/content.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { ObjectSetSchema } from '../../core/config/schema.ts'
import { ask, connectionStore, useConnected } from './connection.ts'
import { draftNow, useDraftObjects } from './draft.ts'
import { liveStore } from './live.ts'

interface Given {
  /** Of which connection; another one begins without a draft beside. */
  readonly connection: number
  readonly objects: ObjectSet
}

/** What this page last gave to the engine beside; nothing where another page, or this one before it was loaded anew, did. */
const givenStore = create<{ readonly given?: Given }>(() => ({}))

/** How the draft of the Editor and the one that runs beside compare. */
export type DraftBeside = 'same' | 'changed' | 'gone' | 'unknown'

export function besideOf(draft: ObjectSet | undefined, given: ObjectSet | undefined): DraftBeside {
  if (draft === undefined) return 'gone'
  if (given === undefined) return 'unknown'
  return configDiff(given, draft).length === 0 ? 'same' : 'changed'
}

/** The draft of the Editor beside what is in force. */
export interface DraftRun {
  readonly exists: boolean
  /** Says something only while a draft runs. */
  readonly beside: DraftBeside
  /** Runs the draft, anew where one runs already. Rejects with what is wrong with it. */
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

/** Runs the draft beside the live traffic of what is connected, anew where one runs already; nothing without both. */
export async function runDraftBeside(): Promise<void> {
  const { proposal, entries } = draftNow()
  const { connection } = connectionStore.getState()
  if (proposal === undefined || entries.length === 0 || connection === undefined) return
  const { objects } = proposal
  const state = await ask('live.candidate', { wish: { on: true, objects: ObjectSetSchema.parse(objects) } })
  givenStore.setState({ given: { connection: connection.id, objects } })
  liveStore.setState({ state })
}
