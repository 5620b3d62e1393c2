import type { LiveRequest, LiveState } from '../../../core/contract/live.ts'
import { filterText } from '../../../core/filter/filter.ts'
import { REJECT_REASONS } from '../../../core/frame/reading.ts'
import { numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { LevelChip, MiddleCut } from '../../components/LevelChip.tsx'
import { Pane } from '../../components/Pane.tsx'
import { Segment } from '../../components/Button.tsx'
import { classes } from '../../components/classes.ts'
import { NARROW, useMedia } from '../../components/hooks.ts'
import { UNKNOWN, plural } from '../../../core/text/format.ts'
import { format } from '../../theme/format.ts'
import { waitP99, type WaitP99 } from './flowWaits.ts'
import { addToFilter } from './query.ts'
import { Remedies } from '../../components/Remedies.tsx'
import { useCalmList, useCalmRows } from './calmRows.ts'
import { WhyRejected } from './RequestPane.tsx'
import { flowOf, requestOf, shortFlowName } from './columns.tsx'
import type { FlowTally, Tally } from './tally.ts'
import styles from './live.module.css'

/** The selected period. */
export type Span = '1' | '5' | 'all'
export const SPANS: Readonly<Record<Span, { readonly seconds: number; readonly words: string }>> = {
  '1': { seconds: 60, words: 'in 1 min' },
  '5': { seconds: 300, words: 'in 5 min' },
  all: { seconds: Number.POSITIVE_INFINITY, words: 'in all kept requests' },
}
const SPAN_OPTIONS: Readonly<Record<Span, string>> = { 1: '1 min', 5: '5 min', all: 'all' }

const MOST_ROWS = 50

export interface TrafficProps {
  readonly tally: Tally
  /** Seconds over which it was summed up; the divisor of rates. */
  readonly seconds: number
}

interface FlowRow extends FlowTally {
  readonly key: string
  readonly name: string
  readonly perSecond: number
  readonly waiting: number
}
interface WaitRow extends FlowRow {
  readonly wait: WaitP99 | undefined
}

/** The causes of contention sort by seats, those affected by it by wait. */
export type FlowOrder = 'seats' | 'wait'
const ORDER_OPTIONS: Readonly<Record<FlowOrder, string>> = { seats: 'Seats', wait: 'Wait' }

type Keyed = readonly [key: string, flow: FlowTally]
interface Waited {
  readonly flow: Keyed
  readonly wait: WaitP99 | undefined
}
/** Seats held over time are what fairness divides. */
const bySeats = ([aKey, a]: Keyed, [bKey, b]: Keyed): number =>
  b.seatSeconds - a.seatSeconds || b.requests - a.requests || (aKey < bKey ? -1 : 1)
const byWait = (a: Waited, b: Waited): number =>
  (b.wait?.ms ?? -1) - (a.wait?.ms ?? -1) ||
  b.flow[1].waits.waiting - a.flow[1].waits.waiting ||
  bySeats(a.flow, b.flow)

/** Only shown rows are created: there may be thousands. */
const rowOf = ([key, flow]: Keyed, seconds: number): FlowRow => ({
  key,
  ...flow,
  name: shortFlowName(flow.flow, flow.schema),
  perSecond: flow.requests / seconds,
  waiting: flow.waits.waiting,
})

const busiest = (flows: Tally['flows'], seconds: number): readonly FlowRow[] =>
  [...flows]
    .toSorted(bySeats)
    .slice(0, MOST_ROWS)
    .map((flow) => rowOf(flow, seconds))

const longestWaiting = ({ tally, seconds, now }: FlowsProps): readonly WaitRow[] =>
  [...tally.flows]
    .map(([key, flow]): Waited => ({ flow: [key, flow], wait: waitP99(flow.waits, now) }))
    .toSorted(byWait)
    .slice(0, MOST_ROWS)
    .map(({ flow, wait }) => ({ ...rowOf(flow, seconds), wait }))

const flowTitle = ({ flow, schema }: FlowRow): string => `${flow}, flow schema ${schema}`

const FlowName = ({
  level,
  name,
  title,
}: {
  readonly level: string
  readonly name: string
  readonly title: string
}) => (
  <span className={styles['flow']}>
    <LevelChip name={level} />
    <span className="mono" title={title}>
      <MiddleCut text={name} title={title} />
    </span>
  </span>
)

const FLOW: DataColumn<FlowRow> = {
  id: 'flow',
  header: 'Flow',
  term: 'flow',
  look: () => styles['rest'],
  value: (row) => row.name,
  cell: (row) => <FlowName level={row.level} name={row.name} title={flowTitle(row)} />,
}
const RATE: DataColumn<FlowRow> = numberColumn('rate', '/s', (row) => row.perSecond, {
  title: 'Requests per second',
  text: format.significant,
})
const SEAT_SECONDS: DataColumn<FlowRow> = numberColumn('seatSeconds', 'Seat·s', (row) => row.seatSeconds, {
  title: 'Seats held, times seconds',
  term: 'seat-second',
  text: format.significant,
})

const REJECTED: DataColumn<FlowRow> = numberColumn('rejected', '429', (row) => row.rejected, {
  title: 'Requests rejected',
  term: 'rejected',
  cell: (row) => <span className={classes(row.rejected > 0 && 'rejected')}>{format.seats(row.rejected)}</span>,
})
const WAITING: DataColumn<FlowRow> = numberColumn('waiting', 'Queued', (row) => row.waiting, {
  title: 'Requests that wait now',
  term: 'queued',
  cell: (row) => <span className={classes(row.waiting > 0 && 'queued')}>{format.seats(row.waiting)}</span>,
})

/** With less room, seat-seconds still order the rows. */
const seatColumns = (narrow: boolean): readonly DataColumn<FlowRow>[] =>
  narrow ? [FLOW, RATE, REJECTED, WAITING] : [FLOW, RATE, SEAT_SECONDS, REJECTED, WAITING]

/** `engineOnly`: the engine only observes, so that a wait which no server reported is estimated. */
function waitColumns(engineOnly: boolean, span: Span): readonly DataColumn<WaitRow>[] {
  const said = (row: WaitRow): string => {
    if (row.wait === undefined) return UNKNOWN
    const { ms, atLeast } = row.wait
    return `${isEstimated(row, engineOnly) ? '≈ ' : atLeast ? '≥ ' : ''}${ms === 0 ? '0' : format.ms(ms)}`
  }
  const wait: DataColumn<WaitRow> = numberColumn('wait', 'Wait p99', (row) => row.wait?.ms, {
    term: 'quantile',
    title: `99th percentile of the waits ${SPANS[span].words}`,
    cell: (row) => (
      <span className={classes((row.wait?.ms ?? 0) > 0 && 'queued')} title={basisOf(row, engineOnly, span)}>
        {said(row)}
      </span>
    ),
  })
  return [FLOW, wait, REJECTED, WAITING]
}

const isEstimated = ({ waits, wait }: WaitRow, engineOnly: boolean): boolean =>
  engineOnly && waits.reported < (wait?.requests ?? 0)

/** The basis of a 99th percentile. */
function basisOf(row: WaitRow, engineOnly: boolean, span: Span): string {
  const { wait, waiting } = row
  if (wait === undefined) return `No request of this flow was dispatched or waited ${SPANS[span].words}.`
  const { requests, atLeast } = wait
  const what = requests < 100 ? 'The longest wait' : '99th percentile of the waits'
  return [
    `${what} of ${format.seats(requests)} ${plural(requests, 'request', 'requests')} ${SPANS[span].words}.`,
    ...(isEstimated(row, engineOnly)
      ? ['Waits are those of the engine, except where the server reported its own.']
      : []),
    ...(atLeast ? [`${format.seats(waiting)} still ${plural(waiting, 'waits', 'wait')} and may raise it.`] : []),
  ].join(' ')
}

const onlyFlow = (row: FlowRow): void =>
  addToFilter(row.flow === '' ? filterText('schema', row.schema) : filterText('flow', row.flow))

export interface FlowsProps extends TrafficProps {
  readonly mode: LiveState['mode'] | undefined
  /** Clock of the rows, Unix milliseconds. */
  readonly now: number
  readonly span: Span
  readonly onSpan: (span: Span) => void
  readonly order: FlowOrder
  readonly onOrder: (order: FlowOrder) => void
}

/** Flows that hold the most seats, or wait the longest. */
export function FlowsPane(props: FlowsProps) {
  const { tally, seconds, mode, span, onSpan, order, onOrder } = props
  const narrow = useMedia(NARROW)
  return (
    <Pane
      title="Flows"
      className={classes(styles['half'], styles['talkers'])}
      actions={
        <>
          <Segment label="Order of the flows" value={order} options={ORDER_OPTIONS} onChange={onOrder} />
          <Segment label="Time" value={span} options={SPAN_OPTIONS} onChange={onSpan} />
        </>
      }
    >
      {order === 'seats' ? (
        <FlowTable key={`seats ${span}`} columns={seatColumns(narrow)} rows={busiest(tally.flows, seconds)} />
      ) : (
        <FlowTable
          key={`wait ${span}`}
          columns={waitColumns(mode === 'feed' || mode === 'observe', span)}
          rows={longestWaiting(props)}
        />
      )}
    </Pane>
  )
}

function FlowTable<R extends FlowRow>(props: {
  readonly columns: readonly DataColumn<R>[]
  readonly rows: readonly R[]
}) {
  const { rows, hold } = useCalmRows(props.rows)
  return (
    <div className={styles['held']} {...hold}>
      <DataTable
        caption="Flows"
        columns={props.columns}
        rows={rows}
        rowKey={(row) => row.key}
        density="compact"
        onOpen={onlyFlow}
        empty="No requests of a flow in this time."
      />
    </div>
  )
}

/** Exempt requests hold seats and never wait: who sends them, and their share of the total. */
export function ExemptPane({ tally, seconds }: TrafficProps) {
  const { rows, hold } = useCalmRows(busiest(tally.exempt, seconds))
  const held = rows.reduce((sum, row) => sum + row.seatSeconds, 0)
  const share = tally.seatSeconds === 0 ? undefined : held / tally.seatSeconds
  return (
    <Pane
      title="Exempt traffic"
      note={rows.length === 0 ? 'none' : `${format.percent(share)} of all seat-seconds`}
      className={styles['third']}
    >
      <div className={styles['held']} {...hold}>
        <DataTable
          caption="Exempt traffic"
          columns={EXEMPT_COLUMNS}
          rows={rows}
          rowKey={(row) => row.key}
          density="compact"
          onOpen={(row) => addToFilter(filterText('user', row.flow))}
          empty="No exempt requests in this time."
        />
      </div>
    </Pane>
  )
}

const EXEMPT_COLUMNS: readonly DataColumn<FlowRow>[] = [{ ...FLOW, id: 'user', header: 'User' }, RATE, SEAT_SECONDS]

/** Rejected requests, newest first, with what their reasons mean and the remedies of the levels that reject. */
export function RejectedPane(props: {
  readonly rows: readonly LiveRequest[]
  readonly tally: Tally
  readonly span: Span
  readonly onOpen: (row: LiveRequest) => void
}) {
  const { tally, span, onOpen } = props
  const { rows, hold } = useCalmList(props.rows)
  const reasons = REJECT_REASONS.filter((reason) => tally.rejected[reason] > 0)
  const note = reasons.map((reason) => `${reason} ${format.seats(tally.rejected[reason])}`).join(', ')
  return (
    <Pane
      title="Rejections"
      unit="429"
      note={reasons.length === 0 ? `none ${SPANS[span].words}` : note}
      className={styles['half']}
    >
      {rows.length > 0 && (
        <div className={styles['held']} {...hold}>
          <DataTable
            caption="Rejections as they happen"
            columns={REJECTED_COLUMNS}
            rows={rows}
            rowKey={(row) => String(row.seq)}
            density="compact"
            onOpen={onOpen}
          />
        </div>
      )}
      <div className="stack gap-6 pad-x pad-t-6 pad-b-10 gone-when-empty">
        {reasons.map((reason) => (
          <WhyRejected key={reason} reason={reason} />
        ))}
        <Remedies levels={new Set(rows.map(({ level }) => level))} />
      </div>
    </Pane>
  )
}

const REJECTED_COLUMNS: readonly DataColumn<LiveRequest>[] = [
  {
    id: 'time',
    header: 'Time',
    cell: (row) => <span className="mono">{format.time(row.at)}</span>,
  },
  {
    id: 'flow',
    header: 'Flow',
    term: 'flow',
    look: () => styles['rest'],
    cell: (row) => <FlowName level={row.level} name={flowOf(row)} title={requestOf(row)} />,
  },
  { id: 'reason', header: 'Reason', term: 'rejected', cell: (row) => row.reason ?? '–' },
]
