import {
  memo,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type ComponentProps,
  type Key,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { openTerm } from '../state/glossary.ts'
import { useSettings } from '../state/settings.ts'
import { classes } from './classes.ts'
import { cellOf, isSortable, type DataColumn, type Sorting } from './dataColumns.ts'
import { Sentence, Tip } from './Term.tsx'
import styles from './tables.module.css'

/** Tables with more rows than this do not mount rows outside the viewport. */
export const VIRTUAL_FROM = 100

export interface GridOptions<R> {
  /** Accessible name. */
  readonly caption: string
  readonly columns: readonly DataColumn<R>[]
  readonly count: number
  /** Pixels. */
  readonly rowHeight: number
  /** Rows outside the viewport are not mounted. */
  readonly virtual: boolean
  /** Handles a key that does not move the cursor; returns whether it did. */
  readonly onKey: (
    event: KeyboardEvent,
    cursor: Cursor,
    column: DataColumn<R> | undefined,
    singleKeys: boolean,
  ) => boolean
}

/**
 * What every grid of rows shares (WAI-ARIA authoring practices): Tab reaches one cell, arrows, Home, End and Page keys
 * move, `?` on a header opens its term, and only rows near the viewport are mounted.
 */
export function useGrid<R>({ caption, columns, count, rowHeight, virtual, onKey }: GridOptions<R>) {
  const [{ singleKeys }] = useSettings()
  const scroll = useRef<HTMLDivElement>(null)
  const { reveal, page, ...rows } = useRowWindow(scroll, count, rowHeight, virtual)
  const { first, end } = rows
  const { cursor, place, focusOn } = useGridCursor(scroll, { rows: count, columns: columns.length, first, end })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey) return
    const column = columns[cursor.column]
    const size = { rows: count, columns: columns.length, page, ctrl: event.ctrlKey }
    const next = moveCursor(event.key, cursor, size)
    if (next !== undefined) {
      reveal(next.row)
      focusOn(next)
    } else if (event.key === '?' && singleKeys && cursor.row === -1 && column?.term !== undefined) openTerm(column.term)
    else if (!onKey(event, cursor, column, singleKeys)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const grid = {
    role: 'grid',
    'aria-label': caption,
    'aria-rowcount': count + 1,
    'aria-colcount': columns.length,
    onKeyDown,
  }
  return { scroll, cursor, place, grid, ...rows }
}

/** The header row, which the cursor of the grid can reach. */
export function GridHead<R>(props: {
  readonly columns: readonly DataColumn<R>[]
  readonly sorting?: Sorting | undefined
  readonly sortBy?: (column: DataColumn<R>) => void
  readonly place: GridCursor['place']
}) {
  const { columns, sorting, sortBy, place } = props
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column, index) => {
          const text = headerText(column)
          const cell = (
            <th
              key={column.id}
              scope="col"
              aria-sort={sortBy && ariaSort(column, sorting)}
              className={classes(
                column.align === 'right' && styles['right'],
                sortBy !== undefined && isSortable(column) && 'brightens',
                column.term !== undefined && styles['term'],
              )}
              style={column.width === undefined ? undefined : { width: column.width }}
              {...place(-1, index)}
              onClick={sortBy && (() => sortBy(column))}
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
          return text === undefined ? (
            cell
          ) : (
            <Tip key={column.id} text={text}>
              {cell}
            </Tip>
          )
        })}
      </tr>
    </thead>
  )
}

interface RowLook {
  readonly key: Key
  readonly className?: string | undefined
  readonly selected?: boolean | undefined
  /** Words for screen readers before the first cell. */
  readonly lead?: string | false
}

