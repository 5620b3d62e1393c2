import type { Histogram } from '../frame/frame.ts'

/** A Prometheus histogram: an observation falls into the first bucket whose upper bound it does not exceed. */
export class CountingHistogram {
  private readonly bounds: readonly number[]
  /** Own count of each bucket, the last for what exceeds all bounds. */
  private readonly counts: Float64Array
  private sum = 0
  private total = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1
    counts[bucket] = (counts[bucket] ?? 0) + 1
    this.sum += value
    this.total += 1
  }

  get count(): number {
    return this.total
  }

  /** In the form of frames: counts are cumulative, the last for +Inf. */
  snapshot(): Histogram {
    let below = 0
    const counts = Array.from(this.counts, (count) => (below += count))
    return { bounds: [...this.bounds], counts, sum: this.sum, count: this.total }
  }
}
