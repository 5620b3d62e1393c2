import type { ShadowReport } from '../contract/live.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import type { EngineEvent } from '../engine/events.ts'
import type { Ticket } from '../engine/ticket.ts'

/** How far back is counted. */
export const WINDOW_NS = 300e9
const BUCKET_NS = 5e9
/** Waits are counted in eighths of octaves from a microsecond on: a quantile is at most 9 % too large. */
const STEPS_AN_OCTAVE = 8
const LEAST_NS = 1e3
const STEPS = 27 * STEPS_AN_OCTAVE

interface Bucket {
  readonly from: number
  arrived: number
  rejected: number
  readonly waits: Map<string, Uint32Array>
}

/**
 * What one engine did over the last five minutes of its clock with the requests that came since it is listened to, heard
 * from its own events.
 */
export class SideTally {
  private readonly engine: ApfEngine<unknown>
  private readonly leave: () => void
  private buckets: Bucket[] = []
  private sinceNs: number

  constructor(engine: ApfEngine<unknown>) {
    this.engine = engine
    this.sinceNs = engine.nowNs
    this.leave = engine.subscribe((event) => this.hear(event))
  }

  /** Seconds that are counted. */
  get seconds(): number {
    return Math.min(WINDOW_NS, this.engine.nowNs - this.sinceNs) / 1e9
  }

  /** Counts from now on. */
  forgetAll(): void {
    this.buckets = []
    this.sinceNs = this.engine.nowNs
  }

  /** Hears nothing more. */
  close(): void {
    this.leave()
  }

  read(): ShadowReport['a'] {
    this.forget()
    const { levels } = this.engine.snapshot()
    const sum = (of: (bucket: Bucket) => number): number =>
      this.buckets.reduce((total, bucket) => total + of(bucket), 0)
    return {
      arrived: sum(({ arrived }) => arrived),
      rejected: sum(({ rejected }) => rejected),
      executingSeats: levels.reduce((total, { lanes }) => total + sumOf(lanes, 'executingSeats'), 0),
      queued: levels.reduce((total, { lanes }) => total + sumOf(lanes, 'waitingRequests'), 0),
      waitP99: this.waitP99(),
    }
  }

  private hear(event: EngineEvent<unknown>): void {
    switch (event.kind) {
      case 'arrived':
        this.bucket().arrived += 1
        return
      case 'rejected':
        if (!this.isOld(event.ticket)) this.bucket().rejected += 1
        return
      case 'dispatched':
        if (!this.isOld(event.ticket)) this.noteWait(event.ticket)
    }
  }

  /** It came before anything was counted. */
  private isOld({ arrivedNs }: Ticket<unknown>): boolean {
    return arrivedNs < this.sinceNs
  }

  private noteWait({ lane, arrivedNs }: Ticket<unknown>): void {
    const { waits } = this.bucket()
    const { name: level } = lane.level.plan
    const ns = this.engine.nowNs - arrivedNs
    const counts = waits.get(level) ?? new Uint32Array(STEPS)
    waits.set(level, counts)
    const step = ns <= LEAST_NS ? 0 : Math.ceil(Math.log2(ns / LEAST_NS) * STEPS_AN_OCTAVE)
    const at = Math.min(STEPS - 1, step)
    counts[at] = (counts[at] ?? 0) + 1
  }

  private waitP99(): Record<string, number> {
    const total = new Map<string, Uint32Array>()
    for (const { waits } of this.buckets) {
      for (const [level, counts] of waits) {
        const sums = total.get(level) ?? new Uint32Array(STEPS)
        counts.forEach((count, step) => (sums[step] = (sums[step] ?? 0) + count))
        total.set(level, sums)
      }
    }
    return Object.fromEntries([...total].map(([level, counts]) => [level, quantileMs(counts, 0.99)]))
  }

  private bucket(): Bucket {
    const from = Math.floor(this.engine.nowNs / BUCKET_NS) * BUCKET_NS
    const last = this.buckets.at(-1)
    if (last !== undefined && last.from >= from) return last
    this.forget()
    const bucket = { from, arrived: 0, rejected: 0, waits: new Map<string, Uint32Array>() }
    this.buckets.push(bucket)
    return bucket
  }

  private forget(): void {
    const since = this.engine.nowNs - WINDOW_NS
    this.buckets = this.buckets.filter(({ from }) => from + BUCKET_NS > since)
  }
}

const sumOf = <K extends string>(all: readonly Readonly<Record<K, number>>[], key: K): number =>
  all.reduce((total, one) => total + one[key], 0)

/** The upper edge of the step in which the quantile is; milliseconds. 0 for waits of a microsecond at most. */
function quantileMs(counts: Uint32Array, quantile: number): number {
  const rank = quantile * counts.reduce((sum, count) => sum + count, 0)
  let below = 0
  const step = counts.findIndex((count) => (below += count) >= rank)
  return step <= 0 ? 0 : (LEAST_NS * 2 ** (step / STEPS_AN_OCTAVE)) / 1e6
}