/** The mounted rows of a grid; a click on one opens it, except on what acts in it. */
export function GridBody<R>(props: {
  readonly rows: RowPlaces & Pick<GridCursor, 'cursor' | 'place'>
  readonly columns: readonly DataColumn<R>[]
  readonly rowAt: (index: number) => R | undefined
  readonly lookOf: (row: R, index: number) => RowLook
  /** A row is drawn again only where it shows another object, place or look. */
  readonly calm?: boolean
  readonly onOpen?: ((row: R) => void) | undefined
  readonly onHover?: ((row: R) => void) | undefined
}) {
  const { columns, rowAt, lookOf, calm = false, onOpen, onHover } = props
  const { cursor, place, first, end, above, below } = props.rows
  return (
    <tbody>
      {above > 0 && <tr aria-hidden="true" style={{ height: above }} />}
      {Array.from({ length: end - first }, (_, offset) => {
        const index = first + offset
        const row = rowAt(index)
        if (row === undefined) return null
        const { key, className, selected, lead } = lookOf(row, index)
        const isHere = cursor.row === index || (offset === 0 && (cursor.row < first || cursor.row >= end))
        return (
          <Row
            key={key}
            same={calm ? [row, index, columns, className, selected, isHere ? cursor.column : -1] : undefined}
            attributes={{
              'aria-rowindex': index + 2,
              'aria-selected': selected,
              className,
              onClick: onOpen && (({ target }) => !isInteractive(target) && onOpen(row)),
              onMouseEnter: onHover && (() => onHover(row)),
            }}
            cells={() =>
              columns.map((column, at) => (
                <td
                  key={column.id}
                  className={classes(column.align === 'right' && styles['right'], column.look?.(row))}
                  {...place(index, at)}
                >
                  {at === 0 && lead && <span className="sr-only">{lead} </span>}
                  {cellOf(column, row)}
                </td>
              ))
            }
          />
        )
      })}
      {below > 0 && <tr aria-hidden="true" style={{ height: below }} />}
    </tbody>
  )
}

export const isInteractive = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('button, a, input, select, summary') !== null

interface RowProps {
  /** Values with which it looks and does the same: the functions are new with every render. */
  readonly same: readonly unknown[] | undefined
  readonly attributes: ComponentProps<'tr'>
  readonly cells: () => ReactNode
}

const Row = memo(
  ({ attributes, cells }: RowProps) => <tr {...attributes}>{cells()}</tr>,
  (old, next) => old.same?.every((value, at) => value === next.same?.[at]) ?? false,
)

/** The explanation of the column and the definition of its term, as far as they exist. */
function headerText<R>({ title, term }: DataColumn<R>): ReactNode {
  if (term === undefined) return title
  return (
    <>
      {title !== undefined && `${title.replace(/\.?$/, '.')} `}
      <Sentence id={term} />
    </>
  )
}

function ariaSort<R>(
  column: DataColumn<R>,
  sorting: Sorting | undefined,
): 'none' | 'ascending' | 'descending' | undefined {
  if (!isSortable(column)) return undefined
  if (sorting?.column !== column.id) return 'none'
  return sorting.descending ? 'descending' : 'ascending'
}

export interface Cursor {
  /** −1 is the header. */
  readonly row: number
  readonly column: number
}

/** The cell that a key selects from a cell of a grid; `undefined` when the key does not move the cursor. */
export function moveCursor(
  key: string,
  { row, column }: Cursor,
  size: { readonly rows: number; readonly columns: number; readonly page: number; readonly ctrl: boolean },
): Cursor | undefined {
  const within = (r: number, c: number): Cursor => ({
    row: Math.max(-1, Math.min(size.rows - 1, r)),
    column: Math.max(0, Math.min(size.columns - 1, c)),
  })
  switch (key) {
    case 'ArrowUp':
      return within(row - 1, column)
    case 'ArrowDown':
      return within(row + 1, column)
    case 'ArrowLeft':
      return within(row, column - 1)
    case 'ArrowRight':
      return within(row, column + 1)
    case 'PageUp':
      return within(Math.max(0, row - size.page), column)
    case 'PageDown':
      return within(row + size.page, column)
    case 'Home':
      return size.ctrl ? within(0, 0) : within(row, 0)
    case 'End':
      return size.ctrl ? within(size.rows - 1, size.columns - 1) : within(row, size.columns - 1)
    default:
      return undefined
  }
}

export interface GridCursor {
  readonly cursor: Cursor
  /** The attributes that make a cell reachable by the cursor. */
  readonly place: (
    row: number,
    column: number,
  ) => { role: string; tabIndex: number; 'data-row': number; 'data-column': number; onFocus: () => void }
  readonly focusOn: (cursor: Cursor) => void
}

/**
 * Tab reaches one cell of a grid; the focus follows the cursor, also to rows that mount later. While the cursor's row
 * is not mounted, the first mounted row replaces it.
 */
