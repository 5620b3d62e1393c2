import { memo } from 'react'
import { format } from '../theme/format.ts'
import styles from './TimeAxis.module.css'
import {
  type ClockFace,
  fits,
  plotWidth,
  type Plot,
  type TimeDomain,
  timeTicks,
  type ValueAxis,
  xOfTime,
  yOfValue,
} from './timeAxis.data.ts'

/** The clock that the settings ask for. */
export function clockFace(at: number): ClockFace {
  return {
    time: (instant) => format.time(instant),
    offsetMs: format.zone() === 'UTC' ? 0 : -new Date(at).getTimezoneOffset() * 60_000,
  }
}

export interface PlotAxesProps {
  readonly plot: Plot
  readonly domain: TimeDomain
  readonly axis: ValueAxis
}

/** Grid lines, amounts at the left and clock times below; part of an `<svg>` of the plot's size. */
export const PlotAxes = memo(function PlotAxes({ plot, domain, axis }: PlotAxesProps) {
  const right = plot.width - plot.right
  return (
    <g aria-hidden="true">
      {axis.ticks.map((value) => {
        const y = Math.round(yOfValue(plot, axis.max, value)) + 0.5
        return (
          <g key={value}>
            <line className={styles['grid']} x1={plot.left} x2={right} y1={y} y2={y} />
            <text x={plot.left - 6} y={y + 4} textAnchor="end">
              {format.fixed(value)}
            </text>
          </g>
        )
      })}
      <TimeTicks plot={plot} domain={domain} />
    </g>
  )
})

/** Clock times below a plot. */
export function TimeTicks({ plot, domain }: { readonly plot: Plot; readonly domain: TimeDomain }) {
  const y = plot.height - plot.bottom
  return timeTicks(domain, plotWidth(plot), clockFace(domain.to)).map(({ at, label }) => {
    const x = xOfTime(plot, domain, at)
    const mark = Math.round(x) + 0.5
    return (
      <g key={at}>
        <line className={styles['tick']} x1={mark} x2={mark} y1={y} y2={y + 4} />
        {fits(plot, x, label) && (
          <text x={x} y={y + 14} textAnchor="middle">
            {label}
          </text>
        )}
      </g>
    )
  })
}
