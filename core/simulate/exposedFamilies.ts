import { PREFIX } from '../metrics/familyNames.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { COVERED_MINORS, parseKubernetesVersion } from '../metrics/versions.ts'
import { CATALOGUE } from '../metrics/catalogue.ts'
import type { EngineSnapshot, KindSnapshot, LaneSnapshot } from '../engine/snapshot.ts'
import { MS_PER_SECOND } from '../units.ts'
import type { Histogram } from '../frame/frame.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import {
  type Exposed,
  type FamilyRule,
  gauge,
  histogram,
  OBSERVATIONS,
  LIMIT_FAMILIES,
  TIME_FAMILIES,
  byLane,
  byLevel,
  hasExecuted,
  counted,
  counter,
  hasQueued,
  type Head,
  observed,
} from './exposed.ts'

const byKind =
  (value: (kind: KindSnapshot) => number) =>
  (snapshot: EngineSnapshot): readonly Exposed[] => [
    { labels: { request_kind: 'mutating' }, value: value(snapshot.mutating) },
    { labels: { request_kind: 'readOnly' }, value: value(snapshot.readOnly) },
  ]

const serverFamilies: readonly FamilyRule[] = [
  {
    ...histogram(
      `${PREFIX}read_vs_write_current_requests`,
      `${OBSERVATIONS} the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution`,
    ),
    expose: ({ readOnly, mutating }) => [
      { labels: { phase: 'executing', request_kind: 'mutating' }, value: mutating.executing },
      { labels: { phase: 'executing', request_kind: 'readOnly' }, value: readOnly.executing },
      { labels: { phase: 'waiting', request_kind: 'mutating' }, value: mutating.waiting },
      { labels: { phase: 'waiting', request_kind: 'readOnly' }, value: readOnly.waiting },
    ],
  },
  {
    ...gauge(
      'apiserver_current_inflight_requests',
      '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    ),
    expose: byKind(({ peakExecuting }) => peakExecuting),
  },
  {
    ...gauge(
      'apiserver_current_inqueue_requests',
      '[ALPHA] Maximal number of queued requests in this apiserver per request kind in last second.',
    ),
    expose: byKind(({ peakWaiting }) => peakWaiting),
  },
  {
    ...gauge(FAMILY.startedAt, 'Start time of the process since unix epoch in seconds.'),
    expose: ({ startUnixMs }) => [{ labels: {}, value: startUnixMs / MS_PER_SECOND }],
  },
]

/**
 * All families of the flow-control subsystem that a server of this version shows by default, and related ones
 * (specification 8.1 – 8.4).
 */
export const exposedFamilies = (version: string): readonly FamilyRule[] => {
  const minor = parseKubernetesVersion(version)?.minor ?? COVERED_MINORS.newest
  return [
    ...LANE_FAMILIES,
    ...LIMIT_FAMILIES,
    ...TIME_FAMILIES.map((family) => graduated(family, minor)),
    ...serverFamilies,
    ...deprecatedFamilies(minor).filter(({ name }) => minor < (CATALOGUE.get(name)?.hiddenFrom ?? 0)),
  ]
}

/** A stable enough family is announced as such; its values stay the same. */
function graduated(family: FamilyRule, minor: number): FamilyRule {
  const beta = minor >= (CATALOGUE.get(family.name)?.betaFrom ?? Number.POSITIVE_INFINITY)
  return beta ? { ...family, help: family.help.replace('[ALPHA]', '[BETA]') } : family
}

/** From this minor version on the executing seats have a name of their own that is not deprecated. */
const IN_USE_DEPRECATED_SINCE = 31

/** Old names of the nominal limit and of executing seats (specification 8.4). */
const deprecatedFamilies = (minor: number): readonly FamilyRule[] => [
  byLevel(
    gauge(
      `${PREFIX}request_concurrency_limit`,
      '[ALPHA] (Deprecated since 1.30.0) Nominal number of execution seats configured for each priority level',
    ),
    ({ limits }) => limits.nominal,
  ),
  byLane(
    gauge(
      `${PREFIX}request_concurrency_in_use`,
      `[ALPHA] ${minor >= IN_USE_DEPRECATED_SINCE ? '(Deprecated since 1.31.0) ' : ''}Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem`,
    ),
    (lane) => [[{}, hasExecuted(lane) ? lane.executingSeats : undefined]],
  ),
]

const plainLane = (head: Head, value: (lane: LaneSnapshot) => number | Histogram | undefined): FamilyRule =>
  byLane(head, (lane) => [[{}, value(lane)]])

/** Families about requests, per flow schema (specification 8.1). */
const LANE_FAMILIES: readonly FamilyRule[] = [
  plainLane(
    gauge(
      FAMILY.executingRequests,
      '[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
    ),
    (lane) => (hasExecuted(lane) ? lane.executingRequests : undefined),
  ),
  plainLane(
    gauge(
      FAMILY.executingSeats,
      '[BETA] Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
    ),
    (lane) => (hasExecuted(lane) ? lane.executingSeats : undefined),
  ),
  plainLane(
    gauge(
      FAMILY.queuedRequests,
      '[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    ),
    (lane) => (hasQueued(lane) ? lane.waitingRequests : undefined),
  ),
  plainLane(
    gauge(
      FAMILY.queuedSeats,
      '[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness subsystem',
    ),
    (lane) => (hasQueued(lane) ? lane.waitingSeats : undefined),
  ),
  plainLane(
    counter(FAMILY.dispatched, '[BETA] Number of requests executed by API Priority and Fairness subsystem'),
    ({ dispatched }) => counted(dispatched),
  ),
  byLane(
    counter(FAMILY.rejected, '[BETA] Number of requests rejected by API Priority and Fairness subsystem'),
    ({ rejected }) => REJECT_REASONS.map((reason) => [{ reason }, counted(rejected[reason])]),
  ),
  plainLane(
    counter(
      FAMILY.noAccommodation,
      '[ALPHA] Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
    ),
    ({ noAccommodation }) => counted(noAccommodation),
  ),
  byLane(
    histogram(
      FAMILY.execution,
      '[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
    ),
    ({ execution, executionWatch }) => [
      [{ type: 'regular' }, observed(execution)],
      [{ type: 'watch' }, observed(executionWatch)],
    ],
  ),
  plainLane(
    histogram(
      FAMILY.queueLength,
      '[ALPHA] Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
    ),
    ({ queueLength }) => observed(queueLength),
  ),
  byLane(
    histogram(FAMILY.wait, '[BETA] Length of time a request spent waiting in its queue'),
    ({ wait, waitRejected }) => [
      [{ execute: 'false' }, observed(waitRejected)],
      [{ execute: 'true' }, observed(wait)],
    ],
  ),
  plainLane(
    histogram(FAMILY.watchCount, '[ALPHA] count of watchers for mutating requests in API Priority and Fairness'),
    ({ watchCount }) => observed(watchCount),
  ),
  plainLane(
    histogram(
      FAMILY.estimatedSeats,
      '[ALPHA] Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
    ),
    ({ estimatedSeats }) => observed(estimatedSeats),
  ),
]
