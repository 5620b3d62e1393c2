import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import { openTerm } from '../state/glossary.ts'
import { useSettings } from '../state/settings.ts'
import { GLOSSARY, type TermId } from '../glossary/glossary.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import {
  cellOf,
  hasFixedColumns,
  isSortable,
  leastWidth,
  moveCursor,
  tableCsv,
  type DataColumn,
  type Sorting,
} from './dataColumns.ts'
import { downloadCsv } from './download.ts'
import { Icon } from './Icon.tsx'
import { Tip } from './Term.tsx'
import { useGridCursor, type GridCursor } from './useGridCursor.ts'
import { LOW, useMedia } from './useMedia.ts'
import { useRowWindow } from './useRowWindow.ts'
import { useSortedRows } from './useSortedRows.ts'
import styles from './DataTable.module.css'

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
  /** Shown above the others, in their given order, whatever the sorting; copies of rows that need attention. */
  readonly pinned?: readonly R[]
  readonly initialSort?: Sorting
  /** File name of the CSV, without ending; absent: no export. */
  readonly csvName?: string | undefined
  /** Rows beyond the screen are not mounted; by itself from 100 rows on. Needs a parent with a height. */
  readonly virtual?: boolean
  readonly density?: 'regular' | 'compact'
  /** What stands there instead of rows. */
  readonly empty?: ReactNode
  /** At the left of the line below the table. */
  readonly foot?: ReactNode
  readonly onHover?: ((row: R | undefined) => void) | undefined
}

const VIRTUAL_FROM = 100
const ROW_HEIGHT = { regular: 34, compact: 26 } as const

/**
 * Rows of facts as a grid: arrows, Home, End and Page keys move, Enter opens a row or sorts by a header, `s` sorts by
 * the column in which the cursor stands, `?` on a header opens its term. The order of rows stays as given until the reader asks for another.
 */
export function DataTable<R extends object>(props: DataTableProps<R>) {
  const { caption, columns, rows, rowKey, onOpen, selectedKey, pinned = [], csvName, empty, foot, onHover } = props
  const [settings] = useSettings()
  const density = props.density ?? settings.density
  const { sorted, sorting, sortBy } = useSortedRows(columns, rows, props.initialSort)
  const fixed = hasFixedColumns(columns)
  const all = pinned.length === 0 ? sorted : [...pinned, ...sorted]
  const virtual = props.virtual ?? all.length > VIRTUAL_FROM
  const scroll = useRef<HTMLDivElement>(null)
  const rowHeight = ROW_HEIGHT[useMedia(LOW) ? 'compact' : density]
  const { first, end, above, below, onScroll, reveal, page } = useRowWindow(scroll, all.length, rowHeight, virtual)
  const { cursor, place, focusOn } = useGridCursor(scroll, { rows: all.length, columns: columns.length, first, end })

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey) return
    const column = columns[cursor.column]
    const row = all[cursor.row]
    const next = moveCursor(event.key, cursor, {
      rows: all.length,
      columns: columns.length,
      page,
      ctrl: event.ctrlKey,
    })
    if (next !== undefined) {
      reveal(next.row)
      focusOn(next)
    } else if (event.key === 's' && settings.singleKeys && column !== undefined) sortBy(column)
    else if (event.key === '?' && settings.singleKeys && cursor.row === -1 && column?.term !== undefined)
      openTerm(column.term)
    else if ((event.key === 'Enter' || event.key === ' ') && cursor.row === -1 && column !== undefined) sortBy(column)
    else if (event.key === 'Enter' && row !== undefined && onOpen !== undefined && !isInteractive(event.target))
      onOpen(row)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  // A table whose cells can be walked through is a grid (WAI-ARIA authoring practices).
  const grid = {
    role: 'grid',
    'aria-label': caption,
    'aria-rowcount': all.length + 1,
    'aria-colcount': columns.length,
    onKeyDown,
  }
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
          <Head columns={columns} sorting={sorting} sortBy={sortBy} place={place} />
          <tbody>
            {above > 0 && <tr aria-hidden="true" style={{ height: above }} />}
            {all.slice(first, end).map((row, offset) => {
              const index = first + offset
              const isPinned = index < pinned.length
              const key = rowKey(row)
              const look = classes(
                onOpen !== undefined && styles['opens'],
                key === selectedKey && styles['selected'],
                isPinned && index === pinned.length - 1 && styles['lastPinned'],
              )
              return (
                <tr
                  key={isPinned ? `pinned ${key}` : key}
                  aria-rowindex={index + 2}
                  aria-selected={selectedKey === undefined ? undefined : key === selectedKey}
                  className={look}
                  onClick={onOpen && ((event) => !isInteractive(event.target) && onOpen(row))}
                  onMouseEnter={onHover && (() => onHover(row))}
                >
                  {columns.map((column, at) => (
                    <td
                      key={column.id}
                      className={classes(column.align === 'right' && styles['right'], column.look?.(row))}
                      {...place(index, at)}
                    >
                      {cellOf(column, row)}
                    </td>
                  ))}
                </tr>
              )
            })}
            {below > 0 && <tr aria-hidden="true" style={{ height: below }} />}
          </tbody>
        </table>
        {all.length === 0 && empty !== undefined && <div className={styles['empty']}>{empty}</div>}
      </div>
      {(csvName !== undefined || foot !== undefined) && (
        <div className={styles['foot']}>
          {foot}
          {csvName !== undefined && (
            <Button
              small
              style={{ marginLeft: 'auto' }}
              aria-label={`Save ${caption} as CSV`}
              onClick={() => downloadCsv(csvName, tableCsv(columns, sorted))}
            >
              <Icon name="download" size={13} /> CSV
            </Button>
          )}
        </div>
      )}
    </>
  )
}

