/** A part of the past that one round of queries reads: samples after `from`, up to and including `to`, Unix ms. */
export interface Chunk {
  readonly from: number
  readonly to: number
}

/** How the past is read. */
export interface Resolution {
  /** Distance between the instants that are read. */
  readonly stepMs: number
  /** Every sample as scraped; otherwise the newest one at each step. */
  readonly raw: boolean
}

/** Points of a range on the widest chart: more are indistinguishable, and fewer than the least show no course. */
const SCREEN_POINTS = { most: 720, least: 60 }
/** Samples in one response, about 6 MB of JSON; and in all responses for a range: the chunks of a few queries. */
const ANSWER_SAMPLES = 200_000
const RANGE_SAMPLES = 3 * ANSWER_SAMPLES
/** Allowed steps, milliseconds: whole divisors of a minute and an hour, by which responses are cached. */
const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600].map((seconds) => seconds * 1_000)

/** Points for this number of series that fit in one response. */
export const pointsPerChunk = (series: number): number => ANSWER_SAMPLES / Math.max(1, series)

/** The resolution of a range on a screen, for samples `intervalMs` apart. Very many series get fewer points. */
export function resolutionFor(rangeMs: number, intervalMs: number, series: number): Resolution {
  const points = Math.max(SCREEN_POINTS.least, Math.min(SCREEN_POINTS.most, RANGE_SAMPLES / Math.max(1, series)))
  const wanted = rangeMs / points
  if (wanted <= intervalMs) return { stepMs: intervalMs, raw: true }
  const step = STEPS.find((ms) => ms >= Math.max(wanted, intervalMs)) ?? Math.ceil(wanted / 3_600_000) * 3_600_000
  return { stepMs: step, raw: false }
}

/** Prometheus returns at most 11,000 points per series. */
const MOST_POINTS = 5_000

/**
 * The chunks of a range, newest first, so that the part next to the present arrives first. Together they cover the
 * range without overlapping. Unless the samples are read raw, all bounds except the newest are on whole steps.
 */
export function planChunks(range: Chunk, { stepMs, raw }: Resolution, mostPoints: number): readonly Chunk[] {
  const length = Math.max(1, Math.min(MOST_POINTS, Math.floor(mostPoints))) * stepMs
  const chunks: Chunk[] = []
  const oldest = raw ? range.from : Math.floor(range.from / stepMs) * stepMs
  for (let to = range.to; to > oldest;) {
    const from = Math.max(oldest, raw ? to - length : Math.floor((to - length) / stepMs) * stepMs)
    chunks.push({ from, to })
    to = from
  }
  return chunks
}

/** The two halves of a chunk whose response was too large, the newer first; `undefined` if it cannot be divided. */
export function halves({ from, to }: Chunk, { stepMs }: Resolution): readonly [Chunk, Chunk] | undefined {
  const steps = Math.floor((to - from) / stepMs)
  if (steps < 2) return undefined
  const middle = from + Math.floor(steps / 2) * stepMs
  return [
    { from: middle, to },
    { from, to: middle },
  ]
}
