import { memo } from 'react'
import type { LevelFrame } from '../../core/frame/frame.ts'
import { isExempt } from '../../core/frame/reading.ts'
import { classes } from '../components/classes.ts'
import { patternOf, levelStyle, Drawing } from './plot.tsx'
import styles from './seats.module.css'

/** The drawing has the same grammar at every size; small ones leave out what would be illegible. */
export type SeatBarSize = 'mini' | 'row' | 'large'

export interface SeatBarProps {
  readonly name: string
  readonly seats: BarSeats
  /** Pixels. */
  readonly width: number
  /** Seats that the width stands for: the same for all bars that are compared. */
  readonly scale: number
  readonly size?: SeatBarSize
  readonly height?: number
  /** Loses its hue: the values are not current. */
  readonly stale?: boolean
  /** The numbers stand beside it. */
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
      className={classes(styles['bar'], stale && styles['stale'])}
      style={levelStyle(name, stale)}
      width={width}
      height={height}
    >
      {size !== 'mini' && layout.reach !== undefined && (
        <rect className={styles['reach']} y={height - 2} width={layout.reach} height={1.5} />
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

/** Outlines lie inside their part, so that neighbours do not overlap. */
function geometry({ kind, x, width }: BarPart, top: number, thick: number) {
  if (kind === 'lent')
    return { x: x + 0.5, y: top + 0.5, width: Math.max(0, width - 1), height: Math.max(0, thick - 1) }
  if (kind === 'queued') return { x, y: top + 1, width, height: Math.max(1, thick - 2) }
  if (kind === 'unlimited') {
    return { x: x + 0.75, y: top + 0.75, width: Math.max(0.5, width - 1.5), height: Math.max(0.5, thick - 1.5) }
  }
  return { x, y: top, width, height: thick }
}

/** What a seat bar tells about one level, in seats. `undefined` is unknown, never zero. */
export interface BarSeats {
  readonly executing: number | undefined
  readonly queued: number | undefined
  readonly current: number | undefined
  readonly nominal: number | undefined
  /** Upper limit; above the seats of the server it means "no borrowing limit". */
  readonly upper: number | undefined
  readonly exempt: boolean
}

export const barSeats = (level: LevelFrame): BarSeats => ({
  executing: level.seats.executing,
  queued: level.seats.queued,
  current: level.limits.current,
  nominal: level.limits.nominal,
  upper: level.limits.upper,
  exempt: isExempt(level),
})

/**
 * The parts of a bar, from the left: seats inside the limit that are free, executing up to nominal, executing beyond
 * it (borrowed), lent away, queued outside the door; `unlimited` is the outline of an exempt level.
 */
type BarPartKind = 'free' | 'executing' | 'borrowed' | 'lent' | 'queued' | 'unlimited'

/** Pixels. */
interface BarPart {
  readonly kind: BarPartKind
  readonly x: number
  readonly width: number
}

interface BarLayout {
  readonly parts: readonly BarPart[]
  /** Pixels from the left; absent when unknown or not applicable. */
  readonly post: number | undefined
  readonly nominal: number | undefined
  /** Reach of the level: its upper limit, or the end of the scale. */
  readonly reach: number | undefined
}

const QUEUE_GAP = 3
const QUEUE_LEAST = 4
const UNLIMITED_LEAST = 2

/** Lays a bar out on `width` pixels that stand for `scale` seats; what exceeds the scale is cut at its end. */
export function layoutBar(seats: BarSeats, width: number, scale: number): BarLayout {
  const perSeat = scale > 0 ? width / scale : 0
  const at = (n: number) => Math.min(width, Math.max(0, n * perSeat))
  const { executing = 0, queued = 0, current, nominal } = seats
  if (seats.exempt) {
    const known = seats.executing !== undefined
    const outline: BarPart = { kind: 'unlimited', x: 0, width: Math.max(UNLIMITED_LEAST, at(executing)) }
    return { parts: known ? [outline] : [], post: undefined, nominal: undefined, reach: undefined }
  }
  const parts: BarPart[] = []
  const add = (kind: BarPartKind, x: number, end: number) => {
    if (end > x) parts.push({ kind, x, width: end - x })
  }
  const own = nominal === undefined ? executing : Math.min(executing, nominal)
  if (current !== undefined) add('free', 0, at(current))
  if (current !== undefined && nominal !== undefined) add('lent', at(current), at(nominal))
  add('executing', 0, at(own))
  add('borrowed', at(own), at(executing))
  if (queued > 0) {
    const start = Math.min(at(current ?? executing) + QUEUE_GAP, width - QUEUE_LEAST)
    add('queued', start, Math.min(width, Math.max(start + QUEUE_LEAST, start + queued * perSeat)))
  }
  return {
    parts,
    post: current === undefined ? undefined : at(current),
    nominal: nominal === undefined ? undefined : at(nominal),
    reach: seats.upper === undefined ? undefined : at(seats.upper),
  }
}

/** Seats that one scale must hold so that every level of a table can be compared: limits and nominals, not queues. */
export function barScale(all: readonly BarSeats[]): number {
  const reach = (seats: BarSeats) => Math.max(seats.current ?? 0, seats.nominal ?? 0, seats.executing ?? 0)
  return Math.max(1, ...all.map(reach)) * 1.08
}

/** The bar as a sentence: its accessible name. */
export function barSentence(name: string, seats: BarSeats): string {
  const executing = seats.executing === undefined ? 'executing seats unknown' : undefined
  if (seats.exempt) return `${name}: ${executing ?? `${seats.executing} seats executing`}, no limit`
  const of = seats.current === undefined ? ', limit unknown' : ` of ${seats.current}`
  const facts = [executing === undefined ? `${seats.executing}${of} seats executing` : `${executing}${of}`]
  if (seats.current !== undefined && seats.nominal !== undefined) {
    const change = seats.current - seats.nominal
    if (change > 0) facts.push(`${change} borrowed`)
    if (change < 0) facts.push(`${-change} lent`)
  }
  if (seats.queued !== undefined && seats.queued > 0) facts.push(`${seats.queued} seats queued`)
  return `${name}: ${facts.join(', ')}`
}
