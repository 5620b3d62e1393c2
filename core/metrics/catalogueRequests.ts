import { BY_LEVEL, BY_SCHEMA } from './catalogueLimits.ts'
import { FAMILY, fromRows } from './familyNames.ts'

/** Families about requests, per flow schema (specification 8.1). */
export const REQUEST_FAMILIES = fromRows([
  [FAMILY.rejected, 'counter', 'requests', [...BY_SCHEMA, 'reason'], 'BETA', 'after-event', 'needed'],
  [FAMILY.dispatched, 'counter', 'requests', BY_SCHEMA, 'BETA', 'at-rest', 'needed'],
  [FAMILY.queuedRequests, 'gauge', 'requests', BY_SCHEMA, 'BETA', 'after-event', 'needed'],
  [FAMILY.queuedSeats, 'gauge', 'seats', BY_SCHEMA, 'ALPHA', 'after-event', 'needed', { since: 29 }],
  [FAMILY.queueLength, 'histogram', 'requests', BY_SCHEMA, 'ALPHA', 'after-event', 'needed'],
  [FAMILY.executingRequests, 'gauge', 'requests', BY_SCHEMA, 'BETA', 'at-rest', 'needed'],
  [FAMILY.executingSeats, 'gauge', 'seats', BY_SCHEMA, 'BETA', 'at-rest', 'needed', { since: 28 }],
  [FAMILY.wait, 'histogram', 'seconds', [...BY_SCHEMA, 'execute'], 'BETA', 'after-event', 'needed'],
  [FAMILY.execution, 'histogram', 'seconds', [...BY_SCHEMA, 'type'], 'ALPHA', 'at-rest', 'needed'],
  [FAMILY.watchCount, 'histogram', 'watchers', BY_SCHEMA, 'ALPHA', 'after-event', 'needed'],
  [FAMILY.estimatedSeats, 'histogram', 'seats', BY_SCHEMA, 'ALPHA', 'at-rest', 'needed'],
  [FAMILY.noAccommodation, 'counter', 'events', BY_SCHEMA, 'ALPHA', 'after-event', 'needed'],
])

const RATIO = 'ratio, weighted with nanoseconds'

/**
 * Virtual time of fair queuing, of which all but R itself appears with the first dispatch from a queue, and the
 * time-weighted ratio histograms (specification 8.1, 8.2).
 */
export const TIME_FAMILIES = fromRows([
  [FAMILY.currentR, 'gauge', 'seat-seconds', BY_LEVEL, 'ALPHA', 'at-rest', 'needed'],
  [FAMILY.dispatchR, 'gauge', 'seat-seconds', BY_LEVEL, 'ALPHA', 'after-event', 'needed'],
  [FAMILY.latestS, 'gauge', 'seat-seconds', BY_LEVEL, 'ALPHA', 'after-event', 'needed'],
  [FAMILY.nextS, 'gauge', 'seat-seconds', [...BY_LEVEL, 'bound'], 'ALPHA', 'after-event', 'needed'],
  [FAMILY.nextDiscountedS, 'gauge', 'seat-seconds', [...BY_LEVEL, 'bound'], 'ALPHA', 'after-event', 'needed'],
  [FAMILY.epochs, 'counter', 'events', [...BY_LEVEL, 'success'], 'ALPHA', 'after-event', 'needed'],
  [FAMILY.seatUtilization, 'histogram', RATIO, ['phase', ...BY_LEVEL], 'ALPHA', 'at-rest', 'needed', { betaFrom: 38 }],
  [FAMILY.demandRatio, 'histogram', RATIO, BY_LEVEL, 'ALPHA', 'at-rest', 'needed', { since: 26 }],
  [FAMILY.requestUtilization, 'histogram', RATIO, ['phase', ...BY_LEVEL], 'ALPHA', 'at-rest', 'optional'],
  [FAMILY.kindUtilization, 'histogram', RATIO, ['phase', 'request_kind'], 'ALPHA', 'at-rest', 'optional'],
])
