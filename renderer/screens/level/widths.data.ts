import type { Histogram, LevelFrame } from '../../../core/frame/frame.ts'
import { histogramMean, quantileRange, type QuantileBounds } from '../../../core/frame/quantile.ts'

/** Widths that every release tells apart: its bounds are 1, 2, 4, 10 up to 1.33, and 8, 16, 32, 64, 100 in place of 10 later. */
export const WIDTH_BINS = [
  { label: '1 seat', upTo: 1 },
  { label: '2 seats', upTo: 2 },
  { label: '3 to 4', upTo: 4 },
  { label: 'more', upTo: Number.POSITIVE_INFINITY },
] as const

export interface WidthRow {
  readonly name: string
  /** All counts are since the server started. */
  readonly requests: number | undefined
  /** Parts of the requests, one for each of `WIDTH_BINS`. */
  readonly shares: readonly number[] | undefined
  readonly writes: number | undefined
  readonly watches: number | undefined
  readonly watchersMean: number | undefined
  readonly queueMean: number | undefined
  readonly queueP99: QuantileBounds | undefined
}

/** One row for each flow schema whose requests were estimated, those with the most requests first. */
export function widthRows({ schemas }: Pick<LevelFrame, 'schemas'>): readonly WidthRow[] {
  return schemas
    .map(({ name, estimatedSeats, watchCount, executionWatch, queueLength }): WidthRow => ({
      name,
      requests: estimatedSeats?.count,
      shares: estimatedSeats && sharesOf(estimatedSeats),
      writes: watchCount?.count,
      watches: executionWatch?.count,
      watchersMean: meanOf(watchCount),
      queueMean: meanOf(queueLength),
      queueP99: queueLength && quantileRange(0.99, queueLength),
    }))
    .toSorted((a, b) => (b.requests ?? -1) - (a.requests ?? -1))
}

const meanOf = (histogram: Histogram | undefined): number | undefined =>
  histogram === undefined || histogram.count === 0 ? undefined : histogramMean(histogram)

/** `undefined` where nothing was counted or the bounds are others. */
function sharesOf({ bounds, counts, count }: Histogram): readonly number[] | undefined {
  if (count === 0) return undefined
  const below = WIDTH_BINS.map(({ upTo }) => (upTo === Infinity ? count : counts[bounds.indexOf(upTo)]))
  if (below.includes(undefined)) return undefined
  return below.map((upTo = 0, i) => (upTo - (below[i - 1] ?? 0)) / count)
}
