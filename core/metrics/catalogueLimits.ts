import type { FamilyInfo } from './familyNames.ts'

const BY_LEVEL = ['priority_level'] as const
/** First minor with borrowing between levels, and therefore with these gauges. */
const BORROWING_SINCE = 26

export type GaugeText = Pick<FamilyInfo, 'meaning' | 'cannotShow' | 'whenMissing'>

/** A seat gauge that every level has at rest. */
const levelGauge = (name: string, text: GaugeText, stability: FamilyInfo['stability'] = 'ALPHA'): FamilyInfo => ({
  name: `apiserver_flowcontrol_${name}`,
  type: 'gauge',
  unit: 'seats',
  labels: BY_LEVEL,
  stability,
  since: BORROWING_SINCE,
  presence: 'at-rest',
  needed: true,
  ...text,
})

/** Seat limits and the demand that moves them, per priority level (specification 6 and 8.1). */
export const LIMIT_FAMILIES: readonly FamilyInfo[] = [
  levelGauge(
    'nominal_limit_seats',
    {
      meaning: 'Seats that the level owns by its shares, rounded up.',
      cannotShow:
        'What gates requests (the current limit does); rounding makes the sum exceed the limit of the server.',
      whenMissing: 'Nominal limits are unknown, and with them lending and borrowing.',
    },
    'BETA',
  ),
  levelGauge('lower_limit_seats', {
    meaning: 'Seats that cannot be lent: nominal minus lendable.',
    cannotShow: 'A guarantee: when the exempt level exhausts the server, limits fall to it and requests still wait.',
    whenMissing: 'Lower limits are unknown.',
  }),
  levelGauge('upper_limit_seats', {
    meaning: 'Most seats that the level could reach by borrowing.',
    cannotShow: 'What is reachable: without a borrowing limit it is nominal plus the whole server, more than there is.',
    whenMissing: 'Upper limits are unknown.',
  }),
  levelGauge('current_limit_seats', {
    meaning: 'Seats that the level may use now; the only limit that gates requests, recomputed every 10 s.',
    cannotShow: 'A bound for the exempt level, which is never held back.',
    whenMissing: 'Current limits are unknown, and with them lending and borrowing.',
  }),
  levelGauge('demand_seats_high_watermark', {
    meaning: 'Highest seat demand, executing and waiting, in the last adjustment period.',
    cannotShow: 'How long the demand lasted: one burst of a millisecond sets it.',
    whenMissing: 'The high watermark of demand is unknown.',
  }),
  levelGauge('demand_seats_average', {
    meaning: 'Time-weighted average of seat demand in the last adjustment period.',
    cannotShow: 'The present: it is up to 10 s old, and in a torn page newer than the smoothed demand next to it.',
    whenMissing: 'The average demand is unknown.',
  }),
  levelGauge('demand_seats_stdev', {
    meaning: 'Time-weighted standard deviation of seat demand in the last adjustment period.',
    cannotShow: 'A symmetric band: demand is bounded by 0 and bursts upwards.',
    whenMissing: 'The deviation of demand is unknown.',
  }),
  levelGauge('demand_seats_smoothed', {
    meaning: 'Demand that the limits follow: rises at once to average plus deviation, halves in about 5 minutes.',
    cannotShow: 'The current need: an idle level keeps seats until it has decayed.',
    whenMissing: 'Smoothed demand is unknown, and why limits are what they are.',
  }),
  levelGauge('target_seats', {
    meaning: 'Demand that the borrowing solver used for the level.',
    cannotShow: 'Anything about the exempt level, for which the target of an arbitrary other level is reported.',
    whenMissing: 'Targets are unknown.',
  }),
  {
    name: 'apiserver_flowcontrol_seat_fair_frac',
    type: 'gauge',
    unit: 'none',
    labels: [],
    stability: 'ALPHA',
    since: BORROWING_SINCE,
    presence: 'at-rest',
    needed: true,
    meaning: 'Share of its target that each level gets, before its bounds are applied.',
    cannotShow: 'Shares in the two constrained cases, in which it is 0.',
    whenMissing: 'The fair fraction is unknown.',
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
    meaning: 'Old name of the nominal limit.',
    cannotShow: 'What gates requests: the current limit does.',
    whenMissing: 'Nothing is lost: nominal_limit_seats has the same value and is shown.',
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
    meaning: 'Old name of executing seats.',
    cannotShow: 'Anything that current_executing_seats does not.',
    whenMissing: 'Nothing is lost: current_executing_seats has the same value and is shown.',
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
    meaning: 'Unix time at which the server process started; a change means a restart.',
    cannotShow: 'Why the server restarted; it may also shift by a second when the clock of the machine is corrected.',
    whenMissing: 'A restart is noticed only when a counter falls.',
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
    meaning: 'Always 1; the label git_version is the version of the server.',
    cannotShow: 'Which feature gates and flags the server runs with.',
    whenMissing: 'The metrics do not show the version of the server.',
  },
  {
    name: 'apiserver_current_inflight_requests',
    type: 'gauge',
    unit: 'requests',
    labels: ['request_kind'],
    stability: 'STABLE',
    presence: 'at-rest',
    needed: false,
    meaning: 'Highest number of requests executing within the last second, read-only and mutating ones apart.',
    cannotShow: 'Long requests: the mark restarts at 0 each second, so it reads 0 when none started or ended in it.',
    whenMissing: 'Executing requests are shown per level instead.',
  },
  {
    name: 'apiserver_current_inqueue_requests',
    type: 'gauge',
    unit: 'requests',
    labels: ['request_kind'],
    stability: 'ALPHA',
    presence: 'at-rest',
    needed: false,
    meaning: 'Highest number of requests queued within the last second, read-only and mutating ones apart.',
    cannotShow: 'A constant queue: the mark restarts at 0 each second, regardless of waiting requests.',
    whenMissing: 'Queued requests are shown per level instead.',
  },
  {
    name: 'apiserver_request_total',
    type: 'counter',
    unit: 'requests',
    labels: ['code', 'component', 'dry_run', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    stability: 'STABLE',
    presence: 'at-rest',
    needed: false,
    meaning: 'Requests answered, by verb, resource and code; rejections of flow control count with code 429.',
    cannotShow: 'Which level or schema answered 429, nor whether flow control or something behind it did.',
    whenMissing: 'Rejections are counted per flow schema instead.',
  },
  {
    name: 'apiserver_request_terminations_total',
    type: 'counter',
    unit: 'requests',
    labels: ['code', 'component', 'group', 'resource', 'scope', 'subresource', 'verb', 'version'],
    stability: 'ALPHA',
    presence: 'after-event',
    needed: false,
    meaning: 'Requests that the server ended in self-defence; rejections of flow control count with code 429.',
    cannotShow: 'The level or schema; it mixes rejections with time-outs of running requests.',
    whenMissing: 'Rejections are counted per flow schema instead.',
  },
]
