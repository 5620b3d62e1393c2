import { memo, useCallback, useMemo, type PointerEvent } from 'react'
import type { HeatMap as HeatSamples } from '../../core/history/series.ts'
import { format } from '../theme/format.ts'
import { AtCursor, Crosshair } from './Crosshair.tsx'
import { type Draw, useCanvas, TimeTicks } from './plot.tsx'
import styles from './plot.module.css'
import { type Plot, plotHeight, plotWidth, type TimeDomain } from '../../core/text/plot.ts'
import { bucketRanges } from './reduce.data.ts'

export const heatPlot = (width: number, height: number): Plot => ({
  width,
  height,
  left: 52,
  right: 12,
  top: 4,
  bottom: 20,
})

/** Opacity of the level's colour for each step; 0 is the ground. */
const OPACITY = [0, 0.16, 0.3, 0.46, 0.62, 0.8, 1] as const

export interface HeatMapProps {
  readonly grid: HeatGrid
  readonly plot: Plot
  /** Custom property of the level's colour. */
  readonly token: string
  readonly title: string
  /** The chart's name. */
  readonly label: string
  /** The bucket under the pointer. */
  readonly onRow: (row: number | undefined) => void
}

/** How many requests took how long, over time: one cell per bucket of the server's histogram, coloured by count. */
export const HeatMap = memo(function HeatMap({ grid, plot, token, title, label, onRow }: HeatMapProps) {
  const draw = useCallback<Draw>(
    (context, _size, read) => {
      const rows = grid.bounds.length + 1
      const [width, height] = [plotWidth(plot) / Math.max(1, grid.times.length), plotHeight(plot) / rows]
      context.fillStyle = read('--surface')
      context.fillRect(plot.left, plot.top, plotWidth(plot), plotHeight(plot))
      context.fillStyle = read(token)
      for (const [column, cells] of grid.cells.entries()) {
        if (cells === null) continue
        const x = plot.left + column * width
        for (const [row, count] of cells.entries()) {
          const step = heatStep(count, grid.largest)
          if (step === 0) continue
          context.globalAlpha = OPACITY[step] ?? 1
          context.fillRect(x, plot.top + (rows - 1 - row) * height + 0.5, Math.max(1, width), height - 1)
        }
      }
      context.globalAlpha = 1
    },
    [grid, plot, token],
  )
  const canvas = useCanvas(plot, draw)
  const domain = useMemo(() => domainOf(grid), [grid])
  const middles = useMemo(() => grid.times.map((end) => end - grid.stepMs / 2), [grid])
  const spoken = useCallback((at: number) => heatWords(grid, at), [grid])
  const onPointerMove = ({ clientY, currentTarget }: PointerEvent): void =>
    onRow(heatRowAt(grid, plot, clientY - currentTarget.getBoundingClientRect().top))
  return (
    <div
      className="placed"
      style={{ height: plot.height }}
      onPointerMove={onPointerMove}
      onPointerLeave={() => onRow(undefined)}
    >
      <canvas ref={canvas} role="img" aria-label={title} className="block wide tall" />
      <svg className={styles['axes']} width={plot.width} height={plot.height} aria-hidden="true">
        <RowLabels grid={grid} plot={plot} />
        <TimeTicks plot={plot} domain={domain} />
      </svg>
      <Crosshair plot={plot} domain={domain} times={middles} label={label} spoken={spoken} />
    </div>
  )
})

/** Labels of every other bucket edge: labels of all would touch. */
function RowLabels({ grid, plot }: { grid: HeatGrid; plot: Plot }) {
  const rows = grid.bounds.length + 1
  const height = plotHeight(plot) / rows
  const every = Math.max(1, Math.ceil(13 / height))
  return grid.bounds.map((bound, row) =>
    row % every === 0 ? (
      <text key={bound} x={plot.left - 6} y={plot.top + (rows - 1 - row) * height + 4} textAnchor="end">
        {bound === 0 ? '0' : format.seconds(bound)}
      </text>
    ) : null,
  )
}

