import { valueAxis, type ValueAxis } from './timeAxis.data.ts'

/** One level that the solver divides seats among, in seats (specification 6.5). */
export interface FractionItem {
  readonly name: string
  readonly floor: number
  readonly max: number
  readonly target: number
}

/** The seats that one level (or several drawn as one) gets while p rises; stacked on the bands before it. */
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
  /** Where the sum of all meets the seats to divide. */
  readonly p: number
  readonly total: number
  readonly pAxis: ValueAxis
  readonly axis: ValueAxis
}

/** The solver counts lower targets as this (specification 6.5). */
const LEAST_TARGET = 0.001
/** Series of one chart; what is beyond is drawn as one. */
const MOST_BANDS = 8
/** The crossing lies at about this part of the width, and of the height. */
const CROSSING = 0.45

const counted = (item: FractionItem): number => Math.max(item.target, LEAST_TARGET)

/** Seats of one level at some p: its part of the target, held between floor and max. */
export const shareAt = (item: FractionItem, p: number): number =>
  Math.max(item.floor, Math.min(item.max, p * counted(item)))

const sumAt = (items: readonly FractionItem[], p: number): number =>
  items.reduce((sum, item) => sum + shareAt(item, p), 0)

/**
 * How p is found: every level's share against p, stacked. Levels that stay at their floor lie below those that grow,
 * the hungriest on top. The lines bend only where a level leaves its floor or meets its max, so a point at each of
 * those is exact.
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
