/** Pixels of a drawing with one bar a level: names at the left, a note at the right of each bar. */
export interface RowLayout {
  readonly left: number
  readonly right: number
  readonly bottom: number
  readonly rowHeight: number
  readonly thick: number
}

const NAME_PX = 128
/** A note must fit beside the longest bar. */
const NOTE_PX = 118
const AXIS_PX = 20

export function rowLayout(width: number, height: number, rows: number): RowLayout {
  const bottom = height - AXIS_PX
  const rowHeight = bottom / Math.max(1, rows)
  const left = NAME_PX
  return {
    left,
    right: Math.max(left + 40, width - NOTE_PX),
    bottom,
    rowHeight,
    thick: Math.min(10, rowHeight * 0.6),
  }
}

/** Least height that keeps the names of all rows apart. */
export const rowsHeight = (rows: number): number => AXIS_PX + rows * 18
