import type { Histogram } from '../frame/frame.ts'
import type { EngineSnapshot, LaneSnapshot, LevelSnapshot } from '../engine/snapshot.ts'
import { byCodeUnits } from '../text/text.ts'
import { FAMILY, PREFIX } from '../metrics/familyNames.ts'

/**
 * The series of a family for a snapshot: values or histograms with their labels, in alphabetical order of the labels.
 */
export interface Exposed {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | Histogram
}

export interface FamilyRule {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** In the server's wording, stability in brackets; programs compare it. */
  readonly help: string
  readonly expose: (snapshot: EngineSnapshot) => readonly Exposed[]
}

export type Head = Pick<FamilyRule, 'name' | 'type' | 'help'>
type Labels = Readonly<Record<string, string>>

/** Common beginning of the help of the time-weighted histograms. */
export const OBSERVATIONS = 'EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of'

export const gauge = (name: string, help: string): Head => ({ name, type: 'gauge', help })
export const counter = (name: string, help: string): Head => ({ name, type: 'counter', help })
export const histogram = (name: string, help: string): Head => ({ name, type: 'histogram', help })

/** A series for each level; one whose value is undefined does not exist yet. */
export const byLevel = (head: Head, value: (level: LevelSnapshot) => number | Histogram | undefined): FamilyRule => ({
  ...head,
  expose: ({ levels }) => levels.flatMap((level) => one({ priority_level: level.name }, value(level))),
})

export const byLane = (
  head: Head,
  values: (lane: LaneSnapshot) => readonly (readonly [extra: Labels, value: number | Histogram | undefined])[],
): FamilyRule => ({
  ...head,
  expose: ({ levels }) =>
    levels.flatMap(({ name, lanes }) =>
      lanes.flatMap((lane) =>
        values(lane).flatMap(([extra, value]) =>
          one(sorted({ ...extra, flow_schema: lane.schema, priority_level: name }), value),
        ),
      ),
    ),
})

const one = (labels: Labels, value: number | Histogram | undefined): readonly Exposed[] =>
  value === undefined ? [] : [{ labels, value }]

const sorted = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => byCodeUnits(a, b)))

/** A counter appears with its first event, a histogram with its first observation. */
export const counted = (value: number): number | undefined => (value === 0 ? undefined : value)
export const observed = (value: Histogram): Histogram | undefined => (value.count === 0 ? undefined : value)

export const hasExecuted = ({ dispatched }: LaneSnapshot): boolean => dispatched > 0
export const hasQueued = ({ queueLength }: LaneSnapshot): boolean => queueLength.count > 0

/** Seat limits and the demand that moves them (specification 6, 8.1). */
export const LIMIT_FAMILIES: readonly FamilyRule[] = [
  byLevel(
    gauge(FAMILY.current, '[ALPHA] current derived number of execution seats available to each priority level'),
    ({ current }) => current,
  ),
  byLevel(
    gauge(FAMILY.nominal, '[BETA] Nominal number of execution seats configured for each priority level'),
    ({ limits }) => limits.nominal,
  ),
  byLevel(
    gauge(FAMILY.lower, '[ALPHA] Configured lower bound on number of execution seats available to each priority level'),
    ({ limits }) => limits.min,
  ),
  byLevel(
    gauge(FAMILY.upper, '[ALPHA] Configured upper bound on number of execution seats available to each priority level'),
    ({ limits }) => limits.max,
  ),
  byLevel(
    gauge(FAMILY.average, '[ALPHA] Time-weighted average, over last adjustment period, of demand_seats'),
    ({ demand }) => demand.average,
  ),
  byLevel(
    gauge(FAMILY.highWatermark, '[ALPHA] High watermark, over last adjustment period, of demand_seats'),
    ({ demand }) => demand.highWatermark,
  ),
  byLevel(gauge(FAMILY.smoothed, '[ALPHA] Smoothed seat demands'), ({ demand }) => demand.smoothed),
  byLevel(
    gauge(FAMILY.stdev, '[ALPHA] Time-weighted standard deviation, over last adjustment period, of demand_seats'),
    ({ demand }) => demand.stdev,
  ),
  byLevel(gauge(FAMILY.target, '[ALPHA] Seat allocation targets'), ({ target }) => target),
  {
    ...gauge(
      FAMILY.seatFairFrac,
      "[ALPHA] Fair fraction of server's concurrency to allocate to each priority level that can use it",
    ),
    expose: ({ fairFrac }) => [{ labels: {}, value: fairFrac }],
  },
]

