import type { LevelSeries } from '../../core/frame/series.ts'
import { lastValue, type Column } from './reduce.data.ts'

/** Drawing instructions for one level over one time range, as SVG paths in pixels. Own scale, from zero. */
export interface SparklineLayout {
  /** Area between lower and upper limit, cut at the top of the drawing. */
  readonly band: { readonly y: number; readonly height: number } | undefined
  readonly area: string
  readonly line: string
  readonly nominal: number | undefined
  /** Current limit: steps. */
  readonly limit: string
  /** Times without samples after the first one; the last one reaches to the end of the range when samples stopped. */
  readonly gaps: readonly { readonly x: number; readonly width: number }[]
  /** Seats at the top edge; 0 when nothing is known. */
  readonly max: number
}

export interface SparklineFrame {
  readonly width: number
  readonly height: number
  /** Unix milliseconds at both edges. */
  readonly from: number
  readonly to: number
  /** A silence of at least this many milliseconds is a gap; shorter ones are late samples and are bridged. */
  readonly gapMs: number
  /** Whether limits are drawn and scaled for: an exempt level has none that mean anything. */
  readonly limits: boolean
}

const round = (n: number) => Number(n.toFixed(1))

/** Indices of known values without a gap between them. */
type Run = readonly number[]

function runsOf(times: readonly number[], column: Column, gapMs: number): readonly Run[] {
  const runs: number[][] = []
  for (const [index, value] of column.entries()) {
    if (value === null) continue
    const run = runs.at(-1)
    const before = times[run?.at(-1) ?? -1]
    if (run !== undefined && before !== undefined && (times[index] ?? 0) - before < gapMs) run.push(index)
    else runs.push([index])
  }
  return runs
}

/** Where instants and amounts lie. */
interface Scale {
  readonly x: (index: number) => number
  readonly y: (value: number) => number
}

/** Lays out the history of one level; peaks within a point are kept (`executingMax`). */
export function layoutSparkline(times: readonly number[], level: LevelSeries, frame: SparklineFrame): SparklineLayout {
  const { columns } = level
  const executing = columns.executingMax.some((value) => value !== null) ? columns.executingMax : columns.executing
  const current = frame.limits ? columns.current : []
  const nominal = frame.limits ? lastValue(columns.nominal) : undefined
  const lower = frame.limits ? lastValue(columns.lower) : undefined
  const upper = frame.limits ? lastValue(columns.upper) : undefined
  const runs = runsOf(times, executing, frame.gapMs)
  const peak = Math.max(0, ...[...executing, ...current].map((value) => value ?? 0), nominal ?? 0)
  if (peak === 0 && runs.length === 0) {
    return { band: undefined, area: '', line: '', nominal: undefined, limit: '', gaps: [], max: 0 }
  }
  const max = Math.max(1, peak) * 1.12
  const span = Math.max(1, frame.to - frame.from)
  const scale: Scale = {
    x: (index) => round(Math.min(frame.width, (((times[index] ?? 0) - frame.from) / span) * frame.width)),
    y: (value) => round(frame.height - 1 - (Math.min(value, max) / max) * (frame.height - 2)),
  }
  const lines = runs.map((run) => linePath(executing, run, scale))
  const top = upper === undefined ? undefined : scale.y(upper)
  const bottom = lower === undefined ? undefined : scale.y(lower)
  return {
    band: top === undefined || bottom === undefined ? undefined : { y: top, height: round(Math.max(0, bottom - top)) },
    area: lines.map((path, i) => `${path}V${frame.height}H${scale.x(runs[i]?.[0] ?? 0)}Z`).join(''),
    line: lines.join(''),
    nominal: nominal === undefined ? undefined : scale.y(nominal),
    limit: runsOf(times, current, frame.gapMs)
      .map((run) => stepPath(current, run, scale))
      .join(''),
    gaps: gapsBetween(runs, times, frame, scale),
    max,
  }
}

/** No more points than pixels: of those that share one the largest, so that peaks stay. */
function linePath(column: Column, run: Run, { x, y }: Scale): string {
  const points: { x: number; value: number }[] = []
  for (const index of run) {
    const point = { x: x(index), value: column[index] ?? 0 }
    const last = points.at(-1)
    if (last === undefined || Math.floor(last.x) !== Math.floor(point.x)) points.push(point)
    else last.value = Math.max(last.value, point.value)
  }
  const path = points.map((point, i) => `${i === 0 ? 'M' : 'L'}${point.x} ${y(point.value)}`).join('')
  // A single sample between gaps would be a line without length.
  return points.length === 1 ? `${path}h0.1` : path
}

function stepPath(column: Column, run: Run, { x, y }: Scale): string {
  const [first = 0, ...rest] = run
  let value = column[first] ?? 0
  let path = `M${x(first)} ${y(value)}`
  for (const index of rest) {
    const next = column[index] ?? value
    if (next !== value) path += `H${x(index)}V${y(next)}`
    value = next
  }
  return `${path}H${x(rest.at(-1) ?? first)}`
}

function gapsBetween(runs: readonly Run[], times: readonly number[], frame: SparklineFrame, { x }: Scale) {
  return runs.flatMap((run, index) => {
    const end = run.at(-1) ?? 0
    const next = runs[index + 1]?.[0]
    if (next === undefined && frame.to - (times[end] ?? 0) < frame.gapMs) return []
    const left = x(end)
    const width = round((next === undefined ? frame.width : x(next)) - left)
    return width > 1 ? [{ x: left, width }] : []
  })
}
