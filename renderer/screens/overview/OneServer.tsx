import type { Connected } from '../../../core/contract/source.ts'
import { useMemo, memo, useState } from 'react'
import { rangeFacts, type Series } from '../../../core/history/series.ts'
import { unixMsOf } from '../../../core/units.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { nominalSurplus } from '../../../core/impact/serverLimit.ts'
import { classes, scrollRegion } from '../../components/classes.ts'
import { KeyNumbers } from '../../components/NowLine.tsx'
import { useSeries } from '../../state/series.ts'
import { useTimePart, timeStore } from '../../state/time.ts'
import { Note } from '../../components/States.tsx'
import { format } from '../../theme/format.ts'
import { Pane } from '../../components/Pane.tsx'
import { notedStore } from '../../state/noted.ts'
import { hrefOf } from '../../state/route.ts'
import { keyNumbers } from './keyNumbers.ts'
import { LedgerPane } from './LedgerPane.tsx'
import { LevelTable } from './LevelTable.tsx'
import { nowLine, staleLine } from './nowLine.ts'
import type { NowRange, NowServer } from './levelStatements.ts'
import { NowPane, ServersNow } from './NowPane.tsx'
import styles from './overview.module.css'
import { RejectionsPane } from './RejectionsPane.tsx'
import { ServersPane } from './ServersPane.tsx'
import { useOwnLevel, type OverviewFacts, type OverviewServer } from './useOverview.ts'
import { CHANGE_FILTERS, changesOf, FILTER_OF, type Change, type ChangeFilter } from './changes.ts'

export interface OneServerProps {
  readonly shown: OverviewServer
  readonly facts: OverviewFacts
  readonly connection: Connected
  readonly onShowServer: (server: string) => void
}

/** Everything about one server: what is happening, and where. */
export function OneServer({ shown, facts, connection, onShowServer }: OneServerProps) {
  const { id, server, rows, recent } = shown
  const stale = facts.stale.has(id)
  const history = useSeries()
  const series = history?.server === id ? history : undefined
  const from = useTimePart((time) => time.from)
  const to = useTimePart((time) => time.to)
  const order = useMemo(() => rows.map(({ name }) => name), [rows])
  const lastAt = unixMsOf(server.at)
  const range = useMemo((): NowRange | undefined => {
    const found = series && rangeFacts(series)
    return found && { ...found, follows: Math.abs(found.to - lastAt) <= facts.gapMs }
  }, [series, lastAt, facts.gapMs])
  const now: NowServer = { id, rows, rejections: recent?.rows ?? [], range }
  const ownLevel = useOwnLevel(connection)
  return (
    <>
      {stale ? (
        <NowPane
          statement={staleLine({
            own: ownLevel(shown),
            last: nowLine([now]),
            server: id,
            stale: facts.stale,
            ageMs: facts.now - lastAt,
            lastAt,
            health: connection.servers,
            now: facts.now,
          })}
          onShowServer={onShowServer}
        />
      ) : (
        <ServersNow servers={[now]} onShowServer={onShowServer} />
      )}
      <div className={classes(styles['facts'], stale && styles['stale'])}>
        <KeyNumbers label={`Key numbers of ${id}`} items={keyNumbers(rows, server.seatFairFrac)} />
      </div>
      <MissingNotice server={server} />
      <div className={classes(styles['section'], stale && styles['stale'])}>
        <LedgerPane server={server} order={order} stale={stale} />
      </div>
      <div className={styles['section']}>
        <LevelTable
          rows={rows}
          series={series}
          from={from}
          to={to}
          gapMs={facts.gapMs}
          stale={stale}
          csvName={`levels-${id}`}
        />
      </div>
      <div className={classes(styles['bottom'], stale && styles['stale'])}>
        <RejectionsPane key={id} recent={recent} />
        <div className={styles['side']}>
          {connection.servers.length > 1 && (
            <ServersPane
              loads={facts.servers.map(({ load }) => load)}
              health={connection.servers}
              selected={id}
              stale={facts.stale}
              onSelect={onShowServer}
            />
          )}
          <ChangesPane series={series} startedAt={server.startedAt} gapMs={facts.gapMs} />
        </div>
      </div>
    </>
  )
}

/** Families that this screen draws from: what others lack is told where it is missed. */
const DRAWN: ReadonlySet<string> = new Set(
  [
    'current_limit_seats',
    'nominal_limit_seats',
    'lower_limit_seats',
    'upper_limit_seats',
    'current_executing_seats',
    'current_inqueue_requests',
    'current_inqueue_seats',
    'demand_seats_smoothed',
    'seat_fair_frac',
    'dispatched_requests_total',
    'rejected_requests_total',
    'request_wait_duration_seconds',
  ].map((name) => `apiserver_flowcontrol_${name}`),
)

/** What the numbers of this server leave out or add: families that it does not show, series of deleted levels. */
function MissingNotice({ server }: { readonly server: ServerFrame }) {
  const missing = server.missing.filter(({ family }) => DRAWN.has(family))
  const deleted = server.deleted ?? []
  const surplus = nominalSurplus(server)
  if (missing.length === 0 && deleted.length === 0 && surplus === 0) return null
  return (
    <div className={styles['notices']}>
      <Note kind="info">
        {deleted.length > 0 && (
          <p>
            {`${deleted.join(', ')} ${deleted.length === 1 ? 'was' : 'were'} deleted. The server exports the last series of a deleted level until it restarts; the console counts them nowhere.`}
          </p>
        )}
        {surplus > 0 && (
          <p>
            {`The nominal limits add up to ${format.seats(surplus)} seats more than this server has, so sums of seats are too large. It exports the series of a level that was deleted, or the page was read during a change. Which level it is takes the right to list PriorityLevelConfigurations.`}
          </p>
        )}
        {missing.map(({ family, note }) => (
          <p key={family}>
            <code>{family}</code> {note}
          </p>
        ))}
      </Note>
    </div>
  )
}

interface ChangesPaneProps {
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
const ChangesPane = memo(function ChangesPane({ series, startedAt, gapMs, server }: ChangesPaneProps) {
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
