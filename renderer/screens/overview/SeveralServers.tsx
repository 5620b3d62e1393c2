import { onAnswer } from '../../state/answer.ts'
import { client } from '../../state/client.ts'
import { useConnected } from '../../state/connection.ts'
import { askedOf, usePastPart } from '../../state/past.ts'
import { readSeries } from '../../state/series.ts'
import type { Connected } from '../../../core/contract/source.ts'
import { memo, useMemo, useState, useEffect } from 'react'
import { aggregate } from '../../../core/frame/aggregate.ts'
import { unixMsOf } from '../../../core/units.ts'
import { rangeFacts, type RangeFacts } from '../../../core/history/range.ts'
import { barScale } from '../../charts/seatBar.data.ts'
import { useSize } from '../../charts/plot.tsx'
import { classes } from '../../components/classes.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { KeyNumbers } from '../../components/NowLine.tsx'
import { Pane } from '../../components/Pane.tsx'
import { useSelection } from '../../state/selection.ts'
import { useTimePart } from '../../state/time.ts'
import { serverColumns, acrossRows, pinnedNames } from '../../../core/verdict/acrossRows.ts'
import { openLevel } from '../../state/route.ts'
import { eachServerColumns, eachServerPromql, sumColumns, sumPromql } from './acrossColumns.tsx'
import { serversKeyNumbers } from './keyNumbers.ts'
import type { NowServer } from '../../../core/verdict/levelStatements.ts'
import { NowPane, ServersNow } from './NowPane.tsx'
import styles from './overview.module.css'
import { PinSwitch } from './LevelTable.tsx'
import { RejectionsPane } from './RejectionsPane.tsx'
import { ServersPane } from './ServersPane.tsx'
import { SmallLedgers } from './SmallLedgers.tsx'
import { ViewSegment, type ServersView } from './ViewSegment.tsx'
import { format } from '../../theme/format.ts'
import { headline, leftOut, staleServersLine } from '../../../core/verdict/headline.ts'
import { together, useOwnLevel, type OverviewFacts, type OverviewServer } from './useOverview.ts'

export interface SeveralServersProps {
  readonly facts: OverviewFacts
  readonly connection: Connected
  readonly view: ServersView
  readonly onView: (view: ServersView) => void
  readonly onShowServer: (server: string) => void
}

/** All servers at once: side by side, or summed and labelled "sum". */
export function SeveralServers({ facts, connection, view, onView, onShowServer }: SeveralServersProps) {
  const { servers, stale, now } = facts
  const [pin, setPin] = useState(true)
  const order = useMemo(() => acrossRows(servers, facts.compare).map(({ name }) => name), [servers, facts.compare])
  const names = useMemo(() => shortNames(servers.map(({ id }) => id)), [servers])
  const table = { servers, stale, compare: facts.compare, pin }
  const recent = useMemo(() => together(servers), [servers])
  const allStale = servers.length > 0 && servers.every(({ id }) => stale.has(id))
  const lastAt = Math.max(...servers.map(({ server }) => unixMsOf(server.at)))
  const ownLevel = useOwnLevel(connection)
  const silent = allStale
    ? staleServersLine(
        servers.map((one) => ({
          server: one.id,
          stale,
          ageMs: now - lastAt,
          lastAt,
          health: facts.health,
          isPast: facts.instant !== undefined,
          now,
          own: ownLevel(one),
          last: headline(servers, format),
          format,
        })),
      )
    : undefined
  return (
    <>
      {silent !== undefined ? (
        <NowPane statement={silent} onShowServer={onShowServer} />
      ) : (
        <FleetNow facts={facts} onShowServer={onShowServer} />
      )}
      <div className={classes(styles['facts'], allStale && styles['stale'])}>
        <KeyNumbers label="Key numbers of all servers" items={serversKeyNumbers(servers)} />
      </div>
      <SmallLedgers servers={servers} order={order} stale={stale} onShowServer={onShowServer} />
      <Pane
        title="Levels"
        unit={String(order.length)}
        note={
          view === 'sum'
            ? 'sums over all servers; limits are per server, so the smallest and the largest are shown'
            : 'executing against limit, one scale for all servers; post: limit, dash: nominal'
        }
        className={classes(styles['fleetLevels'], allStale && styles['stale'])}
        actions={
          <>
            <PinSwitch pin={pin} onPin={setPin} />
            <ViewSegment view={view} onView={onView} one={undefined} />
          </>
        }
      >
        {view === 'sum' ? <SumTable {...table} /> : <EachServerTable {...table} />}
      </Pane>
      <div className={classes(styles['bottom'], allStale && styles['stale'])}>
        <RejectionsPane recent={recent} servers={names} stale={stale} />
        <div className={`${styles['side']} column line-left`}>
          <ServersPane
            loads={servers.map(({ load }) => load)}
            health={facts.health}
            selected={undefined}
            stale={stale}
            onSelect={onShowServer}
          />
        </div>
      </div>
    </>
  )
}

