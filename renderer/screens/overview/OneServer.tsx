import { useMemo } from 'react'
import { rangeFacts } from '../../../core/frame/series.ts'
import { unixMsOf } from '../../../core/units.ts'
import { classes } from '../../components/classes.ts'
import { KeyNumbers } from '../../components/KeyNumbers.tsx'
import type { Connected } from '../../../core/contract/source.ts'
import { useServerObjects } from '../../state/objects.ts'
import { useSeries } from '../../state/series.ts'
import { useTimePart } from '../../state/time.ts'
import { ChangesPane } from './ChangesPane.tsx'
import { keyNumbers } from './keyNumbers.ts'
import { LedgerPane } from './LedgerPane.tsx'
import { LevelTable } from './LevelTable.tsx'
import { MissingNotice } from './MissingNotice.tsx'
import { nowLine } from './nowLine.ts'
import type { NowRange, NowServer } from './nowStatement.ts'
import { NowPane, ServersNow } from './NowPane.tsx'
import styles from './overview.module.css'
import { RejectionsPane } from './RejectionsPane.tsx'
import { ServersPane } from './ServersPane.tsx'
import { staleLine } from './staleLine.ts'
import type { OverviewFacts, OverviewServer } from './useOverview.ts'

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
  const own = useOwnLevel(connection, id)
  return (
    <>
      {stale ? (
        <NowPane
          statement={staleLine({
            own: rows.find(({ name, exempt }) => name === own && !exempt),
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

/** The level that serves the console's own requests on a server. */
function useOwnLevel({ servers }: Connected, server: string): string | undefined {
  const objects = useServerObjects()
  const uid = servers.find(({ id }) => id === server)?.ownLevelUid
  return uid === undefined ? undefined : objects?.levels.find(({ metadata }) => metadata.uid === uid)?.metadata.name
}
