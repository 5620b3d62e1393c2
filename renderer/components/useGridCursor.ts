import { useEffect, useRef, useState, type RefObject } from 'react'
import type { Cursor } from './dataColumns.ts'

export interface GridCursor {
  readonly cursor: Cursor
  /** The attributes that make a cell part of the cursor's way. */
  readonly place: (
    row: number,
    column: number,
  ) => { role: string; tabIndex: number; 'data-row': number; 'data-column': number; onFocus: () => void }
  readonly focusOn: (cursor: Cursor) => void
}

/**
 * One cell of a grid can be reached by Tab; the focus follows the cursor, also to rows that mount later. While the
 * cursor's row is not among the mounted ones, the first of them stands in for it.
 */
export function useGridCursor(
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
