import { rounded } from '../../../core/text/format.ts'
import { memo, useMemo, type ReactNode } from 'react'
import { valueColumn, numberColumn, type DataColumn } from '../../components/dataColumns.ts'
import { DataTable } from '../../components/DataTable.tsx'
import { MiddleCut } from '../../components/LevelChip.tsx'
import { Pane } from '../../components/Pane.tsx'
import { classes } from '../../components/classes.ts'
import { NARROW, useMedia } from '../../components/hooks.ts'
import type { FlowRow } from '../../state/flows.logic.ts'
import { format } from '../../theme/format.ts'
import { levelColor } from '../../state/levels.ts'
import styles from './panes.module.css'

export interface FlowsPaneProps {
  readonly level: string
  readonly title: string
  /** Seats that the level may use now; the scale of the bars. Without it they are scaled by executing seats. */
  readonly limit: number | undefined
  readonly rows: readonly FlowRow[]
  readonly chosen: string | undefined
  readonly onChoose: (row: FlowRow) => void
  readonly origin: ReactNode
  readonly height: number
}

/** Who waits and who executes in the level, according to the dump of requests. */
export const FlowsPane = memo(function FlowsPane(props: FlowsPaneProps) {
  const { level, title, limit, rows, chosen, onChoose, origin, height } = props
  const narrow = useMedia(NARROW)
  // If only one schema feeds the level, its name is in the header of the screen.
  const withSchema = !narrow && rows.some((row) => row.schema !== rows[0]?.schema)
  const columns = useMemo(
    () => flowColumns({ level, exempt: level === 'exempt', limit, withSchema, narrow }),
    [level, limit, withSchema, narrow],
  )
  return (
    <Pane title={title} note={`${format.fixed(rows.length)} active`} actions={<span className="faint">{origin}</span>}>
      <div className="column shrink-y" style={{ height }}>
        <DataTable
          caption={`${title} of ${level}`}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.key}
          selectedKey={chosen}
          onOpen={onChoose}
          density="compact"
          csvName={`flows-${level}`}
          empty="No request of this level waits or executes in this dump."
        />
      </div>
    </Pane>
  )
})

function flowColumns(wish: {
  readonly level: string
  readonly exempt: boolean
  readonly limit: number | undefined
  readonly withSchema: boolean
  readonly narrow: boolean
}): readonly DataColumn<FlowRow>[] {
  const { level, exempt, limit, withSchema, narrow } = wish
  const queueing: readonly DataColumn<FlowRow>[] = [
    numberColumn('queued', 'Queued', (row) => row.queued, {
      width: 62,
      term: 'queued',
      title: 'Waiting requests',
      cell: (row) => <Amount value={row.queued} bold />,
    }),
    numberColumn('queuedSeats', 'Seats q.', (row) => row.queuedSeats, {
      width: 68,
      term: 'queued',
      title: 'Seats that its waiting requests need',
      cell: (row) => <Amount value={row.queuedSeats} />,
    }),
  ]
  return [
    {
      id: 'flow',
      header: exempt ? 'User' : 'Flow',
      ...(exempt ? {} : { term: 'flow' }),
      value: (row) => row.name,
      cell: (row) => (
        <span className="mono" title={flowTitle(row)}>
          <MiddleCut text={row.name} title={flowTitle(row)} />
        </span>
      ),
    },
    ...(withSchema
      ? [
          valueColumn('schema', 'Schema', (row: FlowRow) => row.schema, {
            width: 110,
            term: 'flow-schema' as const,
            cell: (row: FlowRow) => <Quiet>{row.schema}</Quiet>,
          }),
        ]
      : []),
    ...(exempt ? [] : queueing),
    numberColumn('executingSeats', 'Executing', (row) => row.executingSeats, {
      width: 74,
      term: 'executing',
      title: 'Seats of its executing requests',
    }),
    {
      id: 'share',
      // As the last column it has a wider margin.
      width: exempt ? 96 : 80,
      header: 'Share',
      title:
        limit === undefined
          ? 'Part of the seats executing in this level, in this dump'
          : 'Bar: its executing seats as a share of the level’s limit. Mark: its max-min fair share of that limit',
      value: (row) => (row.share === undefined ? undefined : rounded(row.share, 4)),
      cell: (row) => <Share row={row} limit={limit} color={levelColor(level)} />,
    },
    ...(limit === undefined || narrow ? [] : [OF_FAIR]),
    ...(exempt
      ? []
      : [
          numberColumn('wait', 'Longest', (row: FlowRow) => row.longestWait, {
            width: 72,
            term: 'wait',
            title: 'Longest wait of its requests',
            cell: (row) => (row.longestWait === undefined ? <Quiet>none</Quiet> : format.seconds(row.longestWait)),
          }),
        ]),
  ]
}

const flowTitle = ({ flow, schema }: FlowRow): string =>
  `${flow === '' ? 'no distinguisher' : flow}, flow schema ${schema}`

const Quiet = ({ children }: { children: ReactNode }) => <span className="faint">{children}</span>

function Amount({ value, bold = false }: { value: number; bold?: boolean }) {
  return (
    <span className={classes(value > 0 ? 'queued' : 'faint', bold && value > 0 && 'strong')}>
      {format.fixed(value)}
    </span>
  )
}

/** Executing seats as a share of the fair share; more than 100 % is what others did not need, or held longer. */
const ofFair = ({ executingSeats, fair }: FlowRow): number | undefined =>
  fair === undefined || fair === 0 ? undefined : executingSeats / fair

const OF_FAIR: DataColumn<FlowRow> = {
  id: 'fair',
  width: 64,
  header: 'Of fair',
  term: 'fair-share',
  title:
    'Its executing seats against its max-min fair share: what it would hold if the level’s limit were divided evenly now, no flow getting more than its requests need. The server is fair over time, not at each instant.',
  align: 'right',
  value: (row) => {
    const part = ofFair(row)
    return part === undefined ? undefined : rounded(part, 4)
  },
  cell: (row) => format.percent(ofFair(row)),
}

function Share({ row, limit, color }: { row: FlowRow; limit: number | undefined; color: string }) {
  const { executingSeats, fair, share } = row
  const measured = limit !== undefined && limit > 0 && fair !== undefined
  const part = measured ? executingSeats / limit : share
  if (part === undefined) return <Quiet>–</Quiet>
  const label = measured
    ? `${format.seats(executingSeats)} of ${format.seats(limit)} seats, fair share ${format.seatsAverage(fair)}`
    : format.percent(part)
  return (
    <span role="img" aria-label={label} title={label} className={styles['share']}>
      <i className="block tall" style={{ width: `${Math.min(1, part) * 100}%`, background: color }} />
      {measured && <b style={{ left: `${Math.min(1, fair / limit) * 100}%` }} />}
    </span>
  )
}
