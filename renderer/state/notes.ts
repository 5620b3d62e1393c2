import { useEffect, useMemo, useState } from 'react'
import { create } from 'zustand'
import { joinNotes } from '../../core/compare/notes.ts'
import { NO_NOTES } from '../../core/contract/defaults.ts'
import type { Note, NotesState } from '../../core/contract/recording.ts'
import { standsInThePast } from '../../core/frame/reading.ts'
import { onAnswer } from './answer.ts'
import { client } from './client.ts'
import { useConnected } from './connection.ts'
import { askedOf, usePastPart } from './past.ts'
import { useTimePart } from './time.ts'

/** The recorded events of the shown source. */
export const notesStore = create<NotesState>(() => NO_NOTES)

/** How long a range must be shown before its events are read. */
const REST_MS = 300

/** The connection to query for the events of the shown source, where that is a recording. */
export function useRecordingAsked(): number | undefined {
  const connected = useConnected()
  const asked = usePastPart(askedOf)
  return asked ?? (connected !== undefined && standsInThePast(connected.source) ? connected.id : undefined)
}

/**
 * The recorded events of the source as it is shown: since it was connected, or from its recording; and those of the
 * past that was read.
 */
export function useNotes(): readonly Note[] {
  const present = notesStore(({ notes }) => notes)
  const read = notesStore((state) => state.past)
  const past = useRecordingAsked()
  const from = useTimePart((time) => (past === undefined ? 0 : time.from))
  const to = useTimePart((time) => (past === undefined ? 0 : time.to))
  const [recorded, setRecorded] = useState<{ readonly of: number; readonly notes: readonly Note[] }>()
  useEffect(() => {
    if (past === undefined) return undefined
    // Without marks the charts are still correct; the time bar reports that the past cannot be read.
    return onAnswer(
      () => client().call('past.notes', { connection: past, from, to }),
      (notes) => setRecorded({ of: past, notes }),
      { restMs: REST_MS },
    )
  }, [past, from, to])
  const shown = past === undefined ? present : recorded?.of === past ? recorded.notes : NONE
  return useMemo(() => joinNotes(shown, read), [shown, read])
}
const NONE: readonly Note[] = []
