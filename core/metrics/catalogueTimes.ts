import { fromRows } from './familyNames.ts'

const BY_REQUEST = ['component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'] as const

/** How long requests of all levels take: total times, and times without webhooks and the wait in queues. */
export const DURATION = 'apiserver_request_duration_seconds'
const OWN_DURATION = 'apiserver_request_sli_duration_seconds'
const EARLIER_OWN_DURATION = 'apiserver_request_slo_duration_seconds'

/** The second family under its name in each release, newest first. */
export const OWN_DURATIONS: readonly string[] = [OWN_DURATION, EARLIER_OWN_DURATION]

/** Families outside the flow-control prefix with the times of requests. */
export const DURATION_FAMILIES = fromRows([
  [DURATION, 'histogram', 'seconds', [...BY_REQUEST, 'dry_run'], 'STABLE', 'at-rest', 'optional'],
  [OWN_DURATION, 'histogram', 'seconds', BY_REQUEST, 'ALPHA', 'at-rest', 'optional', { since: 26 }],
  [
    EARLIER_OWN_DURATION,
    'histogram',
    'seconds',
    BY_REQUEST,
    'ALPHA',
    'at-rest',
    'optional',
    { since: 23, hiddenFrom: 28 },
  ],
])
