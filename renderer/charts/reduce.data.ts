/**
 * Reduction of columns to what a drawing can hold: equal buckets that keep the last value (limits, state) or the
 * largest one (peaks). A bucket without any sample stays `null`, so that a gap remains a gap.
 */
export type Column = readonly (number | null)[]

/** How the samples of one bucket become one value. */
export type Keep = 'last' | 'max' | 'min'

/** Index ranges `[from, to)` of at most `maxPoints` buckets that cover `length` points. */
export function bucketRanges(length: number, maxPoints: number): readonly (readonly [number, number])[] {
  const buckets = Math.min(length, Math.max(1, Math.floor(maxPoints)))
  return Array.from(
    { length: buckets },
    (_, i) => [Math.floor((i * length) / buckets), Math.floor(((i + 1) * length) / buckets)] as const,
  )
}

function pick(column: Column, from: number, to: number, keep: Keep): number | null {
  let kept: number | null = null
  for (let i = from; i < to; i++) {
    const value = column[i] ?? null
    if (value === null) continue
    if (kept === null || keep === 'last') kept = value
    else kept = keep === 'max' ? Math.max(kept, value) : Math.min(kept, value)
  }
  return kept
}

/** One value per bucket. */
export const reduceColumn = (column: Column, ranges: readonly (readonly [number, number])[], keep: Keep): Column =>
  ranges.map(([from, to]) => pick(column, from, to, keep))

/** The instant of each bucket: that of its last point. */
export const reduceTimes = (times: readonly number[], ranges: readonly (readonly [number, number])[]): number[] =>
  ranges.map(([, to]) => times[to - 1] ?? 0)

/**
 * Index ranges whose edges lie at multiples of one length of time, so that a bucket keeps its samples while the range
 * slides: peaks do not flicker between adjacent buckets. At most `maxPoints` + 1 ranges, none of them empty.
 */
export function timeRanges(times: readonly number[], maxPoints: number): readonly (readonly [number, number])[] {
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined) return []
  const least = (last - first) / Math.max(1, maxPoints)
  const ranges: [number, number][] = []
  if (times.length <= maxPoints || least <= 0) return times.map((_, i) => [i, i + 1])
  // A range of n points spans n − 1 steps or one more: a fraction over a whole second counts as that second.
  const length = Math.max(1, Math.ceil(least / 1_000 - 0.02)) * 1_000
  let bucket = Number.NaN
  for (const [index, at] of times.entries()) {
    const own = Math.ceil(at / length)
    const open = ranges.at(-1)
    if (own === bucket && open !== undefined) open[1] = index + 1
    else ranges.push([index, index + 1])
    bucket = own
  }
  return ranges
}

/** The largest value of some columns, 0 when there is none. */
export function largest(...columns: readonly Column[]): number {
  let max = 0
  for (const column of columns) for (const value of column) if (value !== null && value > max) max = value
  return max
}

export const lastValue = (column: Column): number | undefined => column.findLast((value) => value !== null) ?? undefined
