import { type ListOptions, parseListOptions, type Query } from '../request/requestTarget.ts'
import type { RequestInfo } from '../request/requestInfo.ts'
import { msToNs, nsToSeconds, type Seats, type Nanoseconds, secondsToNs } from '../units.ts'
import type { WorkEstimate } from './queue.ts'
import { durationPerSeat, seatsTimesDuration } from './seatSeconds.ts'
import type { Clock } from './clock.ts'

/** Constants of the estimators (specification 5.1). Sizes in bytes. */
const MINIMUM_SEATS = 1
const MAX_MUTATING_SEATS = 10
export const OBJECTS_PER_SEAT = 100
export const BYTES_PER_SEAT = 100_000
export const MAX_CACHE_BYTES = 1_000_000
const MAX_OBJECT_BYTES = 1_500_000
const INFINITE_OBJECTS = 1_000_000_000
export const WATCHES_PER_SEAT = 10
const EVENT_DURATION_NS = msToNs(5)

/** What a seat stands for: objects of a list by count, bytes of one by size, watches that hear of a change. */
export interface CostConstants {
  readonly objectsPerSeat: number
  readonly bytesPerSeat: number
  readonly watchesPerSeat: number
}
/** Each of them, and what it counts. */
export const COSTS = [
  ['objectsPerSeat', 'objects'],
  ['bytesPerSeat', 'bytes'],
  ['watchesPerSeat', 'watches'],
] as const
export const UPSTREAM_COSTS: CostConstants = {
  objectsPerSeat: OBJECTS_PER_SEAT,
  bytesPerSeat: BYTES_PER_SEAT,
  watchesPerSeat: WATCHES_PER_SEAT,
}

/** How the estimates depend on the server's version and settings (specification 5.1, 5.4). */
export interface EstimatorProfile {
  /** Lists cost by size and up to 100 seats (on by default since 1.34), else by count and up to 10. */
  readonly sizeBasedLists: boolean
  /** Watches with initial events cost like lists (on by default since 1.34). */
  readonly watchList: boolean
  /** Since 1.35 a watch from resourceVersion empty or 0 costs like a list, too. */
  readonly legacyWatchesCost: boolean
  /**
   * Whether lists without a version come from the cache: on by default since 1.31, if every etcd endpoint supports
   * progress requests.
   */
  readonly consistentReadsFromCache: boolean
  /** Upstream’s if absent. */
  readonly costs?: CostConstants
}

/** Number and average size of the objects of one resource, as last polled (specification 5.7). */
export type ObjectStatistics =
  | { readonly state: 'ok'; readonly count: number; readonly averageSize: number }
  | { readonly state: 'not-found' }
  | { readonly state: 'stale' }

/** The inputs of the estimators. */
export interface EstimatorSources {
  /** By `resource` or `resource.group` (trap T41). */
  objectStatistics(key: string): ObjectStatistics
  /** Watches that are notified of the request's change. */
  interestedWatches(info: RequestInfo): number
}

/** Which inputs decide whether a list is answered by etcd or from the watch cache (specification 5.4). */
export type ReadPath =
  | 'watch'
  | 'exact-version'
  | 'not-older-than'
  | 'unknown-match'
  | 'continued'
  | 'page-of-version'
  | 'latest'
  | 'any-version'

/** The objects that a list has to read. `page` and `loaded` count objects. */
export interface ListReading {
  /** By size in bytes, else by number of objects. */
  readonly bySize: boolean
  readonly count: number
  /** How many of them the limit leaves. */
  readonly page: number
  readonly loaded: number
  /** Set only when estimating by size; otherwise 0. */
  readonly averageSize: number
  readonly bytes: number
}

/** The origin of an estimate, for the explanation. */
export type EstimateBasis =
  /** One seat, or for `unknown` the most that the level admits. */
  | { readonly kind: 'fixed'; readonly because: 'verb' | 'plain-watch' | 'watch-without-list' | 'token' | 'unknown' }
  | { readonly kind: 'unreadable-query'; readonly cap: number }
  | {
      readonly kind: 'list'
      readonly statistics: ObjectStatistics
      readonly path: ReadPath
      readonly fromCache: boolean
      /** Absent without statistics, when nothing is estimated. */
      readonly reading: ListReading | undefined
      readonly uncapped: number
      readonly cap: number
    }
  | { readonly kind: 'mutating'; readonly watches: number; readonly uncapped: number; readonly cap: number }

export interface ExplainedEstimate extends WorkEstimate {
  readonly basis: EstimateBasis
}

