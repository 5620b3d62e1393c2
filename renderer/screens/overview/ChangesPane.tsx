import { memo, useMemo, useState } from 'react'
import type { Series } from '../../../core/frame/series.ts'
import { Pane } from '../../components/Pane.tsx'
import { scrollRegion } from '../../components/scrollRegion.ts'
import { notedStore } from '../../state/noted.ts'
import { hrefOf } from '../../state/route.ts'
import { timeStore } from '../../state/time.ts'
import { format } from '../../theme/format.ts'
import { CHANGE_FILTERS, changesOf, FILTER_OF, type Change, type ChangeFilter } from './changes.ts'
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

/** What changed within the shown range, causes among it, newest first. */
export const ChangesPane = memo(function ChangesPane({ series, startedAt, gapMs, server }: ChangesPaneProps) {
  const [filter, setFilter] = useState<ChangeFilter | 'all'>('all')
  const noted = notedStore((state) => state.noted)
  const all = useMemo(
    () => (series === undefined ? [] : changesOf(series, { startedAt, gapMs, noted })),
    [series, startedAt, gapMs, noted],
  )
  const changes = filter === 'all' ? all : all.filter(({ kind }) => FILTER_OF[kind] === filter)
  return (
    <Pane
      title="What changed"
      note={server === undefined ? undefined : `on ${server}`}
      className={styles['listPane']}
      actions={
        <select
          className={styles['changeFilter']}
          aria-label="Kind of change"
          value={filter}
          onChange={({ target }) => setFilter(CHANGE_FILTERS.find((one) => one === target.value) ?? 'all')}
        >
          <option value="all">all</option>
          {CHANGE_FILTERS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      }
    >
      {changes.length === 0 ? (
        <p className={styles['quiet']}>
          {filter === 'all' ? 'Nothing changed in this range.' : `Nothing of ${filter} changed in this range.`}
        </p>
      ) : (
        <div className={styles['listScroll']} {...scrollRegion('Changes, newest first')}>
          <ol className={styles['changes']}>
            {changes.slice(0, MOST).map((change, place) => (
              // By place: a new change would move all others, and what moves cannot be read.
              <li key={place}>
                <time dateTime={new Date(change.at).toISOString()}>{format.time(change.at)}</time>
                <Changed change={change} />
              </li>
            ))}
          </ol>
        </div>
      )}
    </Pane>
  )
})

/** The text of a change leads to where it shows, with the crosshair at its instant. */
function Changed({ change: { at, kind, level, text } }: { readonly change: Change }) {
  const look = kind === 'rejecting' ? styles['rejected'] : undefined
  const href = kind === 'reallocated' ? hrefOf('allocation') : level === undefined ? undefined : hrefOf('level', level)
  if (href === undefined || kind === 'gone') {
    return (
      <span className={look} title={text}>
        {text}
      </span>
    )
  }
  return (
    <a className={look} href={href} title={text} onClick={() => timeStore.getState().setCursor(at)}>
      {text}
    </a>
  )
}
