import type { FeedWaits } from '../contract/live.ts'

/** Groups of users; latencies of long requests; all that Cloud Audit Logs (GKE) leave out. */
export type Lack = 'groups' | 'latencies' | 'cloud'

export interface FeedCounts {
  /** Placed, each with its row. */
  readonly arrived: number
  /** Received, and not placed yet because earlier ones may still come. */
  readonly heldBack: number
  readonly unreadable: number
  readonly lastUnreadable: string | undefined
  /** Events that repeat a known one. */
  readonly repeated: number
  /**
   * Requests that were reported only after the engine had passed their arrival: they were placed at its present.
   * Long-running ones, which a feed may contain only when they end, are not counted.
   */
  readonly late: number
  /** Requests that were given up without a reported end. */
  readonly unfinished: number
}

/** More than one request in this many is reported in a sentence. */
const A_FEW = 100

export class FeedTally implements FeedCounts {
  arrived = 0
  heldBack = 0
  unreadable = 0
  lastUnreadable: string | undefined
  repeated = 0
  late = 0
  unfinished = 0
  /** What the log leaves out of some events. */
  readonly lacks = new Set<Lack>()

  noteUnreadable(problem: string): void {
    this.unreadable += 1
    this.lastUnreadable = problem
  }

  get manyLate(): boolean {
    return this.late * A_FEW > this.arrived
  }

  get manyUnfinished(): boolean {
    return this.unfinished * A_FEW > this.arrived
  }
}

/** Waits at the server, as far as the events of placed requests report them. */
export class ReportedWaits {
  private reportedMs = 0
  private unreportedMs = 0
  /** Requests whose execution time is their stay less the engine's own wait. */
  guessed = 0

  /** Milliseconds; `atMostMs` where the wait is not reported. */
  note(waitMs: number | undefined, atMostMs = 0): void {
    if (waitMs !== undefined) this.reportedMs += waitMs
    else this.unreportedMs += atMostMs
  }

  get bounds(): NonNullable<FeedWaits['bounds']> {
    return { told: this.reportedMs / 1_000, untold: this.unreportedMs / 1_000, guessed: this.guessed }
  }
}

interface Sums {
  /** Unix milliseconds. */
  readonly atMs: number
  readonly here: number
  readonly server: number
}

/** How long requests waited in total, here and at the server, since both were first known. Seconds. */
export class Waited {
  private from: Sums | undefined
  private latest: Sums | undefined

  note(sums: Sums): void {
    // A restarted server begins at zero.
    if (this.from === undefined || sums.server < (this.latest?.server ?? 0)) this.from = sums
    this.latest = sums
  }

  /** `undefined` before the second scrape. */
  get reported(): FeedWaits['reported'] {
    const { from, latest } = this
    if (from === undefined || latest === undefined || from === latest) return undefined
    return { sinceMs: from.atMs, server: latest.server - from.server, here: latest.here - from.here }
  }
}
