import { format } from '../theme/format.ts'
import { cellText, type ChartTable } from './chartTable.ts'
import type { DataColumn } from './dataColumns.ts'
import { PlainTable } from './PlainTable.tsx'

/** The numbers behind a chart as a plain table, named like the chart. */
export function NumbersTable(props: {
  readonly title: string
  readonly table: ChartTable
  readonly focusable: boolean
}) {
  const { title, table, focusable } = props
  const columns = table.columns.map((header, at): DataColumn<ChartTable['rows'][number]> => ({
    id: header,
    header,
    align: at === 0 ? 'left' : 'right',
    rowHeader: at === 0,
    cell: ({ [at]: value }) =>
      at === 0 && table.times === true && typeof value === 'number' ? format.time(value) : cellText(value),
  }))
  return (
    <PlainTable
      caption={title}
      columns={columns}
      rows={table.rows}
      // Rows of a snapshot never move: their position is their identity.
      rowKey={(_, index) => index}
      // A scrolling table must be reachable by keyboard; a hidden one must not be.
      tabIndex={focusable ? 0 : -1}
    />
  )
}
