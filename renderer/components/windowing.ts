/** The rows of a long list that are worth mounting. All rows are equally high. */
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

/** Where to scroll so that a row is wholly visible below a sticky header. */
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
