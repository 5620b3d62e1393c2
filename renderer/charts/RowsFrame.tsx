import type { ReactNode } from 'react'
import { classes } from '../components/classes.ts'
import type { RowLayout } from './shareBars.layout.ts'
import styles from './shareBars.module.css'

/** A drawing with one bar a level, and its scale. */
export function RowsFrame(props: {
  readonly width: number
  readonly height: number
  readonly layout: RowLayout
  readonly stale: boolean
  /** `x` in pixels. */
  readonly ticks: readonly { readonly x: number; readonly text: string }[]
  readonly children: ReactNode
}) {
  const { width, height, layout, stale, ticks, children } = props
  return (
    <svg
      className={classes(styles['chart'], stale && styles['stale'])}
      width={width}
      height={height}
      aria-hidden="true"
      focusable="false"
    >
      {ticks.map(({ x, text }) => (
        <g key={x}>
          <line className={styles['grid']} x1={x} x2={x} y1={0} y2={layout.bottom} />
          <text x={x} y={height - 4} textAnchor="middle">
            {text}
          </text>
        </g>
      ))}
      {children}
    </svg>
  )
}
