import { valueAxis, type ValueAxis } from '../../core/text/axis.ts'

/** One level among which the solver divides seats, in seats (specification 6.5). */
export interface FractionItem {
  readonly name: string
  readonly floor: number
  readonly max: number
  readonly target: number
}

/** The seats that one level (or several drawn as one) gets as p rises; stacked on the bands before it. */
export interface FractionBand {
  readonly names: readonly string[]
  readonly points: readonly FractionPoint[]
}
export interface FractionPoint {
  readonly p: number
  readonly low: number
  readonly high: number
}

export interface FractionData {
  /** From the bottom. */
  readonly bands: readonly FractionBand[]
  /** The p at which the sum of all bands equals the seats to divide. */
  readonly p: number
  readonly total: number
  readonly pAxis: ValueAxis
  readonly axis: ValueAxis
}

/** The solver counts lower targets as this (specification 6.5). */
const LEAST_TARGET = 0.001
/** Maximum number of bands in one chart; the remaining levels are drawn as one. */
const MOST_BANDS = 8
/** The crossing lies at about this share of the width and of the height. */
const CROSSING = 0.45

const counted = (item: FractionItem): number => Math.max(item.target, LEAST_TARGET)

/** Seats of one level at p: its share of the target, kept between floor and max. */
export const shareAt = (item: FractionItem, p: number): number =>
  Math.max(item.floor, Math.min(item.max, p * counted(item)))

const sumAt = (items: readonly FractionItem[], p: number): number =>
  items.reduce((sum, item) => sum + shareAt(item, p), 0)

/**
 * How p is found: every level's share against p, stacked. Levels that stay at their floor lie below those that grow,
 * the one with the highest demand on top. The lines bend only where a level leaves its floor or reaches its max, so a
 * point at each of those is exact.
 */
export function fractionData(items: readonly FractionItem[], p: number, total: number): FractionData {
  const pAxis = valueAxis(Math.max(p, 0.001) / CROSSING, 4, false)
  const axis = valueAxis(Math.min(sumAt(items, pAxis.max), total / (1 - CROSSING)), 4)
  const bends = items.flatMap((item) => [item.floor / counted(item), item.max / counted(item)])
  const at = [...new Set([0, ...bends, p, pAxis.max])].filter((x) => x <= pAxis.max).toSorted((a, b) => a - b)
  const below = at.map(() => 0)
  const bands = bandsOf(items, p).map((members): FractionBand => {
    const points = at.map((x, i) => {
      const low = below[i] ?? 0
      const high = low + sumAt(members, x)
      below[i] = high
      return { p: x, low, high }
    })
    return { names: members.map(({ name }) => name), points }
  })
  return { bands, p, total, pAxis, axis }
}

function bandsOf(items: readonly FractionItem[], p: number): readonly (readonly FractionItem[])[] {
  const grows = (item: FractionItem): boolean => shareAt(item, p) > item.floor
  const ordered = [
    ...items.filter((item) => !grows(item)),
    ...items.filter(grows).toSorted((a, b) => a.target - b.target),
  ]
  if (ordered.length <= MOST_BANDS) return ordered.map((item) => [item])
  const shown = new Set(ordered.toSorted((a, b) => shareAt(b, p) - shareAt(a, p)).slice(0, MOST_BANDS - 1))
  return [
    ordered.filter((item) => !shown.has(item)),
    ...ordered.filter((item) => shown.has(item)).map((item) => [item]),
  ]
}

/** One level where Exempt left too little for the floors (cases 1 and 2 of specification 6.4), in seats. */
interface FloorRow {
  readonly name: string
  readonly min: number
  readonly floor: number
  readonly limit: number
}

export interface FloorsData {
  readonly rows: readonly FloorRow[]
  readonly axis: ValueAxis
}

export const floorsData = (rows: readonly FloorRow[]): FloorsData => ({
  rows,
  axis: valueAxis(Math.max(1, ...rows.map(({ floor, limit }) => Math.max(floor, limit))) * 1.04),
})

/** How far the limit is between min and floor, in words. */
export function floorNote({ min, floor, limit }: FloorRow): string {
  if (floor === min) return `${limit}, floor is min`
  if (limit === min) return `${limit}, its min; floor ${floor}`
  return `${limit}, ${Math.round(((limit - min) / (floor - min)) * 100)} % of ${floor - min} above min`
}

/** The target of one level and its limit, in seats. */
export interface ShareRow {
  readonly name: string
  readonly target: number
  readonly limit: number
  /** What decided: the share at p itself, a bound, or neither. */
  readonly decided: 'p' | 'floor' | 'max' | 'case'
  /** The bound that decided. */
  readonly bound: number
}

interface ShareBar extends ShareRow {
  /** Limit ÷ target; absent when the target is 0. */
  readonly ratio: number | undefined
  readonly note: string
}

export interface ShareBarsData {
  readonly bars: readonly ShareBar[]
  /** The fair fraction; absent in cases 1 and 2, which have none. */
  readonly p: number | undefined
  readonly axis: ValueAxis
}

/** A level with a target close to 0 gets many times that; its bar is cut, and its note shows the value. */
const MOST_RATIO = 3

export function shareBarsData(rows: readonly ShareRow[], p: number | undefined): ShareBarsData {
  const bars = rows.map((row): ShareBar => {
    const ratio = row.target > 0 ? row.limit / row.target : undefined
    return { ...row, ratio, note: noteOf(row, ratio) }
  })
  const largest = Math.max(1, p ?? 0, ...bars.map(({ ratio = 0 }) => Math.min(ratio, MOST_RATIO)))
  return { bars, p, axis: valueAxis(largest * 1.05, 4, false) }
}

const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
const seats = (n: number): string => String(Math.round(n))

function noteOf({ target, limit, decided, bound }: ShareRow, ratio: number | undefined): string {
  if (ratio === undefined) return `target 0, limit ${limit}`
  if (decided === 'p') return `at p: ${seats(target)} × p ≈ ${limit}`
  if (decided === 'case') return `${percent(ratio)}: ${limit} of ${seats(target)}`
  return `${percent(ratio)}, ${decided} ${seats(bound)}`
}
