import { flowHash, hashToBigInt } from '../request/match.ts'

/** Number of buckets of a resource. All namespaces together always have one. */
export interface BucketShape {
  /** A: buckets of watches of one namespace. */
  readonly namespaces: number
  /** B: buckets of watches of one object. */
  readonly objects: number
}

export interface WatchedKey {
  readonly resource: string
  /** Empty for all namespaces. */
  readonly namespace: string
  /** Empty for all objects. */
  readonly name: string
}

export interface CountedWatches extends WatchedKey {
  readonly server: string
  readonly watches: number
}

export const bucketsOf = ({ namespaces, objects }: BucketShape): number => 1 + namespaces + objects

/**
 * The bucket of a key within its resource, from 0 (KEP-1040, Multiple apiservers): 0, 1 + h % A or 1 + A + h % B. The
 * proposal names no hash function; this one is the flow hash (specification 2.7), over namespace and name.
 */
export function bucketOf({ namespace, name }: WatchedKey, { namespaces, objects }: BucketShape): number {
  if (namespace === '' && name === '') return 0
  const hash = hashToBigInt(flowHash(namespace, name))
  return name === '' ? 1 + Number(hash % BigInt(namespaces)) : 1 + namespaces + Number(hash % BigInt(objects))
}

/** What a server publishes: for each resource, the largest count in each bucket. */
export type Published = ReadonlyMap<string, readonly number[]>

/** `watches` are those of one server. Counts of the same key are added before the maximum is taken. */
export function publish(watches: readonly CountedWatches[], shape: BucketShape): Published {
  const published = new Map<string, number[]>()
  for (const { resource, bucket, count } of totals(watches, shape)) {
    const buckets = published.get(resource) ?? Array.from({ length: bucketsOf(shape) }, () => 0)
    published.set(resource, buckets)
    buckets[bucket] = Math.max(buckets[bucket] ?? 0, count)
  }
  return published
}

function totals(watches: readonly CountedWatches[], shape: BucketShape) {
  const byKey = Map.groupBy(watches, keyText)
  return [...byKey.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const count = same.reduce((sum, one) => sum + one.watches, 0)
    return [{ resource: first.resource, bucket: bucketOf(first, shape), count }]
  })
}

const keyText = ({ resource, namespace, name }: WatchedKey): string => JSON.stringify([resource, namespace, name])

/** The keys whose watches receive an event of this object. */
function interestedKeys({ resource, namespace, name }: WatchedKey): readonly WatchedKey[] {
  const keys = [
    { resource, namespace: '', name: '' },
    { resource, namespace, name: '' },
    { resource, namespace: '', name },
    { resource, namespace, name },
  ]
  return [...new Map(keys.map((key) => [keyText(key), key])).values()]
}

/** Watches of one server that receive an event of this object, and the number that its buckets suggest: never lower. */
export function interestedWatches(
  object: WatchedKey,
  watches: readonly CountedWatches[],
  shape: BucketShape,
): { readonly exact: number; readonly published: number } {
  const keys = interestedKeys(object)
  const texts = new Set(keys.map(keyText))
  const buckets = publish(watches, shape).get(object.resource) ?? []
  return {
    exact: watches.reduce((sum, one) => sum + (texts.has(keyText(one)) ? one.watches : 0), 0),
    // Two keys in one bucket count it twice: its maximum may be the count of either.
    published: keys.reduce((sum, key) => sum + (buckets[bucketOf(key, shape)] ?? 0), 0),
  }
}

/** When a server writes the counts that it publishes. Times in seconds. */
export interface PublishRule {
  /** Interval at which changes are written. */
  readonly writeEvery: number
  /** A bucket that exceeds its published value by this factor is written at once... */
  readonly jumpFactor: number
  /** ...if it grew by at least this many watches. */
  readonly jumpWatches: number
}

export interface PublishedAt {
  readonly second: number
  readonly because: 'start' | 'period' | 'jump'
  readonly buckets: readonly number[]
}

/**
 * Writes of a server that checks its buckets each second (KEP-1040, Multiple apiservers): every `writeEvery` seconds if
 * something changed, and at once on a jump. A jump lowers no bucket, so a count stays published until the period ends.
 * The proposal does not define how large a significant rise is.
 *
 * @param bucketsAt the counts at each second, all of the same length
 */
export function publications(bucketsAt: readonly (readonly number[])[], rule: PublishRule): readonly PublishedAt[] {
  const written: PublishedAt[] = []
  for (const [second, buckets] of bucketsAt.entries()) {
    const last = written.at(-1)?.buckets
    if (last === undefined) {
      written.push({ second, because: 'start', buckets })
    } else if (second % rule.writeEvery === 0) {
      if (buckets.some((count, at) => count !== last[at])) written.push({ second, because: 'period', buckets })
    } else if (buckets.some((count, at) => isJump(count, last[at] ?? 0, rule))) {
      const raised = buckets.map((count, at) => Math.max(count, last[at] ?? 0))
      written.push({ second, because: 'jump', buckets: raised })
    }
  }
  return written
}

const isJump = (count: number, published: number, { jumpFactor, jumpWatches }: PublishRule): boolean =>
  count > published * jumpFactor && count - published >= jumpWatches
