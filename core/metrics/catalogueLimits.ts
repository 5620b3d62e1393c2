import type { FamilyInfo } from './familyNames.ts'

const BY_LEVEL = ['priority_level'] as const
/** First minor with borrowing between levels, and therefore with these gauges. */
const BORROWING_SINCE = 26

/** A seat gauge that every level has at rest. */
const levelGauge = (name: string, stability: FamilyInfo['stability'] = 'ALPHA'): FamilyInfo => ({
  name: `apiserver_flowcontrol_${name}`,
  type: 'gauge',
  unit: 'seats',
  labels: BY_LEVEL,
  stability,
  since: BORROWING_SINCE,
  presence: 'at-rest',
  needed: true,
})

/** Seat limits and the demand that moves them, per priority level (specification 6 and 8.1). */
export const LIMIT_FAMILIES: readonly FamilyInfo[] = [
  levelGauge('nominal_limit_seats', 'BETA'),
  levelGauge('lower_limit_seats'),
  levelGauge('upper_limit_seats'),
  levelGauge('current_limit_seats'),
  levelGauge('demand_seats_high_watermark'),
  levelGauge('demand_seats_average'),
  levelGauge('demand_seats_stdev'),
  levelGauge('demand_seats_smoothed'),
  levelGauge('target_seats'),
  {
    name: 'apiserver_flowcontrol_seat_fair_frac',
    type: 'gauge',
    unit: 'none',
    labels: [],
    stability: 'ALPHA',
    since: BORROWING_SINCE,
    presence: 'at-rest',
    needed: true,
  },
]

/** Deprecated, then hidden, then removed (specification 8.4). */
export const DEPRECATED_FAMILIES: readonly FamilyInfo[] = [
  {
    name: 'apiserver_flowcontrol_request_concurrency_limit',
    type: 'gauge',
    unit: 'seats',
    labels: BY_LEVEL,
    stability: 'ALPHA',
    hiddenFrom: 31,
    removedIn: 37,
    presence: 'at-rest',
    needed: true,
  },
  {
    name: 'apiserver_flowcontrol_request_concurrency_in_use',
    type: 'gauge',
    unit: 'seats',
    labels: ['flow_schema', 'priority_level'],
    stability: 'ALPHA',
    hiddenFrom: 32,
    removedIn: 37,
    presence: 'at-rest',
    needed: true,
  },
]

/** Families outside the flow-control prefix that are relevant to flow control (specification 8.3). */
export const RELATED_FAMILIES: readonly FamilyInfo[] = [
  {
    name: 'process_start_time_seconds',
    type: 'gauge',
    unit: 'seconds',
    labels: [],
    stability: 'none',
    presence: 'at-rest',
    needed: true,
  },
  {
    name: 'kubernetes_build_info',
    type: 'gauge',
    unit: 'none',
    labels: [
      'build_date',
      'compiler',
      'git_commit',
      'git_tree_state',
      'git_version',
      'go_version',
      'major',
      'minor',
      'platform',
    ],
    stability: 'BETA',
    presence: 'at-rest',
    needed: true,
  },
  {
    name: 'apiserver_current_inflight_requests',
    type: 'gauge',
    unit: 'requests',
    labels: ['request_kind'],
    stability: 'STABLE',
    presence: 'at-rest',
    needed: false,
  },
  {
    name: 'apiserver_current_inqueue_requests',
    type: 'gauge',
    unit: 'requests',
    labels: ['request_kind'],
    stability: 'ALPHA',
    presence: 'at-rest',
    needed: false,
  },
  {
    name: 'apiserver_request_total',
    type: 'counter',
    unit: 'requests',
    labels: ['code', 'component', 'dry_run', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    stability: 'STABLE',
    presence: 'at-rest',
    needed: false,
  },
  {
    name: 'apiserver_request_terminations_total',
    type: 'counter',
    unit: 'requests',
    labels: ['code', 'component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    stability: 'ALPHA',
    presence: 'after-event',
    needed: false,
  },
]
