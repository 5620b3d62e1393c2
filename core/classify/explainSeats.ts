import { plain, plural } from '../text/format.ts'
import {
  STALE_AFTER_NS,
  type EstimateBasis,
  type EstimatorProfile,
  type ExplainedEstimate,
  type ObjectStatistics,
  estimateWork,
  BYTES_PER_SEAT,
  type ListReading,
  MAX_CACHE_BYTES,
  OBJECTS_PER_SEAT,
  type ReadPath,
  WATCHES_PER_SEAT,
  statisticsKey,
} from '../engine/workEstimator.ts'
import { profileFor } from '../engine/profiles.ts'
import type { Query } from '../request/requestTarget.ts'
import { nsToMs, secondsToNs, bytesToMegabytes, type Nanoseconds, type Seats } from '../units.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import type { SeatExplanation, SeenSeats, ServerContext, KnownObjects, SeatStep } from './classification.ts'

/**
 * Seats of a request and how the estimator computes them (specification 5.2 – 5.5); `levelCap` is 0 when the level has
 * no cap.
 */
export function explainSeats(
  info: RequestInfo,
  query: Query,
  levelCap: number,
  context: ServerContext = {},
): SeatExplanation {
  const { estimator } = profileFor(context.version)
  const { consistentReadsFromCache = estimator.consistentReadsFromCache } = context
  const profile: EstimatorProfile = { ...estimator, consistentReadsFromCache }
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

/** A list of unknown size for which the server has estimated similar requests: its estimate is better than ours. */
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
  const like = plural(requests, 'a request like it', `${requests} requests like it`)
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
      `The source does not report how many ${info.resource} there are. The server estimated ${plain.counted(seats, 'seat')} for ${like}; a different limit or resourceVersion may change that.`,
    ],
  }
}

/**
 * What the server's tracker would contain; nothing if no data is available, so that the list counts as one of few
 * objects.
 */
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
      return 'the maximum number of seats, because the query cannot be parsed'
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
      'The number of watches that receive the change is unknown; fewer than 10 are assumed, which cost nothing. With many watches the write holds ' +
        `up to ${basis.cap} final seats.`,
    ]
  }
  if (basis.kind !== 'list') return []
  const { objects } = context
  if (objects === undefined) {
    return [
      `Number and size of ${info.resource} are unknown; one seat is assumed, as for a resource that the server has no statistics of. ` +
        `A server that has some takes up to ${basis.cap} seats.`,
    ]
  }
  const bySize = basis.reading?.bySize === true
  if (objects !== 'none' && bySize && basis.statistics.state === 'ok' && isSizeAssumed(objects)) {
    return [
      'The average size of the objects is unknown. 1.5 MB is assumed, as by a server that has no estimate: for some minutes after a restart on existing data.',
    ]
  }
  return []
}

type ListBasis = Extract<EstimateBasis, { kind: 'list' }>
type MutatingBasis = Extract<EstimateBasis, { kind: 'mutating' }>
type FixedBasis = Extract<EstimateBasis, { kind: 'fixed' }>

/** The estimate step by step, in the order of the server (specification 5.3 – 5.5). The last step is the width. */
function seatSteps(
  info: RequestInfo,
  { basis, initialSeats, finalSeats, additionalLatency }: ExplainedEstimate,
  levelCap: number,
  context: ServerContext,
): readonly SeatStep[] {
  const width: SeatStep = { kind: 'width', label: 'width', value: Math.max(initialSeats, finalSeats), unit: 'seats' }
  return [...stepsOf(info, basis, levelCap, context), ...lingering(basis, finalSeats, additionalLatency), width]
}

function stepsOf(
  info: RequestInfo,
  basis: EstimateBasis,
  levelCap: number,
  context: ServerContext,
): readonly SeatStep[] {
  switch (basis.kind) {
    case 'fixed':
      return [{ kind: 'verb', label: FIXED[basis.because](info.verb), value: 1, unit: 'seats' }]
    case 'unreadable-query':
      return [
        { kind: 'verb', label: 'limit or timeoutSeconds is not a whole number, so the server uses the maximum' },
        capStep(basis.cap, levelCap),
      ]
    case 'list':
      return listSteps(info, basis, levelCap, context)
    case 'mutating':
      return mutatingSteps(basis, levelCap, context)
  }
}

const FIXED: Readonly<Record<FixedBasis['because'], (verb: string) => string>> = {
  verb: (verb) => (verb === '' ? 'a request without a verb always takes one seat' : `${verb} always takes one seat`),
  'plain-watch': () => 'a watch from a known version, without initial events, takes one seat',
  'watch-without-list': () => 'this version charges every watch one seat',
  token: () => 'a token of a service account always takes one seat',
  unknown: () => 'the request is unknown',
}

function listSteps(info: RequestInfo, basis: ListBasis, levelCap: number, context: ServerContext): readonly SeatStep[] {
  const path: SeatStep = { kind: 'verb', label: READ_PATHS[basis.path](basis.fromCache) }
  const cap = capStep(basis.cap, levelCap)
  if (basis.reading === undefined) {
    const label = `no statistics of ${statisticsKey(info)}: one seat`
    return [
      { kind: 'objects', label, value: 1, unit: 'seats', ...(context.objects === undefined && { assumed: true }) },
      path,
      cap,
    ]
  }
  return [...objectSteps(info, basis, basis.reading, context), path, ...readingSteps(info, basis, basis.reading), cap]
}

