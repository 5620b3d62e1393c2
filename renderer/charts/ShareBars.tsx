import { memo } from 'react'
import { format } from '../theme/format.ts'
import { levelStyle } from './levelStyle.ts'
import { RowsFrame } from './RowsFrame.tsx'
import type { ShareBarsData } from './shareBars.data.ts'
import styles from './shareBars.module.css'
import { rowLayout } from './shareBars.layout.ts'

export interface ShareBarsProps {
  readonly data: ShareBarsData
  readonly width: number
  readonly height: number
  readonly stale?: boolean
}

/** Limit ÷ target of every level on one scale: solid up to p, pale beyond it. */
export const ShareBars = memo(function ShareBars({ data, width, height, stale = false }: ShareBarsProps) {
  const { bars, p, axis } = data
  const layout = rowLayout(width, height, bars.length)
  const { left, right, bottom, rowHeight, thick } = layout
  const x = (ratio: number): number => left + (Math.min(ratio, axis.max) / axis.max) * (right - left)
  return (
    <RowsFrame
      {...{ width, height, layout, stale }}
      ticks={axis.ticks.map((tick) => ({ x: x(tick), text: format.percent(tick) }))}
    >
      {bars.map(({ name, ratio = 0, decided, note }, i) => {
        const middle = (i + 0.5) * rowHeight
        const even = decided === 'p'
        // A limit is a whole number, so that its ratio is never exactly p.
        const solid = p === undefined || even ? ratio : Math.min(ratio, p)
        return (
          <g key={name} style={levelStyle(name)}>
            <text className={styles['name']} x={16} y={middle + 4}>
              {shortened(name)}
            </text>
            <rect className={styles['bar']} x={left} y={middle - thick / 2} width={x(solid) - left} height={thick} />
            {ratio > solid && (
              <rect
                className={styles['beyond']}
                x={x(solid)}
                y={middle - thick / 2}
                width={x(ratio) - x(solid)}
                height={thick}
              />
            )}
            <text
              className={even ? styles['strong'] : undefined}
              x={Math.max(x(ratio), p === undefined ? 0 : x(p)) + 8}
              y={middle + 4}
            >
              {note}
            </text>
          </g>
        )
      })}
      {p !== undefined && <line className={styles['rule']} x1={x(p)} x2={x(p)} y1={0} y2={bottom} />}
    </RowsFrame>
  )
})

const LONGEST = 17
const shortened = (name: string): string => (name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 1)}…`)
