import { useConnected } from './connection.ts'
import { useRoute } from './route.ts'
import { useSettings } from './settings.ts'
import { useHasLevels } from './view.ts'

/** The first-run notes, in their order: each has a mark at what it describes, but the last, which is a task. */
export const NOTE_IDS = ['seats', 'nominal', 'reallocation', 'task'] as const
export type NoteId = (typeof NOTE_IDS)[number]

/** Whether the shown source is not the user's own cluster, so that a connection is offered. */
export function useIsExample(): boolean {
  const kind = useConnected()?.source.kind
  return kind === 'simulation' || kind === 'demo'
}

/** The notes that are not dismissed. A recording, such as the demo, has nothing to try a fix on. */
export function useLeftNotes(): readonly NoteId[] {
  const [{ dismissed }] = useSettings()
  const isSimulation = useConnected()?.source.kind === 'simulation'
  return NOTE_IDS.filter((id) => !dismissed.includes(id) && (id !== 'task' || isSimulation))
}

/** The notes to show now; none once they are dismissed, and only on an Overview of levels. */
export function useShownNotes(): readonly NoteId[] {
  const { screen } = useRoute()
  const left = useLeftNotes()
  const example = useIsExample()
  const hasLevels = useHasLevels()
  return example && hasLevels && screen === 'overview' ? left : []
}
