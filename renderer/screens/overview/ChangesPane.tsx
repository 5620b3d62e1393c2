import { memo, useMemo } from 'react'
import type { Series } from '../../../core/frame/series.ts'
import { Pane } from '../../components/Pane.tsx'
import { scrollRegion } from '../../components/scrollRegion.ts'
import { format } from '../../theme/format.ts'
import { changesOf } from './changes.ts'
import styles from './overview.module.css'

export interface ChangesPaneProps {
  readonly series: Series | undefined
  /** Start of the server's process, Unix seconds. */
  readonly startedAt: number | undefined
  /** A silence as long as this is a gap. */
  readonly gapMs: number
  /** Named where several servers are shown. */
  readonly server?: string | undefined
}

const MOST = 40

/** Reallocations and first events of the shown range, newest first. */
export const ChangesPane = memo(function ChangesPane({ series, startedAt, gapMs, server }: ChangesPaneProps) {
  const changes = useMemo(
    () => (series === undefined ? [] : changesOf(series, { startedAt, gapMs })),
    [series, startedAt, gapMs],
  )
  return (
    <Pane title="What changed" note={server === undefined ? undefined : `on ${server}`} className={styles['listPane']}>
      {changes.length === 0 ? (
        <p className={styles['quiet']}>Nothing changed in this range.</p>
      ) : (
        <div className={styles['listScroll']} {...scrollRegion('Changes, newest first')}>
          <ol className={styles['changes']}>
            {changes.slice(0, MOST).map((change) => (
              <li key={`${change.at} ${change.text}`}>
                <time dateTime={new Date(change.at).toISOString()}>{format.time(change.at)}</time>
                <span className={change.kind === 'rejecting' ? styles['rejected'] : undefined}>{change.text}</span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Pane>
  )
})
