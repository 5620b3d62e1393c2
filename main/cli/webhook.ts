import { plural } from '../../core/text/format.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Console } from './console.ts'
import { UsageError } from './usage.ts'

/** Time after which a receiver that does not answer is given up; milliseconds. */
const ANSWER_MS = 10_000
const ATTEMPTS = 3
/** Delay between two attempts; milliseconds. */
const WAIT_MS = 2_000
/** For everything that is not sent yet when a command ends; milliseconds. */
const END_MS = 5_000
const LATE = 'a command that ends gives it 5 s'
/** More values queue up only if the receiver is gone. */
const MOST_WAITING = 1_000

export interface Webhook {
  /** Sends a value as JSON, after the values before it. */
  send(value: object): void
  /** Settles once everything is sent or given up, after at most five seconds. */
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
export function createWebhook(
  url: URL,
  console: Pick<Console, 'tell' | 'signal'>,
  { endMs = END_MS }: { readonly endMs?: number } = {},
): Webhook {
  let [waiting, sent] = [0, Promise.resolve()]
  /** Alerts that were lost since the command is ending, and why the last of them was. */
  let ending: { lost: number; why: string } | undefined
  const end = new AbortController()
  const attempt = async (body: string): Promise<string | undefined> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        // The address with its secret must not be sent to the target of a redirect.
        redirect: 'manual',
        signal: AbortSignal.any([end.signal, AbortSignal.timeout(ANSWER_MS)]),
      })
      await response.body?.cancel()
      return response.ok ? undefined : `it responded with ${response.status}`
    } catch {
      return end.signal.aborted ? LATE : 'it does not respond'
    }
  }
  const tellLost = (alerts: string, why: string): void =>
    console.tell(`The webhook at ${url.host} did not accept ${alerts}: ${why}.`)
  const lost = (why: string): void => {
    if (ending === undefined) tellLost('an alert', why)
    else ending = { lost: ending.lost + 1, why }
  }
  const deliver = async (body: string): Promise<void> => {
    let problem: string | undefined
    for (let left = ATTEMPTS; left > 0 && !end.signal.aborted; left--) {
      problem = await attempt(body)
      if (problem === undefined) return
      if (console.signal.aborted) break
      if (left > 1) await sleep(WAIT_MS, undefined, { signal: end.signal }).catch(() => undefined)
    }
    lost(problem ?? LATE)
  }
  return {
    send(value) {
      if (waiting >= MOST_WAITING) return lost(`${MOST_WAITING} alerts are waiting already`)
      waiting++
      const body = JSON.stringify(value)
      sent = sent.then(() => deliver(body)).finally(() => waiting--)
    },
    async done() {
      ending = { lost: 0, why: '' }
      const timer = setTimeout(() => end.abort(), endMs)
      await sent
      clearTimeout(timer)
      if (ending.lost > 0) tellLost(plural(ending.lost, 'an alert', `${ending.lost} alerts`), ending.why)
    },
  }
}
