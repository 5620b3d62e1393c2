import type { Histogram } from './frame.ts'
import { lowerBound } from '../search.ts'

/** Relative difference below which Prometheus treats two neighbouring bucket counts as equal. */
const COUNT_TOLERANCE = 1e-12
/** Smallest normal double: below it a relative difference means nothing. */
const MIN_NORMAL = 2.2250738585072014e-308

/**
 * `histogram_quantile(q, …)` as Prometheus computes it for classic histograms: counts that fall are raised to the
 * count before them, the position within a bucket is interpolated linearly, the first bucket starts at 0 unless its
 * bound is 0 or less, and a quantile beyond the last finite bound is that bound.
 *
 * NaN without observations, without a finite bucket or for q = NaN; −Infinity for q < 0, +Infinity for q > 1.
 */
export function histogramQuantile(q: number, histogram: Pick<Histogram, 'bounds' | 'counts'>): number {
  if (Number.isNaN(q)) return Number.NaN
  if (q < 0) return Number.NEGATIVE_INFINITY
  if (q > 1) return Number.POSITIVE_INFINITY
  const { bounds } = histogram
  const counts = monotonic(histogram.counts)
  const last = bounds.length
  const observations = counts[last] ?? 0
  if (last === 0 || observations === 0 || Number.isNaN(observations)) return Number.NaN

  const rank = q * observations
  const bucket = firstAtLeast(counts, rank, last)
  if (bucket === last) return bounds[last - 1] ?? Number.NaN
  const end = bounds[bucket] ?? Number.NaN
  if (bucket === 0 && end <= 0) return end
  const start = bucket === 0 ? 0 : (bounds[bucket - 1] ?? Number.NaN)
  const below = bucket === 0 ? 0 : (counts[bucket - 1] ?? 0)
  const inside = (counts[bucket] ?? 0) - below
  return start + (end - start) * ((rank - below) / inside)
}

/** The certain bounds of a quantile: it lies above `above` (or is 0) and, if bounded, at or below `upTo`. */
export interface QuantileBounds {
  readonly above: number
  readonly upTo: number | undefined
}

/**
 * The certain bounds of the quantile of observations that are never negative: within its bucket, no higher than the
 * largest observation there if that is known, and no higher than the sum of all observations allows. `undefined`
 * without observations, and for q outside of 0 to 1.
 */
export function quantileRange(
  q: number,
  histogram: Pick<Histogram, 'bounds' | 'counts' | 'sum' | 'largest'>,
): QuantileBounds | undefined {
  const { bounds, sum, largest } = histogram
  const counts = monotonic(histogram.counts)
  const last = bounds.length
  const observations = counts[last] ?? 0
  if (!(observations > 0) || !(q >= 0) || q > 1) return undefined
  const rank = Math.max(1, Math.ceil(q * observations))
  const bucket = firstAtLeast(counts, rank, last)
  const lowerEdge = (at: number): number => (at === 0 ? 0 : Math.max(0, bounds[at - 1] ?? 0))
  const above = lowerEdge(bucket)
  const end = smallest(bounds[bucket], largest?.[bucket])
  // With all others at their minimum, this much remains for the observations of the bucket from the rank on.
  let rest = sum
  for (let at = 0; at <= last; at++) {
    const inside = (counts[at] ?? 0) - (at === 0 ? 0 : (counts[at - 1] ?? 0))
    const others = at === bucket ? rank - 1 - (at === 0 ? 0 : (counts[at - 1] ?? 0)) : inside
    rest -= others * lowerEdge(at)
  }
  const most = rest / ((counts[bucket] ?? 0) - rank + 1)
  // A sum that contradicts the counts is ignored.
  return { above, upTo: most >= above ? smallest(end, most) : end }
}

/** Upper bounds of the histograms of waits and executions (specification 8.1). */
export const SECONDS_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30] as const
/** Quantiles of waits end here: a longer one timed out, unless the server has another --request-timeout. */
const LONGEST_WAIT = 15

/** The bucket of a p99 of waits of which only the interpolated value was kept, seconds. */
export function waitBucket(seconds: number): QuantileBounds {
  const at = SECONDS_BOUNDS.findIndex((bound) => bound >= seconds)
  const above = SECONDS_BOUNDS[at - 1] ?? 0
  return seconds >= LONGEST_WAIT ? { above: 10, upTo: undefined } : { above, upTo: SECONDS_BOUNDS[at] }
}

/** The smaller of two if both are known; an infinite one is not. */
function smallest(a: number | undefined, b: number | undefined): number | undefined {
  const least = Math.min(a ?? Number.POSITIVE_INFINITY, b ?? Number.POSITIVE_INFINITY)
  return least === Number.POSITIVE_INFINITY ? undefined : least
}

