import type { RejectReason } from '../frame/frame.ts'

/** Why a request is answered 429, by specification 4.5, 4.9 and 4.11. Who causes it and what helps is for a diagnosis. */
export const REASON_TEXT: Readonly<Record<RejectReason, string>> = {
  'queue-full': 'The shortest queue of the flow’s hand was full. Flows with another hand are not affected.',
  'concurrency-limit': 'All seats were taken and the level does not queue, so the request was rejected at once.',
  'time-out':
    'The request waited in its queue for a quarter of its deadline, by default at most 15 s, and was then rejected.',
}

/**
 * The same for a server whose flow control is the max-in-flight filter, which only has this reason (specification 9),
 * and what helps: there is no diagnosis of it.
 */
export const FILTER_TEXT =
  'The filter had reached its limit for requests of this kind, read-only or mutating. It does not queue. Slow down the clients that send most, or raise the limit (--max-requests-inflight, --max-mutating-requests-inflight) if the server has capacity. Priority and Fairness would keep serving the other clients.'
