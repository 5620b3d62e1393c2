import type { Band, Quantity } from '../../../../core/contract/forecast.ts'
import type { DataColumn } from '../../../components/dataColumns.ts'
import { LevelChip } from '../../../components/LevelChip.tsx'
import { format } from '../../../theme/format.ts'
import styles from './quantities.module.css'

const seats = (value: number): string => format.fixed(value, value < 10 ? 1 : 0)

/** Label and format of each forecast quantity. */
export const QUANTITY_LOOKS: Readonly<
  Record<Quantity, { readonly label: string; readonly text: (value: number) => string }>
> = {
  waitP50: { label: 'Wait p50', text: format.seconds },
  waitP99: { label: 'Wait p99', text: format.seconds },
  rejectedPerSecond: { label: 'Rejected /s', text: seats },
  seats: { label: 'Seats', text: seats },
  current: { label: 'Limit', text: seats },
}

export const levelColumn = <R,>(of: (row: R) => string): DataColumn<R> => ({
  id: 'level',
  header: 'Priority level',
  term: 'priority-level',
  rowHeader: true,
  cell: (row) => (
    <span className={styles['level']}>
      <LevelChip name={of(row)} decorative />
      {of(row)}
    </span>
  ),
})

/** `0.8 s – 1.9 s` */
export const bandText = ({ low, high }: Band, quantity: Quantity): string => {
  const { text } = QUANTITY_LOOKS[quantity]
  return `${text(low)} – ${text(high)}`
}

/** The value to compare a cell's number with, below it. */
export const SmallLine = ({ children }: { readonly children: string }) => (
  <span className={styles['band']}>{children}</span>
)
