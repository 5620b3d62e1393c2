import { memo, useMemo, type ReactNode } from 'react'
import { DataTable, type DataColumn } from '../../components/DataTable.tsx'
import { Pane } from '../../components/Pane.tsx'
import { classes } from '../../components/classes.ts'
import { format } from '../../theme/format.ts'
import { levelColor } from '../../theme/levels.ts'
import type { FlowRow } from './flows.data.ts'
import styles from './Panes.module.css'
import { NARROW, useMedia } from './useMedia.ts'

export interface FlowsPaneProps {
  readonly level: string
  readonly title: string
  readonly rows: readonly FlowRow[]
  readonly chosen: string | undefined
  readonly onChoose: (row: FlowRow) => void
  readonly origin: ReactNode
  readonly height: number
}

/** Who waits and who executes in the level, as the dump of requests shows it. */
export const FlowsPane = memo(function FlowsPane(props: FlowsPaneProps) {
  const { level, title, rows, chosen, onChoose, origin, height } = props
  const narrow = useMedia(NARROW)
  // Where one schema feeds the level, its name stands in the header of the screen.
  const withSchema = !narrow && rows.some((row) => row.schema !== rows[0]?.schema)
  const columns = useMemo(() => flowColumns(level, level === 'exempt', withSchema), [level, withSchema])
  return (
    <Pane
      title={title}
      note={`${format.fixed(rows.length)} active`}
      actions={<span className={styles['quiet']}>{origin}</span>}
    >
      <div className={styles['tableBox']} style={{ height }}>
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

function flowColumns(level: string, exempt: boolean, withSchema: boolean): readonly DataColumn<FlowRow>[] {
  const queueing: readonly DataColumn<FlowRow>[] = [
    {
      id: 'queued',
      header: 'Queued',
      title: 'Waiting requests',
      align: 'right',
      value: (row) => row.queued,
      cell: (row) => <Amount value={row.queued} bold />,
    },
    {
      id: 'queuedSeats',
      header: 'Seats q.',
      title: 'Seats that its waiting requests ask for',
      align: 'right',
      value: (row) => row.queuedSeats,
      cell: (row) => <Amount value={row.queuedSeats} />,
    },
  ]
  return [
    {
      id: 'flow',
      header: exempt ? 'User' : 'Flow',
      value: (row) => row.name,
      cell: (row) => (
        <span className="mono" title={`${row.flow === '' ? 'no distinguisher' : row.flow}, flow schema ${row.schema}`}>
          {row.name}
        </span>
      ),
    },
    ...(withSchema
      ? [
          {
            id: 'schema',
            header: 'Schema',
            value: (row: FlowRow) => row.schema,
            cell: (row: FlowRow) => <Quiet>{row.schema}</Quiet>,
          },
        ]
      : []),
    ...(exempt ? [] : queueing),
    {
      id: 'executingSeats',
      header: 'Executing',
      title: 'Seats of its executing requests',
      align: 'right',
      value: (row) => row.executingSeats,
      cell: (row) => format.seats(row.executingSeats),
    },
    {
      id: 'share',
      header: 'Share',
      title: 'Part of the seats executing in this level, in this dump',
      value: (row) => (row.share === undefined ? undefined : Number(row.share.toFixed(4))),
      cell: (row) => <Share value={row.share} color={levelColor(level)} />,
    },
    ...(exempt
      ? []
      : [
          {
            id: 'wait',
            header: 'Longest',
            title: 'Longest wait of its requests',
            align: 'right' as const,
            value: (row: FlowRow) => row.longestWait,
            cell: (row: FlowRow) =>
              row.longestWait === undefined ? <Quiet>none</Quiet> : format.seconds(row.longestWait),
          },
        ]),
  ]
}

const Quiet = ({ children }: { children: ReactNode }) => <span className={styles['quiet']}>{children}</span>

function Amount({ value, bold = false }: { value: number; bold?: boolean }) {
  return (
    <span className={classes(value > 0 ? styles['queued'] : styles['quiet'], bold && value > 0 && styles['bold'])}>
      {format.fixed(value)}
    </span>
  )
}

function Share({ value, color }: { value: number | undefined; color: string }) {
  if (value === undefined) return <Quiet>–</Quiet>
  return (
    <span role="img" aria-label={format.percent(value)} title={format.percent(value)} className={styles['share']}>
      <i style={{ width: `${value * 100}%`, background: color }} />
    </span>
  )
}
