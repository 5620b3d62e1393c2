import { memo } from 'react'
import type { Histogram } from '../../core/frame/frame.ts'
import {
  histogramIncrease,
  histogramMean,
  timeWeightedQuantile,
  type QuantileInterval,
} from '../../core/frame/quantile.ts'
import { format } from '../theme/format.ts'
import { linear } from '../../core/text/plot.ts'
import { AxisLabels, Drawing } from './plot.tsx'
import styles from './seats.module.css'

export interface QuantileBarsProps {
  readonly data: RatioData
  readonly width: number
  readonly color: string
  readonly label: string
}

const ROW = 22
const LEFT = 34
const RIGHT = 92
const TOP = 4

/**
 * Quantiles over time of a ratio. The solid part was certainly reached; the hatched part is the bucket that contains
 * the quantile; a line marks the current limit (1).
 */
export const QuantileBars = memo(function QuantileBars({ data, width, color, label }: QuantileBarsProps) {
  const space = Math.max(1, width - LEFT - RIGHT)
  const scale = linear(data.axisMax, LEFT, LEFT + space)
  const x = (ratio: number): number => scale(Math.min(ratio, data.axisMax))
  const height = TOP + data.bars.length * ROW + 18
  const bottom = height - 18
  const ticks = data.axisMax > 1 ? [0, 1, data.axisMax] : [0, 0.5, 1]
  return (
    <Drawing width={width} height={height} label={label}>
      <AxisLabels
        y={height - 4}
        marks={ticks.map((tick) => ({
          at: x(tick),
          text: format.percent(tick),
          anchor: tick === 0 ? 'start' : 'middle',
        }))}
      />
      {data.bars.map(({ quantile, interval }, i) => {
        const y = TOP + i * ROW
        const end = interval.upper ?? data.axisMax
        return (
          <g key={quantile}>
            <text x={LEFT - 6} y={y + 14} textAnchor="end">
              {`p${Math.round(quantile * 100)}`}
            </text>
            <rect className="fill-raised" x={LEFT} y={y + 4} width={space} height={12} />
            <rect x={LEFT} y={y + 4} width={x(interval.lower) - LEFT} height={12} fill={color} />
            <rect
              x={x(interval.lower)}
              y={y + 4}
              width={x(end) - x(interval.lower)}
              height={12}
              fill={color}
              opacity={0.4}
            />
            <text x={width - RIGHT + 8} y={y + 14} className="fill-text">
              {intervalText(interval)}
            </text>
          </g>
        )
      })}
      <line className={styles['current']} x1={x(1)} x2={x(1)} y1={TOP} y2={bottom} />
      {data.mean !== undefined && <path className="fill-text-2" d={`M${x(data.mean)} ${bottom}l-4 6h8z`} />}
    </Drawing>
  )
})

/** A histogram and when it was read, Unix milliseconds. */
export interface HistogramSample {
  readonly at: number
  readonly histogram: Histogram
}

/**
 * Keeps the samples of one histogram that a window of `windowMs` needs: the newest one, those inside the window, and one
 * at its far edge. A process that started again (the count fell), or a step back in time, replaces all older ones.
 */
export function keepSample(
  kept: readonly HistogramSample[],
  sample: HistogramSample,
  windowMs: number,
): readonly HistogramSample[] {
  const newest = kept.at(-1)
  if (newest !== undefined && sample.at === newest.at) return kept
  if (newest !== undefined && (sample.at < newest.at || sample.histogram.count < newest.histogram.count))
    return [sample]
  const firstInside = kept.findIndex((entry) => entry.at > sample.at - windowMs)
  const edge = firstInside < 0 ? kept.length - 1 : firstInside - 1
  return [...kept.slice(Math.max(0, edge)), sample]
}

export interface HistogramWindow {
  readonly histogram: Histogram
  /** Seconds that the window covers; `undefined` means since the server started. */
  readonly seconds: number | undefined
}

/** The histogram over the kept samples, or since the server started while there is only one. */
export function windowHistogram(kept: readonly HistogramSample[]): HistogramWindow | undefined {
  const first = kept[0]
  const last = kept.at(-1)
  if (first === undefined || last === undefined) return undefined
  const increase = first === last ? undefined : histogramIncrease(last.histogram, first.histogram)
  return increase === undefined || increase.count <= 0
    ? { histogram: last.histogram, seconds: undefined }
    : { histogram: increase, seconds: (last.at - first.at) / 1_000 }
}

const QUANTILES = [0.5, 0.9, 0.99] as const

export interface RatioData {
  readonly bars: readonly { readonly quantile: number; readonly interval: QuantileInterval }[]
  readonly mean: number | undefined
  /** Share of the time in each bucket: ratio above `above` (absent: exactly `upTo` or less) and up to `upTo`. */
  readonly buckets: readonly {
    readonly above: number | undefined
    readonly upTo: number | undefined
    readonly share: number
  }[]
  /** Share of the time above the limit; `undefined` when 1 is no bound of the histogram. */
  readonly aboveLimit: number | undefined
  /** Right end of the axis: beyond 1 only when the ratio exceeded it. */
  readonly axisMax: number
}

/**
 * Quantiles over time of a ratio, from a time-weighted histogram (specification 8.2): for every bar an interval that
 * certainly contains the quantile. `undefined` when no time was counted.
 */
export function ratioData(histogram: Histogram): RatioData | undefined {
  const { bounds, counts } = histogram
  const total = counts.at(-1) ?? 0
  if (total <= 0) return undefined
  const bars = QUANTILES.flatMap((quantile) => {
    const interval = timeWeightedQuantile(quantile, histogram)
    return interval === undefined ? [] : [{ quantile, interval }]
  })
  const buckets = counts.map((count, i) => ({
    above: bounds[i - 1],
    upTo: bounds[i],
    share: Math.max(0, count - (counts[i - 1] ?? 0)) / total,
  }))
  const one = bounds.indexOf(1)
  const topBucket = buckets.findLast((bucket) => bucket.share > 0)
  return {
    bars,
    mean: histogramMean(histogram),
    buckets,
    aboveLimit: one < 0 ? undefined : (total - (counts[one] ?? 0)) / total,
    axisMax: Math.max(1, topBucket?.upTo ?? bounds.at(-1) ?? 1),
  }
}

/** An interval of percentages in words: `exactly 0 %`, `80 to 90 %`, `over 100 %`. */
export function intervalText({ lower, upper, exact }: QuantileInterval): string {
  const low = Math.round(lower * 100)
  if (upper === undefined) return `over ${low} %`
  return exact ? `${low} %` : `${low} to ${Math.round(upper * 100)} %`
}
