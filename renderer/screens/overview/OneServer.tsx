import { plural } from '../../../core/text/format.ts'
import type { Connected } from '../../../core/contract/source.ts'
import { lazy, Suspense, useMemo } from 'react'
import { rangeFacts } from '../../../core/history/range.ts'
import { unixMsOf } from '../../../core/units.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { notesOfFiles } from '../../../core/frame/lacking.ts'
import { versionNote } from '../../../core/metrics/versions.ts'
import { nominalSurplus } from '../../../core/impact/reportedLimit.ts'
import { classes } from '../../components/classes.ts'
import { FamilyNote } from '../../components/FamilyNote.tsx'
import { KeyNumbers } from '../../components/NowLine.tsx'
import { useTurn } from '../../components/hooks.ts'
import { useSeries } from '../../state/series.ts'
import { useTimePart } from '../../state/time.ts'
import { Note } from '../../components/States.tsx'
import { format } from '../../theme/format.ts'
import { ChangesPane } from './ChangesPane.tsx'
import { keyNumbers } from './keyNumbers.ts'
import { LedgerPane } from './LedgerPane.tsx'
import { LevelTable } from './LevelTable.tsx'
import { headline, staleLine } from '../../../core/verdict/headline.ts'
import type { NowRange, NowServer } from '../../../core/verdict/levelStatements.ts'
import { NowPane, ServersNow } from './NowPane.tsx'
import styles from './overview.module.css'
import { RejectionsPane } from './RejectionsPane.tsx'
import { useOwnLevel, type OverviewFacts, type OverviewServer } from './useOverview.ts'

/** With several servers, the page of all of them is loaded too, and this with it. */
const ServersPane = lazy(async () => ({ default: (await import('./ServersPane.tsx')).ServersPane }))

export interface OneServerProps {
  readonly shown: OverviewServer
  readonly facts: OverviewFacts
  readonly connection: Connected
  readonly onShowServer: (server: string) => void
}

/** Everything about one server: what is happening, and where. */
export function OneServer({ shown, facts, connection, onShowServer }: OneServerProps) {
  const { id, server, rows, recent } = shown
  const { instant } = facts
  const isPast = instant !== undefined
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
  const now: NowServer = { id, rows, recent, instant, range }
  const ownLevel = useOwnLevel(connection)
  const notes = notesOfFiles(
    connection.source,
    connection.servers.filter((one) => one.id === id),
  )
  // While time is dragged, instants follow each other fast, so the parts of the screen render in turn.
  const ledgerServer = useTurn(server, 1, isPast)
  const tableRows = useTurn(rows, 2, isPast)
  const laterRecent = useTurn(recent, 3, isPast)
  return (
    <>
      {stale ? (
        <NowPane
          statement={staleLine({
            own: ownLevel(shown),
            last: headline([now], format),
            server: id,
            stale: facts.stale,
            ageMs: facts.now - lastAt,
            lastAt,
            health: facts.health,
            isPast,
            now: facts.now,
            format,
          })}
          onShowServer={onShowServer}
        />
      ) : (
        <ServersNow servers={[now]} onShowServer={onShowServer} />
      )}
      <div className={classes(styles['facts'], stale && styles['stale'])}>
        <KeyNumbers label={`Key numbers of ${id}`} items={keyNumbers(rows, recent?.rows)} />
      </div>
      <MissingNotice server={server} notes={notes} />
      <div className={classes('shrink-x line-below', stale && styles['stale'])}>
        <LedgerPane server={ledgerServer} order={order} stale={stale} />
      </div>
      <div className="shrink-x line-below">
        <LevelTable rows={tableRows} series={series} from={from} to={to} stale={stale} csvName={`levels-${id}`} />
      </div>
      <div className={classes(styles['bottom'], stale && styles['stale'])}>
        <RejectionsPane key={id} recent={laterRecent} stale={facts.stale} />
        <div className={`${styles['side']} column line-left`}>
          {Math.max(facts.servers.length, facts.health.length) > 1 && (
            <Suspense>
              <ServersPane
                loads={facts.servers.map(({ load }) => load)}
                health={facts.health}
                selected={id}
                stale={facts.stale}
                onSelect={onShowServer}
              />
            </Suspense>
          )}
          <ChangesPane series={series} startedAt={server.startedAt} />
        </div>
      </div>
    </>
  )
}

/** Families that this screen draws from: other missing families are reported where they are needed. */
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

/**
 * What the numbers of this server leave out or include: families that it does not show, series of deleted levels, what
 * its files do not tell.
 */
function MissingNotice({ server, notes }: { readonly server: ServerFrame; readonly notes: readonly string[] }) {
  const missing = server.missing.filter(({ family }) => DRAWN.has(family))
  const deleted = server.deleted ?? []
  const surplus = nominalSurplus(server)
  const version = versionNote(server.version)
  if (missing.length + deleted.length + notes.length === 0 && surplus === 0 && version === undefined) return null
  return (
    <div className="pad-x pad-y-8 line-below">
      <Note kind="info">
        {[...notes, ...(version === undefined ? [] : [version])].map((note) => (
          <p key={note}>{note}</p>
        ))}
        {deleted.length > 0 && (
          <p>
            {`${deleted.join(', ')} ${plural(deleted.length, 'was', 'were')} deleted. The server exports the last series of a deleted level until it restarts; the console ignores them.`}
          </p>
        )}
        {surplus > 0 && (
          <p>
            {`The nominal limits add up to ${format.seats(surplus)} seats more than this server has, so sums of seats are too large. It exports the series of a level that was deleted, or the page was read during a change. Identifying the level requires permission to list PriorityLevelConfigurations.`}
          </p>
        )}
        {missing.map((entry) => (
          <p key={entry.family}>
            <FamilyNote entry={entry} />
          </p>
        ))}
      </Note>
    </div>
  )
}
