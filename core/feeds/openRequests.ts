import type { UnixMs } from '../units.ts'
import type { FeedRequest } from './request.ts'

const MOST_OPEN = 100_000
/** Requests other than watches end within a minute or are cut off; what was not told to end by then never will be. */
const UNFINISHED_AFTER_MS = 300_000
/** A watch ends after the time that its client asked for; closing and writing of it take a moment more. */
const WATCH_GRACE_MS = 60_000
/** The start of a process is known to a second. */
const START_MS = 1_000

/** With its key in a feed. */
export type OpenRequest = readonly [id: string, request: FeedRequest]

/** Requests whose last event is not known, oldest first, and which of them will never have one. */
export class OpenRequests {
  private readonly byId = new Map<string, FeedRequest>()
  /** When the server began that writes the feed, and whether that is still to be answered for. */
  private startMs: number | undefined
  private isNewStart = false

  get(id: string): FeedRequest | undefined {
    return this.byId.get(id)
  }

  /** Answers the oldest one where there are too many. */
  add(id: string, request: FeedRequest): OpenRequest | undefined {
    this.byId.set(id, request)
    return this.byId.size > MOST_OPEN ? this.byId.entries().next().value : undefined
  }

  delete(id: string): void {
    this.byId.delete(id)
  }

  clear(): void {
    this.byId.clear()
  }

  serverStarted(unixMs: UnixMs): void {
    this.isNewStart ||= unixMs !== this.startMs
    this.startMs = unixMs
  }

  /** Those of a server that had gone by `unixMs`, told once for each start: it wrote no end of them. */
  ofServerBefore(unixMs: UnixMs): readonly OpenRequest[] {
    const { startMs } = this
    if (startMs === undefined || !this.isNewStart || unixMs < startMs) return []
    this.isNewStart = false
    return [...this.byId].filter(([, { arrival, complete }]) => !complete && arrival.receivedMs < startMs - START_MS)
  }

  /** Those whose end should have come by `unixMs`. */
  overdue(unixMs: UnixMs): readonly OpenRequest[] {
    const found: OpenRequest[] = []
    for (const one of this.byId) {
      const [, request] = one
      if (request.arrival.receivedMs > unixMs - UNFINISHED_AFTER_MS) break
      if (!request.complete && unixMs > overdueMs(request)) found.push(one)
    }
    return found
  }
}

function overdueMs({ arrival: { receivedMs, longRunning }, askedSeconds }: FeedRequest): number {
  if (!longRunning) return receivedMs + UNFINISHED_AFTER_MS
  // Without a time that was asked for it is the server's choice, by a flag of its own.
  return askedSeconds > 0 ? receivedMs + askedSeconds * 1_000 + WATCH_GRACE_MS : Number.POSITIVE_INFINITY
}
