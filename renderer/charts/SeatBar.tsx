import { memo } from 'react'
import { classes } from '../components/classes.ts'
import { patternOf, levelStyle, Drawing } from './plot.tsx'
import type { BarSeats } from '../../core/verdict/levelRows.ts'
import { barSentence, layoutBar, type BarPart } from './seatBar.data.ts'
import styles from './seats.module.css'

/** The drawing follows the same rules at every size; small ones leave out what would be illegible. */
export type SeatBarSize = 'mini' | 'row' | 'large'

export interface SeatBarProps {
  readonly name: string
  readonly seats: BarSeats
  /** Pixels. */
  readonly width: number
  /** Seats that the width represents: the same for all bars that are compared. */
  readonly scale: number
  readonly size?: SeatBarSize
  readonly height?: number
  /** Loses its hue: the values are not current. */
  readonly stale?: boolean
  /** The numbers are next to it. */
  readonly decorative?: boolean
}

const HEIGHT = { mini: 4, row: 22, large: 30 } as const
const PADDING = { mini: 0, row: 3, large: 4 } as const

const sameSeats = (a: BarSeats, b: BarSeats): boolean =>
  a.executing === b.executing &&
  a.queued === b.queued &&
  a.current === b.current &&
  a.nominal === b.nominal &&
  a.upper === b.upper &&
  a.moved === b.moved &&
  a.exempt === b.exempt

const sameProps = (a: SeatBarProps, b: SeatBarProps): boolean =>
  a.name === b.name &&
  a.width === b.width &&
  a.scale === b.scale &&
  a.size === b.size &&
  a.height === b.height &&
  a.stale === b.stale &&
  a.decorative === b.decorative &&
  sameSeats(a.seats, b.seats)

/** Executing seats of one level against its limit (design: one seat bar, every size). */
export const SeatBar = memo(function SeatBar(props: SeatBarProps) {
  const { name, seats, width, scale, size = 'row', stale = false, decorative = false } = props
  const height = props.height ?? HEIGHT[size]
  const top = height < 18 && size !== 'mini' ? 2 : PADDING[size]
  const layout = layoutBar(seats, width, scale)
  const thick = height - 2 * top
  const parts = size === 'mini' ? layout.parts.filter((part) => IN_MINI.has(part.kind)) : layout.parts
  return (
    <Drawing
      label={decorative ? undefined : barSentence(name, seats)}
      className={classes('rigid', stale && styles['stale'])}
      style={levelStyle(name, stale)}
      width={width}
      height={height}
    >
      {size !== 'mini' && layout.reach !== undefined && (
        <rect className="fill-band" y={height - 2} width={layout.reach} height={1.5} />
      )}
      {parts.map((part) => (
        <rect key={part.kind} className={styles[part.kind]} {...geometry(part, top, thick)} {...fillOf(part, name)} />
      ))}
      {size !== 'mini' && layout.post !== undefined && (
        <rect className={styles['post']} x={Math.max(0, layout.post - 1)} y={top - 2} width={2} height={thick + 4} />
      )}
      {size !== 'mini' && layout.nominal !== undefined && layout.nominal !== layout.post && (
        <line
          className={styles['barNominal']}
          x1={layout.nominal}
          x2={layout.nominal}
          y1={top - 2}
          y2={height - top + 2}
        />
      )}
    </Drawing>
  )
}, sameProps)

const IN_MINI: ReadonlySet<BarPart['kind']> = new Set(['free', 'executing', 'borrowed', 'unlimited'])

const fillOf = ({ kind }: BarPart, name: string) =>
  kind === 'borrowed' ? { fill: patternOf('hatch', name) } : kind === 'queued' ? { fill: patternOf('stipple') } : {}

/** Outlines lie inside their part, so that adjacent parts do not overlap. */
function geometry({ kind, x, width }: BarPart, top: number, thick: number) {
  if (kind === 'lent')
    return { x: x + 0.5, y: top + 0.5, width: Math.max(0, width - 1), height: Math.max(0, thick - 1) }
  if (kind === 'queued') return { x, y: top + 1, width, height: Math.max(1, thick - 2) }
  if (kind === 'unlimited') {
    return { x: x + 0.75, y: top + 0.75, width: Math.max(0.5, width - 1.5), height: Math.max(0.5, thick - 1.5) }
  }
  return { x, y: top, width, height: thick }
}
