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
