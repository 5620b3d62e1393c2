import { useMemo } from 'react'
import { classes } from '../../../components/classes.ts'
import { diffLines, type DiffLine } from './diff.data.ts'
import styles from './aside.module.css'

const SIGN: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '−', fold: '⋯' }

/** What changes between two texts, line by line. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = useMemo(() => diffLines(before, after), [before, after])
  return (
    <div className={styles['lines']}>
      {lines.map(({ kind, text }, index) => (
        <div key={`${index} ${text}`} className={classes(styles['line'], styles[kind])}>
          <span
            aria-label={kind === 'added' || kind === 'removed' ? kind : undefined}
            role={kind === 'added' || kind === 'removed' ? 'img' : undefined}
          >
            {SIGN[kind]}
          </span>
          <span>{text}</span>
        </div>
      ))}
    </div>
  )
}
