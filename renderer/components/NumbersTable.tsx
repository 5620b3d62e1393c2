import { format } from '../theme/format.ts'
import { cellText, type ChartTable } from './chartTable.ts'

/** The numbers behind a chart as a plain table, named like the chart. */
export function NumbersTable(props: {
  readonly title: string
  readonly table: ChartTable
  readonly focusable: boolean
}) {
  const { title, table, focusable } = props
  // The role is written out because a style may take the implicit one away. A scrolling table must be reachable by
  // keyboard; a hidden one must not be.
  const attributes = { role: 'table', 'aria-label': title, tabIndex: focusable ? 0 : -1 }
  return (
    <table {...attributes}>
      <thead>
        <tr>
          {table.columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, index) => (
          // Rows of a snapshot never move: their position is their identity.
          <tr key={index}>
            {row.map((value, at) =>
              at === 0 ? (
                <th key={table.columns[at]} scope="row">
                  {table.times === true && typeof value === 'number' ? format.time(value) : cellText(value)}
                </th>
              ) : (
                <td key={table.columns[at]}>{cellText(value)}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