/** Gauges of a dispatch appear with the first one from a queue. */
const hasDispatchedFromQueue = ({ lanes }: LevelSnapshot): boolean =>
  lanes.some((lane) => hasQueued(lane) && hasExecuted(lane))

const dispatchGauge = (head: Head, value: (level: LevelSnapshot) => number): FamilyRule =>
  byLevel(head, (level) => (hasDispatchedFromQueue(level) ? value(level) : undefined))

const boundsGauge = (
  head: Head,
  bounds: (level: LevelSnapshot) => readonly [min: number, max: number],
): FamilyRule => ({
  ...head,
  expose: ({ levels }) =>
    levels.filter(hasDispatchedFromQueue).flatMap((level) => {
      const [min, max] = bounds(level)
      return [
        { labels: { bound: 'max', priority_level: level.name }, value: max },
        { labels: { bound: 'min', priority_level: level.name }, value: min },
      ]
    }),
})

/** Virtual time, and the time-weighted ratios of levels (specification 8.1, 8.2). */
export const TIME_FAMILIES: readonly FamilyRule[] = [
  byLevel(gauge(FAMILY.currentR, '[ALPHA] R(time of last change)'), ({ virtualTime }) => virtualTime.currentR),
  dispatchGauge(
    gauge(FAMILY.dispatchR, '[ALPHA] R(time of last dispatch)'),
    ({ virtualTime }) => virtualTime.dispatchR,
  ),
  dispatchGauge(
    gauge(FAMILY.latestS, '[ALPHA] S(most recently dispatched request)'),
    ({ virtualTime }) => virtualTime.latestS,
  ),
  boundsGauge(
    gauge(FAMILY.nextS, '[ALPHA] min and max, over queues, of S(oldest waiting request in queue)'),
    ({ virtualTime }) => [virtualTime.nextSMin, virtualTime.nextSMax],
  ),
  boundsGauge(
    gauge(
      FAMILY.nextDiscountedS,
      '[ALPHA] min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
    ),
    ({ virtualTime }) => [virtualTime.nextDiscountedSMin, virtualTime.nextDiscountedSMax],
  ),
  {
    ...counter(`${PREFIX}epoch_advance_total`, "[ALPHA] Number of times the queueset's progress meter jumped backward"),
    expose: ({ levels }) =>
      levels.flatMap(({ name, epochAdvances: { succeeded, failed } }) => [
        ...one({ priority_level: name, success: 'false' }, counted(failed)),
        ...one({ priority_level: name, success: 'true' }, counted(succeeded)),
      ]),
  },
  byLevel(
    histogram(
      FAMILY.demandRatio,
      `${OBSERVATIONS} (the number of seats each priority level could use) / (nominal number of seats for that level)`,
    ),
    ({ demandRatio }) => demandRatio,
  ),
  {
    ...histogram(
      FAMILY.seatUtilization,
      `${OBSERVATIONS} utilization of seats for any stage of execution (but only initial stage for WATCHes)`,
    ),
    expose: ({ levels }) =>
      levels.map(({ name, seatUtilization }) => ({
        labels: { phase: 'executing', priority_level: name },
        value: seatUtilization,
      })),
  },
  {
    ...histogram(
      `${PREFIX}priority_level_request_utilization`,
      `${OBSERVATIONS} number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)`,
    ),
    expose: ({ levels }) =>
      levels.flatMap(({ name, executingUtilization, waitingUtilization }) => [
        { labels: { phase: 'executing', priority_level: name }, value: executingUtilization },
        { labels: { phase: 'waiting', priority_level: name }, value: waitingUtilization },
      ]),
  },
]
