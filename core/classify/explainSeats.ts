import { STALE_AFTER_NS } from '../engine/objectStatistics.ts'
import { profileFor } from '../engine/profiles.ts'
import {
  type EstimateBasis,
  type EstimatorProfile,
  type ExplainedEstimate,
  type ObjectStatistics,
  estimateWork,
} from '../engine/workEstimator.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import type { Query } from '../request/requestTarget.ts'
import { nsToMs, secondsToNs } from '../units.ts'
import type { SeatExplanation, SeenSeats, ServerContext } from './classification.ts'
import { isSizeAssumed, seatSteps } from './seatSteps.ts'

/** Seats of a request and how the estimator comes to them (specification 5.2 – 5.5); `levelCap` 0 when the level has no say. */
export function explainSeats(
  info: RequestInfo,
  query: Query,
  levelCap: number,
  context: ServerContext = {},
): SeatExplanation {
  const profile: EstimatorProfile = {
    ...profileFor(context.version).estimator,
    consistentReadsFromCache: context.consistentReadsFromCache ?? true,
  }
  const statistics = statisticsOf(context.objects)
  const estimate = estimateWork(info, query, levelCap, profile, {
    objectStatistics: () => statistics,
    interestedWatches: () => context.watchers ?? 0,
  })
  const seen = seenInstead(estimate, context)
  if (seen !== undefined) return seenExplanation(seen, estimate, levelCap, info, profile)
  const { initialSeats, finalSeats, additionalLatency, basis } = estimate
  return {
    initial: initialSeats,
    final: finalSeats,
    additionalLatencyMs: nsToMs(additionalLatency),
    width: Math.max(initialSeats, finalSeats),
    levelCap,
    cap: capOf(estimate),
    basis,
    method: methodOf(info.verb, basis, profile),
    steps: seatSteps(info, estimate, levelCap, context),
    assumptions: assumptionsOf(basis, context, info),
  }
}

/** A list of unknown size whose like the server has estimated already: its own answer is better than ours. */
const seenInstead = ({ basis }: ExplainedEstimate, { objects, seen }: ServerContext): SeenSeats | undefined =>
  basis.kind === 'list' && objects === undefined ? seen : undefined

function seenExplanation(
  { seats, requests }: SeenSeats,
  estimate: ExplainedEstimate,
  levelCap: number,
  info: RequestInfo,
  profile: EstimatorProfile,
): SeatExplanation {
  const { basis } = estimate
  const cap = capOf(estimate)
  const width = Math.min(seats, cap)
  const like = requests === 1 ? 'a request like it' : `${requests} requests like it`
  return {
    initial: width,
    final: 0,
    additionalLatencyMs: 0,
    width,
    levelCap,
    cap,
    basis,
    method: methodOf(info.verb, basis, profile),
    steps: [
      { kind: 'needed', label: `estimated by the server for ${like}`, value: seats, unit: 'seats' },
      { kind: 'cap', label: 'at most', value: cap, unit: 'seats' },
      { kind: 'width', label: 'width', value: width, unit: 'seats' },
    ],
    assumptions: [
      `The source does not report how many ${info.resource} there are. The server estimated ${seats} ${seats === 1 ? 'seat' : 'seats'} for ${like}; a different limit or resourceVersion may change that.`,
    ],
  }
}

/** What the server's tracker would hold; nothing when nothing is known, so that the list counts as one of few objects. */
function statisticsOf(objects: ServerContext['objects']): ObjectStatistics {
  if (objects === undefined || objects === 'none') return { state: 'not-found' }
  if (secondsToNs(objects.ageSeconds ?? 0) > STALE_AFTER_NS) return { state: 'stale' }
  return { state: 'ok', count: objects.count, averageSize: objects.averageSize ?? 0 }
}

const capOf = ({ basis, initialSeats }: ExplainedEstimate): number =>
  basis.kind === 'fixed' ? initialSeats : basis.cap

function methodOf(verb: string, basis: EstimateBasis, profile: EstimatorProfile): string {
  switch (basis.kind) {
    case 'fixed':
      return 'one seat, without an estimate'
    case 'unreadable-query':
      return 'as many seats as may be, because the query cannot be read'
    case 'list':
      return `${profile.sizeBasedLists ? 'size-based' : 'count-based'} list estimate${verb === 'watch' ? ' for a watch with initial events' : ''}`
    case 'mutating':
      return 'estimate by watches'
  }
}

/** The assumptions used for unknown values, in sentences. */
function assumptionsOf(basis: EstimateBasis, context: ServerContext, info: RequestInfo): readonly string[] {
  if (basis.kind === 'mutating') {
    if (context.watchers !== undefined) return []
    return [
      'It is not known how many watches hear of the change; fewer than 10 are assumed, which cost nothing. With many watches it takes ' +
        `up to ${basis.cap} seats that linger.`,
    ]
  }
  if (basis.kind !== 'list') return []
  const { objects } = context
  if (objects === undefined) {
    return [
      `Number and size of ${info.resource} are not known; one seat is assumed, as for a resource that the server has no statistics of. ` +
        `A server that has some takes up to ${basis.cap} seats.`,
    ]
  }
  const bySize = basis.reading?.bySize === true
  if (objects !== 'none' && bySize && basis.statistics.state === 'ok' && isSizeAssumed(objects)) {
    return ['The average size of the objects is not known; 1.5 MB is assumed, as the server does without an estimate.']
  }
  return []
}
