import { memo, useCallback, useState, type PointerEvent } from 'react'
import { timeStore } from '../state/time.ts'
import { format } from '../theme/format.ts'
import { type Draw, useCanvas } from './canvas.ts'
import styles from './HeatMap.module.css'
import { bucketLabel, heatCellAt, heatLegend, heatStep, type HeatGrid } from './heatMap.data.ts'
import { TimeTicks } from './TimeAxis.tsx'
import { type Plot, plotHeight, plotWidth, xOfTime } from './timeAxis.data.ts'

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
}

/** How many requests took how long, over time: one cell per bucket of the server's histogram, colour by count. */
export const HeatMap = memo(function HeatMap({ grid, plot, token, title }: HeatMapProps) {
  const [under, setUnder] = useState<{ column: number; row: number }>()
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
  const domain = { from: (grid.times[0] ?? 0) - grid.stepMs, to: grid.times.at(-1) ?? 0 }

  const onPointerMove = (event: PointerEvent): void => {
    const box = event.currentTarget.getBoundingClientRect()
    const cell = heatCellAt(
      grid,
      (event.clientX - box.left - plot.left) / plotWidth(plot),
      (event.clientY - box.top - plot.top) / plotHeight(plot),
    )
    setUnder((old) => (old?.column === cell?.column && old?.row === cell?.row ? old : cell))
    const at = cell === undefined ? undefined : grid.times[cell.column]
    timeStore.getState().setCursor(at)
  }
  const onPointerLeave = (): void => {
    setUnder(undefined)
    timeStore.getState().setCursor()
  }
  return (
    <div className={styles['frame']} style={{ height: plot.height }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={title}
        className={styles['canvas']}
        onPointerMove={onPointerMove}
        onPointerLeave={onPointerLeave}
      />
      <svg className={styles['axes']} width={plot.width} height={plot.height} aria-hidden="true">
        <RowLabels grid={grid} plot={plot} />
        <TimeTicks plot={plot} domain={domain} />
      </svg>
      <HeatCursor plot={plot} domain={domain} />
      {under !== undefined && <CellTip grid={grid} plot={plot} column={under.column} row={under.row} />}
    </div>
  )
})

/** The shared cursor; only this renders while it moves. */
function HeatCursor({ plot, domain }: { plot: Plot; domain: { from: number; to: number } }) {
  const cursor = timeStore((state) => state.cursor)
  if (cursor === undefined || cursor < domain.from || cursor > domain.to) return null
  return (
    <div
      className={styles['cursor']}
      style={{ transform: `translateX(${xOfTime(plot, domain, cursor)}px)`, top: plot.top, height: plotHeight(plot) }}
    />
  )
}

/** Names of every other bucket edge: all of them would touch. */
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

function CellTip({ grid, plot, column, row }: { grid: HeatGrid; plot: Plot; column: number; row: number }) {
  const cells = grid.cells[column]
  const x = plot.left + ((column + 0.5) / grid.times.length) * plotWidth(plot)
  const count = cells === null || cells === undefined ? undefined : cells[row]
  const side = x < plot.width / 2 ? { left: x + 10 } : { right: plot.width - x + 10 }
  return (
    <div className={styles['tip']} style={side} aria-hidden="true">
      <b className="mono">{format.time(grid.times[column])}</b>
      <span>{bucketLabel(grid.bounds, row, format.seconds)}</span>
      <span>{count === undefined ? 'no sample' : `${format.fixed(count)} requests`}</span>
    </div>
  )
}

/** The scale of a heat map: what the faintest and the strongest shade stand for. */
export function HeatLegend({ grid, color }: { readonly grid: HeatGrid; readonly color: string }) {
  const starts = heatLegend(grid.largest)
  if (starts.length === 0) return null
  return (
    <span className={styles['legend']}>
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
