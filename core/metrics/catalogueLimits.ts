import { EARLIEST_LIMIT, EARLIEST_SEATS, FAMILY, fromRows } from './familyNames.ts'

export const BY_LEVEL = ['priority_level'] as const
export const BY_SCHEMA = ['flow_schema', 'priority_level'] as const
/** First minor with borrowing between levels, and therefore with these gauges. */
const BORROWING = { since: 26 } as const

/** Seat limits and the demand that moves them, per priority level (specification 6 and 8.1). */
export const LIMIT_FAMILIES = fromRows([
  [FAMILY.nominal, 'gauge', 'seats', BY_LEVEL, 'BETA', 'at-rest', 'needed', BORROWING],
  [FAMILY.lower, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.upper, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.current, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.highWatermark, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.average, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.stdev, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.smoothed, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.target, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', BORROWING],
  [FAMILY.seatFairFrac, 'gauge', 'none', [], 'ALPHA', 'at-rest', 'needed', BORROWING],
])

/** Deprecated, then hidden, then removed (specification 8.4). */
export const DEPRECATED_FAMILIES = fromRows([
  [EARLIEST_LIMIT, 'gauge', 'seats', BY_LEVEL, 'ALPHA', 'at-rest', 'needed', { hiddenFrom: 31, removedIn: 37 }],
  [EARLIEST_SEATS, 'gauge', 'seats', BY_SCHEMA, 'ALPHA', 'at-rest', 'needed', { hiddenFrom: 32, removedIn: 37 }],
])

const BUILD = 'build_date compiler git_commit git_tree_state git_version go_version major minor platform'.split(' ')
const BY_CODE = ['code', 'component', 'dry_run', 'group', 'resource', 'scope', 'subresource', 'verb', 'version']
const WITHOUT_DRY_RUN = BY_CODE.filter((label) => label !== 'dry_run')

/** Families outside the flow-control prefix that are relevant to flow control (specification 8.3). */
export const RELATED_FAMILIES = fromRows([
  [FAMILY.startedAt, 'gauge', 'seconds', [], 'none', 'at-rest', 'needed'],
  [FAMILY.buildInfo, 'gauge', 'none', BUILD, 'BETA', 'at-rest', 'needed'],
  [FAMILY.inFlightByKind, 'gauge', 'requests', ['request_kind'], 'STABLE', 'at-rest', 'optional'],
  [FAMILY.inQueueByKind, 'gauge', 'requests', ['request_kind'], 'ALPHA', 'at-rest', 'optional'],
  ['apiserver_request_total', 'counter', 'requests', BY_CODE, 'STABLE', 'at-rest', 'optional'],
  ['apiserver_request_terminations_total', 'counter', 'requests', WITHOUT_DRY_RUN, 'ALPHA', 'after-event', 'optional'],
])
