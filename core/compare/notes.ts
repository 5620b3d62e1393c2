import type { JournalEntry } from '../contract/objects.ts'
import type { Note } from '../contract/recording.ts'
import type { RejectReason } from '../frame/frame.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import type { Mark } from './period.ts'

/** Notes about a server, or about all of them, as marks; the end of an alert explains nothing. */
export const noteMarks = (notes: readonly Note[], server: string | undefined): readonly Mark[] =>
  notes.flatMap(({ at, kind, text, server: of = server }) =>
    kind === 'resolved' || of !== server ? [] : [{ at, kind, text }],
  )

/** Notes that explain the curves of one level on one server. */
export const marksOfLevel = (notes: readonly Note[], level: string, server: string): readonly Mark[] =>
  noteMarks(
    notes.filter((one) => one.level === level || (one.level === undefined && one.kind !== 'object')),
    server,
  )

export const editMarks = (entries: readonly JournalEntry[]): readonly Mark[] =>
  entries.map(({ at, user, label, changes }) => ({
    at: unixMsOf(at),
    kind: 'edit',
    text: `${label}${changes.length > 1 ? ` (${changes.length} objects)` : ''}${user === undefined ? '' : ` by ${user}`}`,
  }))

/** The same event, seen through two sources with their own intervals. */
const SAME_NOTE_MS = 180_000

/** Notes completed with those that only another reading of the same time has, in chronological order. */
export function joinNotes(notes: readonly Note[], more: readonly Note[]): readonly Note[] {
  if (more.length === 0) return notes
  const known = Map.groupBy(notes, ({ kind, text }) => `${kind} ${text}`)
  const missing = more.filter(
    ({ at, kind, text }) =>
      !(known.get(`${kind} ${text}`) ?? []).some((other) => Math.abs(other.at - at) <= SAME_NOTE_MS),
  )
  return [...notes, ...missing].toSorted((a, b) => a.at - b.at)
}

/** The same for every way of detecting it, so that it is one mark. */
export const startedText = (server: string): string => `${server} started; its counters began at 0`

export const rejectingText = (level: string, reason: RejectReason): string => `${level} began to reject, ${reason}`

/** When the latest alert fired, Unix milliseconds; `undefined` without any. */
export const lastAlert = (notes: readonly Note[]): UnixMs | undefined =>
  notes.reduce<UnixMs | undefined>(
    (last, { at, kind }) => (kind === 'alert' && (last === undefined || at > last) ? at : last),
    undefined,
  )
