import { type ReactNode, useMemo, useState } from 'react'
import { useSettings } from '../state/settings.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import {
  hasFixedColumns,
  leastWidth,
  tableCsv,
  type DataColumn,
  type Sorting,
  isSortable,
  nextSorting,
  sortedRows,
} from './dataColumns.ts'
import { downloadCsv } from './csv.ts'
import { Icon } from './Icon.tsx'
import { GridBody, GridHead, isInteractive, useGrid, VIRTUAL_FROM } from './grid.tsx'
import { LOW, useMedia } from './hooks.ts'
import { ExportMenu, type Measured, type PromqlCopy } from './Promql.tsx'
import styles from './tables.module.css'

export type { DataColumn } from './dataColumns.ts'

export interface DataTableProps<R extends object> {
  /** Accessible name. */
  readonly caption: string
  readonly columns: readonly DataColumn<R>[]
  readonly rows: readonly R[]
  readonly rowKey: (row: R) => string
  /** Enter or a click on a row. */
  readonly onOpen?: ((row: R) => void) | undefined
  readonly selectedKey?: string | undefined
  /** Shown above the others, in their given order, regardless of the sorting; copies of rows that need attention. */
  readonly pinned?: readonly R[]
  /** File name of the CSV, without extension; absent: no export. */
  readonly csvName?: string | undefined
  /** What a column measures, by its id; absent where no metric holds it. */
  readonly promql?: ((column: string) => Measured | undefined) | undefined
  /** Rows outside the viewport are not mounted; automatic from 100 rows on. Needs a parent with a height. */
  readonly virtual?: boolean
  readonly density?: 'regular' | 'compact'
  /** Shown instead of rows. */
  readonly empty?: ReactNode
  /** On the left of the line below the table. */
  readonly foot?: ReactNode
  readonly onHover?: ((row: R | undefined) => void) | undefined
}

const ROW_HEIGHT = { regular: 34, compact: 26 } as const

/**
 * Rows of facts as a grid: arrows, Home, End and Page keys move, Enter opens a row or sorts by a header, `s` sorts by
 * the column of the cursor, `?` on a header opens its term. Rows stay as given until the user sorts them.
 */
export function DataTable<R extends object>(props: DataTableProps<R>) {
  const {
    caption,
    columns,
    rows,
    rowKey,
    onOpen,
    selectedKey,
    pinned = [],
    csvName,
    promql,
    empty,
    foot,
    onHover,
  } = props
  const [settings] = useSettings()
  const density = props.density ?? settings.density
  const { sorted, sorting, sortBy } = useSortedRows(columns, rows)
  const fixed = hasFixedColumns(columns)
  const all = pinned.length === 0 ? sorted : [...pinned, ...sorted]
  const virtual = props.virtual ?? all.length > VIRTUAL_FROM
  const rowHeight = ROW_HEIGHT[useMedia(LOW) ? 'compact' : density]
  const { scroll, grid, onScroll, ...body } = useGrid({
    caption,
    columns,
    count: all.length,
    rowHeight,
    virtual,
    onKey: ({ key, target }, cursor, column, singleKeys) => {
      const row = all[cursor.row]
      const sorts = (key === 's' && singleKeys) || ((key === 'Enter' || key === ' ') && cursor.row === -1)
      if (sorts && column !== undefined) sortBy(column)
      else if (key === 'Enter' && row !== undefined && onOpen !== undefined && !isInteractive(target)) onOpen(row)
      else return false
      return true
    },
  })
  return (
    <>
      <div
        ref={scroll}
        className={styles['scroll']}
        onScroll={onScroll}
        onMouseLeave={onHover && (() => onHover(undefined))}
      >
        <table
          className={classes(styles['grid'], density === 'compact' && styles['compact'], fixed && styles['fixed'])}
          style={fixed ? { minWidth: leastWidth(columns) } : undefined}
          {...grid}
        >
          <GridHead columns={columns} sorting={sorting} sortBy={sortBy} place={body.place} />
          <GridBody
            rows={body}
            columns={columns}
            rowAt={(index) => all[index]}
            lookOf={(row, index) => {
              const key = rowKey(row)
              const selected = key === selectedKey
              return {
                key: index < pinned.length ? `pinned ${key}` : key,
                selected: selectedKey === undefined ? undefined : selected,
                className: classes(
                  onOpen !== undefined && styles['opens'],
                  selected && styles['selected'],
                  index === pinned.length - 1 && styles['lastPinned'],
                ),
              }
            }}
            onOpen={onOpen}
            onHover={onHover}
          />
        </table>
        {all.length === 0 && empty !== undefined && <div className="pad-x pad-y-10 muted">{empty}</div>}
      </div>
      {(csvName !== undefined || foot !== undefined) && (
        <div className="row gap-10 pad-x pad-y-4 tiny faint hit-24">
          {foot}
          <span className="push" />
          {csvName !== undefined && (
            <TableExport
              of={caption}
              save={() => downloadCsv(csvName, tableCsv(columns, sorted))}
              copies={promqlCopies(columns, promql)}
            />
          )}
        </div>
      )}
    </>
  )
}

/** A button where a table is saved as CSV alone, otherwise a menu as of a chart. */
export const TableExport = (props: {
  readonly of: string
  readonly save: () => void
  readonly copies?: readonly PromqlCopy[]
}) => {
  const { of, save, copies = [] } = props
  return copies.length > 0 ? (
    <ExportMenu of={of} entries={[{ label: 'Save as CSV', onSelect: save }]} copies={copies} />
  ) : (
    <Button small aria-label={`Save ${of} as CSV`} onClick={save}>
      <Icon name="download" size={13} /> CSV
    </Button>
  )
}

/** A copy for each column that measures something. */
function promqlCopies<R>(
  columns: readonly DataColumn<R>[],
  promql: ((column: string) => Measured | undefined) | undefined,
): readonly PromqlCopy[] {
  return columns.flatMap(({ id, header }) => {
    const measured = promql?.(id)
    return measured === undefined ? [] : [{ label: `Copy ${header} as PromQL`, measured }]
  })
}

/** Rows in the user's sort order, and that order. */
function useSortedRows<R extends object>(
  columns: readonly DataColumn<R>[],
  rows: readonly R[],
): { sorted: readonly R[]; sorting: Sorting | undefined; sortBy: (column: DataColumn<R>) => void } {
  const [sorting, setSorting] = useState<Sorting>()
  const sorted = useMemo(() => sortedRows(columns, rows, sorting), [columns, rows, sorting])
  const sortBy = (column: DataColumn<R>): void => {
    if (!isSortable(column)) return
    const numeric = rows.some((row) => typeof column.value?.(row) === 'number')
    setSorting((old) => nextSorting(old, column.id, numeric))
  }
  return { sorted, sorting, sortBy }
}
