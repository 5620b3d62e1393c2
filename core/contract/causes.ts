/**
 * Why requests wait, are rejected or are slow. Causes whose scores are equal are listed in this order: our own side
 * first, then causes that one fact proves, then those that rest on several numbers.
 */
export const CAUSES = [
  'no-data',
  'stale-source',
  'clock-skew',
  'missing-metrics',
  'server-restarted',
  'recent-edit',
  'fewer-seats',
  'system-requests',
  'catch-all-traffic',
  'dangling-schema',
  'reject-level',
  'one-server',
  'short-deadlines',
  'slow-reader',
  'watch-storm',
  'write-fan-out',
  'wide-requests',
  'slow-server',
  'slow-requests',
  'shared-flow',
  'shared-queues',
  'short-queues',
  'one-flow',
  'server-full',
  'lender-squeezed',
  'borrowing-capped',
  'lingering-demand',
  'nothing-to-borrow',
  'brief-burst',
  'more-requests',
  'exempt-traffic',
  'overload',
  'client-throttling',
  'nothing-waits',
] as const
export type CauseId = (typeof CAUSES)[number]

/** The area of a cause: the console and its source, the objects, the traffic, the servers, the clients, or none. */
export const CAUSE_GROUPS = ['own side', 'configuration', 'traffic', 'server', 'client', 'none'] as const
export type CauseGroup = (typeof CAUSE_GROUPS)[number]
