import type { RejectReason } from '../frame/frame.ts'

/** Why a request is answered 429, and what helps. */
export interface ReasonText {
  readonly cause: string
  readonly remedy: string
}

/** Causes by specification 4.5, 4.9 and 4.11; remedies name what to change, not who is to blame. */
export const REASON_TEXT: Readonly<Record<RejectReason, ReasonText>> = {
  'queue-full': {
    cause: 'The shortest queue of the flow’s hand was full. Flows with another hand are not affected.',
    remedy:
      'Find the flow that fills its queues and slow it down, or give it a level of its own. Longer queues only make its requests wait longer, unless full queues would drain in a moment.',
  },
  'concurrency-limit': {
    cause: 'All seats were taken and the level does not queue, so the request was rejected at once.',
    remedy:
      'Send the traffic to a level that queues, or set the limit response of this one to Queue. Requests in catch-all matched no other flow schema.',
  },
  'time-out': {
    cause:
      'The request waited in its queue for a quarter of its deadline, by default at most 15 s, and was then rejected.',
    remedy:
      'The level is short of seats for longer than a burst. Diagnosis shows what occupies them: a client, slow or wide requests, or the configuration.',
  },
}

/**
 * The same for a server whose flow control is the max-in-flight filter, which only has this reason (specification 9).
 */
export const FILTER_TEXT: ReasonText = {
  cause: 'The filter had reached its limit for requests of this kind, read-only or mutating. It does not queue.',
  remedy:
    'Slow down the clients that send most, or raise the limit (--max-requests-inflight, --max-mutating-requests-inflight) if the server has capacity. Priority and Fairness would keep serving the other clients.',
}