/**
 * The interval of a quantile of a time-weighted ratio. The time spent at or below each bound is exact to the
 * nanosecond, so the interval is certain; the position inside it is unknown.
 */
export interface QuantileInterval {
  /** The ratio is above this; with `exact`, equal to it. */
  readonly lower: number
  /** The ratio is at most this; absent when it lies above the last bound. */
  readonly upper: number | undefined
  /** The interval is one point. */
  readonly exact: boolean
}

/**
 * The smallest ratio that was not exceeded during the share `q` (0 < q ≤ 1) of the time that a timing-ratio histogram
 * (specification 8.2), usually an increase, covers. `undefined` when it covers no time.
 */
export function timeWeightedQuantile(
  q: number,
  histogram: Pick<Histogram, 'bounds' | 'counts'>,
): QuantileInterval | undefined {
  const { bounds } = histogram
  const counts = monotonic(histogram.counts)
  const total = counts[bounds.length] ?? 0
  if (!(total > 0) || !(q > 0) || q > 1) return undefined
  const bucket = firstAtLeast(counts, q * total, bounds.length)
  const upper = bounds[bucket]
  // Ratios are never negative, so time at or below a bound of 0 was spent at 0.
  if (bucket === 0) return { lower: 0, upper, exact: upper === 0 }
  return { lower: bounds[bucket - 1] ?? 0, upper, exact: false }
}

const firstAtLeast = (counts: readonly number[], rank: number, end: number): number =>
  lowerBound(0, end, (bucket) => (counts[bucket] ?? 0) >= rank)

/** Counts made non-decreasing; returns the same array if they already are. */
function monotonic(counts: readonly number[]): readonly number[] {
  let fixed: number[] | undefined
  let previous = counts[0] ?? 0
  for (let i = 1; i < counts.length; i++) {
    const count = counts[i] ?? 0
    if (count === previous) continue
    if (count < previous || almostEqual(count, previous)) {
      fixed ??= [...counts]
      fixed[i] = previous
    } else {
      previous = count
    }
  }
  return fixed ?? counts
}

function almostEqual(a: number, b: number): boolean {
  const difference = Math.abs(a - b)
  const size = Math.abs(a) + Math.abs(b)
  if (a === 0 || b === 0 || size < MIN_NORMAL) return difference < COUNT_TOLERANCE * MIN_NORMAL
  return difference / Math.min(size, Number.MAX_VALUE) < COUNT_TOLERANCE
}

/** The middle value, the upper one of two; `undefined` if there is none. */
export function median(values: readonly number[]): number | undefined {
  const ascending = values.toSorted((a, b) => a - b)
  return ascending[ascending.length >>> 1]
}

/** Whether two histograms count into the same buckets, so that their counts may be added or subtracted. */
export function sameBounds(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/**
 * The observations between two readings of one cumulative histogram. A histogram that did not exist earlier counts from
 * zero. `undefined` when the buckets differ or any count fell, that is when the server was restarted in between.
 */
export function histogramIncrease(later: Histogram, earlier: Histogram | undefined): Histogram | undefined {
  if (earlier === undefined) return later
  if (!sameBounds(later.bounds, earlier.bounds) || later.count < earlier.count) return undefined
  const counts: number[] = []
  for (let i = 0; i < later.counts.length; i++) {
    const increase = (later.counts[i] ?? 0) - (earlier.counts[i] ?? 0)
    if (increase < 0) return undefined
    counts.push(increase)
  }
  const { bounds, largest } = later
  return {
    bounds,
    counts,
    sum: later.sum - earlier.sum,
    count: later.count - earlier.count,
    // No later observation of a bucket exceeds the largest of all.
    ...(largest !== undefined && { largest }),
  }
}

/** The histogram of all observations of several; `undefined` if there are none, or when buckets differ. */
export function sumHistograms(histograms: Iterable<Histogram>): Histogram | undefined {
  let total: Histogram | undefined
  for (const { bounds, counts, sum, count, largest } of histograms) {
    if (total === undefined) {
      total = { bounds, counts: [...counts], sum, count, ...(largest !== undefined && { largest: [...largest] }) }
      continue
    }
    if (!sameBounds(total.bounds, bounds)) return undefined
    for (let i = 0; i < counts.length; i++) total.counts[i] = (total.counts[i] ?? 0) + (counts[i] ?? 0)
    if (largest === undefined || total.largest === undefined) delete total.largest
    else total.largest = total.largest.map((value, at) => Math.max(value, largest[at] ?? 0))
    total.sum += sum
    total.count += count
  }
  return total
}

/** Mean of the observations; `undefined` if there are none. */
export function histogramMean(histogram: Histogram): number | undefined {
  return histogram.count > 0 ? histogram.sum / histogram.count : undefined
}
