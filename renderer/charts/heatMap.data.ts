import type { HeatMap } from '../../core/frame/series.ts'
import { bucketRanges } from './reduce.data.ts'

/** A heat map as it is painted: columns of time, rows of buckets, the slowest bucket on top. */
export interface HeatGrid {
  /** End of each column, Unix milliseconds. */
  readonly times: readonly number[]
  readonly stepMs: number
  /** Finite upper bounds of the rows in seconds, ascending; one more row lies beyond the last. */
  readonly bounds: readonly number[]
  /** `cells[column][row]` counts events, row 0 is the fastest; `null` where there is no sample. */
  readonly cells: readonly (readonly number[] | null)[]
  readonly total: number
  readonly largest: number
}

/** Merges columns of time until they fit; counts are added, a column without any sample stays empty. */
export function heatGrid(map: HeatMap, maxColumns: number): HeatGrid {
  const ranges = bucketRanges(map.times.length, maxColumns)
  const cells: (readonly number[] | null)[] = []
  let total = 0
  let largest = 0
  for (const [from, to] of ranges) {
    let sum: number[] | null = null
    for (let i = from; i < to; i++) {
      const cell = map.cells[i]
      if (cell === null || cell === undefined) continue
      sum = sum === null ? [...cell] : sum.map((count, row) => count + (cell[row] ?? 0))
    }
    cells.push(sum)
    for (const count of sum ?? []) {
      total += count
      largest = Math.max(largest, count)
    }
  }
  return {
    times: ranges.map(([, to]) => map.times[to - 1] ?? 0),
    stepMs: (map.stepSeconds * 1_000 * map.times.length) / Math.max(1, ranges.length),
    bounds: map.bounds,
    cells,
    total,
    largest,
  }
}

/** Steps of colour; 0 means no event. One event must already be visible. */
export const HEAT_STEPS = 6

/** Colour step of a count on a logarithmic scale from 1 event to the largest cell. */
export function heatStep(count: number, largest: number): number {
  if (count <= 0) return 0
  if (largest <= 1) return HEAT_STEPS
  const share = Math.log(Math.max(1, count)) / Math.log(largest)
  return 1 + Math.min(HEAT_STEPS - 1, Math.floor(share * HEAT_STEPS))
}

/** Fewest events of each colour step, for the legend. */
export function heatLegend(largest: number): readonly number[] {
  if (largest <= 1) return largest < 1 ? [] : [1]
  const starts = Array.from({ length: HEAT_STEPS }, (_, i) => Math.ceil(largest ** (i / HEAT_STEPS)))
  return starts.filter((start, i) => i === 0 || start > (starts[i - 1] ?? 0))
}

/** The column and row under a point of the plot area given in shares of its width and height (0 is left, top). */
export function heatCellAt(
  grid: HeatGrid,
  xShare: number,
  yShare: number,
): { readonly column: number; readonly row: number } | undefined {
  if (xShare < 0 || xShare >= 1 || yShare < 0 || yShare >= 1 || grid.times.length === 0) return undefined
  const rows = grid.bounds.length + 1
  return { column: Math.floor(xShare * grid.times.length), row: rows - 1 - Math.floor(yShare * rows) }
}

/** What a row stands for: `at once`, `5 to 20 ms`, `over 30 s`. */
export function bucketLabel(bounds: readonly number[], row: number, seconds: (value: number) => string): string {
  const upper = bounds[row]
  const lower = bounds[row - 1]
  if (upper === undefined) return lower === undefined ? 'all' : `over ${seconds(lower)}`
  if (upper === 0) return 'no wait'
  if (lower === undefined || lower === 0) return `up to ${seconds(upper)}`
  return `${seconds(lower)} to ${seconds(upper)}`
}

export interface HeatTableRow {
  readonly at: number
  readonly total: number
  readonly counts: readonly number[]
}

/** The table behind the map: at most `maxRows` stretches of time, newest first, counts by bucket. */
export function heatTable(map: HeatMap): readonly HeatTableRow[] {
  const grid = heatGrid(map, Number.MAX_SAFE_INTEGER)
  const rows = grid.cells.flatMap((counts, i) =>
    counts === null ? [] : [{ at: grid.times[i] ?? 0, total: counts.reduce((sum, count) => sum + count, 0), counts }],
  )
  return rows.toReversed()
}
