import { valueAxis, type ValueAxis } from './timeAxis.data.ts'

/** One level where Exempt left too little for the floors (cases 1 and 2 of specification 6.4), in seats. */
export interface FloorRow {
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

/** How far the limit is on the way from min to floor, in words. */
export function floorNote({ min, floor, limit }: FloorRow): string {
  if (floor === min) return `${limit}, floor is min`
  if (limit === min) return `${limit}, its min; floor ${floor}`
  return `${limit}, ${Math.round(((limit - min) / (floor - min)) * 100)} % of ${floor - min} above min`
}
