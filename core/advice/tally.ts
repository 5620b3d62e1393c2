import { plain } from '../text/format.ts'
import type { UnixMs } from '../units.ts'

/** Requests, and when the first and the last of them arrived. */
export interface Counted {
  readonly requests: number
  readonly from: UnixMs
  readonly to: UnixMs
}

/** The same with one more request. */
export const counting = (before: Counted | undefined, at: UnixMs): Counted => ({
  requests: (before?.requests ?? 0) + 1,
  from: Math.min(before?.from ?? at, at),
  to: Math.max(before?.to ?? at, at),
})

export const between = ({ from, to }: Counted): string =>
  `between ${plain.dateTime(from)} and ${plain.dateTime(to)} UTC`

/** The value of a map at a key, created if there is room for another one; `undefined` if there is none. */
export function bounded<V>(map: Map<string, V>, key: string, most: number, make: () => V): V | undefined {
  const known = map.get(key)
  if (known !== undefined || map.size >= most) return known
  const made = make()
  map.set(key, made)
  return made
}

export const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)
