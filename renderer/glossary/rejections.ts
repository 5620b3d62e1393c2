/** Rejections: terms in one or two sentences each. */
export const REJECTIONS = {
  rejected: ['rejected', 'Requests answered 429 by priority and fairness, with a reason.'],
  'http-429': [
    '429',
    'The HTTP status of a rejected request: too many requests. With client-side throttling the server never saw the request.',
  ],
  'queue-full': [
    'queue-full',
    'Every queue of the flow’s hand was as long as the level allows. Flows with other hands are not affected.',
  ],
  'time-out': ['time-out', 'The request waited in its queue for a quarter of its deadline and was answered 429.'],
  'concurrency-limit': [
    'concurrency-limit',
    'The level was full and has no queues, so the request was answered at once.',
  ],
  'retry-after': ['Retry-After', 'The seconds after which a rejected client is asked to try again.'],
  cancelled: [
    'cancelled',
    'The client went away while its request waited. It is reported with the same reason as a time-out.',
  ],
  'priority-inversion': [
    'priority inversion',
    'A request that waits for another request in the same or a lower level, as one that calls a webhook which asks the server again. Each holds seats that the other needs.',
  ],
} as const
