import { memo } from 'react'
import { format } from '../theme/format.ts'
import { floorNote, type FloorsData } from './fairFractionFloors.data.ts'
import { levelStyle } from './levelStyle.ts'
import { RowsFrame } from './RowsFrame.tsx'
import { rowLayout } from './shareBars.layout.ts'
import styles from './shareBars.module.css'

export interface FairFractionFloorsProps {
  readonly data: FloorsData
  readonly width: number
  readonly height: number
  readonly stale?: boolean
}

/** Where the floors do not all fit: min solid, the way to the floor pale, the limit a post on it. */
export const FairFractionFloors = memo(function FairFractionFloors(props: FairFractionFloorsProps) {
  const { data, width, height, stale = false } = props
  const { rows, axis } = data
  const layout = rowLayout(width, height, rows.length)
  const { left, right, rowHeight, thick } = layout
  const x = (seats: number): number => left + (seats / axis.max) * (right - left)
  return (
    <RowsFrame
      {...{ width, height, layout, stale }}
      ticks={axis.ticks.map((tick) => ({ x: x(tick), text: format.seats(tick) }))}
    >
      {rows.map((row, i) => {
        const middle = (i + 0.5) * rowHeight
        const top = middle - thick / 2
        return (
          <g key={row.name} style={levelStyle(row.name)}>
            <text className={styles['name']} x={16} y={middle + 4}>
              {row.name}
            </text>
            <rect className={styles['bar']} x={left} y={top} width={x(row.min) - left} height={thick} />
            <rect
              className={styles['beyond']}
              x={x(row.min)}
              y={top}
              width={x(row.floor) - x(row.min)}
              height={thick}
            />
            <rect className={styles['post']} x={x(row.limit) - 1} y={top - 3} width={2} height={thick + 6} />
            <text x={Math.max(x(row.floor), x(row.limit)) + 8} y={middle + 4}>
              {floorNote(row)}
            </text>
          </g>
        )
      })}
    </RowsFrame>
  )
})
