import { memo, useCallback, useMemo } from 'react'
import type { ServerHealth } from '../../../core/contract/source.ts'
import { Pane } from '../../components/Pane.tsx'
import { Term } from '../../components/Term.tsx'
import { format } from '../../theme/format.ts'
import { classes } from '../../components/classes.ts'
import { SeatLedger } from '../../charts/SeatLedger.tsx'
import { ledgerOf } from '../../charts/seatLedger.data.ts'
import { useSize } from '../../charts/plot.tsx'
import { serverStrip, type ServerLoad, type ServerStrip as Strip, serverColumns } from './fleetRows.ts'
import styles from './overview.module.css'
import { openLevel } from '../../state/route.ts'
import { MiddleCut } from '../../components/LevelChip.tsx'
import type { OverviewServer } from './useOverview.ts'

export interface ServersPaneProps {
  readonly loads: readonly ServerLoad[]
  readonly health: readonly ServerHealth[]
  readonly selected: string | undefined
  readonly stale: ReadonlySet<string>
  readonly onSelect: (server: string) => void
}

/** Executing of all seats per server; servers that never answered are named with the reason. */
export function ServersPane({ loads, health, selected, stale, onSelect }: ServersPaneProps) {
  const strip = serverStrip(loads)
  const silent = health.filter(({ id }) => !loads.some((load) => load.id === id))
  return (
    <Pane
      title="Servers"
      unit="seats"
      note={
        strip.peakOverMean === undefined ? undefined : (
          <>
            <Term id="imbalance">peak</Term> {format.fixed(strip.peakOverMean, 2)} × mean
          </>
        )
      }
    >
      <ServerStrip strip={strip} selected={selected} stale={stale} onSelect={onSelect} />
      {silent.map(({ id, failures }) => (
        <p key={id} className={styles['silent']}>
          <code>{id}</code> {failures.at(-1)?.problem.message ?? 'has not answered yet.'}
        </p>
      ))}
    </Pane>
  )
}

interface ServerStripProps {
  readonly strip: Strip
  readonly selected: string | undefined
  /** Servers whose last sample is old. */
  readonly stale: ReadonlySet<string>
  readonly onSelect: (server: string) => void
}

/** Executing of nominal seats per server; choosing one makes it the subject of all screens. */
function ServerStrip({ strip, selected, stale, onSelect }: ServerStripProps) {
  const widest = Math.max(1, ...strip.loads.map(({ nominal, executing }) => Math.max(nominal ?? 0, executing ?? 0)))
  return (
    <ul className={styles['strip']} aria-label="Executing seats per server">
      {strip.loads.map((load) => (
        <li key={load.id}>
          <button
            type="button"
            className={classes(
              styles['server'],
              load.id === selected && styles['selected'],
              stale.has(load.id) && styles['serverStale'],
            )}
            aria-pressed={load.id === selected}
            onClick={() => onSelect(load.id)}
          >
            <span className={styles['name']}>
              <MiddleCut text={load.id} />
            </span>
            <Meter load={load} widest={widest} />
            <span className={styles['numbers']}>
              {stale.has(load.id) && <span>stale </span>}
              {format.seats(load.executing)} / {format.seats(load.nominal)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const share = (seats: number, widest: number) => `${Math.min(100, (seats / widest) * 100)}%`

const Meter = ({ load, widest }: { readonly load: ServerLoad; readonly widest: number }) => (
  <svg className={styles['meter']} height={10} aria-hidden="true" focusable="false">
    <rect className={styles['ground']} width={share(load.nominal ?? 0, widest)} height={10} />
    <rect className={styles['fill']} width={share(load.executing ?? 0, widest)} height={10} />
  </svg>
)

interface SmallLedgersProps {
  readonly servers: readonly OverviewServer[]
  readonly order: readonly string[]
  readonly stale: ReadonlySet<string>
  readonly onShowServer: (server: string) => void
}

/** One small ledger per server; of many servers the busiest, the median and the idlest. */
export function SmallLedgers({ servers, order, stale, onShowServer }: SmallLedgersProps) {
  const columns = serverColumns(servers.map(({ load }) => load))
  return (
    <div className={styles['smallLedgers']}>
      {columns.map(({ id, role }) => {
        const shown = servers.find((server) => server.id === id)
        return (
          shown !== undefined && (
            <SmallLedger
              key={id}
              shown={shown}
              role={role}
              order={order}
              stale={stale.has(id)}
              onShowServer={onShowServer}
            />
          )
        )
      })}
    </div>
  )
}

/** Pixels of the header below which amounts are left to the drawing and the key numbers. */
const ROOM_FOR_LENT = 340
const ROOM_FOR_QUEUED = 300

const SmallLedger = memo(function SmallLedger(props: {
  readonly shown: OverviewServer
  readonly role: string | undefined
  readonly order: readonly string[]
  readonly stale: boolean
  readonly onShowServer: (server: string) => void
}) {
  const { shown, role, order, stale, onShowServer } = props
  const { id, server, load } = shown
  const [box, { width }] = useSize()
  const ledger = useMemo(() => ledgerOf(server, order), [server, order])
  const open = useCallback((level: string) => openLevel(id, level), [id])
  return (
    <section className={styles['smallLedger']} aria-label={`Seat ledger of ${id}`}>
      <header>
        <button type="button" className={styles['serverLink']} onClick={() => onShowServer(id)}>
          {id}
        </button>
        {role !== undefined && <span>{role}</span>}
        {stale && <span className={styles['queued']}>stale</span>}
        <span>
          {format.seats(load.executing)} of {format.seats(load.nominal)} seats
        </span>
        {!stale && width >= ROOM_FOR_QUEUED && (load.queuedSeats ?? 0) > 0 && (
          <span className={styles['queued']}>{format.seats(load.queuedSeats)} queued</span>
        )}
        {width >= ROOM_FOR_LENT && <span className={styles['end']}>lent {format.seats(ledger.lent)}</span>}
      </header>
      <div ref={box}>
        {width > 0 && (
          <SeatLedger ledger={ledger} width={width} variant="small" stale={stale} onOpen={open} server={id} />
        )}
      </div>
    </section>
  )
})
