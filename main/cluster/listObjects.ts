import { z } from 'zod'
import { type Stored, readStored } from '../../core/config/schema.ts'
import type { Kind } from '../../core/config/objects.ts'
import { BYTES_PER_SEAT, OBJECTS_PER_SEAT } from '../../core/engine/workEstimator.ts'
import { factsOf, OBJECTS, OBJECTS_BEFORE, SIZES } from '../../core/live/serverFacts.ts'
import type { ReviewContext } from './accessReview.ts'
import { collectionUrl, countedAs } from './clusterApi.ts'
import { type Failed, getJson } from './http.ts'
import { readFamilies } from './readFamilies.ts'
import { watchObjects } from './watchObjects.ts'

interface Listed<K extends Kind> {
  readonly ok: true
  readonly items: readonly Stored<K>[]
  /** Where a watch of the changes begins. */
  readonly resourceVersion: string
  /** Names of objects that could not be parsed. */
  readonly strange: readonly string[]
}

/**
 * All objects of one kind, at the price of one seat at a time, if the metrics of the server show how: in pages that cost
 * one seat each, or, where every list is dear, by a watch.
 */
export async function listObjects<K extends Kind>(
  kind: K,
  context: ReviewContext,
  signal?: AbortSignal,
): Promise<Listed<K> | Failed> {
  const way = await cheapWay(kind, context, signal)
  if ('page' in way) return listPages(kind, context, way.page, signal)
  for (const patience of PATIENCE) {
    const watched = await listByWatch(kind, context, { count: way.count, patience }, signal)
    if (watched === 'refused') break
    if (watched !== 'short') return watched
  }
  return listPages(kind, context, UNKNOWN_PAGE, signal)
}

/** How much longer than usual a watch may take before a dear list replaces it: an overloaded server is slow. */
const PATIENCE = [1, 4, 10] as const

/** Objects per page where the server counts, at twice their number, those that a list from etcd reads. */
const UNKNOWN_PAGE = OBJECTS_PER_SEAT / 2
const LARGEST_PAGE = 500

/** Pages of so many objects, or a watch that brings at least `count`. */
type Way = { readonly page: number } | { readonly count: number }

/**
 * What costs one seat (specification 5.4). A server that restarted on existing data does not know the sizes of objects
 * that nobody has written since: it takes each for the largest possible, and each list, whatever its limit, costs ten
 * seats. Servers that estimate by count disregard the limit of a list from the watch cache.
 */
async function cheapWay(kind: Kind, { base, settings }: ReviewContext, signal: AbortSignal | undefined): Promise<Way> {
  const url = new URL(`${base}/metrics`)
  const read = await readFamilies({ url, settings, ...(signal && { signal }) }, PRICE_FAMILIES)
  const known = read.ok ? factsOf(read.page).objects.get(countedAs(kind)) : undefined
  if (!read.ok || known === undefined || known.count === 0) return { page: UNKNOWN_PAGE }
  const { count, averageSize } = known
  if (averageSize > 0) return { page: Math.min(LARGEST_PAGE, Math.max(1, Math.floor(BYTES_PER_SEAT / averageSize))) }
  return read.page.families.has(SIZES) || count > OBJECTS_PER_SEAT ? { count } : { page: UNKNOWN_PAGE }
}

const PRICE_FAMILIES: ReadonlySet<string> = new Set([OBJECTS, SIZES, OBJECTS_BEFORE])

/**
 * Any version, as `0` is. Since 1.35 servers charge a watch from `0` like a list, by the size that they do not know;
 * by this spelling of it they charge what every other watch costs: one seat.
 */
export const ANY_VERSION = '00'
/** Objects that a slow line brings within a second. */
const PER_SECOND = 250

/**
 * The objects that a short watch begins with; `short` if it brings fewer that can be parsed than the server counts. No
 * event marks the last of them, therefore the server's own end of the watch is awaited.
 */
async function listByWatch<K extends Kind>(
  kind: K,
  context: ReviewContext,
  { count, patience }: { readonly count: number; readonly patience: number },
  signal: AbortSignal | undefined,
): Promise<Listed<K> | 'short' | 'refused'> {
  const objects = new Map<string, Stored<K>>()
  const lasts = patience * Math.ceil(count / PER_SECOND)
  const watch = { resourceVersion: ANY_VERSION, lasts, ...(signal && { signal }) }
  const end = await watchObjects(kind, context, watch, (event) => {
    if (event.type === 'put') objects.set(event.object.metadata.name, event.object)
    if (event.type === 'gone') objects.delete(event.name)
  })
  if (!end.ok || end.expired) return 'refused'
  if (objects.size < count) return 'short'
  return { ok: true, items: [...objects.values()], resourceVersion: ANY_VERSION, strange: [] }
}

/** No cluster has that many; a server that never ends its list is stopped. */
const MOST_OBJECTS = 20_000

const ListSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullable(),
})

/** Page by page; a list that expires meanwhile (410) is a failure like any other. */
async function listPages<K extends Kind>(
  kind: K,
  { base, settings }: ReviewContext,
  size: number,
  signal: AbortSignal | undefined,
): Promise<Listed<K> | Failed> {
  const items: Stored<K>[] = []
  const strange: string[] = []
  let next = ''
  for (let page = 0; page * size < MOST_OBJECTS; page++) {
    const query = { limit: String(size), ...(next !== '' && { continue: next }) }
    const url = collectionUrl(base, kind, query)
    const answer = await getJson({ url, settings, ...(signal && { signal }) })
    if (!answer.ok) return answer
    const parsed = ListSchema.safeParse(answer.value)
    if (!parsed.success) {
      return {
        ok: false,
        status: 200,
        problem: {
          code: 'bad-answer',
          message: `The list of ${kind} objects from ${url.host} has no items; check that the address is that of an API server.`,
        },
      }
    }
    for (const item of parsed.data.items ?? []) {
      const stored = readStored(kind, item)
      if (stored === undefined) strange.push(nameOf(item))
      else items.push(stored)
    }
    const { resourceVersion } = parsed.data.metadata
    next = parsed.data.metadata.continue ?? ''
    if (next === '') return { ok: true, items, resourceVersion, strange }
  }
  return {
    ok: false,
    status: 200,
    problem: {
      code: 'too-large',
      message: `There are more than ${MOST_OBJECTS} ${kind} objects; the console does not read that many.`,
    },
  }
}

const NamedSchema = z.object({ metadata: z.object({ name: z.string() }) })
const nameOf = (item: unknown): string => NamedSchema.safeParse(item).data?.metadata.name ?? 'without a name'
