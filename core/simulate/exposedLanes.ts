import { FAMILY } from '../metrics/familyNames.ts'
import { type Histogram, REJECT_REASONS } from '../frame/frame.ts'
import type { LaneSnapshot } from '../engine/snapshot.ts'
import {
  byLane,
  counted,
  counter,
  type FamilyRule,
  gauge,
  hasExecuted,
  hasQueued,
  type Head,
  histogram,
  observed,
} from './exposed.ts'

const plainLane = (head: Head, value: (lane: LaneSnapshot) => number | Histogram | undefined): FamilyRule =>
  byLane(head, (lane) => [[{}, value(lane)]])

/** Families about requests, per flow schema (specification 8.1). */
export const LANE_FAMILIES: readonly FamilyRule[] = [
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
