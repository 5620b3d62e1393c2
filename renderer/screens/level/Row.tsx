import type { ReactNode } from 'react'
import { classes } from '../../components/classes.ts'
import styles from './LevelScreen.module.css'

/** A row of two panes; `wide` when only one of them is there. */
export function Row(props: { readonly even?: boolean; readonly wide?: boolean; readonly children: ReactNode }) {
  const { even = false, wide = false, children } = props
  return <div className={wide ? styles['one'] : classes(styles['two'], even && styles['even'])}>{children}</div>
}
