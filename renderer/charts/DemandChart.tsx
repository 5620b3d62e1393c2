import { memo, useMemo } from 'react'
import { ComposedChart, Line, XAxis, YAxis } from 'recharts'
import { format } from '../theme/format.ts'
import { levelColor } from '../state/levels.ts'
import { type DemandChartData, type DemandRound, sameRounds } from './demandChart.data.ts'
import { PlotAxes } from './TimeAxis.tsx'
import { type Plot, type TimeDomain, xOfTime, yOfValue } from './timeAxis.data.ts'

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
}

const STILL = { isAnimationActive: false, dot: false, activeDot: false, connectNulls: false } as const

/** What the server saw of demand at each recomputation, and what it made of it. */
export const DemandChart = memo(function DemandChart({ level, title, data, domain, plot }: DemandChartProps) {
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
      <path d={deviationPath(data, domain, plot)} stroke={color} strokeWidth={4} strokeOpacity={0.4} fill="none" />
      <Line {...STILL} type="stepAfter" dataKey="current" stroke="var(--text-3)" strokeWidth={1.25} />
      <Line {...STILL} type="linear" dataKey="average" stroke={color} strokeWidth={1.5} />
      <Line {...STILL} type="linear" dataKey="smoothed" stroke="var(--text)" strokeWidth={1.75} />
      <path d={watermarkPath(data, domain, plot)} fill="var(--text-2)" />
      {data.above !== undefined && (
        <text x={plot.left + 6} y={plot.top + 14}>
          ▲ high watermark up to {format.seats(data.above)}
        </text>
      )}
    </ComposedChart>
  )
}, samePicture)

/** One stroke per round from average − σ to average + σ; hundreds of elements would be dear. */
function deviationPath({ rounds, axis }: DemandChartData, domain: TimeDomain, plot: Plot): string {
  return rounds
    .map(({ t, deviation }) => {
      if (deviation === null || t < domain.from) return ''
      const [low, high] = deviation
      const bottom = yOfValue(plot, axis.max, Math.min(low, axis.max))
      const top = yOfValue(plot, axis.max, Math.min(high, axis.max))
      return `M${xOfTime(plot, domain, t).toFixed(1)} ${Math.max(bottom, top + 1.5).toFixed(1)}V${top.toFixed(1)}`
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
      if (highWatermark > axis.max) return `M${(x - 2.5).toFixed(1)} ${plot.top + 4}h5l-2.5 -4z`
      const y = yOfValue(plot, axis.max, highWatermark)
      return `M${(x - 1.6).toFixed(1)} ${y.toFixed(1)}a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0 -3.2 0`
    })
    .join('')
}

function samePicture(a: DemandChartProps, b: DemandChartProps): boolean {
  return (
    a.level === b.level &&
    a.title === b.title &&
    a.plot === b.plot &&
    a.domain.from === b.domain.from &&
    a.domain.to === b.domain.to &&
    sameRounds(a.data, b.data)
  )
}
