import { memo } from 'react'
import type { ClusterRow, LevelRow, ServerRow } from '../../../core/fleet/fleet.ts'
import { Drawing } from '../../charts/plot.tsx'
import { levelColor } from '../../state/levels.ts'
import { BUILT_IN_ORDER } from '../../../core/text/levelSlots.ts'
import styles from './fleet.module.css'

const BAR = { width: 9, gap: 2, height: 17, cap: 3 } as const
const SLOTS = BUILT_IN_ORDER.length + 1
const WIDTH = SLOTS * (BAR.width + BAR.gap)

const xOf = (slot: number): number => slot * (BAR.width + BAR.gap)
const box = (slot: number, y: number, height: number): string =>
  `M${xOf(slot)} ${y}h${BAR.width}v${height}h${-BAR.width}z`
/** Few elements per row: scrolling passes hundreds of rows. */
const ROOM = Array.from({ length: SLOTS }, (_, slot) => box(slot, BAR.cap, BAR.height - BAR.cap)).join('')

const slotOf = (level: string): number => {
  const index = BUILT_IN_ORDER.indexOf(level)
  return index === -1 ? SLOTS - 1 : index
}

/**
 * One bar per built-in level at its fixed place; levels of other names share the last, which shows the busiest of them.
 */
function barsOf(levels: readonly LevelRow[]): readonly { readonly slot: number; readonly level: LevelRow }[] {
  const bars = new Map<number, LevelRow>()
  for (const level of levels) {
    const slot = slotOf(level.level)
    const there = bars.get(slot)
    if (there === undefined || (level.saturation ?? -1) > (there.saturation ?? -1)) bars.set(slot, level)
  }
  return [...bars].map(([slot, level]) => ({ slot, level }))
}

/**
 * Executing seats of the limit, one bar per level, with a cap where the level queues or rejects. The columns next to it
 * contain the numbers.
 */
export const LevelBars = memo(function LevelBars({ levels }: { readonly levels: readonly LevelRow[] }) {
  const stale = levels[0]?.state === 'stale' || levels[0]?.state === 'failing'
  const bars = barsOf(levels)
  const caps = (state: 'queueing' | 'rejecting'): string =>
    bars
      .filter(({ level }) => level.states.find((one) => one === 'rejecting' || one === 'queueing') === state)
      .map(({ slot }) => box(slot, 0, BAR.cap - 1))
      .join('')
  return (
    <Drawing width={WIDTH} height={BAR.height} stale={stale} className={styles['bars']}>
      <path className={styles['room']} d={ROOM} />
      {bars.map(({ slot, level }) => {
        const filled = Math.min(1, level.saturation ?? 0) * (BAR.height - BAR.cap)
        const fill = slot === SLOTS - 1 ? 'var(--text-3)' : levelColor(level.level)
        return filled === 0 ? null : (
          <rect key={slot} x={xOf(slot)} y={BAR.height - filled} width={BAR.width} height={filled} style={{ fill }} />
        )
      })}
      <path className={styles['queueing']} d={caps('queueing')} />
      <path className={styles['rejecting']} d={caps('rejecting')} />
    </Drawing>
  )
})

const TREND = { width: 68, height: 17 } as const

/** Saturation of the busiest level over the last 10 min, from 0 to the limit. */
export const Trend = memo(function Trend({ trend }: { readonly trend: ServerRow['trend'] }) {
  const step = TREND.width / Math.max(1, trend.length)
  const bars = trend.flatMap((share, index) =>
    share === null
      ? []
      : [`M${index * step} ${TREND.height}v${-Math.min(1, share) * TREND.height}h${step}V${TREND.height}z`],
  )
  return (
    <Drawing width={TREND.width} height={TREND.height} className={styles['trend']}>
      <path d={bars.join('')} />
    </Drawing>
  )
})

/** The server that represents a row of several levels: for a cluster its worst server, never an average. */
export const shownServer = (row: ClusterRow | ServerRow): ServerRow | undefined =>
  row.kind === 'cluster' ? row.worst : row
