import type { ReactNode } from 'react'
import { create } from 'zustand'
import type { RejectReason } from '../../../core/frame/frame.ts'
import { REJECT_REASONS } from '../../../core/frame/reading.ts'
import { type LevelState, windowText } from '../../../core/frame/recent.ts'
import { SeatBar } from '../../charts/SeatBar.tsx'
import { valueColumn, leastWidth, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { Icon } from '../../components/Icon.tsx'
import { LevelName, StateTag } from '../../components/LevelChip.tsx'
import { NoteMark } from '../../components/NowLine.tsx'
import type { Measured } from '../../components/Promql.tsx'
import { NOT_APPLICABLE, UNKNOWN } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import type { LevelRow, Reading } from '../../../core/verdict/levelRows.ts'
import styles from './overview.module.css'

export interface LevelColumnOptions {
  /** Width of the table in pixels. */
  readonly width: number
  readonly compact: boolean
  /** Seats at the right end of the bars. */
  readonly scale: number
  readonly stale: boolean
  /** Header of the sparkline: `10 min`. */
  readonly range: string
  readonly sparkline: (level: string, width: number, height: number) => ReactNode
  readonly optional: ReadonlySet<OptionalColumn>
  /** The level whose nominal limit a first-run note explains. */
  readonly explained: string | undefined
}

type Column = DataColumn<LevelRow>

const number = (reading: Reading): number | undefined => (typeof reading === 'number' ? reading : undefined)
const reading = (value: Reading, text: (n: number | undefined) => string): ReactNode =>
  value === 'n/a' ? <span className="faint">{NOT_APPLICABLE}</span> : orUnknown(value, text)
const orUnknown = (value: number | undefined, text: (n: number | undefined) => string): ReactNode =>
  value === undefined ? <span className="faint">{UNKNOWN}</span> : text(value)
/** Zeros are faint, so that other values stand out. */
const amount = (value: number | undefined, text: (n: number | undefined) => string, tone?: string): ReactNode =>
  value === undefined || value === 0 ? (
    <span className="faint">{value === 0 ? '0' : UNKNOWN}</span>
  ) : (
    <span className={tone && `strong ${tone}`}>{text(value)}</span>
  )

export function States({ states }: { readonly states: readonly LevelState[] }) {
  return (
    <span className="inline-flex gap-9">
      {states.map((state) =>
        state === 'unknown' ? <span key={state}>{UNKNOWN}</span> : <StateTag key={state} kind={state} />,
      )}
    </span>
  )
}

/** Seats lent or borrowed, by glyph, colour and hidden word. */
function Change({ change }: { readonly change: Reading }) {
  if (change === 'n/a' || change === 0) return null
  if (change === undefined) return <span className="faint">{UNKNOWN}</span>
  const borrows = change > 0
  return (
    <span className={`inline-row gap-4 ${borrows ? 'borrowed' : 'lent'}`}>
      <Icon name={borrows ? 'up' : 'down'} size={11} />
      <span className="sr-only">{borrows ? 'borrowed ' : 'lent '}</span>
      {Math.abs(change)}
    </span>
  )
}

const RANGES = 'The server counts waits in buckets, so it is a range. Requests above 15 s timed out in the queue.'

const rejectionTitle = ({ rejectedBy }: LevelRow): string | undefined =>
  rejectedBy && REJECT_REASONS.map((reason) => `${reason} ${format.rate(rejectedBy[reason])}`).join(', ')

const byReason = (id: OptionalColumn, reason: RejectReason): Column =>
  numberColumn(id, `${reason} /s`, (row) => row.rejectedBy?.[reason], {
    term: reason,
    title: `Requests rejected with ${reason} per second, mean of ${windowText(10)}`,
    width: 118,
    cell: (row) => amount(row.rejectedBy?.[reason], format.significant, 'rejected'),
  })

/** Columns that are left out where not all fit, the first one first. */
const GIVES_WAY = ['dispatched', 'demand', 'nominal', 'history']
const WIDE = 1150
/** From this width on, the space that names do not need goes to the drawings. */
const ROOMY = 1500

/** The columns that fit; their order never changes, and their widths leave room for larger values. */
export function levelColumns(options: LevelColumnOptions): readonly Column[] {
  const { width, compact, scale, stale, range, sparkline, optional, explained } = options
  const wide = width >= WIDE
  const roomy = width >= ROOMY
  const bar = roomy ? 232 : wide ? 148 : 104
  const spark = roomy ? 280 : wide ? 132 : 88
  const height = compact ? 18 : 22
  const wanted: ReadonlySet<string> = optional
  const columns: readonly Column[] = [
    valueColumn('level', 'Priority level', (row) => row.name, {
      term: 'priority-level',
      cell: (row) => <LevelName name={row.name} stale={stale} />,
    }),
    {
      id: 'state',
      // Two states side by side.
      width: 160,
      header: 'State',
      value: (row) => row.states.join(' '),
      cell: (row) => <States states={row.states} />,
    },
    numberColumn('change', wide ? 'Lent, borrowed' : '▽ ▲', (row) => number(row.change), {
      width: wide ? 104 : 54,
      term: 'lend',
      title: 'Seats lent (▽) or borrowed (▲): current limit against nominal limit',
      cell: (row) => <Change change={row.change} />,
    }),
    {
      id: 'seats',
      header: 'Seats, one scale',
      term: 'seat',
      title:
        'Executing seats against the current limit (post) and the nominal one (dash); queued seats beyond the post',
      width: bar + 12,
      cell: (row) => (
        <span className={styles['bar']}>
          <SeatBar name={row.name} seats={row.seats} width={bar} height={height} scale={scale} stale={stale} />
          {row.name === explained && (
            <NoteMark
              note="nominal"
              style={{
                position: 'absolute',
                top: compact ? -1 : -3,
                left: -8,
                // Follows the bar; a transform does not change the layout of the page.
                transform: `translateX(${((row.seats.nominal ?? 0) / scale) * bar}px)`,
              }}
            />
          )}
        </span>
      ),
    },
    numberColumn('executing', 'Executing', (row) => row.seats.executing, {
      width: 72,
      term: 'executing',
      title: 'Seats executing',
      cell: (row) => <strong>{orUnknown(row.seats.executing, format.seats)}</strong>,
    }),
    numberColumn('limit', 'Limit', (row) => (row.exempt ? undefined : row.seats.current), {
      width: 54,
      term: 'current-limit',
      title: 'Current limit, seats',
      cell: (row) => (row.exempt ? 'none' : orUnknown(row.seats.current, format.seats)),
    }),
    numberColumn('nominal', 'Nominal', (row) => row.seats.nominal, {
      width: 66,
      term: 'nominal-limit',
      title: 'Nominal limit, seats',
      cell: (row) => <span className="muted">{orUnknown(row.seats.nominal, format.seats)}</span>,
    }),
    numberColumn('min', 'Min', (row) => row.lower, {
      width: 54,
      term: 'min',
      title: 'Lower limit, seats',
      cell: (row) => (row.exempt ? NOT_APPLICABLE : orUnknown(row.lower, format.seats)),
    }),
    numberColumn('max', 'Max', (row) => row.seats.upper, {
      width: 60,
      term: 'max',
      title: 'Upper limit, seats; a value above the server’s seats means that borrowing is unlimited',
      cell: (row) => (row.exempt ? NOT_APPLICABLE : orUnknown(row.seats.upper, format.seats)),
    }),
    {
      id: 'history',
      header: wide ? `${range}, own scale` : range,
      title:
        'Executing seats (area), current limit (steps), nominal limit (dashes), min to max (band), each level on its own scale',
      width: spark + 12,
      cell: (row) => sparkline(row.name, spark, height),
    },
    numberColumn('demand', 'Demand', (row) => row.demand, {
      width: 74,
      term: 'demand',
      title: 'Smoothed seat demand',
      cell: (row) => (
        <>
          {row.approximate && row.demand !== undefined && '≈ '}
          {orUnknown(row.demand, format.seats)}
        </>
      ),
    }),
    numberColumn('queued', 'Queued', (row) => row.queuedRequests, {
      width: 62,
      term: 'queued',
      title: 'Requests waiting in queues',
      cell: (row) => amount(row.queuedRequests, format.seats, 'queued'),
    }),
    numberColumn('queuedSeats', 'Queued seats', (row) => row.seats.queued, {
      width: 88,
      term: 'queued',
      cell: (row) => amount(row.seats.queued, format.seats, 'queued'),
    }),
    numberColumn('waitP50', 'Wait p50', (row) => number(row.waitP50), {
      width: 94,
      term: 'quantile',
      title: `Time in the queue that half of the requests of ${windowText(30)} did not exceed. ${RANGES}`,
      cell: (row) => reading(row.waitP50, (n) => format.quantile(n, row.waitP50Range)),
    }),
    numberColumn('waitP99', 'Wait p99', (row) => number(row.waitP99), {
      width: 94,
      term: 'quantile',
      title: `Time in the queue that 99 % of the requests of ${windowText(30)} did not exceed. ${RANGES}`,
      cell: (row) => reading(row.waitP99, (n) => format.quantile(n, row.waitP99Range)),
    }),
    numberColumn('dispatched', 'Dispatched', (row) => row.dispatchedPerSecond, {
      width: 84,
      term: 'dispatched',
      title: `Requests dispatched per second, mean of ${windowText(10)}`,
      cell: (row) => <span className="muted">{orUnknown(row.dispatchedPerSecond, format.rate)}</span>,
    }),
    numberColumn('noAccommodation', 'No fit /s', (row) => row.noAccommodationPerSecond, {
      width: 70,
      term: 'no-accommodation',
      title:
        'Requests at the head of a queue that did not fit into the free seats, per second since the previous sample',
      cell: (row) => orUnknown(row.noAccommodationPerSecond, format.significant),
    }),
    numberColumn('rejected', 'Rejected', (row) => row.rejectedPerSecond, {
      width: 74,
      term: 'rejected',
      title: `Requests rejected per second, mean of ${windowText(10)}`,
      cell: (row) => <span title={rejectionTitle(row)}>{amount(row.rejectedPerSecond, format.rate, 'rejected')}</span>,
    }),
    byReason('queueFull', 'queue-full'),
    byReason('timeOut', 'time-out'),
    byReason('concurrencyLimit', 'concurrency-limit'),
  ]
  const shown = columns.filter(({ id }) => !OPTIONAL.has(id) || wanted.has(id))
  return GIVES_WAY.reduce(
    (fitting, id) => (leastWidth(fitting) > width ? fitting.filter((column) => column.id !== id) : fitting),
    shown,
  )
}

/** What the columns measure. */
const MEASURED: Readonly<Record<string, Measured['measures']>> = {
  change: 'change',
  seats: ['executing', 'queuedSeats', 'limit', 'nominal'],
  executing: 'executing',
  limit: 'limit',
  nominal: 'nominal',
  min: 'min',
  max: 'max',
  history: ['executing', 'limit', 'nominal', 'min', 'max'],
  demand: 'demand',
  queued: 'queued',
  queuedSeats: 'queuedSeats',
  waitP50: 'waitP50',
  waitP99: 'waitP99',
  dispatched: 'dispatched',
  noAccommodation: 'noAccommodation',
  rejected: 'rejected',
  queueFull: 'queueFull',
  timeOut: 'timeOut',
  concurrencyLimit: 'concurrencyLimit',
}

export function levelPromql(column: string): Measured | undefined {
  const measures = MEASURED[column]
  return measures && { measures, each: ['priority_level'], ranged: column === 'history' }
}

/** Columns that are shown on request only. */
export const OPTIONAL_COLUMNS = [
  ['waitP50', 'Wait p50'],
  ['queuedSeats', 'Queued seats'],
  ['min', 'Min'],
  ['max', 'Max'],
  ['noAccommodation', 'No fit /s'],
  ['queueFull', 'queue-full /s'],
  ['timeOut', 'time-out /s'],
  ['concurrencyLimit', 'concurrency-limit /s'],
] as const
type OptionalColumn = (typeof OPTIONAL_COLUMNS)[number][0]

/** Kept until the page is closed, so that switching screens changes nothing. */
const store = create<{ readonly chosen: ReadonlySet<OptionalColumn> }>(() => ({ chosen: new Set() }))

export const useOptionalColumns = (): ReadonlySet<OptionalColumn> => store(({ chosen }) => chosen)

export function toggleColumn(column: OptionalColumn): void {
  const chosen = new Set(store.getState().chosen)
  if (!chosen.delete(column)) chosen.add(column)
  store.setState({ chosen })
}

const OPTIONAL: ReadonlySet<string> = new Set(OPTIONAL_COLUMNS.map(([id]) => id))
