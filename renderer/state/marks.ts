import { useMemo } from 'react'
import { noteMarks, startedText } from '../../core/compare/notes.ts'
import { joinMarks, type Mark } from '../../core/compare/period.ts'
import type { Settings } from '../../core/contract/settings.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { useConnected } from './connection.ts'
import { useNotes } from './notes.ts'
import { useSettings } from './settings.ts'
import { useViewPart } from './view.ts'

/** The start of a server's process. */
const startMark = (server: ServerFrame | undefined): readonly Mark[] =>
  server?.startedAt === undefined
    ? []
    : [{ at: server.startedAt * 1_000, kind: 'restarted', text: startedText(server.id) }]

/** The marks that were set by hand on this source. */
const handMarks = (marks: Settings['marks'], source: string | undefined): readonly Mark[] =>
  marks.filter((mark) => mark.source === source).map(({ at, text }) => ({ at, kind: 'note', text }))

/** Events that explain the numbers of the shown server, newest first: those recorded for it, and marks set by hand. */
export function useServerMarks(): readonly Mark[] {
  const notes = useNotes()
  const server = useViewPart((view) => view.server)
  const source = useConnected()?.source.name
  const [{ marks }] = useSettings()
  return useMemo(
    () => joinMarks(noteMarks(notes, server?.id), startMark(server), handMarks(marks, source)),
    [notes, server, marks, source],
  )
}
