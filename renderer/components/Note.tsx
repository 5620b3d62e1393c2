import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Icon, type IconName } from './Icon.tsx'
import styles from './Note.module.css'

export type NoteKind = 'info' | 'warn' | 'bad' | 'good'

const GLYPH: Readonly<Record<NoteKind, IconName>> = { info: 'info', warn: 'warn', bad: 'cross', good: 'check' }

/** A sentence that explains or warns. `alert` interrupts screen readers: only for the failed result of an action. */
export function Note(props: { readonly kind: NoteKind; readonly alert?: boolean; readonly children: ReactNode }) {
  const { kind, alert = false, children } = props
  return (
    <div role={alert ? 'alert' : 'note'} className={classes(styles['note'], styles[kind])}>
      <span className={styles['glyph']}>
        <Icon name={GLYPH[kind]} />
      </span>
      <div className={styles['body']}>{children}</div>
    </div>
  )
}
