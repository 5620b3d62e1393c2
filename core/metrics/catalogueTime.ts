import type { FamilyInfo } from './familyInfo.ts'

const BY_LEVEL = ['priority_level'] as const

type GaugeText = Pick<FamilyInfo, 'meaning' | 'cannotShow' | 'whenMissing'>

/** A gauge of virtual time; all but R itself appear with the first dispatch from a queue. */
const virtualTime = (
  name: string,
  presence: FamilyInfo['presence'],
  labels: readonly string[],
  text: GaugeText,
): FamilyInfo => ({
  name: `apiserver_flowcontrol_${name}`,
  type: 'gauge',
  unit: 'seat-seconds',
  labels,
  stability: 'ALPHA',
  presence,
  needed: true,
  ...text,
})

/** Virtual time of fair queuing, and the time-weighted ratio histograms (specification 8.1, 8.2). */
export const TIME_FAMILIES: readonly FamilyInfo[] = [
  virtualTime('current_r', 'at-rest', BY_LEVEL, {
    meaning: 'Progress meter R of the level when it last moved.',
    cannotShow: 'R now: it moves only with events, and restarts low when virtual time is shifted by an epoch.',
    whenMissing: 'Virtual time is unknown.',
  }),
  virtualTime('dispatch_r', 'after-event', BY_LEVEL, {
    meaning: 'R at the last dispatch from a queue.',
    cannotShow: 'Anything about a level that never queued.',
    whenMissing: 'R at the last dispatch is unknown.',
  }),
  virtualTime('latest_s', 'after-event', BY_LEVEL, {
    meaning: 'Virtual start of the request that was dispatched from a queue last.',
    cannotShow: 'Which flow it belonged to.',
    whenMissing: 'The virtual start of the last dispatch is unknown.',
  }),
  virtualTime('next_s_bounds', 'after-event', [...BY_LEVEL, 'bound'], {
    meaning: 'Least and greatest virtual start over queues with waiting requests, at the last dispatch.',
    cannotShow: 'The queues now: it stays as it was when the last queue drained.',
    whenMissing: 'Bounds of virtual starts are unknown.',
  }),
  virtualTime('next_discounted_s_bounds', 'after-event', [...BY_LEVEL, 'bound'], {
    meaning: 'The same bounds less the assumed work of the seats in use.',
    cannotShow: 'Negative numbers: it is unsigned and wraps to about 1.8e11.',
    whenMissing: 'Discounted bounds of virtual starts are unknown.',
  }),
  {
    name: 'apiserver_flowcontrol_epoch_advance_total',
    type: 'counter',
    unit: 'events',
    labels: [...BY_LEVEL, 'success'],
    stability: 'ALPHA',
    presence: 'after-event',
    needed: false,
    meaning: 'Times that virtual time was shifted back before it could overflow.',
    cannotShow: 'Trouble: shifts are normal, only success="false" is not.',
    whenMissing: 'Shifts of virtual time are unknown.',
  },
  {
    name: 'apiserver_flowcontrol_priority_level_seat_utilization',
    type: 'histogram',
    unit: 'ratio, weighted with nanoseconds',
    labels: ['phase', ...BY_LEVEL],
    stability: 'ALPHA',
    presence: 'at-rest',
    needed: true,
    meaning: 'Nanoseconds spent at each ratio of seats in use to the current limit; misses nothing between scrapes.',
    cannotShow: 'A true ratio where the current limit is 0: a tenth of the server is used instead.',
    whenMissing: 'Utilisation is known only at the instants of the scrapes.',
  },
  {
    name: 'apiserver_flowcontrol_demand_seats',
    type: 'histogram',
    unit: 'ratio, weighted with nanoseconds',
    labels: BY_LEVEL,
    stability: 'ALPHA',
    since: 26,
    presence: 'at-rest',
    needed: true,
    meaning: 'Nanoseconds spent at each ratio of seats wanted to the current limit.',
    cannotShow: 'The ratio to the nominal limit, although its description says so; beyond 6 only that it was more.',
    whenMissing: 'Demand is known only as statistics of adjustment periods.',
  },
  {
    name: 'apiserver_flowcontrol_priority_level_request_utilization',
    type: 'histogram',
    unit: 'ratio, weighted with nanoseconds',
    labels: ['phase', ...BY_LEVEL],
    stability: 'ALPHA',
    presence: 'at-rest',
    needed: false,
    meaning:
      'Nanoseconds at each ratio of waiting requests to queue space, or of executing requests to the current limit.',
    cannotShow: 'Seats: it counts requests and so skews low as soon as one takes several seats.',
    whenMissing: 'Seat utilisation is shown instead.',
  },
  {
    name: 'apiserver_flowcontrol_read_vs_write_current_requests',
    type: 'histogram',
    unit: 'ratio, weighted with nanoseconds',
    labels: ['phase', 'request_kind'],
    stability: 'ALPHA',
    presence: 'at-rest',
    needed: false,
    meaning: 'Nanoseconds at each ratio of read-only or mutating requests to the capacity of the whole server.',
    cannotShow: 'Levels, or seats: both kinds share one denominator, so it skews low.',
    whenMissing: 'Occupancy per level is shown instead.',
  },
]
