import { msToNs, type Nanoseconds, secondsToNs } from '../units.ts'
import type { Random } from './random.ts'
import type { PreparedCall } from './calls.ts'
import type { Outcome } from './server.ts'

/** How often client-go's REST client sends a request again that was answered with 429 and Retry-After. */
const MOST_RETRIES = 10

/** What a client does and draws with. */
export interface ClientContext {
  readonly random: Random
  readonly nowNs: () => Nanoseconds
  /** Calls back so many nanoseconds later. */
  readonly after: (ns: Nanoseconds, run: () => void) => void
  /** Sends once. `watchNs` makes it a watch that lasts so long. */
  readonly send: (call: PreparedCall, watchNs: Nanoseconds | undefined, done: (outcome: Outcome) => void) => void
}

/**
 * Sends as client-go does: after a 429 it waits for exactly the seconds that the server named and tries again, ten times
 * at most. What it ends with is told to `done`.
 */
export function sendPersistently(
  client: ClientContext,
  call: PreparedCall,
  watchNs: Nanoseconds | undefined,
  done: (outcome: Outcome) => void,
): void {
  let retries = 0
  const attempt = (): void =>
    client.send(call, watchNs, (outcome) => {
      if (outcome.kind !== 'rejected' || retries === MOST_RETRIES) return done(outcome)
      retries += 1
      client.after(secondsToNs(outcome.retryAfter), attempt)
    })
  attempt()
}

/** Figures of client-go's reflector. */
const FIRST_BACKOFF_MS = 800
const LONGEST_BACKOFF_MS = 30_000
const RESET_AFTER_MS = 120_000

/**
 * How long a reflector waits before it begins anew: from 0.8 s doubling to 30 s, each up to twice as long by chance, and
 * from the start again after two minutes in which it did not have to wait.
 */
export class Backoff {
  private nextMs = FIRST_BACKOFF_MS
  private lastNs = Number.NEGATIVE_INFINITY

  /** Nanoseconds. */
  drawNs(nowNs: Nanoseconds, random: Random): Nanoseconds {
    if (nowNs - this.lastNs > msToNs(RESET_AFTER_MS)) this.nextMs = FIRST_BACKOFF_MS
    const ms = this.nextMs * (1 + random())
    this.lastNs = nowNs
    this.nextMs = Math.min(2 * this.nextMs, LONGEST_BACKOFF_MS)
    return msToNs(ms)
  }
}
