import type { Histogram, RequestTimes } from '../frame/frame.ts'
import { VERB_GROUPS, type VerbGroup } from '../frame/reading.ts'
import { DURATION, OWN_DURATIONS } from './catalogueTimes.ts'
import type { Family, Page, Series } from './page.ts'

/** A large cluster has about ten thousand; a page with many more must not slow down a scrape. */
const MOST_SERIES = 200_000

/** Requests that last until their clients end them: watches, and streams. */
export const LONG_VERBS: ReadonlySet<string> = new Set(['WATCH', 'WATCHLIST', 'CONNECT', 'PROXY'])
export const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

const GROUP_OF: ReadonlyMap<string, VerbGroup> = new Map([
  ['GET', 'get'],
  ['LIST', 'list'],
  ...['POST', 'PUT', 'PATCH', 'APPLY', 'DELETE', 'DELETECOLLECTION'].map((verb) => [verb, 'write'] as const),
])

/** Positions of the numbers of a family. */
interface Places {
  readonly series: readonly Series[]
  /** All label sets. */
  readonly all: Sums
  readonly verbs: ReadonlyMap<VerbGroup, Sums>
}

/** Positions of the numbers to add up over several label sets. */
interface Sums {
  readonly bounds: readonly number[]
  /** Indices of the buckets up to each bound, the last for +Inf. */
  readonly buckets: readonly (readonly number[])[]
  readonly sums: readonly number[]
  readonly counts: readonly number[]
}

/**
 * Reads the request times of all levels of one server, because the families have no level label. State from one page
 * makes the next one cheaper. `undefined` for a page without them.
 */
export function createRequestTimesReader(): (page: Pick<Page, 'families'>) => RequestTimes | undefined {
  const known = new Map<string, Places>()
  const placesOf = (family: Family | undefined): Places | undefined => {
    if (family === undefined || family.series.length > MOST_SERIES) return undefined
    let places = known.get(family.name)
    if (places === undefined || !isSame(places.series, family.series)) {
      places = placesIn(family)
      known.set(family.name, places)
    }
    return places
  }
  return ({ families }) => {
    const family = families.get(DURATION)
    const places = placesOf(family)
    const duration = places && sumAt(places.all, family?.values ?? [])
    if (places === undefined || duration === undefined) return undefined
    const verbs = verbsAt(places, family?.values ?? [])
    const ownFamily = OWN_DURATIONS.map((name) => families.get(name)).find((one) => one !== undefined)
    const ownPlaces = placesOf(ownFamily)
    const own = ownPlaces && sumAt(ownPlaces.all, ownFamily?.values ?? [])
    return { duration, ...(own && { own }), ...(verbs && { verbs }) }
  }
}

/** `undefined` unless each verb is complete: one that comes and goes would appear to restart. */
function verbsAt({ verbs }: Places, values: ArrayLike<number>): RequestTimes['verbs'] {
  const found: RequestTimes['verbs'] = {}
  for (const [verb, sums] of verbs) {
    const histogram = sumAt(sums, values)
    if (histogram === undefined) return undefined
    found[verb] = histogram
  }
  return found
}

/** Parsers intern series, so comparing identity is enough. */
const isSame = (a: readonly Series[], b: readonly Series[]): boolean =>
  a === b || (a.length === b.length && a.every((series, i) => series === b[i]))

const isLong = ({ verb = '', subresource = '' }: Readonly<Record<string, string>>): boolean =>
  LONG_VERBS.has(verb.toUpperCase()) || LONG_SUBRESOURCES.has(subresource)

function placesIn({ name, series }: Family): Places {
  const short = [...series.entries()].filter(([, { labels }]) => !isLong(labels))
  const byGroup = Map.groupBy(short, ([, { labels }]) => GROUP_OF.get(labels['verb']?.toUpperCase() ?? ''))
  const verbs = VERB_GROUPS.flatMap((verb) => {
    const own = byGroup.get(verb)
    return own === undefined ? [] : [[verb, sumsIn(name, own)] as const]
  })
  return { series, all: sumsIn(name, short), verbs: new Map(verbs) }
}

function sumsIn(name: string, series: readonly (readonly [index: number, one: Series])[]): Sums {
  const buckets = new Map<number, number[]>()
  const sums: number[] = []
  const counts: number[] = []
  for (const [i, { name: sample, labels }] of series) {
    const suffix = sample.slice(name.length)
    if (suffix === '_sum') sums.push(i)
    else if (suffix === '_count') counts.push(i)
    else if (suffix === '_bucket') {
      const bound = /^\+?Inf$/.test(labels['le'] ?? '')
        ? Number.POSITIVE_INFINITY
        : Number.parseFloat(labels['le'] ?? '')
      if (!Number.isNaN(bound)) group(buckets, bound).push(i)
    }
  }
  const ascending = [...buckets].toSorted(([a], [b]) => a - b)
  return {
    bounds: ascending.slice(0, -1).map(([bound]) => bound),
    buckets: ascending.map(([, at]) => at),
    sums,
    counts,
  }
}

function group(buckets: Map<number, number[]>, bound: number): number[] {
  const found = buckets.get(bound) ?? []
  buckets.set(bound, found)
  return found
}

/** `undefined` unless it is complete: the same label sets in every bucket, a +Inf bucket, and only numbers. */
function sumAt({ bounds, buckets, sums, counts }: Sums, values: ArrayLike<number>): Histogram | undefined {
  const all = buckets.at(-1)
  if (all === undefined || buckets.some(({ length }) => length !== all.length) || sums.length !== counts.length) {
    return undefined
  }
  const total = (at: readonly number[]): number => at.reduce((sum, i) => sum + (values[i] ?? Number.NaN), 0)
  const histogram = { bounds: [...bounds], counts: buckets.map(total), sum: total(sums), count: total(counts) }
  const isFinite = Number.isFinite(histogram.sum) && histogram.counts.every(Number.isFinite)
  return isFinite && Number.isFinite(histogram.count) ? histogram : undefined
}