/** Without objects, no size is needed. */
const isSizeAssumed = (known: KnownObjects | undefined): boolean =>
  known === undefined || (known.count > 0 && known.averageSize === undefined)

function objectSteps(
  info: RequestInfo,
  { statistics }: ListBasis,
  { bySize, count, averageSize }: ListReading,
  { objects }: ServerContext,
): readonly SeatStep[] {
  const key = statisticsKey(info)
  const known = objects === undefined || objects === 'none' ? undefined : objects
  const age = known?.ageSeconds === undefined ? '' : `, ${known.ageSeconds} s old`
  const label =
    statistics.state === 'stale'
      ? `objects: the count of ${key}${age} is too old, so the worst case is used`
      : `objects of ${key} in the whole cluster${age}`
  const size: SeatStep = {
    kind: 'object-size',
    label: 'average object size',
    value: averageSize,
    unit: 'bytes',
    ...((statistics.state === 'stale' || isSizeAssumed(known)) && { assumed: true }),
  }
  return [
    { kind: 'objects', label, value: count, unit: 'objects', ...(statistics.state === 'stale' && { assumed: true }) },
    ...(bySize ? [size] : []),
  ]
}

function readingSteps(info: RequestInfo, basis: ListBasis, reading: ListReading): readonly SeatStep[] {
  const read: SeatStep = {
    kind: 'objects-read',
    label: readLabel(info, basis.fromCache, reading),
    value: reading.loaded,
    unit: 'objects',
  }
  if (!reading.bySize) {
    return [
      read,
      { kind: 'needed', label: `÷ ${OBJECTS_PER_SEAT} objects per seat, rounded up`, ...seats(basis.uncapped) },
    ]
  }
  const limited = basis.fromCache ? `, at most ${bytesToMegabytes(MAX_CACHE_BYTES)} MB from the watch cache` : ''
  return [
    read,
    { kind: 'bytes', label: `× average size${limited}`, value: reading.bytes, unit: 'bytes' },
    { kind: 'needed', label: `÷ ${BYTES_PER_SEAT / 1e3} kB per seat, rounded up`, ...seats(basis.uncapped) },
  ]
}

const seats = (value: number) => ({ value, unit: 'seats' }) as const

/** Why this many objects are read. */
function readLabel(info: RequestInfo, fromCache: boolean, { bySize, count, page, loaded }: ListReading): string {
  if (info.name !== '') return 'objects read: the field selector names one'
  const limited = page < count
  if (!bySize && fromCache) return limited ? 'objects read: all, because the limit does not apply' : 'objects read'
  if (!bySize) {
    return loaded === 2 * page && loaded !== count + page
      ? 'objects read, twice because from etcd'
      : 'objects read from etcd, and those of the page once more'
  }
  if (loaded > page) return 'objects read: half of all, because a selector filters them after etcd'
  return limited ? 'objects read: as many as the limit' : 'objects read'
}

const READ_PATHS: Readonly<Record<ReadPath, (fromCache: boolean) => string>> = {
  watch: () => 'initial events come from the watch cache',
  'exact-version': () => 'resourceVersionMatch=Exact reads from etcd',
  'not-older-than': () => 'resourceVersionMatch=NotOlderThan reads from the watch cache',
  'unknown-match': () => 'an unknown resourceVersionMatch reads from etcd',
  continued: () => 'a continued list reads from etcd',
  'page-of-version': () => 'a page of a given resourceVersion reads from etcd',
  latest: (fromCache) =>
    fromCache
      ? 'the latest version comes from the watch cache, because etcd reports its progress'
      : 'the latest version comes from etcd: consistent reads from the watch cache are off',
  'any-version': () => 'resourceVersion 0, or one without limit, reads from the watch cache',
}

function mutatingSteps(
  { watches, uncapped, cap }: MutatingBasis,
  levelCap: number,
  { watchers }: ServerContext,
): readonly SeatStep[] {
  const label = 'watches that receive the change'
  const heard: SeatStep = {
    kind: 'watches',
    label,
    value: watches,
    unit: 'watches',
    ...(watchers === undefined && { assumed: true }),
  }
  if (uncapped === 0) {
    return [
      heard,
      { kind: 'needed', label: `fewer than ${WATCHES_PER_SEAT} watches cost nothing`, value: 0, unit: 'seats' },
    ]
  }
  const needed: SeatStep = {
    kind: 'needed',
    label: `÷ ${WATCHES_PER_SEAT} watches per seat, rounded up`,
    value: uncapped,
    unit: 'seats',
  }
  return [heard, needed, capStep(cap, levelCap)]
}

/** `cap` is the smaller of the caps of the estimator and the level. */
const capStep = (cap: number, levelCap: number): SeatStep => ({
  kind: 'cap',
  label: capLabel(cap, levelCap),
  value: cap,
  unit: 'seats',
})

function capLabel(cap: number, levelCap: number): string {
  if (levelCap === 0) return 'at most, and the level has no cap of its own'
  return cap === levelCap ? `at most, by this level's cap` : `at most; this level's cap of ${levelCap} is higher`
}

function lingering(basis: EstimateBasis, finalSeats: Seats, latencyNs: Nanoseconds): readonly SeatStep[] {
  if (basis.kind !== 'mutating' || finalSeats === 0) return []
  return [
    { kind: 'final', label: 'seats after the response', value: finalSeats, unit: 'seats' },
    { kind: 'latency', label: 'additional latency after the response', value: nsToMs(latencyNs), unit: 'milliseconds' },
  ]
}