const domainOf = ({ times, stepMs }: HeatGrid): TimeDomain => ({
  from: (times[0] ?? 0) - stepMs,
  to: times.at(-1) ?? 0,
})

/** The requests of the column at an instant, or of one cell of it. */
export function heatWords({ times, cells, bounds }: HeatGrid, at: number, row?: number): string {
  const counts = cells[times.findIndex((end) => end >= at)]
  if (counts === null || counts === undefined) return 'no sample'
  const all = format.counted(
    counts.reduce((sum, count) => sum + count, 0),
    'request',
  )
  return row === undefined ? all : `${bucketLabel(bounds, row, format.seconds)}: ${format.fixed(counts[row])} of ${all}`
}

/** The bucket at a distance from the upper edge of the drawing, in pixels; the slowest one is on top. */
export function heatRowAt({ bounds }: HeatGrid, plot: Plot, y: number): number | undefined {
  const rows = bounds.length + 1
  const row = rows - 1 - Math.floor(((y - plot.top) / plotHeight(plot)) * rows)
  return row >= 0 && row < rows ? row : undefined
}

interface HeatNoteProps {
  readonly grid: HeatGrid
  readonly color: string
  /** The bucket under the pointer. */
  readonly row: number | undefined
}

/** The cell under the pointer, or the column at the cursor; without one, the scale. */
export const HeatNote = ({ grid, color, row }: HeatNoteProps) => (
  <AtCursor domain={domainOf(grid)} say={(at) => `${format.time(at)}  ${heatWords(grid, at, row)}`}>
    <HeatLegend grid={grid} color={color} />
  </AtCursor>
)

/** The scale of a heat map: what the faintest and the strongest shade mean. */
function HeatLegend({ grid, color }: Pick<HeatNoteProps, 'grid' | 'color'>) {
  const starts = heatLegend(grid.largest)
  if (starts.length === 0) return null
  return (
    <span className="inline-row gap-5 tiny faint">
      1
      <span className={styles['scale']} aria-hidden="true">
        {starts.map((start) => (
          <i key={start} style={{ background: color, opacity: OPACITY[heatStep(start, grid.largest)] }} />
        ))}
      </span>
      {`${starts.length > 1 ? `${format.fixed(grid.largest)} ` : ''}requests per ${format.span(Math.round(grid.stepMs / 1_000))}`}
    </span>
  )
}

/** A heat map as it is painted: columns of time, rows of buckets, the slowest bucket on top. */
interface HeatGrid {
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

/** Merges columns of time until they fit; counts are added, and a column without any sample stays empty. */
export function heatGrid(map: HeatSamples, maxColumns: number): HeatGrid {
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

/** Number of colour steps; 0 means no event. A single event must already be visible. */
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

/** The meaning of a row: `at once`, `5 to 20 ms`, `over 30 s`. */
export function bucketLabel(bounds: readonly number[], row: number, seconds: (value: number) => string): string {
  const upper = bounds[row]
  const lower = bounds[row - 1]
  if (upper === undefined) return lower === undefined ? 'all' : `over ${seconds(lower)}`
  if (upper === 0) return 'no wait'
  if (lower === undefined || lower === 0) return `up to ${seconds(upper)}`
  return `${seconds(lower)} to ${seconds(upper)}`
}

interface HeatTableRow {
  readonly at: number
  readonly total: number
  readonly counts: readonly number[]
}

/** The table behind the map: at most `maxRows` stretches of time, newest first, counts by bucket. */
export function heatTable(map: HeatSamples): readonly HeatTableRow[] {
  const grid = heatGrid(map, Number.MAX_SAFE_INTEGER)
  const rows = grid.cells.flatMap((counts, i) =>
    counts === null ? [] : [{ at: grid.times[i] ?? 0, total: counts.reduce((sum, count) => sum + count, 0), counts }],
  )
  return rows.toReversed()
}
