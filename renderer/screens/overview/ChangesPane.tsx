import { memo, useMemo, useState } from 'react'
import { MOST_READ_MS } from '../../../core/bounds.ts'
import type { Series } from '../../../core/history/series.ts'
import { MS_PER_SECOND } from '../../../core/units.ts'
import { classes, paneInputClass } from '../../components/classes.ts'
import { Button } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { useHasScreen } from '../../state/limits.ts'
import { useNotes, useRecordingAsked } from '../../state/notes.ts'
import { usePastPart } from '../../state/past.ts'
import { hrefOf } from '../../state/route.ts'
import { instantOf, timeStore, useTimePart } from '../../state/time.ts'
import { format } from '../../theme/format.ts'
import { CHANGE_FILTERS, changesOf, FILTER_OF, type Change, type ChangeFilter } from './changes.ts'
import styles from './overview.module.css'

interface ChangesPaneProps {
  readonly series: Series | undefined
  /** Start of the server's process, Unix seconds. */
  readonly startedAt: number | undefined
}

const MOST = 40
/** Before all of them are wanted. */
const FIRST = 6

/** Changes within the shown range, including their causes, newest first. */
export const ChangesPane = memo(function ChangesPane({ series, startedAt }: ChangesPaneProps) {
  const [showsAll, setShowsAll] = useState(false)
  const [filter, setFilter] = useState<ChangeFilter | 'all'>('all')
  const notes = useNotes()
  const instant = usePastPart(({ moment }) => moment?.at)
  const isRecorded = useRecordingAsked() !== undefined
  const longerThanRead = useTimePart((time) => instantOf(time) !== undefined && time.to - time.from > MOST_READ_MS)
  const all = useMemo(
    () => (series === undefined ? [] : changesOf(series, { startedAt, notes })),
    [series, startedAt, notes],
  )
  const changes = filter === 'all' ? all : all.filter(({ kind }) => FILTER_OF[kind] === filter)
  return (
    <Pane
      title="What changed"
      note={
        isRecorded && longerThanRead
          ? `alerts and restarts: last ${format.span(MOST_READ_MS / MS_PER_SECOND)}`
          : undefined
      }
      actions={
        <select
          className={classes(paneInputClass, styles['changeFilter'])}
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
        <p className="pad-x pad-t-4 pad-b-10 muted">
          {filter === 'all' ? 'Nothing changed in this range.' : `Nothing of ${filter} changed in this range.`}
        </p>
      ) : (
        <>
          <ol className={`${styles['changes']} pad-x pad-b-10 leading-140`} aria-label="Changes, newest first">
            {changes.slice(0, showsAll ? MOST : FIRST).map((change, place) => (
              // By place: a new change would move all others, and moving text cannot be read.
              <li key={place} className={instant !== undefined && change.at > instant ? styles['later'] : undefined}>
                <time dateTime={new Date(change.at).toISOString()}>{format.time(change.at)}</time>
                {instant !== undefined && <span className={styles['distance']}>{distance(change.at - instant)}</span>}
                <Changed change={change} />
              </li>
            ))}
          </ol>
          {changes.length > FIRST && (
            <p className="pad-x pad-t-4 pad-b-10 muted">
              <Button small onClick={() => setShowsAll(!showsAll)}>
                {showsAll ? 'Show fewer' : `Show all ${format.fixed(Math.min(MOST, changes.length))}`}
              </Button>
            </p>
          )}
        </>
      )}
    </Pane>
  )
})

/** `−7 s`, `+28 s`. */
const distance = (ms: number): string => `${ms < 0 ? '−' : '+'}${format.span(Math.round(Math.abs(ms) / MS_PER_SECOND))}`

/** The text of a change links to the screen that shows it, with the crosshair at its instant. */
function Changed({ change: { at, kind, level, text } }: { readonly change: Change }) {
  const look = kind === 'rejecting' || kind === 'alert' ? styles['rejected'] : undefined
  const explained = useHasScreen('allocation')
  const [screen, leads] =
    kind === 'reallocated' ? (['allocation', explained] as const) : (['level', level !== undefined] as const)
  const href = leads ? hrefOf(screen, level) : undefined
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
