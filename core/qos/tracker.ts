import { segmentsOf, successor } from './keys.ts'
import { elementsOf, type KeyOperation, type QosRequest } from './request.ts'

/** The cost of a call; values that were not measured are `undefined` (QoS specification 5). */
export interface Observed {
  readonly ok: boolean
  readonly scannedKeys: number | undefined
  readonly responseBytes: number | undefined
  readonly latencyMs: number | undefined
}

/** The expected cost of a request; `undefined` where there is no expectation. */
export type Prediction = Omit<Observed, 'ok'>

/** A request that proved expensive. */
export interface Tracked extends Prediction {
  /** Calls measured since then. */
  readonly hits: number
}

/** An average over similar requests. */
export interface Statistic extends Prediction {
  readonly observations: number
}

/** Bounds of the tracker's size (QoS specification 6). */
export const TRACKER_CAPACITY = { least: 16, most: 100_000 } as const

const LATENCY_KEPT = 0.7
const ALPHA = 0.2
const ENOUGH_OBSERVATIONS = 5
/** Kinds of requests with an average; the least recently used one is dropped. */
const MOST_STATISTICS = 1_000
/** A key may be as long as a request. */
const LONGEST_KIND = 256

/** Looks up an entry and makes it the most recently used; the map's first entry is the least recently used. */
export function touch<V>(map: Map<string, V>, key: string): V | undefined {
  const value = map.get(key)
  if (value === undefined) return undefined
  map.delete(key)
  map.set(key, value)
  return value
}

/** Returns how many entries were evicted for it. */
function putLatest<V>(map: Map<string, V>, key: string, value: V, capacity: number): number {
  map.delete(key)
  map.set(key, value)
  let evicted = 0
  for (const oldest of map.keys()) {
    if (map.size <= capacity) break
    map.delete(oldest)
    evicted += 1
  }
  return evicted
}

/** Stores costs of expensive requests by hash. A cheap one never enters: `worthKeeping` decides. Returns evictions. */
export function track(
  tracker: Map<string, Tracked>,
  hash: string,
  observed: Observed,
  options: { readonly capacity: number; readonly worthKeeping: () => boolean },
): number {
  const known = tracker.get(hash)
  if (known !== undefined) {
    const measured = observed.ok ? observed : undefined
    tracker.set(hash, {
      scannedKeys: measured?.scannedKeys ?? known.scannedKeys,
      responseBytes: measured?.responseBytes ?? known.responseBytes,
      latencyMs: mixed(known.latencyMs, observed.latencyMs, 1 - LATENCY_KEPT),
      hits: known.hits + 1,
    })
  } else if (observed.ok && options.worthKeeping()) {
    const { scannedKeys, responseBytes, latencyMs } = observed
    return putLatest(tracker, hash, { scannedKeys, responseBytes, latencyMs, hits: 0 }, options.capacity)
  }
  return 0
}

/** Moves an average towards the new value by a part of the distance. */
function mixed(old: number | undefined, fresh: number | undefined, part: number): number | undefined {
  if (old === undefined || fresh === undefined) return fresh ?? old
  return (1 - part) * old + part * fresh
}

/** The kind of requests that share an average; `undefined` for those that the tracker does not track either. */
export function kindOf({ method, body }: QosRequest): string | undefined {
  if (method === 'Auth/Authenticate') return method
  if (body?.op === 'Txn') return elementsOf(body).every(({ op }) => op === 'Range') ? method : undefined
  if (body?.op !== 'Range') return undefined
  const { options = {} } = body
  return JSON.stringify([
    method,
    segmentsOf(body.key, 3).slice(0, LONGEST_KIND),
    shapeOf(body),
    (options.limit ?? 0) > 0,
    options.countOnly ?? false,
  ])
}

function shapeOf(operation: Extract<KeyOperation, { op: 'Range' }>): 'point' | 'prefix' | 'range' {
  const { key, rangeEnd = '' } = operation
  if (rangeEnd === '') return 'point'
  return rangeEnd === '\0' || rangeEnd !== successor(key) ? 'range' : 'prefix'
}

/** The average cost of a kind of requests, once enough of them were measured. */
export function averageOf(statistics: ReadonlyMap<string, Statistic>, kind: string): Prediction | undefined {
  const known = statistics.get(kind)
  return known !== undefined && known.observations >= ENOUGH_OBSERVATIONS ? known : undefined
}

export function average(statistics: Map<string, Statistic>, kind: string, observed: Observed): void {
  if (!observed.ok) return
  const known = statistics.get(kind)
  const next = (of: keyof Prediction): number | undefined => mixed(known?.[of], observed[of], ALPHA)
  putLatest(
    statistics,
    kind,
    {
      scannedKeys: next('scannedKeys'),
      responseBytes: next('responseBytes'),
      latencyMs: next('latencyMs'),
      observations: (known?.observations ?? 0) + 1,
    },
    MOST_STATISTICS,
  )
}
