import type { Series } from '../../core/frame/series.ts'
import { LevelChip } from '../components/LevelChip.tsx'
import type { DataColumn } from '../components/dataColumns.ts'
import { PlainTable } from '../components/PlainTable.tsx'
import { format } from '../theme/format.ts'
import { readCursor, type CursorRow } from './crosshair.data.ts'
import styles from './CursorTable.module.css'

const ROWS = 8

/** Every level at one instant, most executing seats first; the chosen level stays in view. */
export function CursorTable(props: { readonly series: Series; readonly at: number; readonly level: string }) {
  const { series, at, level } = props
  const reading = readCursor(series, at)
  if (reading === undefined) return null
  const top = reading.rows.slice(0, ROWS)
  const own = reading.rows.find((row) => row.level === level)
  const rows = own === undefined || top.includes(own) ? top : [...top.slice(0, ROWS - 1), own]
  const left = reading.rows.length - rows.length
  return (
    <>
      <div className={styles['head']}>
        <b className="mono">{format.time(reading.at)}</b>
        <span>{reading.gap ? 'no sample' : 'seats, sampled'}</span>
      </div>
      <PlainTable
        caption="Levels at this time"
        className={styles['table']}
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.level}
        rowLook={(row) => (row.level === level ? styles['own'] : undefined)}
      />
      <p className={styles['foot']}>{left > 0 ? `${left} more levels. ` : ''}Drag to select, Enter to zoom</p>
    </>
  )
}

const COLUMNS: readonly DataColumn<CursorRow>[] = [
  {
    id: 'level',
    header: 'Level',
    cell: ({ level }) => (
      <>
        <LevelChip name={level} decorative /> {level}
      </>
    ),
  },
  { id: 'executing', header: 'Exec.', align: 'right', cell: ({ executing }) => format.seats(executing) },
  {
    id: 'limit',
    header: 'Limit',
    align: 'right',
    cell: ({ level, limit }) => (level === 'exempt' ? 'none' : format.seats(limit)),
  },
  { id: 'demand', header: 'Demand', align: 'right', cell: ({ demand }) => format.seats(demand) },
  {
    id: 'queued',
    header: 'Queued',
    align: 'right',
    cell: ({ queued }) => format.seats(queued),
    look: ({ queued = 0 }) => (queued > 0 ? styles['queued'] : undefined),
  },
]

/** The chosen level at one instant in words. */
export function cursorWords(series: Series, at: number, level: string): string {
  const row = readCursor(series, at)?.rows.find((entry) => entry.level === level)
  if (row?.executing === undefined) return 'no sample'
  const limit = row.limit === undefined || level === 'exempt' ? '' : ` of ${row.limit}`
  const queued = row.queued === undefined || row.queued === 0 ? '' : `, ${row.queued} queued`
  return `${level}: ${row.executing}${limit} seats executing${queued}`
}
