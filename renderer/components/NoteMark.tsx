import type { CSSProperties } from 'react'
import { NOTE_IDS, useShownNotes, type NoteId } from '../state/firstRun.ts'
import styles from './NoteMark.module.css'

/** The number of a first-run note at what the note describes; nothing once the note is dismissed. */
export function NoteMark({ note, style }: { readonly note: NoteId; readonly style?: CSSProperties }) {
  return useShownNotes().includes(note) ? <NoteNumber note={note} style={style} /> : null
}

export const NoteNumber = ({ note, style }: { readonly note: NoteId; readonly style?: CSSProperties | undefined }) => (
  <span className={styles['number']} style={style} aria-hidden="true">
    {NOTE_IDS.indexOf(note) + 1}
  </span>
)
