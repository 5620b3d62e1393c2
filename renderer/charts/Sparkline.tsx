import { memo, useMemo } from 'react'
import { gapsOf, lateAfterMs } from '../../core/history/gaps.ts'
import type { LevelSeries, Series } from '../../core/history/series.ts'
import { classes } from '../components/classes.ts'
import { levelStyle, Drawing } from './plot.tsx'
import styles from './seats.module.css'
import { lastValue, type Column } from './reduce.data.ts'
import { linear, linePath, areaPath, tenth } from '../../core/text/plot.ts'

export interface SparklineProps {
  readonly series: Series
  readonly level: LevelSeries
  readonly width: number
  readonly height: number
  /** Exempt levels have no limits to draw. */
  readonly limits?: boolean
  /** Unix milliseconds at both edges. */
  readonly from: number
  readonly to: number
  readonly stale?: boolean
}

/** Executing seats, limit and band of one level over the range, on a scale of its own. The table holds the numbers. */
export const Sparkline = memo(function Sparkline(props: SparklineProps) {
  const { series, level, width, height, from, to, limits = true, stale = false } = props
  const drawn = useMemo(
    () => layoutSparkline(series, level, { width, height, from, to, limits }),
    [series, level, width, height, from, to, limits],
  )
  return (
    <Drawing
      className={classes(styles['spark'], stale && styles['stale'])}
      style={levelStyle(level.name, stale)}
      width={width}
      height={height}
    >
      {drawn.band !== undefined && (
        <rect className={styles['sparkBand']} width={width} y={drawn.band.y} height={drawn.band.height} />
      )}
      {drawn.gaps.map((gap) => (
        <rect
          key={gap.x}
          className="fill-canvas stroke-strong dashed"
          x={gap.x + 0.5}
          y={0.5}
          width={gap.width - 1}
          height={height - 1}
        />
      ))}
      <path className={styles['area']} d={drawn.area} />
      <path className={styles['sparkLine']} d={drawn.line} />
      {drawn.nominal !== undefined && (
        <line className={styles['sparkNominal']} x1={0} x2={width} y1={drawn.nominal} y2={drawn.nominal} />
      )}
      <path className={styles['limit']} d={drawn.limit} />
    </Drawing>
  )
})

/** Drawing instructions for one level over one time range, as SVG paths in pixels. Own scale, from zero. */
interface SparklineLayout {
  /** Area between lower and upper limit, clipped at the top of the drawing. */
  readonly band: { readonly y: number; readonly height: number } | undefined
  readonly area: string
  readonly line: string
  readonly nominal: number | undefined
  /** Current limit, as steps. */
  readonly limit: string
  /** Periods without samples after the first one; the last one extends to the end of the range when samples stopped. */
  readonly gaps: readonly { readonly x: number; readonly width: number }[]
  /** Seats at the top edge; 0 when nothing is known. */
  readonly max: number
}

interface SparklineFrame {
  readonly width: number
  readonly height: number
  /** Unix milliseconds at both edges. */
  readonly from: number
  readonly to: number
  /** Whether limits are drawn and included in the scale: the limits of an exempt level mean nothing. */
  readonly limits: boolean
}

/** Indices of known values without a gap between them. */
type Run = readonly number[]

function runsOf(series: Series, column: Column): readonly Run[] {
  const runs: number[][] = []
  const starts = new Set(gapsOf(series, (index) => isKnown(column, index)).map(({ from }) => from))
  let broken = true
  for (const [index, at] of series.times.entries()) {
    if (!isKnown(column, index)) continue
    if (broken) runs.push([index])
    else runs.at(-1)?.push(index)
    broken = starts.has(at)
  }
  return runs
}

const isKnown = (column: Column, index: number): boolean => (column[index] ?? null) !== null

/** Lays out the history of one level; peaks within a point are kept (`executingMax`). */
export function layoutSparkline(series: Series, level: LevelSeries, frame: SparklineFrame): SparklineLayout {
  const { times } = series
  const { columns } = level
  const executing = columns.executingMax.some((value) => value !== null) ? columns.executingMax : columns.executing
  const current = frame.limits ? columns.current : []
  const nominal = frame.limits ? lastValue(columns.nominal) : undefined
  const lower = frame.limits ? lastValue(columns.lower) : undefined
  const upper = frame.limits ? lastValue(columns.upper) : undefined
  const runs = runsOf(series, executing)
  const peak = Math.max(0, ...[...executing, ...current].map((value) => value ?? 0), nominal ?? 0)
  if (peak === 0 && runs.length === 0) {
    return { band: undefined, area: '', line: '', nominal: undefined, limit: '', gaps: [], max: 0 }
  }
  const max = Math.max(1, peak) * 1.12
  const span = Math.max(1, frame.to - frame.from)
  const x = (index: number): number =>
    tenth(Math.min(frame.width, (((times[index] ?? 0) - frame.from) / span) * frame.width))
  const scale = linear(max, frame.height - 1, 1)
  const y = (value: number): number => tenth(scale(Math.min(value, max)))
  const points = runs.flatMap((run) => [
    ...peaks(executing, run, x).map((point) => ({ ...point, y: y(point.value) })),
    BREAK,
  ])
  const limits = runsOf(series, current).flatMap((run) => [
    ...run.map((index) => ({ x: x(index), y: y(current[index] ?? 0) })),
    BREAK,
  ])
  const top = upper === undefined ? undefined : y(upper)
  const bottom = lower === undefined ? undefined : y(lower)
  return {
    band: top === undefined || bottom === undefined ? undefined : { y: top, height: tenth(Math.max(0, bottom - top)) },
    area: areaPath(points.map((point) => ({ ...point, base: frame.height }))),
    line: linePath(points),
    nominal: nominal === undefined ? undefined : y(nominal),
    limit: linePath(limits, 'step'),
    gaps: gapsBetween(
      runs,
      x,
      frame.width,
      frame.to - (times[runs.at(-1)?.at(-1) ?? -1] ?? frame.to) >= lateAfterMs(series),
    ),
    max,
  }
}

/** Between two runs, so that no line joins them. */
const BREAK = { x: 0, y: undefined }

/** No more points than pixels: the largest of those that share a pixel, so that peaks stay visible. */
function peaks(column: Column, run: Run, x: (index: number) => number): readonly { x: number; value: number }[] {
  const points: { x: number; value: number }[] = []
  for (const index of run) {
    const point = { x: x(index), value: column[index] ?? 0 }
    const last = points.at(-1)
    if (last === undefined || Math.floor(last.x) !== Math.floor(point.x)) points.push(point)
    else last.value = Math.max(last.value, point.value)
  }
  return points
}

/** `stopped`: no sample arrived for so long that the end of the range is a gap too. */
function gapsBetween(runs: readonly Run[], x: (index: number) => number, width: number, stopped: boolean) {
  return runs.flatMap((run, index) => {
    const next = runs[index + 1]?.[0]
    if (next === undefined && !stopped) return []
    const left = x(run.at(-1) ?? 0)
    const wide = tenth((next === undefined ? width : x(next)) - left)
    return wide > 1 ? [{ x: left, width: wide }] : []
  })
}
