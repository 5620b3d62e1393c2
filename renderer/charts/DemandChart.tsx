import { rounded } from '../../core/text/format.ts'
import { memo, useMemo } from 'react'
import { ComposedChart, Line, XAxis, YAxis } from 'recharts'
import { gapsOf, type Gap } from '../../core/history/gaps.ts'
import type { Series } from '../../core/history/series.ts'
import type { LevelColumn } from '../../core/history/columns.ts'
import { format } from '../theme/format.ts'
import { levelColor } from '../state/levels.ts'
import { EventMarks } from './EventMarks.tsx'
import type { EventMark } from '../../core/text/marks.ts'
import { GapBoxes } from './GapBoxes.tsx'
import { PlotAxes } from './plot.tsx'
import { type ValueAxis, valueAxis } from '../../core/text/axis.ts'
import { type Plot, type TimeDomain, xOfTime, yOfValue } from '../../core/text/plot.ts'
import { bucketRanges, type Column } from './reduce.data.ts'
import { MAX_POINTS } from './seatChart.data.ts'

export const demandPlot = (width: number, height: number): Plot => ({
  width,
  height,
  left: 46,
  right: 8,
  top: 8,
  bottom: 20,
})

export interface DemandChartProps {
  readonly level: string
  readonly title: string
  readonly data: DemandChartData
  readonly domain: TimeDomain
  readonly plot: Plot
  /** What happened to the level or its server. */
  readonly marks: readonly EventMark[]
}

const STILL = { isAnimationActive: false, dot: false, activeDot: false, connectNulls: false } as const

/** The demand that the server observed at each recomputation, and the limit that it computed. */
export const DemandChart = memo(function DemandChart({ level, title, data, domain, plot, marks }: DemandChartProps) {
  const rounds = useMemo<DemandRound[]>(() => [...data.rounds], [data.rounds])
  const margin = useMemo(
    () => ({ top: plot.top, right: plot.right, bottom: plot.bottom, left: plot.left }),
    [plot.top, plot.right, plot.bottom, plot.left],
  )
  const color = levelColor(level)
  return (
    <ComposedChart
      width={plot.width}
      height={plot.height}
      data={rounds}
      margin={margin}
      accessibilityLayer={false}
      role="img"
      title={title}
    >
      <XAxis hide dataKey="t" type="number" domain={[domain.from, domain.to]} allowDataOverflow />
      <YAxis hide type="number" domain={[0, data.axis.max]} allowDataOverflow />
      <PlotAxes plot={plot} domain={domain} axis={data.axis} />
      <GapBoxes gaps={data.gaps} domain={domain} plot={plot} />
      <path d={deviationPath(data, domain, plot)} stroke={color} strokeWidth={4} strokeOpacity={0.4} fill="none" />
      <Line {...STILL} type="stepAfter" dataKey="current" stroke="var(--text-3)" strokeWidth={1.25} />
      <Line {...STILL} type="linear" dataKey="average" stroke={color} strokeWidth={1.5} />
      <Line {...STILL} type="linear" dataKey="smoothed" stroke="var(--text)" strokeWidth={1.75} />
      <path d={watermarkPath(data, domain, plot)} fill="var(--text-2)" />
      <EventMarks marks={marks} domain={domain} plot={plot} />
      {data.above !== undefined && (
        <text x={plot.left + 6} y={plot.top + 14}>
          ▲ high watermark up to {format.seats(data.above)}
        </text>
      )}
    </ComposedChart>
  )
}, samePicture)

/** One stroke per round from average − σ to average + σ; hundreds of elements would be expensive. */
function deviationPath({ rounds, axis }: DemandChartData, domain: TimeDomain, plot: Plot): string {
  return rounds
    .map(({ t, deviation }) => {
      if (deviation === null || t < domain.from) return ''
      const [low, high] = deviation
      const bottom = yOfValue(plot, axis.max, Math.min(low, axis.max))
      const top = yOfValue(plot, axis.max, Math.min(high, axis.max))
      return `M${rounded(xOfTime(plot, domain, t), 1)} ${rounded(Math.max(bottom, top + 1.5), 1)}V${rounded(top, 1)}`
    })
    .join('')
}

/** One dot per round, as arcs of one path. */
function watermarkPath({ rounds, axis }: DemandChartData, domain: TimeDomain, plot: Plot): string {
  return rounds
    .map(({ t, highWatermark }) => {
      if (highWatermark === null || t < domain.from) return ''
      const x = xOfTime(plot, domain, t)
      // Above the axis: an arrow at its upper edge.
      if (highWatermark > axis.max) return `M${rounded(x - 2.5, 1)} ${plot.top + 4}h5l-2.5 -4z`
      const y = yOfValue(plot, axis.max, highWatermark)
      return `M${rounded(x - 1.6, 1)} ${rounded(y, 1)}a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0`
    })
    .join('')
}

function samePicture(a: DemandChartProps, b: DemandChartProps): boolean {
  return (
    a.level === b.level &&
    a.title === b.title &&
    a.plot === b.plot &&
    a.marks === b.marks &&
    a.domain.from === b.domain.from &&
    a.domain.to === b.domain.to &&
    sameRounds(a.data, b.data)
  )
}

