import type { ReactNode } from 'react'
import { LevelChip } from './LevelChip.tsx'
import { Icon } from './Icon.tsx'
import styles from './NowLine.module.css'

export interface NowLineProps {
  /** The one sentence that is true now. */
  readonly title: string
  readonly evidence?: ReactNode
  /** More evidence than there is room for, shown on hover. */
  readonly details?: string | undefined
  /** The level that the sentence is about. */
  readonly level?: string | undefined
  readonly stale?: boolean
  /** At most three. */
  readonly actions?: ReactNode
}

/** Each screen opens with one plain sentence, then the evidence, then the next action. */
export function NowLine({ title, evidence, details, level, stale = false, actions }: NowLineProps) {
  return (
    <header className={styles['line']}>
      <div className={styles['text']}>
        <h1 className={styles['title']}>
          {stale && (
            <span className={styles['stale']}>
              <Icon name="warn" />
            </span>
          )}
          {level !== undefined && <LevelChip name={level} stale={stale} decorative />}
          {title}
        </h1>
        {evidence !== undefined && (
          <p className={styles['evidence']} title={details ?? (typeof evidence === 'string' ? evidence : undefined)}>
            {evidence}
          </p>
        )}
      </div>
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </header>
  )
}