function Head<R>(props: {
  readonly columns: readonly DataColumn<R>[]
  readonly sorting: Sorting | undefined
  readonly sortBy: (column: DataColumn<R>) => void
  readonly place: GridCursor['place']
}) {
  const { columns, sorting, sortBy, place } = props
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column, index) => {
          const cell = (
            <th
              key={column.id}
              scope="col"
              title={column.term === undefined ? column.title : undefined}
              aria-sort={ariaSort(column, sorting)}
              className={classes(
                column.align === 'right' && styles['right'],
                isSortable(column) && styles['sortable'],
                column.term !== undefined && styles['term'],
              )}
              style={column.width === undefined ? undefined : { width: column.width }}
              {...place(-1, index)}
              onClick={() => sortBy(column)}
            >
              <span className={column.hiddenHeader === true ? 'sr-only' : undefined}>
                {column.head ?? column.header}
              </span>
              {sorting?.column === column.id && (
                <span className={styles['order']} aria-hidden="true">
                  {sorting.descending ? '↓' : '↑'}
                </span>
              )}
            </th>
          )
          return column.term === undefined ? (
            cell
          ) : (
            <Tip key={column.id} text={headerText(column, column.term)}>
              {cell}
            </Tip>
          )
        })}
      </tr>
    </thead>
  )
}

/** What the column says and what its term means; the one stands for the other where there is only one. */
function headerText<R>({ title }: DataColumn<R>, term: TermId): string {
  const [, sentence] = GLOSSARY[term]
  return title === undefined ? sentence : `${title.replace(/\.?$/, '.')} ${sentence}`
}

function ariaSort<R>(
  column: DataColumn<R>,
  sorting: Sorting | undefined,
): 'none' | 'ascending' | 'descending' | undefined {
  if (!isSortable(column)) return undefined
  if (sorting?.column !== column.id) return 'none'
  return sorting.descending ? 'descending' : 'ascending'
}

const isInteractive = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('button, a, input, select, summary') !== null
