import type { Query } from '../request/requestTarget.ts'
import { queryTimeout } from '../request/requestLine.ts'

/** No request waits longer than this. */
const MAX_WAIT_NS = 60e9

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
