import { lastAlert } from '../../core/compare/notes.ts'
import type { Note } from '../../core/contract/recording.ts'
import { isOfRun, unixMsOf, type UnixMs } from '../../core/units.ts'
import { connectionStore } from '../state/connection.ts'
import { useNotes } from '../state/notes.ts'
import { pastStore } from '../state/past.ts'
import { settingsNow } from '../state/settings.ts'
import { timeStore } from '../state/time.ts'
import type { Wall } from '../state/typedRange.logic.ts'
import { viewStore } from '../state/view.ts'
import { format } from '../theme/format.ts'
import { useNow } from './hooks.ts'

/** What a time that is typed now for the shown source is relative to. */
export const wallOf = (notes: readonly Note[]): Wall => ({
  now: newestInstant(),
  zone: settingsNow().clock,
  lastAlert: lastAlert(notes),
})

export function useWall(): Wall {
  useNow()
  return wallOf(useNotes())
}

/** The unit of times without one: the zone of the clock, or seconds since the start of a run. */
export const unitOf = ({ now }: Wall): string => (isOfRun(now) ? 's' : format.zone())

/** Now, for a source that is read; a simulation has its own clock, and a recording, a run or a file has its last sample. */
function newestInstant(): UnixMs {
  const { connection } = connectionStore.getState()
  if (connection?.still !== true && connection?.source.kind !== 'simulation') return Date.now()
  const { extent, moment } = pastStore.getState()
  const { server } = viewStore.getState()
  if (moment !== undefined && extent?.last !== undefined) return extent.last
  return server === undefined ? timeStore.getState().to : unixMsOf(server.at)
}
