import type { CandidateReport } from '../contract/live.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import type { EngineEvent } from '../engine/events.ts'
import type { Ticket } from '../engine/ticket.ts'
import { type Nanoseconds, nsToSeconds, secondsToNs } from '../units.ts'
import { waitP99, type Waits, waitsOf } from './waits.ts'

/** The length of the counting window. */
const WINDOW_NS = secondsToNs(300)
export const BUCKET_NS = secondsToNs(5)

interface Bucket {
  readonly from: number
  arrived: number
  rejected: number
  readonly waits: Map<string, Waits>
}

/**
 * Counts, from an engine's own events, what it did over the last five minutes of its clock with the requests that
 * arrived since counting began.
 */
export class SideTally {
  private readonly engine: ApfEngine<unknown>
  private readonly leave: () => void
  private buckets: Bucket[] = []
  private sinceNs: Nanoseconds

  constructor(engine: ApfEngine<unknown>) {
    this.engine = engine
    this.sinceNs = engine.nowNs
    this.leave = engine.subscribe((event) => this.hear(event))
  }

  /** Seconds that are counted. */
  get seconds(): number {
    return nsToSeconds(Math.max(0, Math.min(WINDOW_NS, this.engine.nowNs - this.sinceNs)))
  }

  /** Counts from now on. */
  forgetAll(): void {
    this.buckets = []
    this.sinceNs = this.engine.nowNs
  }

  /** Stops counting. */
  close(): void {
    this.leave()
  }

  /** Counts before `untilNs`, a multiple of `BUCKET_NS` or `Infinity`; queues and seats are of the present. */
  read(untilNs: Nanoseconds): CandidateReport['a'] {
    this.forget()
    const { levels } = this.engine.snapshot()
    const past = this.buckets.filter(({ from }) => from < untilNs)
    const sum = (of: (bucket: Bucket) => number): number => past.reduce((total, bucket) => total + of(bucket), 0)
    return {
      arrived: sum(({ arrived }) => arrived),
      rejected: sum(({ rejected }) => rejected),
      executingSeats: levels.reduce((total, { lanes }) => total + sumOf(lanes, 'executingSeats'), 0),
      queued: levels.reduce((total, { lanes }) => total + sumOf(lanes, 'waitingRequests'), 0),
      waitP99: this.waitP99(past),
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

  /** It arrived before counting began. */
  private isOld({ arrivedNs }: Ticket<unknown>): boolean {
    return arrivedNs < this.sinceNs
  }

  private noteWait({ lane, arrivedNs }: Ticket<unknown>): void {
    const { waits } = this.bucket()
    waitsOf(waits, lane.level.plan.name).note(this.engine.nowNs - arrivedNs)
  }

  private waitP99(past: readonly Bucket[]): Record<string, number> {
    const total = new Map<string, Waits>()
    for (const bucket of past) {
      for (const [level, waits] of bucket.waits) waitsOf(total, level).add(waits)
    }
    return waitP99(total)
  }

  private bucket(): Bucket {
    const from = Math.floor(this.engine.nowNs / BUCKET_NS) * BUCKET_NS
    const last = this.buckets.at(-1)
    if (last !== undefined && last.from >= from) return last
    this.forget()
    const bucket = { from, arrived: 0, rejected: 0, waits: new Map<string, Waits>() }
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

/** Counts occurrences over the same five minutes of a clock. */
export class RecentCount {
  private buckets: { readonly from: number; count: number }[] = []

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
    while (this.buckets[0] !== undefined && this.buckets[0].from + BUCKET_NS <= nowNs - WINDOW_NS) this.buckets.shift()
  }
}
