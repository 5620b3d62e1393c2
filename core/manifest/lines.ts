import type { Position } from './manifest.ts'

/** Offsets at which the lines of a text begin. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return starts
}

export const BYTE_ORDER_MARK = '\uFEFF'

/** Turns offsets into lines and columns. A byte order mark takes no column. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = lineStarts(text)
  const marked = text.startsWith(BYTE_ORDER_MARK)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const column = offset - (starts[low] ?? 0) + 1
    return { line: low + 1, column: marked && low === 0 && column > 1 ? column - 1 : column }
  }
}
