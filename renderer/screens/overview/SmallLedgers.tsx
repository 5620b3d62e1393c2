import { memo, useCallback, useMemo } from 'react'
import { format } from '../../theme/format.ts'
import { SeatLedger } from '../../charts/SeatLedger.tsx'
import { ledgerOf } from '../../charts/seatLedger.data.ts'
import { useSize } from '../../charts/plot.tsx'
import { serverColumns } from '../../../core/verdict/acrossRows.ts'
import styles from './overview.module.css'
import { openLevel } from '../../state/route.ts'
import type { OverviewServer } from './useOverview.ts'

interface SmallLedgersProps {
  readonly servers: readonly OverviewServer[]
  readonly order: readonly string[]
  readonly stale: ReadonlySet<string>
  readonly onShowServer: (server: string) => void
}

/** One small ledger per server; for many servers the busiest, the median and the idlest. */
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

/** Header width in pixels below which only the drawing and the key numbers show the amounts. */
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
    <section className={`${styles['smallLedger']} shrink-x pad-x pad-y-8`} aria-label={`Seat ledger of ${id}`}>
      <header>
        <button type="button" className={styles['serverLink']} onClick={() => onShowServer(id)}>
          {id}
        </button>
        {role !== undefined && <span>{role}</span>}
        {stale && <span className="queued">stale</span>}
        <span>
          {format.seats(load.executing)} of {format.seats(load.nominal)} seats
        </span>
        {!stale && width >= ROOM_FOR_QUEUED && (load.queuedSeats ?? 0) > 0 && (
          <span className="queued">{format.seats(load.queuedSeats)} queued</span>
        )}
        {width >= ROOM_FOR_LENT && <span className="push">lent {format.seats(ledger.lent)}</span>}
      </header>
      <div ref={box}>
        {width > 0 && (
          <SeatLedger ledger={ledger} width={width} variant="small" stale={stale} onOpen={open} server={id} />
        )}
      </div>
    </section>
  )
})
