import type { Waiting } from '../ports/objectDoor.ts'
import type { Failed } from './http.ts'

/** As client-go, and with it kubectl, does. */
const MOST_TRIES = 10
/** A server that asks for more than this is not waited for; flow control asks for at most 32 s. */
const MOST_WAIT_MS = 60_000

export interface PatienceOptions {
  readonly now: () => number
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
  readonly onWaiting: (waiting: Waiting | undefined) => void
}

export interface Patience {
  /**
   * Sends a request, and sends it again after `Retry-After` as long as the server answers 429. Flow control rejects a
   * request before it is carried out, so this is safe for writes too. A 429 without `Retry-After`, as a webhook may give,
   * is not repeated. Returns the last answer after 10 tries or `giveUp`.
   */
  ask<T extends { readonly ok: true }>(send: () => Promise<T | Failed>): Promise<T | Failed>
  /** Ends the present pauses; their requests return the 429. */
  giveUp(): void
}

export function createPatience({ now, after, onWaiting }: PatienceOptions): Patience {
  const pauses = new Set<() => void>()
  /** Whether the pause came to its end. */
  const pause = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (whole: boolean): void => {
        cancel()
        pauses.delete(giveUp)
        resolve(whole)
      }
      const giveUp = (): void => end(false)
      const cancel = after(ms, () => end(true))
      pauses.add(giveUp)
    })

  return {
    async ask(send) {
      for (let attempt = 2; ; attempt += 1) {
        const answer = await send()
        if (answer.ok || answer.status !== 429 || attempt > MOST_TRIES) return answer
        const { retryAfterMs } = answer
        if (retryAfterMs === undefined || retryAfterMs > MOST_WAIT_MS) return answer
        onWaiting({ until: now() + retryAfterMs, attempt, most: MOST_TRIES })
        const goOn = await pause(retryAfterMs)
        if (pauses.size === 0) onWaiting(undefined)
        if (!goOn) return answer
      }
    },
    giveUp() {
      for (const end of pauses) end()
    },
  }
}
