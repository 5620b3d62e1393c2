import type { Histogram } from './frame.ts'

/** Whether two histograms count into the same buckets, so that their counts may be added or subtracted. */
export function sameBounds(a: readonly number[], b: readonly number[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/**
 * What was observed between two readings of one cumulative histogram. A histogram that did not exist earlier counts
 * from zero. `undefined` when the buckets differ or any count fell, that is when the server was restarted between.
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
  return { bounds: later.bounds, counts, sum: later.sum - earlier.sum, count: later.count - earlier.count }
}

/** The histogram of all observations of several; `undefined` without any, or when buckets differ. */
export function sumHistograms(histograms: Iterable<Histogram>): Histogram | undefined {
  let total: { bounds: number[]; counts: number[]; sum: number; count: number } | undefined
  for (const { bounds, counts, sum, count } of histograms) {
    if (total === undefined) {
      total = { bounds, counts: [...counts], sum, count }
      continue
    }
    if (!sameBounds(total.bounds, bounds)) return undefined
    for (let i = 0; i < counts.length; i++) total.counts[i] = (total.counts[i] ?? 0) + (counts[i] ?? 0)
    total.sum += sum
    total.count += count
  }
  return total
}

/** Mean of what was observed; `undefined` without observations. */
export function histogramMean(histogram: Histogram): number | undefined {
  return histogram.count > 0 ? histogram.sum / histogram.count : undefined
}
