import { msToNs, type Nanoseconds, secondsToNs } from '../units.ts'
import type { QosClass } from './configuration.ts'
import type { Applied } from './decision.ts'
import type { Discipline, LimiterState } from './discipline.ts'
import type { Evidence } from './match.ts'
import type { QosRequest } from './request.ts'
import { type Statistic, touch, type Tracked } from './tracker.ts'

export interface Waiting {
  readonly id: number
  readonly at: Nanoseconds
  readonly request: QosRequest
  readonly evidence: Evidence
  readonly applied: Applied
  readonly pool: string
  readonly hash?: string
}

/** The state of a class for one group. */
export interface Group {
  /** Distinguishes it from a dropped group of the same value. */
  readonly serial: number
  readonly level: LimiterState
  /** In order of arrival. */
  readonly waiting: Waiting[]
}

/** The groups of a class, or of one rule of it; the least recently used one first. */
export interface Pool {
  readonly definition: QosClass
  readonly groups: Map<string, Group>
}

export interface Charge {
  readonly pool: string
  readonly serial: number
  readonly group: string
  readonly charged: number
  readonly at: Nanoseconds
}

export interface InFlight {
  readonly request: QosRequest
  readonly retry: number
  readonly hash?: string
  readonly charge?: Charge
}

/** How often the tracker had a request, did not have it, and evicted an entry for another one. */
interface Lookups {
  hits: number
  misses: number
  evictions: number
}

/**
 * The complete state of an engine, as plain data: a structured clone of it is a checkpoint, from which another engine
 * continues with identical decisions.
 */
export interface QosState {
  now: Nanoseconds
  /** The next id of a request. */
  nextId: number
  /** The next serial of a group. */
  nextSerial: number
  /** Part of the storage quota in use; `undefined` if unknown. */
  storageQuotaUsed: number | undefined
  readonly pools: Map<string, Pool>
  readonly inFlight: Map<number, InFlight>
  readonly tracker: Map<string, Tracked>
  readonly lookups: Lookups
  readonly statistics: Map<string, Statistic>
  /** Times of a caller's failed calls of a request. */
  readonly failures: Map<string, readonly Nanoseconds[]>
  /** Requests that waited in a class that another configuration removed; they pass. */
  readonly released: Waiting[]
}

export const startQosState = (): QosState => ({
  now: 0,
  nextId: 1,
  nextSerial: 1,
  storageQuotaUsed: undefined,
  pools: new Map(),
  inFlight: new Map(),
  tracker: new Map(),
  lookups: { hits: 0, misses: 0, evictions: 0 },
  statistics: new Map(),
  failures: new Map(),
  released: [],
})

/** How long after a failed call the next one counts as a retry (QoS specification 3). */
const RETRY_NS = secondsToNs(10)
/** Requests whose failed calls are counted; beyond that, the least recently failed one is dropped. */
const MOST_RETRIED = 1_000
/**
 * The state of a class for one group, which becomes the most recently used one. A group beyond the limit replaces the
 * least recently used one.
 */
export function groupIn(
  state: QosState,
  {
    pool: name,
    definition,
    discipline,
  }: { readonly pool: string; readonly definition: QosClass; readonly discipline: Discipline },
  value: string,
): Group {
  const { pools } = state
  const pool = pools.get(name) ?? { definition, groups: new Map<string, Group>() }
  pools.set(name, pool)
  const known = touch(pool.groups, value)
  if (known !== undefined) return known
  const group: Group = { serial: state.nextSerial++, level: discipline.start(), waiting: [] }
  pool.groups.set(value, group)
  if (pool.groups.size > definition.maxGroups) {
    // Groups with waiting requests stay: with a new state, their time of admission could not be computed.
    for (const [oldest, { waiting }] of pool.groups) {
      if (waiting.length > 0 || oldest === value) continue
      pool.groups.delete(oldest)
      break
    }
  }
  return group
}

/** The latest time until which a request waits. */
export const deadlineOf = ({ at }: Waiting, { overflow }: QosClass): Nanoseconds =>
  overflow.action === 'delay' ? at + msToNs(overflow.maxDelayMs) : at

/** When a request that arrives now is admitted, after those that wait. */
export function expectedAt(
  discipline: Discipline,
  { level, waiting }: Group,
  need: number,
  now: Nanoseconds,
): Nanoseconds {
  const planned = [...level]
  let at = now
  for (const { applied } of waiting) {
    at = discipline.admissibleAt(planned, applied.need, at)
    if (!Number.isFinite(at)) return at
    discipline.charge(planned, applied.charged, at)
  }
  return discipline.admissibleAt(planned, need, at)
}

/** Number of recent failures of a caller's call of this request. */
export function failuresOf({ failures, now }: QosState, hash: string, request: QosRequest): number {
  const since = now - RETRY_NS
  return failures.get(retriedKey(hash, request))?.filter((at) => at > since).length ?? 0
}

/** Stores the latest `most` failed calls of a request by its caller. */
export function countFailure(
  { failures }: QosState,
  hash: string,
  request: QosRequest,
  { at, most }: { readonly at: Nanoseconds; readonly most: number },
): void {
  const key = retriedKey(hash, request)
  const times = [...(failures.get(key) ?? []), at].slice(-most)
  failures.delete(key)
  failures.set(key, times)
  for (const oldest of failures.keys()) {
    if (failures.size <= MOST_RETRIED) break
    failures.delete(oldest)
  }
}

const retriedKey = (hash: string, { user, clientIP }: QosRequest): string => `${hash}\0${clientIP}\0${user}`
