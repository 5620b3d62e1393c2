import { type Nanoseconds, secondsToNs } from '../units.ts'

const BUCKET_NS = secondsToNs(5)

/** Counts what happened over the last so many nanoseconds of a clock, in steps of five seconds. */
export class RecentCount {
  private readonly windowNs: Nanoseconds
  private buckets: { readonly from: number; count: number }[] = []

  constructor(windowNs: Nanoseconds) {
    this.windowNs = windowNs
  }

  add(nowNs: Nanoseconds): void {
    const from = Math.floor(nowNs / BUCKET_NS) * BUCKET_NS
    const last = this.buckets.at(-1)
    if (last?.from === from) last.count += 1
    else this.buckets.push({ from, count: 1 })
    this.forget(nowNs)
  }

  read(nowNs: Nanoseconds): number {
    this.forget(nowNs)
    return this.buckets.reduce((sum, { count }) => sum + count, 0)
  }

  forgetAll(): void {
    this.buckets = []
  }

  private forget(nowNs: Nanoseconds): void {
    const since = nowNs - this.windowNs
    const [oldest] = this.buckets
    if (oldest === undefined || oldest.from + BUCKET_NS > since) return
    this.buckets = this.buckets.filter(({ from }) => from + BUCKET_NS > since)
  }
}
