import { memo, useMemo } from 'react'
import type { LevelSeries } from '../../core/frame/series.ts'
import { classes } from '../components/classes.ts'
import { levelStyle } from './levelStyle.ts'
import { layoutSparkline } from './sparkline.data.ts'
import styles from './sparkline.module.css'

export interface SparklineProps {
  readonly times: readonly number[]
  readonly level: LevelSeries
  readonly width: number
  readonly height: number
  /** Exempt levels have no limits to draw. */
  readonly limits?: boolean
  /** Unix milliseconds at both edges. */
  readonly from: number
  readonly to: number
  readonly gapMs: number
  readonly stale?: boolean
}

/** Executing seats, limit and band of one level over the range, on a scale of its own. The table holds the numbers. */
export const Sparkline = memo(function Sparkline(props: SparklineProps) {
  const { times, level, width, height, from, to, gapMs, limits = true, stale = false } = props
  const drawn = useMemo(
    () => layoutSparkline(times, level, { width, height, from, to, gapMs, limits }),
    [times, level, width, height, from, to, gapMs, limits],
  )
  return (
    <svg
      className={classes(styles['spark'], stale && styles['stale'])}
      style={levelStyle(level.name, stale)}
      width={width}
      height={height}
      aria-hidden="true"
      focusable="false"
    >
      {drawn.band !== undefined && (
        <rect className={styles['band']} width={width} y={drawn.band.y} height={drawn.band.height} />
      )}
      {drawn.gaps.map((gap) => (
        <rect key={gap.x} className={styles['gap']} x={gap.x + 0.5} y={0.5} width={gap.width - 1} height={height - 1} />
      ))}
      <path className={styles['area']} d={drawn.area} />
      <path className={styles['line']} d={drawn.line} />
      {drawn.nominal !== undefined && (
        <line className={styles['nominal']} x1={0} x2={width} y1={drawn.nominal} y2={drawn.nominal} />
      )}
      <path className={styles['limit']} d={drawn.limit} />
    </svg>
  )
})