const seats = (initialSeats: Seats, basis: EstimateBasis): ExplainedEstimate => ({
  initialSeats,
  finalSeats: 0,
  additionalLatency: 0,
  basis,
})
export const ONE_SEAT = seats(MINIMUM_SEATS, { kind: 'fixed', because: 'verb' })
const PLAIN_WATCH = seats(MINIMUM_SEATS, { kind: 'fixed', because: 'plain-watch' })
const WATCH_WITHOUT_LIST = seats(MINIMUM_SEATS, { kind: 'fixed', because: 'watch-without-list' })
const TOKEN = seats(MINIMUM_SEATS, { kind: 'fixed', because: 'token' })

/** The smaller of the estimator's own limit and the level's, which has none when it is 0 (specification 5.2). */
const capOf = (limit: number, levelMaxSeats: Seats): number =>
  levelMaxSeats === 0 || levelMaxSeats > limit ? limit : levelMaxSeats

const maxListSeats = (profile: EstimatorProfile): number => (profile.sizeBasedLists ? 100 : 10)

export const statisticsKey = ({ resource, apiGroup }: Pick<RequestInfo, 'resource' | 'apiGroup'>): string =>
  apiGroup === '' ? resource : `${resource}.${apiGroup}`

/** A request of unknown kind costs the most that a level admits (specification 5.3). */
export function estimateUnknown(profile: EstimatorProfile, levelMaxSeats: Seats): ExplainedEstimate {
  const cap = capOf(Math.max(maxListSeats(profile), MAX_MUTATING_SEATS), levelMaxSeats)
  return seats(cap, { kind: 'fixed', because: 'unknown' })
}

/**
 * Seats that a request will need, by its verb (specification 5.3). `levelMaxSeats` 0 means that the level sets no
 * limit.
 */
export function estimateWork(
  info: RequestInfo,
  query: Query,
  levelMaxSeats: Seats,
  profile: EstimatorProfile,
  sources: EstimatorSources,
): ExplainedEstimate {
  switch (info.verb) {
    case 'list':
      return estimateList(info, query, levelMaxSeats, profile, sources)
    case 'watch':
      return profile.watchList ? estimateList(info, query, levelMaxSeats, profile, sources) : WATCH_WITHOUT_LIST
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
      return estimateMutating(info, levelMaxSeats, profile, sources)
    default:
      return ONE_SEAT
  }
}

function readPathOf(options: ListOptions): ReadPath {
  switch (options.resourceVersionMatch) {
    case 'Exact':
      return 'exact-version'
    case 'NotOlderThan':
      return 'not-older-than'
    case '':
      if (options.continueToken !== '') return 'continued'
      if (options.limit > 0 && options.resourceVersion !== '' && options.resourceVersion !== '0')
        return 'page-of-version'
      return options.resourceVersion === '' ? 'latest' : 'any-version'
    default:
      return 'unknown-match'
  }
}

/** Whether a request with these reading options is answered from the watch cache (specification 5.4). */
function readsFromCache(path: ReadPath, profile: EstimatorProfile): boolean {
  if (path === 'latest') return profile.consistentReadsFromCache
  return path === 'watch' || path === 'not-older-than' || path === 'any-version'
}

/** A watch that only follows changes from a known version on (trap T43). */
function isPlainWatch({ sendInitialEvents, resourceVersion }: ListOptions, profile: EstimatorProfile): boolean {
  const legacy = profile.legacyWatchesCost && (resourceVersion === '' || resourceVersion === '0')
  return sendInitialEvents !== true && !legacy
}

function estimateList(
  info: RequestInfo,
  query: Query,
  levelMaxSeats: Seats,
  profile: EstimatorProfile,
  sources: EstimatorSources,
): ExplainedEstimate {
  const cap = capOf(maxListSeats(profile), levelMaxSeats)
  const options = parseListOptions(query)
  if (options === undefined) return seats(cap, { kind: 'unreadable-query', cap })
  if (info.verb === 'watch' && isPlainWatch(options, profile)) return PLAIN_WATCH
  const statistics = sources.objectStatistics(statisticsKey(info))
  const path = info.verb === 'watch' ? 'watch' : readPathOf(options)
  const fromCache = readsFromCache(path, profile)
  if (statistics.state === 'not-found') {
    const basis = {
      kind: 'list',
      statistics,
      path,
      fromCache,
      reading: undefined,
      uncapped: MINIMUM_SEATS,
      cap,
    } as const
    return seats(MINIMUM_SEATS, basis)
  }
  const known = statistics.state === 'ok' ? statistics : { count: INFINITE_OBJECTS, averageSize: MAX_OBJECT_BYTES }
  const reading = profile.sizeBasedLists
    ? readingBySize(info, options, known, fromCache)
    : readingByCount(info, options, known.count, fromCache)
  const { bytesPerSeat, objectsPerSeat } = profile.costs ?? UPSTREAM_COSTS
  const needed = Math.ceil(reading.bySize ? reading.bytes / bytesPerSeat : reading.loaded / objectsPerSeat)
  const basis = { kind: 'list', statistics, path, fromCache, reading, uncapped: needed, cap } as const
  return seats(Math.min(Math.max(needed, MINIMUM_SEATS), cap), basis)
}

