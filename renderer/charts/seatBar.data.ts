import { format } from '../theme/format.ts'
import type { BarSeats } from '../../core/verdict/levelRows.ts'

/**
 * The parts of a bar, from the left: free seats inside the limit, executing up to nominal, executing beyond it
 * (borrowed), lent, queued outside the limit; `unlimited` is the outline of an exempt level.
 */
export type BarPartKind = 'free' | 'executing' | 'borrowed' | 'lent' | 'queued' | 'unlimited'

/** Pixels. */
export interface BarPart {
  readonly kind: BarPartKind
  readonly x: number
  readonly width: number
}

interface BarLayout {
  readonly parts: readonly BarPart[]
  /** Pixels from the left; absent when unknown or not applicable. */
  readonly post: number | undefined
  readonly nominal: number | undefined
  /** Maximum of the level: its upper limit, or the end of the scale. */
  readonly reach: number | undefined
}

const QUEUE_GAP = 3
const QUEUE_LEAST = 4
const UNLIMITED_LEAST = 2

/** Lays a bar out on `width` pixels that represent `scale` seats; what exceeds the scale is cut at its end. */
export function layoutBar(seats: BarSeats, width: number, scale: number): BarLayout {
  const perSeat = scale > 0 ? width / scale : 0
  const at = (n: number) => Math.min(width, Math.max(0, n * perSeat))
  const { executing = 0, queued = 0, current, nominal, moved = 0 } = seats
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
  if (moved < 0) add('lent', at(current ?? 0), at(nominal ?? 0))
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

/** Scale on which every level of a table can be compared: limits and nominals, not queues. */
export function barScale(all: readonly BarSeats[]): number {
  const reach = (seats: BarSeats) => Math.max(seats.current ?? 0, seats.nominal ?? 0, seats.executing ?? 0)
  return Math.max(1, ...all.map(reach)) * 1.08
}

/** `, 62 borrowed`, `, 17 lent`; nothing of a level that has its nominal seats, or whose seats are withheld. */
export const movedText = (moved = 0): string =>
  moved === 0 ? '' : `, ${format.seats(Math.abs(moved))} ${moved > 0 ? 'borrowed' : 'lent'}`

export const queuedText = (queued = 0): string => (queued > 0 ? `, ${queued} seats queued` : '')

/** The bar as a sentence: its accessible name. */
export function barSentence(name: string, seats: BarSeats): string {
  const executing = seats.executing === undefined ? 'executing seats unknown' : undefined
  if (seats.exempt) return `${name}: ${executing ?? `${seats.executing} seats executing`}, no limit`
  const of = seats.current === undefined ? ', limit unknown' : ` of ${seats.current}`
  const taken = executing === undefined ? `${seats.executing}${of} seats executing` : `${executing}${of}`
  return `${name}: ${taken}${movedText(seats.moved)}${queuedText(seats.queued)}`
}
