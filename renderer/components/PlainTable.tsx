import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { cellOf, type DataColumn } from './dataColumns.ts'
import { Term } from './Term.tsx'
import styles from './tables.module.css'

/** A cell of a footer; the columns it spans are left out of its row. */
export interface FootCell {
  readonly text: ReactNode
  readonly look?: string | undefined
  readonly span?: number
}
/** Cells by the id of their column; a column without one stays blank. */
export type FootRow = Readonly<Partial<Record<string, FootCell>>>

export interface PlainTableProps<R> {
  /** Accessible name. */
  readonly caption: string
  readonly columns: readonly DataColumn<R>[]
  readonly rows: readonly R[]
  readonly rowKey: (row: R, index: number) => string | number
  readonly rowLook?: (row: R) => string | undefined
  readonly selectedKey?: string | undefined
  /** Headings over the columns that reference them in `group`. */
  readonly groups?: Readonly<Record<string, ReactNode>>
  readonly foot?: readonly FootRow[]
  /** Without a header row. */
  readonly headless?: boolean
  readonly className?: string | undefined
  readonly tabIndex?: number
}

/**
 * A few rows in their given order, for reading only: `DataTable` without its keyboard, sorting and scrolling. Its rules
 * in the style sheet have no specificity, so that one class of the screen can override each; `--row-height` and
 * `--cell-padding` are the usual ones.
 */
export function PlainTable<R>(props: PlainTableProps<R>) {
  const { caption, columns, rows, rowKey, rowLook, selectedKey, groups, foot, headless = false, className } = props
  // The role is explicit because a style may remove the implicit one.
  const attributes = { role: 'table', 'aria-label': caption, tabIndex: props.tabIndex }
  return (
    <table {...attributes} className={classes(styles['plain'], className)}>
      {!headless && (
        <thead>
          {groups !== undefined && <Groups columns={columns} groups={groups} />}
          <tr>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                title={column.title}
                className={alignment(column)}
                style={column.width === undefined ? undefined : { width: column.width }}
              >
                <Header column={column} />
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, index) => {
          const key = rowKey(row, index)
          const selected = selectedKey !== undefined && key === selectedKey
          return (
            <tr
              key={key}
              aria-current={selected ? 'true' : undefined}
              className={classes(selected && styles['plainSelected'], rowLook?.(row))}
            >
              {columns.map((column) => {
                const look = classes(alignment(column), column.look?.(row))
                return column.rowHeader === true ? (
                  <th key={column.id} scope="row" className={look}>
                    {cellOf(column, row)}
                  </th>
                ) : (
                  <td key={column.id} className={look}>
                    {cellOf(column, row)}
                  </td>
                )
              })}
            </tr>
          )
        })}
      </tbody>
      {foot !== undefined && (
        <tfoot>
          {foot.map((cells, index) => (
            <Foot key={index} columns={columns} cells={cells} />
          ))}
        </tfoot>
      )}
    </table>
  )
}

const alignment = <R,>({ align }: DataColumn<R>): string | undefined =>
  align === 'right' ? styles['plainRight'] : undefined

function Header<R>({ column: { header, head, term, hiddenHeader } }: { readonly column: DataColumn<R> }) {
  if (hiddenHeader === true) return <span className="sr-only">{header}</span>
  if (head !== undefined) return head
  return term === undefined ? header : <Term id={term}>{header}</Term>
}

function Groups<R>({
  columns,
  groups,
}: Pick<PlainTableProps<R>, 'columns'> & Required<Pick<PlainTableProps<R>, 'groups'>>) {
  const starts = columns.flatMap(({ group }, at) => (at === 0 || group !== columns[at - 1]?.group ? [at] : []))
  return (
    <tr className={styles['groups']}>
      {starts.map((from, index) => {
        const { id = '', group } = columns[from] ?? {}
        const span = (starts[index + 1] ?? columns.length) - from
        return group === undefined ? (
          <td key={id} colSpan={span}>
            {NOTHING}
          </td>
        ) : (
          <th key={id} scope="colgroup" colSpan={span}>
            {groups[group]}
          </th>
        )
      })}
    </tr>
  )
}

function Foot<R>({ columns, cells }: { readonly columns: readonly DataColumn<R>[]; readonly cells: FootRow }) {
  const covered = new Set(
    columns.flatMap(({ id }, at) => Array.from({ length: (cells[id]?.span ?? 1) - 1 }, (_, more) => at + more + 1)),
  )
  return (
    <tr>
      {columns.map((column, at) => {
        if (covered.has(at)) return null
        const { text = NOTHING, look, span } = cells[column.id] ?? {}
        const attributes = { colSpan: span, className: classes(alignment(column), look) }
        return column.rowHeader === true ? (
          <th key={column.id} scope="row" {...attributes}>
            {text}
          </th>
        ) : (
          <td key={column.id} {...attributes}>
            {text}
          </td>
        )
      })}
    </tr>
  )
}

const NOTHING = null
