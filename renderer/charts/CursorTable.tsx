import type { Series } from '../../core/frame/series.ts'
import { LevelChip } from '../components/LevelChip.tsx'
import { classes } from '../components/classes.ts'
import { format } from '../theme/format.ts'
import { readCursor } from './crosshair.data.ts'
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
      <table className={styles['table']}>
        <thead>
          <tr>
            <th>Level</th>
            <th>Exec.</th>
            <th>Limit</th>
            <th>Demand</th>
            <th>Queued</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.level} className={classes(row.level === level && styles['own'])}>
              <td>
                <LevelChip name={row.level} decorative /> {row.level}
              </td>
              <td>{format.seats(row.executing)}</td>
              <td>{row.level === 'exempt' ? 'none' : format.seats(row.limit)}</td>
              <td>{format.seats(row.demand)}</td>
              <td className={classes((row.queued ?? 0) > 0 && styles['queued'])}>{format.seats(row.queued)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles['foot']}>{left > 0 ? `${left} more levels. ` : ''}Drag to select, Enter to zoom</p>
    </>
  )
}

/** The chosen level at one instant in words. */
export function cursorWords(series: Series, at: number, level: string): string {
  const row = readCursor(series, at)?.rows.find((entry) => entry.level === level)
  if (row?.executing === undefined) return 'no sample'
  const limit = row.limit === undefined || level === 'exempt' ? '' : ` of ${row.limit}`
  const queued = row.queued === undefined || row.queued === 0 ? '' : `, ${row.queued} queued`
  return `${level}: ${row.executing}${limit} seats executing${queued}`
}
