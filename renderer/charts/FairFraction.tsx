import { memo, useId } from 'react'
import { classes } from '../components/classes.ts'
import { format } from '../theme/format.ts'
import { levelCode } from '../state/levels.ts'
import { type FractionBand, type FractionData } from './fairFraction.data.ts'
import styles from './fairFraction.module.css'
import { levelStyle, NO_LEVEL_STYLE } from './levelStyle.ts'
import { placeLabels, plotHeight, plotWidth, yOfValue, type Plot } from './timeAxis.data.ts'

export interface FairFractionProps {
  readonly data: FractionData
  readonly width: number
  readonly height: number
  readonly stale?: boolean
}

/** A band lower than this has no room for its code. */
const LABEL_PX = 11

/** How the fair fraction is found: the shares of all levels rise with p until they sum to the seats there are. */
export const FairFraction = memo(function FairFraction({ data, width, height, stale = false }: FairFractionProps) {
  const clip = useId()
  const { bands, p, total, pAxis, axis } = data
  const plot: Plot = { width, height, left: 44, right: 56, top: 18, bottom: 20 }
  const bottom = height - plot.bottom
  const right = width - plot.right
  const x = (value: number): number => plot.left + (value / pAxis.max) * plotWidth(plot)
  const y = (value: number): number => yOfValue(plot, axis.max, value)
  const labels = placeLabels(
    bands.flatMap((band) => {
      const end = band.points.at(-1)
      if (end === undefined) return []
      const [low, high] = [y(Math.min(end.low, axis.max)), y(Math.min(end.high, axis.max))]
      return low - high < LABEL_PX ? [] : [{ band, y: (low + high) / 2 }]
    }),
    13,
    plot.top + 6,
    bottom - 4,
  )
  return (
    <svg
      className={classes(styles['chart'], stale && styles['stale'])}
      width={width}
      height={height}
      aria-hidden="true"
      focusable="false"
    >
      <clipPath id={clip}>
        <rect x={plot.left} y={plot.top} width={plotWidth(plot)} height={plotHeight(plot)} />
      </clipPath>
      {axis.ticks.map((tick) => (
        <g key={tick}>
          <line className={styles['grid']} x1={plot.left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={plot.left - 6} y={y(tick) + 4} textAnchor="end">
            {format.seats(tick)}
          </text>
        </g>
      ))}
      <g clipPath={`url(#${clip})`}>
        {bands.map((band) => (
          <g key={band.names.join(' ')} style={bandStyle(band)}>
            <path className={styles['band']} d={areaPath(band, x, y)} />
            <path className={styles['edge']} d={topPath(band, x, y)} />
          </g>
        ))}
      </g>
      <line className={styles['rule']} x1={plot.left} x2={right} y1={y(total)} y2={y(total)} />
      <line className={styles['rule']} x1={x(p)} x2={x(p)} y1={plot.top - 8} y2={bottom} />
      <text className={classes(styles['strong'], styles['over'])} x={plot.left + 6} y={y(total) - 6}>
        {format.seats(total)} seats to divide
      </text>
      <text className={styles['strong']} x={x(p) - 6} y={plot.top - 7} textAnchor="end">
        p = {format.fairFraction(p)}
      </text>
      <circle className={styles['crossing']} cx={x(p)} cy={y(total)} r={5} />
      {labels.map(({ band, at }) => (
        <text key={band.names.join(' ')} className={styles['code']} style={bandStyle(band)} x={right + 6} y={at + 4}>
          {bandLabel(band)}
        </text>
      ))}
      {pAxis.ticks.map((tick) => (
        <text key={tick} x={x(tick)} y={height - 4} textAnchor="middle">
          {tick}
        </text>
      ))}
    </svg>
  )
})

const bandLabel = ({ names }: FractionBand): string =>
  names.length === 1 ? levelCode(names[0] ?? '') : `${names.length} more`

const bandStyle = ({ names }: FractionBand) => (names.length === 1 ? levelStyle(names[0] ?? '') : NO_LEVEL_STYLE)

type Scale = (value: number) => number

const topPath = ({ points }: FractionBand, x: Scale, y: Scale): string =>
  points.map(({ p, high }, i) => `${i === 0 ? 'M' : 'L'}${x(p).toFixed(1)} ${y(high).toFixed(1)}`).join('')

const areaPath = (band: FractionBand, x: Scale, y: Scale): string =>
  `${topPath(band, x, y)}${band.points
    .toReversed()
    .map(({ p, low }) => `L${x(p).toFixed(1)} ${y(low).toFixed(1)}`)
    .join('')}Z`
