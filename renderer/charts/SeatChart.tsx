import { memo, useId, useMemo } from 'react'
import { format } from '../theme/format.ts'
import type { Threshold } from '../../core/contract/advice.ts'
import type { Series } from '../../core/history/series.ts'
import { levelColor } from '../state/levels.ts'
import { cursorOf, timeStore } from '../state/time.ts'
import { EventMarks } from './EventMarks.tsx'
import type { EventMark } from '../../core/text/marks.ts'
import { GapBoxes } from './GapBoxes.tsx'
import { patternOf, PlotAxes, Drawing } from './plot.tsx'
import styles from './seats.module.css'
import {
  edgeLabels,
  seatsAt,
  seatSentence,
  type SeatChartData,
  type SeatChartOptions,
  type SeatPoint,
} from './seatChart.data.ts'
import {
  areaPath,
  linePath,
  placeLabels,
  type Plot,
  plotWidth,
  type TimeDomain,
  xOfTime,
  yOfValue,
  linear,
} from '../../core/text/plot.ts'

export interface SeatChartProps {
  readonly level: string
  readonly data: SeatChartData
  readonly options: SeatChartOptions
  readonly domain: TimeDomain
  readonly plot: Plot
  /** What happened to the level or its server. */
  readonly marks: readonly EventMark[]
  /** The history that the values at the cursor come from; without it, labels stay those of the newest sample. */
  readonly series?: Series
}

/**
 * Limits, executing seats and demand of one level on one axis in seats (design: charts). Drawn as paths: it changes with
 * every sample (docs/decisions/020-charts.md).
 */
export const SeatChart = memo(function SeatChart({
  level,
  data,
  options,
  domain,
  plot,
  marks,
  series,
}: SeatChartProps) {
  const happened = marks.filter(({ at }) => at >= domain.from && at <= domain.to)
  const { threshold } = options
  const sentence = [
    seatSentence(level, data),
    ...(threshold === undefined ? [] : [threshold.label]),
    ...happened.map(({ at, text }) => `${format.time(at)} ${text}`),
  ].join('; ')
  return (
    <Drawing width={plot.width} height={plot.height} label={sentence}>
      <PlotAxes plot={plot} domain={domain} axis={data.axis} />
      <Paths level={level} data={data} exempt={options.exempt} domain={domain} plot={plot} />
      {threshold !== undefined && (
        <ThresholdLine {...threshold} y={yOfValue(plot, data.axis.max, threshold.seats)} plot={plot} />
      )}
      <Events data={data} domain={domain} plot={plot} />
      <EventMarks marks={marks} domain={domain} plot={plot} firstRejection={data.firstRejection} />
      <EdgeLabels level={level} series={series} data={data} options={options} domain={domain} plot={plot} />
    </Drawing>
  )
})

/** What the history is judged by, with its words above the line where there is room. */
function ThresholdLine({ label, y, plot }: Threshold & { readonly y: number; readonly plot: Plot }) {
  return (
    <g aria-hidden="true">
      <path className={styles['threshold']} d={`M${plot.left} ${y}h${plotWidth(plot)}`} />
      <text className={styles['eventText']} x={plot.left + 6} y={y - plot.top < 14 ? y + 13 : y - 4}>
        {format.said(label)}
      </text>
    </g>
  )
}

interface PathsProps {
  readonly level: string
  readonly data: SeatChartData
  readonly exempt: boolean
  readonly domain: TimeDomain
  readonly plot: Plot
}