function FleetNow({ facts, onShowServer }: Pick<SeveralServersProps, 'facts' | 'onShowServer'>) {
  const { servers, stale, gapMs, instant } = facts
  const current = servers.filter(({ id }) => !stale.has(id))
  const ranges = useRanges(current.map(({ id }) => id))
  const seen = current.map(({ id, server, rows, recent }): NowServer => {
    const range = ranges.get(id)
    const follows = range !== undefined && unixMsOf(server.at) - range.to <= RANGE_EVERY_MS + gapMs
    return { id, rows, recent, instant, range: range && { ...range, follows } }
  })
  return <ServersNow servers={seen} note={leftOut(stale)} onShowServer={onShowServer} />
}

interface TableProps {
  readonly servers: readonly OverviewServer[]
  readonly stale: ReadonlySet<string>
  readonly compare: (a: string, b: string) => number
  readonly pin: boolean
}

const VIRTUAL_FROM = 60

const EachServerTable = memo(function EachServerTable({ servers, stale, compare, pin }: TableProps) {
  const [box, { width }] = useSize()
  const selected = useSelection().level
  const rows = useMemo(() => acrossRows(servers, compare), [servers, compare])
  const pinned = useMemo(() => pinnedNames(servers), [servers])
  const columns = useMemo(() => {
    const scale = barScale(servers.flatMap(({ rows: own }) => own.map(({ seats }) => seats)))
    const shown = serverColumns(servers.map(({ load }) => load))
    const names = shortNames(servers.map(({ id }) => id))
    return eachServerColumns({ servers: shown, names, stale, width, scale })
  }, [servers, stale, width])
  return (
    <div ref={box} className={`${styles['fleetTable']} column grow shrink-y`}>
      <DataTable
        caption="Priority levels on each server"
        columns={columns}
        rows={rows}
        rowKey={(row) => row.name}
        selectedKey={selected}
        pinned={pin ? rows.filter(({ name }) => pinned.names.includes(name)) : []}
        onOpen={(row) => openLevel(busiestOf(row.on) ?? servers[0]?.id ?? '', row.name)}
        csvName="levels-each-server"
        promql={(column) => eachServerPromql(column, idsOf(servers))}
        density="compact"
        virtual={rows.length > VIRTUAL_FROM}
        foot={<PinNote pin={pin} shown={pinned.names.length} more={pinned.more} />}
      />
    </div>
  )
})

