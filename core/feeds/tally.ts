export interface FeedCounts {
  /** Placed, each with its row. */
  readonly arrived: number
  /** Received, and not placed yet because earlier ones may still come. */
  readonly heldBack: number
  readonly unreadable: number
  readonly lastUnreadable: string | undefined
  /** Events that say again what was known. */
  readonly repeated: number
  /**
   * Requests that became known only when the engine had passed their arrival: they were placed at its present. Long-running
   * ones, which a feed may have only when they end, are not counted.
   */
  readonly late: number
  /** Requests of which no end was heard before they were given up. */
  readonly unfinished: number
}

/** One request in so many is worth a sentence. */
const A_FEW = 100

/** What of a feed is counted. */
export class FeedTally implements FeedCounts {
  arrived = 0
  heldBack = 0
  unreadable = 0
  lastUnreadable: string | undefined
  repeated = 0
  late = 0
  unfinished = 0

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

interface Sums {
  readonly here: number
  readonly server: number
}

/** Differences below are what a scrape and a feed are apart anyway: seconds, and a part of what the server says. */
const SAME_SECONDS = 1
const SAME_PART = 0.1

/** How long requests waited in all, here and at the server, since both were first told. Seconds. */
export class Waited {
  private from: Sums | undefined
  private latest: Sums | undefined

  note(sums: Sums): void {
    // A server that starts again begins at nothing.
    if (this.from === undefined || sums.server < (this.latest?.server ?? 0)) this.from = sums
    this.latest = sums
  }

  /** What the two say of the waits here; `undefined` where they agree, or before the second scrape. */
  get sentence(): string | undefined {
    const { from, latest } = this
    if (from === undefined || latest === undefined) return undefined
    const here = latest.here - from.here
    const server = latest.server - from.server
    if (Math.abs(here - server) <= SAME_SECONDS + SAME_PART * server) return undefined
    const sums = `Since the first scrape, requests have waited ${said(server)} in all by the server’s own metrics, and ${said(here)} here.`
    return here > server
      ? `${sums} The feed does not say when execution began: a request that waited at the server, but not here, keeps its seats here for too long. Read waits here as upper estimates.`
      : `${sums} Requests that do not reach the feed may hold seats there. Read waits here as lower estimates.`
  }
}

const said = (seconds: number): string => `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
