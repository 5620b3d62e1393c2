import type { FamilyInfo } from './familyNames.ts'

const BY_REQUEST = ['component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'] as const

/** How long requests of all levels take: total times, and times without webhooks and the wait in queues. */
export const DURATION = 'apiserver_request_duration_seconds'
const OWN_DURATION = 'apiserver_request_sli_duration_seconds'
const EARLIER_OWN_DURATION = 'apiserver_request_slo_duration_seconds'

/** The second family under its name in each release, newest first. */
export const OWN_DURATIONS: readonly string[] = [OWN_DURATION, EARLIER_OWN_DURATION]

/** Families outside the flow-control prefix with the times of requests. */
export const DURATION_FAMILIES: readonly FamilyInfo[] = [
  {
    name: DURATION,
    type: 'histogram',
    unit: 'seconds',
    labels: [...BY_REQUEST, 'dry_run'],
    stability: 'STABLE',
    presence: 'at-rest',
    needed: false,
    meaning:
      'Time from the arrival of a request to its end, by verb and resource; webhooks and the wait in queues count.',
    cannotShow: 'The level or schema of a request, and how much of the time it waited.',
    whenMissing: 'Waits and executions are shown per level; how long reads, lists and writes take is unknown.',
  },
  {
    name: OWN_DURATION,
    type: 'histogram',
    unit: 'seconds',
    labels: BY_REQUEST,
    stability: 'ALPHA',
    since: 26,
    presence: 'at-rest',
    needed: false,
    meaning:
      'Time that the server and its storage took for a request, without webhooks and without the wait in queues.',
    cannotShow: 'Which level executed the request.',
    whenMissing: 'Executions are shown per level, with webhooks.',
  },
  {
    name: EARLIER_OWN_DURATION,
    type: 'histogram',
    unit: 'seconds',
    labels: BY_REQUEST,
    stability: 'ALPHA',
    since: 23,
    hiddenFrom: 28,
    presence: 'at-rest',
    needed: false,
    meaning: 'Name that releases before 1.26 have for apiserver_request_sli_duration_seconds.',
    cannotShow: 'Anything that the newer name does not.',
    whenMissing: 'Nothing is lost where apiserver_request_sli_duration_seconds is shown.',
  },
]
