import type { TermId } from '../../../core/glossary/glossary.ts'
import type { AggregateLevel } from '../../../core/frame/aggregate.ts'
import type { MeasureId } from '../../../core/prom/measures.ts'
import type { Measured } from '../../components/Promql.tsx'
import { SeatBar } from '../../charts/SeatBar.tsx'
import { type ServerColumn, rejectedSum, spreadText, type AcrossRow } from '../../../core/verdict/acrossRows.ts'
import { valueColumn, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { Icon } from '../../components/Icon.tsx'
import { LevelName, StateTag } from '../../components/LevelChip.tsx'
import { NOT_APPLICABLE, UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import type { LevelRow } from '../../../core/verdict/levelRows.ts'

export interface EachServerOptions {
  readonly servers: readonly ServerColumn[]
  /** Short names by server id, of all servers. */
  readonly names: ReadonlyMap<string, string>
  readonly stale: ReadonlySet<string>
  /** Width of the table in pixels. */
  readonly width: number
  /** Seats at the right end of every bar. */
  readonly scale: number
}

/** From this ratio of peak to mean on, the value is amber. */
const UNEVEN = 2

interface AcrossStateProps {
  readonly row: AcrossRow
  /** Short names by server id. */
  readonly names: ReadonlyMap<string, string>
}

/** `queueing on a, b`; more than two servers are counted. */
function AcrossState({ row, names }: AcrossStateProps) {
  const where = (on: readonly string[]) =>
    on.length > 2 ? ` on ${on.length} servers` : ` on ${on.map((id) => names.get(id) ?? id).join(', ')}`
  if (row.exempt) return <StateTag kind="no-limit" />
  if (row.rejectingOn.length > 0) {
    return (
      <span className="strong rejected">
        <Icon name="cross" size={12} /> rejecting{where(row.rejectingOn)}
      </span>
    )
  }
  if (row.queueingOn.length > 0) {
    return (
      <span className="strong queued">
        <Icon name="queue" size={12} /> queueing{where(row.queueingOn)}
      </span>
    )
  }
  return <StateTag kind={row.executing === undefined ? 'unknown' : row.executing ? 'flowing' : 'idle'} />
}

/** Table width in pixels below which only the dashes in the bars show nominal. */
const ROOM_FOR_NOMINAL = 1000
/** `rejecting on apiserver-a, apiserver-b`. */
const STATE = 200
/** Width of the columns that are always shown, pixels. */
const ALWAYS = 160 + STATE + 84 + 96 + 128
/** Next to a bar: `1 307/1 307`, and gutters. */
const NUMBERS = 96
const BAR = { least: 70, most: 220 } as const

const nominals = (row: AcrossRow) => [...new Set(Object.values(row.on).map(({ seats }) => seats.nominal))]

export function eachServerColumns(options: EachServerOptions): readonly DataColumn<AcrossRow>[] {
  const { servers, names, stale, width, scale } = options
  const allStale = stale.size >= names.size
  const room = Math.floor((width - ALWAYS) / Math.max(1, servers.length)) - NUMBERS
  const bar = Math.max(BAR.least, Math.min(BAR.most, room))
  const columns: readonly DataColumn<AcrossRow>[] = [
    valueColumn('level', 'Priority level', (row) => row.name, {
      term: 'priority-level',
      cell: (row) => <LevelName name={row.name} stale={allStale} />,
    }),
    {
      id: 'state',
      width: STATE,
      header: 'State',
      value: (row) => [...row.rejectingOn, ...row.queueingOn].join(' '),
      cell: (row) => <AcrossState row={row} names={names} />,
    },
    numberColumn('nominal', 'Nominal', (row) => nominals(row)[0], {
      width: 84,
      term: 'nominal-limit',
      title: 'Nominal limit per server, seats',
      cell: (row) => {
        const values = nominals(row).filter((value) => value !== undefined)
        const text = values.length === 0 ? UNKNOWN : [...new Set([Math.min(...values), Math.max(...values)])].join('–')
        return <span className="muted">{text}</span>
      },
    }),
    ...servers.map(({ id, role }): DataColumn<AcrossRow> => ({
      id: `server ${id}`,
      width: bar + NUMBERS,
      header: role === undefined ? id : `${role}: ${id}`,
      title: 'Executing seats against the current limit of this server',
      value: (row) => row.on[id]?.seats.executing,
      cell: (row) => <OnServer row={row.on[id]} bar={bar} scale={scale} stale={stale.has(id)} />,
    })),
    numberColumn('imbalance', 'Peak ÷ mean', (row) => row.peakOverMean, {
      width: 96,
      term: 'imbalance',
      title: 'Executing seats of the busiest server over the mean of all',
      cell: (row) =>
        row.peakOverMean === undefined ? (
          <span className="faint">{UNKNOWN}</span>
        ) : (
          <span className={row.peakOverMean > UNEVEN ? 'strong queued' : 'muted'}>
            {format.fixed(row.peakOverMean, 1)} ×
          </span>
        ),
    }),
    numberColumn('queued', 'Queued seats, sum', (row) => row.queuedSeats, {
      width: 128,
      term: 'queued',
      cell: (row) => (
        <span className={(row.queuedSeats ?? 0) > 0 ? 'strong queued' : 'faint'}>{format.seats(row.queuedSeats)}</span>
      ),
    }),
  ]
  return columns.filter(({ id }) => id !== 'nominal' || width >= ROOM_FOR_NOMINAL)
}

const EACH_LEVEL = { each: ['priority_level'] } as const satisfies Partial<Measured>

/** What the columns measure: limits of each server, sums of queued seats, and what executes on the server of a column. */
export function eachServerPromql(column: string, servers: readonly string[]): Measured | undefined {
  if (column === 'nominal') return { measures: 'nominal', ...EACH_LEVEL, servers }
  if (column === 'queued') return { measures: 'queuedSeats', ...EACH_LEVEL, servers, summed: true }
  const server = servers.find((id) => column === `server ${id}`)
  return server === undefined ? undefined : { measures: 'executing', ...EACH_LEVEL, servers: [server] }
}

const SUMMED: Readonly<Record<string, MeasureId>> = {
  executing: 'executing',
  queuedSeats: 'queuedSeats',
  queued: 'queued',
  dispatched: 'dispatched',
  rejected: 'rejected',
}

/** What the columns of sums measure; limits are per server here as well. */
export function sumPromql(column: string, servers: readonly string[]): Measured | undefined {
  if (column === 'limit' || column === 'nominal') return { measures: column, ...EACH_LEVEL, servers }
  const measures = SUMMED[column]
  return measures && { measures, ...EACH_LEVEL, servers, summed: true }
}

function OnServer(props: {
  readonly row: LevelRow | undefined
  readonly bar: number
  readonly scale: number
  readonly stale: boolean
}) {
  const { row, bar, scale, stale } = props
  if (row === undefined) return <span className="faint">{NOT_APPLICABLE}</span>
  const { seats, name, states } = row
  const troubled = states.includes('queueing') || states.includes('rejecting')
  return (
    <span className="row between gap-8">
      <SeatBar name={name} seats={seats} width={bar} height={13} scale={scale} stale={stale} decorative />
      <span className={troubled && !stale ? 'strong queued' : undefined}>
        {format.seats(seats.executing)}
        {!seats.exempt && <span className="faint">/{format.seats(seats.current)}</span>}
      </span>
    </span>
  )
}

const number = (
  id: string,
  width: number,
  header: string,
  term: TermId,
  value: (level: AggregateLevel) => number | undefined,
  text: (n: number | undefined) => string,
  tone?: 'queued' | 'rejected',
): DataColumn<AggregateLevel> => ({
  id,
  width,
  header,
  term,
  align: 'right',
  value,
  cell: (level) => {
    const amount = value(level)
    const look = (amount ?? 0) === 0 ? 'faint' : `strong ${tone ?? ''}`
    return <span className={look}>{text(amount)}</span>
  },
})

const limit = (id: string, width: number, header: string, of: 'nominal' | 'current'): DataColumn<AggregateLevel> => ({
  id,
  width,
  header,
  term: `${of}-limit`,
  title: 'Limits are per server: the smallest and the largest',
  align: 'right',
  value: (level) => spreadText(level.limitSpread[of]),
  cell: (level) => (
    <span className="muted">
      {of === 'current' && level.name === 'exempt' ? 'none' : (spreadText(level.limitSpread[of]) ?? UNKNOWN)}
    </span>
  ),
})

/** Sums are labelled as sums; limits are per server and keep their range. */
export function sumColumns(
  side: readonly AcrossRow[],
  names: ReadonlyMap<string, string>,
): readonly DataColumn<AggregateLevel>[] {
  const beside = new Map(side.map((row) => [row.name, row]))
  return [
    valueColumn('level', 'Priority level', (level) => level.name, {
      term: 'priority-level',
      cell: (level) => <LevelName name={level.name} />,
    }),
    {
      id: 'state',
      width: STATE,
      header: 'State',
      cell: (level) => {
        const row = beside.get(level.name)
        return row === undefined ? UNKNOWN : <AcrossState row={row} names={names} />
      },
    },
    number('executing', 104, 'Executing, sum', 'executing', (level) => level.seatSums.executing?.sum, format.seats),
    limit('limit', 110, 'Limit per server', 'current'),
    limit('nominal', 130, 'Nominal per server', 'nominal'),
    number(
      'queuedSeats',
      124,
      'Queued seats, sum',
      'queued',
      (level) => level.seatSums.queued?.sum,
      format.seats,
      'queued',
    ),
    number(
      'queued',
      146,
      'Queued requests, sum',
      'queued',
      (level) => level.requestSums.queued?.sum,
      format.seats,
      'queued',
    ),
    number(
      'dispatched',
      112,
      'Dispatched, sum',
      'dispatched',
      (level) => level.dispatchedPerSecondSum?.sum,
      format.rate,
    ),
    number('rejected', 100, 'Rejected, sum', 'rejected', rejectedSum, format.rate, 'rejected'),
    number(
      'imbalance',
      96,
      'Peak ÷ mean',
      'imbalance',
      (level) => beside.get(level.name)?.peakOverMean,
      (n) => (n === undefined ? UNKNOWN : `${format.fixed(n, 1)} ×`),
    ),
  ]
}