function Paths({ level, data, exempt, domain, plot }: PathsProps) {
  const clip = useId()
  const color = levelColor(level)
  const paths = useMemo(() => seatPaths(data, domain, plot), [data, domain, plot])
  return (
    <g clipPath={`url(#${clip})`}>
      <clipPath id={clip}>
        <rect x={plot.left} y={0} width={plotWidth(plot)} height={plot.height} />
      </clipPath>
      {!exempt && <path className={styles['band']} d={paths.band} />}
      {!exempt && <path fill={patternOf('stipple')} fillOpacity={0.75} d={paths.queued} />}
      <path fill={color} fillOpacity={exempt ? 0.16 : 0.75} d={paths.executing} />
      {exempt && <path className={styles['line']} stroke={color} strokeWidth={1.25} d={paths.outline} />}
      {!exempt && <path className={styles['demand']} d={paths.demand} />}
      {!exempt && <path className={styles['nominal']} d={paths.nominal} />}
      {!exempt && <path className={styles['current']} d={paths.current} />}
    </g>
  )
}

function seatPaths({ points, axis }: SeatChartData, domain: TimeDomain, plot: Plot) {
  const x = (t: number): number => xOfTime(plot, domain, t)
  const ground = plot.height - plot.bottom
  const scale = linear(axis.max, ground, plot.top)
  const y = (value: number | null | undefined): number | undefined =>
    value === null || value === undefined ? undefined : scale(value)
  const line = (value: (point: SeatPoint) => number | null) => points.map((p) => ({ x: x(p.t), y: y(value(p)) }))
  const between = (value: (point: SeatPoint) => readonly [number, number] | null) =>
    points.map((p) => ({ x: x(p.t), y: y(value(p)?.[1]), base: y(value(p)?.[0]) ?? ground }))
  const outline = line((p) => p.executing)
  return {
    band: areaPath(
      between((p) => p.band),
      'step',
    ),
    queued: areaPath(between((p) => p.queued)),
    executing: areaPath(outline.map((point) => ({ ...point, base: ground }))),
    outline: linePath(outline),
    demand: linePath(line((p) => p.demand)),
    nominal: linePath(
      line((p) => p.nominal),
      'step',
    ),
    current: linePath(
      line((p) => p.current),
      'step',
    ),
  }
}

/** Gaps as empty boxes, resets as notches. */
function Events({ data, domain, plot }: { data: SeatChartData; domain: TimeDomain; plot: Plot }) {
  const bottom = plot.height - plot.bottom
  const x = (at: number): number => xOfTime(plot, domain, Math.min(domain.to, Math.max(domain.from, at)))
  const newest = data.points.findLast((point) => point.executing !== null)?.t
  const silent = newest !== undefined && domain.to - newest > data.lateAfterMs ? [{ from: newest, to: domain.to }] : []
  return (
    <g aria-hidden="true">
      <GapBoxes gaps={[...data.gaps, ...silent]} domain={domain} plot={plot} />
      {data.resets.map((at) => (
        <path key={at} className="fill-canvas stroke-text-2" d={`M${x(at) - 4} ${bottom}l4 -7l4 7z`}>
          <title>{`${format.time(at)} counters reset`}</title>
        </path>
      ))}
    </g>
  )
}

const TONES = {
  queued: { className: 'fill-queued' },
  strong: { className: 'strong fill-text' },
  quiet: { className: 'fill-text-3' },
} as const

function EdgeLabels(props: Omit<SeatChartProps, 'marks' | 'series'> & { readonly series: Series | undefined }) {
  const { level, series, data, options, domain, plot } = props
  const cursor = timeStore((time) => {
    const at = series === undefined ? undefined : cursorOf(time)
    return at === undefined || at < domain.from || at > domain.to ? undefined : at
  })
  const values = series === undefined || cursor === undefined ? undefined : seatsAt(series, level, cursor)
  const wishes = edgeLabels(data, options, values).map((label) => ({
    ...label,
    y: yOfValue(plot, data.axis.max, label.value),
  }))
  return (
    <g aria-hidden="true">
      {placeLabels(wishes, 14, plot.top + 4, plot.height - plot.bottom).map((label) => (
        <text key={label.text} x={plot.width - plot.right + 7} y={label.at + 4} {...TONES[label.tone]}>
          {label.text}
        </text>
      ))}
    </g>
  )
}
