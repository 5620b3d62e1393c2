import { memo } from 'react'
import type { DerivedLevel } from '../../../core/frame/derived.ts'
import type { LevelFrame } from '../../../core/frame/frame.ts'
import { isExempt } from '../../../core/frame/reading.ts'
import type { MeasureId } from '../../../core/prom/measures.ts'
import { DataTable, type DataColumn } from '../../components/DataTable.tsx'
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

/** Requests answered 429: by reason, why, and what helps. */
export const RejectionsPane = memo(function RejectionsPane({ level, derived }: TrafficPaneProps) {
  return (
    <Pane title="Rejections" unit="429" note={rejectSentence(level, derived)}>
      <div className={styles['tableBox']}>
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
  {
    id: 'reason',
    header: 'Reason',
    term: 'rejected',
    value: (row) => row.reason,
    cell: (row) => <Term id={row.reason}>{row.reason}</Term>,
  },
  {
    id: 'rate',
    header: 'Rate, 10 s',
    title: 'Requests per second, mean of the last 10 s',
    align: 'right',
    value: (row) => row.rate,
    cell: (row) => (
      <span className={classes((row.rate ?? 0) > 0 ? styles['rejected'] : styles['quiet'])}>
        {format.rate(row.rate)}
      </span>
    ),
  },
  {
    id: 'total',
    header: 'Total',
    title: 'Since the server started',
    align: 'right',
    value: (row) => row.total,
    cell: (row) => format.fixed(row.total),
  },
  { id: 'cause', header: 'Why', value: (row) => row.cause, sortable: false, cell: (row) => <Prose text={row.cause} /> },
  {
    id: 'remedy',
    header: 'What helps',
    value: (row) => row.remedy,
    sortable: false,
    cell: (row) => <Prose text={row.remedy} />,
  },
]

const Prose = ({ text }: { text: string }) => <span className={styles['wrap']}>{text}</span>

/** What each flow schema sends to the level. */
export const SchemasPane = memo(function SchemasPane({ level, derived }: TrafficPaneProps) {
  return (
    <Pane
      title="Flow schemas"
      note={
        isExempt(level)
          ? 'rates of the last 10 s; nothing waits here'
          : 'rates of the last 10 s, waits of the last 30 s'
      }
    >
      <div className={styles['tableBox']}>
        <DataTable
          caption={`Flow schemas of ${level.name}`}
          columns={SCHEMA_COLUMNS}
          rows={schemaRows(level, derived)}
          rowKey={(row) => row.name}
          density="compact"
          csvName={`schemas-${level.name}`}
          promql={(column) => schemaPromql(column, level.name)}
          empty="No request of any flow schema has reached this level yet."
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
  {
    id: 'dispatched',
    width: 88,
    header: 'Dispatched',
    term: 'dispatched',
    align: 'right',
    value: (row) => row.dispatchedRate,
    cell: (row) => format.rate(row.dispatchedRate),
  },
  {
    id: 'rejected',
    width: 80,
    header: 'Rejected',
    term: 'rejected',
    align: 'right',
    value: (row) => row.rejectedRate,
    cell: (row) => (
      <span className={classes((row.rejectedRate ?? 0) > 0 && styles['rejected'])}>
        {format.rate(row.rejectedRate)}
      </span>
    ),
  },
  {
    id: 'executing',
    width: 76,
    header: 'Executing',
    term: 'executing',
    title: 'Requests',
    align: 'right',
    value: (row) => row.executing,
    cell: (row) => format.fixed(row.executing),
  },
  {
    id: 'executingSeats',
    width: 60,
    header: 'Seats',
    term: 'seat',
    title: 'Seats executing',
    align: 'right',
    value: (row) => row.executingSeats,
    cell: (row) => format.seats(row.executingSeats),
  },
  {
    id: 'queued',
    width: 64,
    header: 'Queued',
    term: 'queued',
    title: 'Requests',
    align: 'right',
    value: (row) => row.queued,
    cell: (row) => (
      <span className={classes((row.queued ?? 0) > 0 && styles['queued'])}>{format.fixed(row.queued)}</span>
    ),
  },
  {
    id: 'queuedSeats',
    width: 68,
    header: 'Seats q.',
    term: 'queued',
    title: 'Seats that waiting requests need',
    align: 'right',
    value: (row) => row.queuedSeats,
    cell: (row) => format.seats(row.queuedSeats),
  },
  {
    id: 'waitP50',
    width: 94,
    header: 'Wait p50',
    term: 'quantile',
    align: 'right',
    value: (row) => row.waitP50,
    cell: (row) => format.quantile(row.waitP50, row.waitP50Range),
  },
  {
    id: 'waitP99',
    width: 94,
    header: 'Wait p99',
    term: 'quantile',
    align: 'right',
    value: (row) => row.waitP99,
    cell: (row) => format.quantile(row.waitP99, row.waitP99Range),
  },
  {
    id: 'executionP99',
    width: 102,
    header: 'Execution p99',
    term: 'quantile',
    align: 'right',
    value: (row) => row.executionP99,
    cell: (row) => format.quantile(row.executionP99, undefined),
  },
  {
    id: 'meanSeats',
    width: 90,
    header: 'Mean width',
    term: 'width',
    title: 'Seats per request, since the server started',
    align: 'right',
    value: (row) => row.meanSeats,
    cell: (row) => format.fixed(row.meanSeats, 1),
  },
]
