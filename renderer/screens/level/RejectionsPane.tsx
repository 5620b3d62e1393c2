import { theLast } from '../../../core/verdict/levelStatements.ts'
import { memo } from 'react'
import type { DerivedLevel } from '../../../core/frame/derived.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import { isExempt } from '../../../core/frame/reading.ts'
import { windowText } from '../../../core/frame/recent.ts'
import type { MeasureId } from '../../../core/prom/measures.ts'
import { valueColumn, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { Pane } from '../../components/Pane.tsx'
import type { Measured } from '../../components/Promql.tsx'
import { Term } from '../../components/Term.tsx'
import { classes } from '../../components/classes.ts'
import { format } from '../../theme/format.ts'
import { rejectionRows, schemaRows, type RejectionRow, type SchemaRow, rejectSentence } from './level.data.ts'
import styles from './panes.module.css'

export interface TrafficPaneProps {
  readonly level: LevelFrame
  readonly derived: DerivedLevel | undefined
}

/** Requests answered 429: by reason, with cause and remedy. */
export const RejectionsPane = memo(function RejectionsPane({ level, derived }: TrafficPaneProps) {
  return (
    <Pane title="Rejections" unit="429" note={rejectSentence(level, derived)}>
      <div className="column shrink-y">
        <DataTable
          caption={`Rejections of ${level.name}`}
          columns={REASON_COLUMNS}
          rows={rejectionRows(level, derived)}
          rowKey={(row) => row.reason}
          density="compact"
          csvName={`rejections-${level.name}`}
          promql={(column) => rejectionPromql(column, level.name)}
        />
      </div>
    </Pane>
  )
})

function rejectionPromql(column: string, level: string): Measured | undefined {
  const measures = column === 'rate' ? 'rejected' : column === 'total' ? 'rejectedTotal' : undefined
  return measures && { measures, level, each: ['reason'] }
}

const REASON_COLUMNS: readonly DataColumn<RejectionRow>[] = [
  valueColumn('reason', 'Reason', (row) => row.reason, {
    term: 'rejected',
    cell: (row) => <Term id={row.reason}>{row.reason}</Term>,
  }),
  numberColumn('rate', 'Rate, 10 s', (row) => row.rate, {
    title: `Requests per second, mean of ${windowText(10)}`,
    cell: (row) => <span className={classes((row.rate ?? 0) > 0 ? 'rejected' : 'faint')}>{format.rate(row.rate)}</span>,
  }),
  numberColumn('total', 'Total', (row) => row.total, { title: 'Since the server started' }),
  { id: 'cause', header: 'Why', value: (row) => row.cause, sortable: false, cell: (row) => <Prose text={row.cause} /> },
]

const Prose = ({ text }: { text: string }) => <span className={styles['wrap']}>{text}</span>

/** What each flow schema sends to the level. */
export const SchemasPane = memo(function SchemasPane({ level, derived }: TrafficPaneProps) {
  const server = { recent: derived?.recent ?? { seconds: 10 } }
  return (
    <Pane
      title="Flow schemas"
      note={`rates of ${theLast(format, [server])}${isExempt(level) ? '; nothing waits here' : `, waits of ${theLast(format, [server], 30)}`}`}
    >
      <div className="column shrink-y">
        <DataTable
          caption={`Flow schemas of ${level.name}`}
          columns={SCHEMA_COLUMNS}
          rows={schemaRows(level, derived)}
          rowKey={(row) => row.name}
          density="compact"
          csvName={`schemas-${level.name}`}
          promql={(column) => schemaPromql(column, level.name)}
          empty="No request has reached this level yet."
        />
      </div>
    </Pane>
  )
})

const MEASURED: Readonly<Record<string, MeasureId>> = {
  dispatched: 'dispatched',
  rejected: 'rejected',
  executing: 'executingRequests',
  executingSeats: 'executing',
  queued: 'queued',
  queuedSeats: 'queuedSeats',
  waitP50: 'waitP50',
  waitP99: 'waitP99',
  executionP99: 'executionP99',
  meanSeats: 'meanSeats',
}

function schemaPromql(column: string, level: string): Measured | undefined {
  const measures = MEASURED[column]
  return measures && { measures, level, each: ['flow_schema'] }
}

const SCHEMA_COLUMNS: readonly DataColumn<SchemaRow>[] = [
  { id: 'name', header: 'Flow schema', term: 'flow-schema', value: (row) => row.name },
  numberColumn('dispatched', 'Dispatched', (row) => row.dispatchedRate, {
    width: 88,
    term: 'dispatched',
    text: format.rate,
  }),
  numberColumn('rejected', 'Rejected', (row) => row.rejectedRate, {
    width: 80,
    term: 'rejected',
    cell: (row) => (
      <span className={classes((row.rejectedRate ?? 0) > 0 && 'rejected')}>{format.rate(row.rejectedRate)}</span>
    ),
  }),
  numberColumn('executing', 'Executing', (row) => row.executing, { width: 76, term: 'executing', title: 'Requests' }),
  numberColumn('executingSeats', 'Seats', (row) => row.executingSeats, {
    width: 60,
    term: 'seat',
    title: 'Seats executing',
  }),
  numberColumn('queued', 'Queued', (row) => row.queued, {
    width: 64,
    term: 'queued',
    title: 'Requests',
    cell: (row) => <span className={classes((row.queued ?? 0) > 0 && 'queued')}>{format.fixed(row.queued)}</span>,
  }),
  numberColumn('queuedSeats', 'Seats q.', (row) => row.queuedSeats, {
    width: 68,
    term: 'queued',
    title: 'Seats that waiting requests need',
  }),
  numberColumn('waitP50', 'Wait p50', (row) => row.waitP50, {
    width: 94,
    term: 'quantile',
    cell: (row) => format.quantile(row.waitP50, row.waitP50Range),
  }),
  numberColumn('waitP99', 'Wait p99', (row) => row.waitP99, {
    width: 94,
    term: 'quantile',
    cell: (row) => format.quantile(row.waitP99, row.waitP99Range),
  }),
  numberColumn('executionP99', 'Execution p99', (row) => row.executionP99, {
    width: 102,
    term: 'quantile',
    text: (seconds) => format.quantile(seconds, undefined),
  }),
  numberColumn('meanSeats', 'Mean width', (row) => row.meanSeats, {
    width: 90,
    term: 'width',
    title: 'Seats per request, since the server started',
    text: format.seatsAverage,
  }),
]