const isSelective = ({ labelSelector, fieldSelector }: ListOptions): boolean =>
  labelSelector !== '' || fieldSelector !== ''

const limited = ({ limit }: ListOptions, count: number): number => (limit > 0 && limit < count ? limit : count)

function readingBySize(
  info: RequestInfo,
  options: ListOptions,
  { count, averageSize: given }: { readonly count: number; readonly averageSize: number },
  fromCache: boolean,
): ListReading {
  const averageSize = given <= 0 && count !== 0 ? MAX_OBJECT_BYTES : given
  const page = limited(options, count)
  const scanned = !fromCache && isSelective(options) ? Math.max(page, Math.trunc(count / 2)) : page
  const loaded = info.name === '' ? scanned : 1
  const bytes = fromCache ? Math.min(loaded * averageSize, MAX_CACHE_BYTES) : loaded * averageSize
  return { bySize: true, count, page, loaded, averageSize, bytes }
}

function readingByCount(info: RequestInfo, options: ListOptions, count: number, fromCache: boolean): ListReading {
  const page = limited(options, count)
  const scanned = fromCache ? count : isSelective(options) ? count + page : 2 * page
  const loaded = info.name === '' ? scanned : 1
  return { bySize: false, count, page, loaded, averageSize: 0, bytes: 0 }
}

/** Seat-seconds that a write keeps after its answer, if it notifies so many watchers (specification 5). */
export const notifyingSeatSeconds = (watches: number): number =>
  (watches / WATCHES_PER_SEAT) * nsToSeconds(EVENT_DURATION_NS)

function estimateMutating(
  info: RequestInfo,
  levelMaxSeats: Seats,
  { costs = UPSTREAM_COSTS }: EstimatorProfile,
  sources: EstimatorSources,
): ExplainedEstimate {
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return TOKEN
  const cap = capOf(MAX_MUTATING_SEATS, levelMaxSeats)
  const watches = sources.interestedWatches(info)
  const uncapped = watches < costs.watchesPerSeat ? 0 : Math.ceil(watches / costs.watchesPerSeat)
  const basis = { kind: 'mutating', watches, uncapped, cap } as const
  if (uncapped === 0) return seats(MINIMUM_SEATS, basis)
  // Narrower but longer: the work stays the same as before the cap.
  const work = seatsTimesDuration(uncapped, EVENT_DURATION_NS)
  const finalSeats = Math.min(uncapped, cap)
  return { initialSeats: MINIMUM_SEATS, finalSeats, additionalLatency: durationPerSeat(work, finalSeats), basis }
}

/** Statistics older than this are not used (specification 5.7). */
export const STALE_AFTER_NS = secondsToNs(180)
/** At every full hour of the engine's clock, statistics that are an hour old are removed. */
const PRUNE_PERIOD_NS = secondsToNs(3_600)

/**
 * The number and average size of the objects of each resource, as polled by the engine's driver (a server polls every
 * minute, stretched at random; a poll that fails does not update).
 */
export class ObjectStatisticsTracker {
  private readonly clock: Clock
  private readonly polled = new Map<string, { readonly atNs: Nanoseconds; readonly statistics: ObjectStatistics }>()
  private prunedNs = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** `key` is `resource` or `resource.group` (trap T41); `averageSize` is in bytes. */
  set(key: string, count: number, averageSize: number): void {
    const atNs = this.clock.nanoseconds
    this.prune(atNs)
    this.polled.set(key, { atNs, statistics: { state: 'ok', count, averageSize } })
  }

  get(key: string): ObjectStatistics {
    const nowNs = this.clock.nanoseconds
    this.prune(nowNs)
    const found = this.polled.get(key)
    if (found === undefined) return NOT_FOUND
    return nowNs - found.atNs > STALE_AFTER_NS ? STALE : found.statistics
  }

  private prune(nowNs: Nanoseconds): void {
    if (nowNs - this.prunedNs < PRUNE_PERIOD_NS) return
    this.prunedNs = Math.floor(nowNs / PRUNE_PERIOD_NS) * PRUNE_PERIOD_NS
    for (const [key, { atNs }] of this.polled) {
      if (atNs <= this.prunedNs - PRUNE_PERIOD_NS) this.polled.delete(key)
    }
  }
}

const NOT_FOUND: ObjectStatistics = { state: 'not-found' }
const STALE: ObjectStatistics = { state: 'stale' }