const SumTable = memo(function SumTable({ servers, compare, pin }: TableProps) {
  const selected = useSelection().level
  const rows = useMemo(() => {
    const { levels } = aggregate(
      servers.map(({ server }) => server),
      servers.flatMap(({ derived }) => (derived === undefined ? [] : [derived])),
    )
    return levels.toSorted((a, b) => compare(a.name, b.name))
  }, [servers, compare])
  const side = useMemo(() => acrossRows(servers, compare), [servers, compare])
  const pinned = useMemo(() => pinnedNames(servers), [servers])
  const columns = useMemo(() => sumColumns(side, shortNames(servers.map(({ id }) => id))), [side, servers])
  return (
    <div className={`${styles['fleetTable']} column grow shrink-y`}>
      <DataTable
        caption="Priority levels, sum of all servers"
        columns={columns}
        rows={rows}
        rowKey={(row) => row.name}
        selectedKey={selected}
        pinned={pin ? rows.filter(({ name }) => pinned.names.includes(name)) : []}
        onOpen={(row) =>
          openLevel(busiestOf(side.find(({ name }) => name === row.name)?.on ?? {}) ?? servers[0]?.id ?? '', row.name)
        }
        csvName="levels-sum"
        promql={(column) => sumPromql(column, idsOf(servers))}
        density="compact"
        virtual={rows.length > VIRTUAL_FROM}
        foot={<PinNote pin={pin} shown={pinned.names.length} more={pinned.more} />}
      />
    </div>
  )
})

const idsOf = (servers: readonly OverviewServer[]): readonly string[] => servers.map(({ id }) => id)

/** The server on which a level executes most: opening the level shows it there. */
function busiestOf(on: Readonly<Record<string, { readonly seats: { readonly executing: number | undefined } }>>) {
  const entries = Object.entries(on)
  return entries.toSorted(([, a], [, b]) => (b.seats.executing ?? -1) - (a.seats.executing ?? -1))[0]?.[0]
}

function PinNote({ pin, shown, more }: { readonly pin: boolean; readonly shown: number; readonly more: number }) {
  if (!pin || shown === 0) return <span>fixed order</span>
  const rest = more > 0 ? `, and ${more} more need attention` : ''
  const who = shown === 1 ? 'the pinned level keeps its place' : `the ${shown} pinned levels keep their places`
  return (
    <span>
      fixed order; {who} below too{rest}
    </span>
  )
}

/**
 * The distinguishing part of each server's name: `a`, `b` for `apiserver-a:6443`, `apiserver-b:6443`. Names that would
 * become empty stay whole.
 */
export function shortNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const whole = new Map(ids.map((id) => [id, id]))
  const [first] = ids
  if (first === undefined || ids.length < 2) return whole
  const same = (at: (id: string, n: number) => string | undefined, most: number) => {
    let n = 0
    while (n < most && ids.every((id) => at(id, n) === at(first, n))) n += 1
    return n
  }
  const shortest = Math.min(...ids.map((id) => id.length))
  const before = same((id, n) => id[n], shortest)
  const after = same((id, n) => id.at(-1 - n), shortest - before)
  const cut = ids.map((id) => id.slice(before, id.length - after))
  return cut.some((name) => name === '') ? whole : new Map(ids.map((id, i) => [id, cut[i] ?? id]))
}

/** Interval between two reads of a moving range. */
const RANGE_EVERY_MS = 10_000

const stepOf = (at: number): number => Math.ceil(at / RANGE_EVERY_MS) * RANGE_EVERY_MS

/** Events in the selected range, by server; servers whose history could not be read are missing. */
function useRanges(servers: readonly string[]): ReadonlyMap<string, RangeFacts> {
  const [ranges, setRanges] = useState<ReadonlyMap<string, RangeFacts>>(new Map())
  const connection = useConnected()?.id
  const past = usePastPart(askedOf)
  const start = useTimePart(({ from }) => stepOf(from))
  const end = useTimePart(({ to }) => stepOf(to))
  const key = servers.join('\n')
  useEffect(() => {
    if (end === 0 || connection === undefined) return undefined
    const ids = key === '' ? [] : key.split('\n')
    const read = async (server: string) => {
      const series = await readSeries(client(), {
        connection,
        past: past === connection ? undefined : past,
        server,
        from: start,
        to: end,
      })
      return [server, rangeFacts(series)] as const
    }
    return onAnswer(
      () => Promise.allSettled(ids.map(read)),
      (all) => {
        const known = new Map<string, RangeFacts>()
        for (const one of all) {
          if (one.status === 'fulfilled' && one.value[1] !== undefined) known.set(one.value[0], one.value[1])
        }
        setRanges(known)
      },
    )
  }, [key, start, end, connection, past])
  return ranges
}