function useGridCursor(
  root: RefObject<HTMLElement | null>,
  size: { readonly rows: number; readonly columns: number; readonly first: number; readonly end: number },
): GridCursor {
  const [cursor, setCursor] = useState<Cursor>({ row: 0, column: 0 })
  const wanted = useRef<Cursor | undefined>(undefined)
  const row = Math.min(cursor.row, size.rows - 1)
  const column = Math.min(cursor.column, size.columns - 1)
  const reachable = row === -1 || (row >= size.first && row < size.end) ? row : size.first
  useEffect(() => {
    const { current } = wanted
    if (current === undefined) return
    const cell = root.current?.querySelector<HTMLElement>(
      `[data-row="${current.row}"][data-column="${current.column}"]`,
    )
    if (cell === null || cell === undefined) return
    wanted.current = undefined
    cell.focus()
  })
  return {
    cursor: { row, column },
    place: (r, c) => ({
      role: r === -1 ? 'columnheader' : 'gridcell',
      tabIndex: r === reachable && c === column ? 0 : -1,
      'data-row': r,
      'data-column': c,
      onFocus: () => {
        if (cursor.row !== r || cursor.column !== c) setCursor({ row: r, column: c })
      },
    }),
    focusOn: (next) => {
      wanted.current = next
      setCursor(next)
    },
  }
}

/** The rows of a long list to mount. All rows are equally high. */
export interface RowWindow {
  readonly first: number
  /** Exclusive. */
  readonly end: number
}

/** Rows beyond the visible ones on either side, so that a short scroll shows no gap. */
const OVERSCAN = 10
/** Rows before the height of the view is known. */
const UNMEASURED = 40

export function rowWindow(count: number, rowHeight: number, scrollTop: number, viewHeight: number): RowWindow {
  const visible = viewHeight === 0 ? UNMEASURED : Math.ceil(viewHeight / rowHeight)
  const top = Math.max(0, Math.min(count - visible, Math.floor(scrollTop / rowHeight)))
  return { first: Math.max(0, top - OVERSCAN), end: Math.min(count, top + visible + OVERSCAN) }
}

/** Scroll position at which a row is fully visible below a sticky header. */
export function scrollFor(
  row: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
  header: number,
): number {
  const top = row * rowHeight
  const bottom = top + rowHeight + header
  if (top < scrollTop) return top
  return bottom > scrollTop + viewHeight ? bottom - viewHeight : scrollTop
}

const HEADER = 26

interface RowPlaces extends RowWindow {
  /** Heights of the unmounted rows above and below, pixels. */
  readonly above: number
  readonly below: number
}

interface WindowedRows extends RowPlaces {
  readonly onScroll: () => void
  readonly reveal: (row: number) => void
  /** Number of whole rows in view, for the Page keys. */
  readonly page: number
}

/** The mounted part of the rows inside a scrolling element; all of them unless `virtual`. */
function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  virtual: boolean,
): WindowedRows {
  const [view, setView] = useState({ top: 0, height: 0 })
  const measure = (): void => {
    const element = scroller.current
    if (element === null) return
    // In steps of a row: scrolling by a pixel does not change the mounted rows.
    const top = Math.floor(element.scrollTop / rowHeight) * rowHeight
    const height = element.clientHeight
    setView((old) => (old.top === top && old.height === height ? old : { top, height }))
  }
  const onResize = useEffectEvent(measure)
  useEffect(() => {
    const element = scroller.current
    if (!virtual || element === null || typeof ResizeObserver === 'undefined') return undefined
    const observer = new ResizeObserver(() => onResize())
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller, virtual])
  const { first, end } = virtual ? rowWindow(count, rowHeight, view.top, view.height) : { first: 0, end: count }
  return {
    first,
    end,
    above: first * rowHeight,
    below: (count - end) * rowHeight,
    onScroll: () => {
      if (virtual) measure()
    },
    reveal: (row) => {
      const element = scroller.current
      if (!virtual || element === null || row < 0) return
      element.scrollTo({ top: scrollFor(row, rowHeight, element.scrollTop, element.clientHeight, HEADER) })
      measure()
    },
    page: Math.max(1, Math.floor(view.height / rowHeight) - 1),
  }
}