/** Input and result of one recomputation of the limits, in seats (specification 6.3, 6.4). */
interface DemandRound {
  readonly t: number
  readonly highWatermark: number | null
  readonly average: number | null
  /** Average − σ (not below 0) to average + σ. */
  readonly deviation: readonly [number, number] | null
  readonly smoothed: number | null
  readonly current: number | null
}

interface DemandChartData {
  readonly rounds: readonly DemandRound[]
  /** Stretches without recorded samples. */
  readonly gaps: readonly Gap[]
  readonly axis: ValueAxis
  /** Largest high watermark above the axis; `undefined` when all of them fit. */
  readonly above: number | undefined
}

/**
 * A burst higher than this multiple of the rest would flatten the limit; it is marked at the edge and labelled instead.
 */
const MOST_ABOVE = 2

const COLUMNS = ['highWatermark', 'average', 'stdev', 'smoothed', 'current'] as const satisfies readonly LevelColumn[]

/** Rounds last ten seconds; values that never change still produce one point per this many milliseconds. */
const ROUND_MS = 10_000

/**
 * The recomputations inside a history. The server keeps the figures of a round until the next, so a change of any of
 * them starts a round; a page read in the middle of a recomputation starts none of its own, because figures that
 * arrive within two seconds of a change belong to the same round.
 */
export function demandRounds(series: Series, levelName: string): readonly DemandRound[] {
  const columns = series.levels.find((level) => level.name === levelName)?.columns
  if (columns === undefined) return []
  const at = (name: LevelColumn, index: number): number | null => (columns[name] as Column | undefined)?.[index] ?? null
  const rounds: DemandRound[] = []
  let startedAt = Number.NEGATIVE_INFINITY
  let previous: readonly (number | null)[] = []
  for (const [index, t] of series.times.entries()) {
    const values = COLUMNS.map((name) => at(name, index))
    const known = values.some((value) => value !== null)
    const changed = values.some((value, i) => value !== previous[i])
    previous = values
    if (!known) {
      if (rounds.at(-1)?.smoothed !== null) rounds.push(empty(t))
      continue
    }
    const settling = t - startedAt <= 2_000
    if (!changed && t - startedAt < ROUND_MS) continue
    const [highWatermark = null, average = null, stdev = null, smoothed = null, current = null] = values
    const round: DemandRound = {
      t: settling ? startedAt : t,
      highWatermark,
      average,
      deviation: average === null || stdev === null ? null : [Math.max(0, average - stdev), average + stdev],
      smoothed,
      current,
    }
    if (settling && rounds.length > 0) rounds[rounds.length - 1] = round
    else {
      rounds.push(round)
      startedAt = t
    }
  }
  return rounds
}

const empty = (t: number): DemandRound => ({
  t,
  highWatermark: null,
  average: null,
  deviation: null,
  smoothed: null,
  current: null,
})

/** The rounds that fit into a chart, and the axis that fits them. */
export function demandChartData(series: Series, levelName: string): DemandChartData {
  const all = demandRounds(series, levelName)
  const rounds = bucketRanges(all.length, MAX_POINTS).flatMap(([, to]) => all[to - 1] ?? [])
  let usual = 0
  let peak = 0
  for (const { highWatermark, average, deviation, smoothed, current } of rounds) {
    usual = Math.max(usual, average ?? 0, smoothed ?? 0, current ?? 0)
    peak = Math.max(peak, highWatermark ?? 0, deviation?.[1] ?? 0)
  }
  const top = usual > 0 ? Math.min(Math.max(usual, peak), usual * MOST_ABOVE) : peak
  const axis = valueAxis(top * 1.04, 3)
  const highest = rounds.reduce((most, { highWatermark }) => Math.max(most, highWatermark ?? 0), 0)
  return { rounds, gaps: gapsOf(series), axis, above: highest > axis.max ? highest : undefined }
}

/**
 * The shown range widened to whole rounds, so that the chart is drawn again once a round and not with every sample.
 */
export const roundDomain = ({ from, to }: TimeDomain): TimeDomain => ({
  from: Math.floor(from / ROUND_MS) * ROUND_MS,
  to: Math.ceil(to / ROUND_MS) * ROUND_MS,
})

/** Whether two sets of rounds produce the same drawing. */
export function sameRounds(a: DemandChartData, b: DemandChartData): boolean {
  if (a === b) return true
  if (a.rounds.length !== b.rounds.length || a.axis.max !== b.axis.max || a.above !== b.above) return false
  if (
    a.gaps.length !== b.gaps.length ||
    a.gaps.some(({ from, to }, i) => from !== b.gaps[i]?.from || to !== b.gaps[i]?.to)
  )
    return false
  return a.rounds.every((round, i) => {
    const other = b.rounds[i]
    return (
      other !== undefined &&
      round.t === other.t &&
      round.highWatermark === other.highWatermark &&
      round.average === other.average &&
      round.deviation?.[1] === other.deviation?.[1] &&
      round.smoothed === other.smoothed &&
      round.current === other.current
    )
  })
}
