import type { Query } from '../classify/requestTarget.ts'
import { parseGoDuration } from '../metrics/goText.ts'

/** `--request-timeout` of a server that is not told another one, nanoseconds. */
export const DEFAULT_REQUEST_TIMEOUT_NS = 60e9
/** No request waits longer than this. */
const MAX_WAIT_NS = 60e9

/** What the `timeout` of a query asks for; `unreadable` is answered with 400 before flow control (specification 4.9). */
export type QueryTimeout = { readonly ns: number } | 'unreadable' | undefined

export function queryTimeout(query: Query): QueryTimeout {
  const text = query.get('timeout')
  if (text === undefined || text === '') return undefined
  const ms = parseGoDuration(text)
  return ms === undefined ? 'unreadable' : { ns: Math.round(ms * 1e6) }
}

/**
 * When the handling of a request that is not long-running must end: the `timeout` of its query after its receipt, at most
 * the server's request timeout; that, too, where none, none above 0 or no readable one is given.
 */
export function deadlineNs(receivedNs: number, query: Query, requestTimeoutNs: number): number {
  const timeout = query.size === 0 ? undefined : queryTimeout(query)
  if (timeout === undefined || timeout === 'unreadable' || timeout.ns <= 0) return receivedNs + requestTimeoutNs
  return receivedNs + Math.min(timeout.ns, requestTimeoutNs)
}

/**
 * When the wait of a request ends (specification 4.9): a quarter of the time from its receipt to its deadline, counted
 * from the receipt (trap T27); a quarter of the request timeout where it has no deadline; never more than a minute.
 */
export function waitEndNs(receivedNs: number, deadline: number | undefined, requestTimeoutNs: number): number {
  if (deadline === undefined) return receivedNs + Math.min(Math.trunc(requestTimeoutNs / 4), MAX_WAIT_NS)
  return Math.min(receivedNs + Math.min(Math.trunc((deadline - receivedNs) / 4), MAX_WAIT_NS), deadline)
}
