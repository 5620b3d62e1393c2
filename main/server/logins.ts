import { createHash } from 'node:crypto'
import type { Admission } from './accessControl.ts'

/**
 * Most failed logins in a minute, per address and in total; above it, no token is sent to the API server for a while.
 */
const MOST_FAILURES = { ofAddress: 5, together: 60 }
const MINUTE_MS = 60_000
/** How long results are cached to save requests to the API server; a token revoked meanwhile still opens a session. */
const KEPT_MS = 10_000
const MOST_KEPT = 256

export interface LoginsOptions {
  readonly now: () => number
  /** Requests the admission from the API server. Always resolves. */
  readonly ask: (token: string) => Promise<Admission>
  /** Called with the user who logged in, or with the reason for a refusal; never with a token. */
  readonly say: (sentence: string) => void
}

/**
 * Rate-limits logins: clients that guess tokens, or send many, have to wait before the API server receives another one.
 * Tokens are kept as digests, for seconds.
 */
export function createLogins({ now, ask, say }: LoginsOptions): (token: string, from: string) => Promise<Admission> {
  /** When logins failed, oldest first. */
  let failures: { readonly at: number; readonly from: string }[] = []
  const kept = new Map<string, { readonly until: number; readonly answer: Promise<Admission> }>()

  /** Seconds for which this address has to wait. */
  const wait = (from: string): number => {
    failures = failures.filter(({ at }) => at > now() - MINUTE_MS)
    const own = failures.filter((one) => one.from === from)
    const holding = [
      ...(own.length >= MOST_FAILURES.ofAddress ? [own.at(-MOST_FAILURES.ofAddress)] : []),
      ...(failures.length >= MOST_FAILURES.together ? [failures.at(-MOST_FAILURES.together)] : []),
    ]
    return Math.max(0, ...holding.map((one) => Math.ceil(((one?.at ?? 0) + MINUTE_MS - now()) / 1_000)))
  }

  return async (token, from) => {
    const seconds = wait(from)
    if (seconds > 0) {
      return {
        status: 429,
        sentence: `Too many logins failed; try again in ${seconds} s.`,
        retryAfterSeconds: seconds,
      }
    }
    // Counted before the response, because otherwise many simultaneous attempts would all be sent.
    const attempt = { at: now(), from }
    failures.push(attempt)
    const key = createHash('sha256').update(token).digest('base64')
    for (const [old, { until }] of kept) if (until <= now() || kept.size > MOST_KEPT) kept.delete(old)
    const known = kept.get(key)
    const answer = known?.answer ?? ask(token)
    if (known === undefined) kept.set(key, { until: now() + KEPT_MS, answer })
    const admission = await answer
    if ('status' in admission) {
      // A failure to reach the API server does not count against the client, and may be over in a moment.
      if (admission.status === 503) {
        kept.delete(key)
        failures = failures.filter((one) => one !== attempt)
      }
      say(`Login from ${from} refused: ${admission.sentence}`)
    } else {
      failures = failures.filter((one) => one !== attempt)
      say(`Login from ${from}: ${admission.user}`)
    }
    return admission
  }
}
