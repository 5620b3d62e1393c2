import { memo } from 'react'
import { format } from '../theme/format.ts'
import styles from './QuantileBars.module.css'
import { intervalText, type RatioData } from './quantileBars.data.ts'

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
 * Quantiles over time of a ratio: the solid part was certainly reached, the hatched part is the bucket inside which the
 * quantile lies; a line marks the current limit (1).
 */
export const QuantileBars = memo(function QuantileBars({ data, width, color, label }: QuantileBarsProps) {
  const space = Math.max(1, width - LEFT - RIGHT)
  const x = (ratio: number): number => LEFT + (Math.min(ratio, data.axisMax) / data.axisMax) * space
  const height = TOP + data.bars.length * ROW + 18
  const bottom = height - 18
  const ticks = data.axisMax > 1 ? [0, 1, data.axisMax] : [0, 0.5, 1]
  return (
    <svg width={width} height={height} role="img" aria-label={label} className={styles['bars']}>
      {ticks.map((tick) => (
        <text key={tick} x={x(tick)} y={height - 4} textAnchor={tick === 0 ? 'start' : 'middle'}>
          {format.percent(tick)}
        </text>
      ))}
      {data.bars.map(({ quantile, interval }, i) => {
        const y = TOP + i * ROW
        const end = interval.upper ?? data.axisMax
        return (
          <g key={quantile}>
            <text x={LEFT - 6} y={y + 14} textAnchor="end">
              {`p${Math.round(quantile * 100)}`}
            </text>
            <rect className={styles['ground']} x={LEFT} y={y + 4} width={space} height={12} />
            <rect x={LEFT} y={y + 4} width={x(interval.lower) - LEFT} height={12} fill={color} />
            <rect
              x={x(interval.lower)}
              y={y + 4}
              width={x(end) - x(interval.lower)}
              height={12}
              fill={color}
              opacity={0.4}
            />
            <text x={width - RIGHT + 8} y={y + 14} className={styles['value']}>
              {intervalText(interval)}
            </text>
          </g>
        )
      })}
      <line className={styles['limit']} x1={x(1)} x2={x(1)} y1={TOP} y2={bottom} />
      {data.mean !== undefined && <path className={styles['mean']} d={`M${x(data.mean)} ${bottom}l-4 6h8z`} />}
    </svg>
  )
})
