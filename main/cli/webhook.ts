import type { Console } from './console.ts'
import { UsageError } from './usage.ts'

/** Time after which a receiver that does not answer is given up; milliseconds. */
const ANSWER_MS = 10_000
const ATTEMPTS = 3
/** Delay between two attempts; milliseconds. */
const WAIT_MS = 2_000
/** More values queue up only if the receiver is gone. */
const MOST_WAITING = 1_000

export interface Webhook {
  /** Sends a value as JSON, after the values before it. */
  send(value: object): void
  /** Settles once everything is sent or given up. */
  done(): Promise<void>
}

/** The address of a webhook. Its path is often a secret, so only its host is ever shown. */
export function webhookUrl(text: string): URL {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url
  throw new UsageError(
    '--webhook takes an http or https address without a user, such as https://hooks.example.com/apf.',
  )
}

/** Posts to one address. A value that cannot be delivered is reported on standard error and lost. */
export function createWebhook(url: URL, console: Pick<Console, 'tell' | 'signal'>): Webhook {
  let [waiting, sent] = [0, Promise.resolve()]
  const attempt = async (body: string): Promise<string | undefined> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        // The address with its secret must not be sent to the target of a redirect.
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `it responded with ${response.status}`
    } catch {
      return 'it does not respond'
    }
  }
  const lost = (why: string): void => console.tell(`The webhook at ${url.host} did not accept an alert: ${why}.`)
  const deliver = async (body: string): Promise<void> => {
    let problem: string | undefined
    for (let left = ATTEMPTS; left > 0; left--) {
      problem = await attempt(body)
      if (problem === undefined || console.signal.aborted) break
      if (left > 1) await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    }
    if (problem !== undefined) lost(problem)
  }
  return {
    send(value) {
      if (waiting >= MOST_WAITING) return lost(`${MOST_WAITING} alerts are waiting already`)
      waiting++
      const body = JSON.stringify(value)
      sent = sent.then(() => deliver(body)).finally(() => waiting--)
    },
    done: () => sent,
  }
}
