import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { NoteSchema, type Note } from '../../core/contract/recording.ts'
import type { UnixMs } from '../../core/units.ts'

/*
 * Notes that were taken while a chapter was written, including alerts: rules use minutes to hours of history, so a
 * reader would have to evaluate them on every sample of a day.
 */

export const NOTE_SCHEMA = `
  CREATE TABLE note (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, value TEXT NOT NULL) STRICT;
  CREATE INDEX note_at ON note (at);
`

export function insertNotes(connection: DatabaseSync, notes: readonly Note[]): void {
  const insert = connection.prepare('INSERT INTO note (at, value) VALUES (?, ?)')
  for (const one of notes) insert.run(Math.round(one.at), JSON.stringify(one))
}

const RowSchema = z.object({ value: z.string() })

export function notesIn(connection: DatabaseSync, from: UnixMs, to: UnixMs): readonly Note[] {
  const rows = connection.prepare('SELECT value FROM note WHERE at >= ? AND at <= ? ORDER BY at, id').iterate(from, to)
  return [...rows].map((row) => NoteSchema.parse(JSON.parse(RowSchema.parse(row).value)))
}
