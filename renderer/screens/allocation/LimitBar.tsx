import { levelStyle } from '../../charts/levelStyle.ts'
import { patternOf } from '../../charts/Patterns.tsx'
import type { StepRow } from './rounds.data.ts'
import styles from './table.module.css'

const HEIGHT = 14

/** Limit against nominal and floor, without words: the numbers stand beside it. */
export function LimitBar({
  row,
  scale,
  width,
}: {
  readonly row: StepRow
  readonly scale: number
  readonly width: number
}) {
  const { name, nominal, floor, reported: limit } = row
  if (limit === undefined) return null
  const x = (seats: number): number => (seats / scale) * (width - 4)
  const own = Math.min(limit, nominal)
  return (
    <svg width={width} height={HEIGHT} style={levelStyle(name)} aria-hidden="true" focusable="false">
      <rect className={styles['own']} y={3} width={x(own)} height={8} />
      {limit > nominal && (
        <rect x={x(nominal)} y={3} width={x(limit) - x(nominal)} height={8} fill={patternOf('hatch', name)} />
      )}
      {limit < nominal && (
        <rect className={styles['lentBox']} x={x(limit) + 0.5} y={3.5} width={x(nominal) - x(limit)} height={7} />
      )}
      <line className={styles['floorMark']} x1={x(floor)} x2={x(floor)} y1={1} y2={13} />
      <rect className={styles['post']} x={Math.max(0, x(limit) - 1)} y={0} width={2} height={HEIGHT} />
    </svg>
  )
}
