import type { Histogram, RequestTimes } from '../frame/frame.ts'
import { DURATION, OWN_DURATIONS } from './catalogueTimes.ts'
import type { Family, Page, Series } from './page.ts'

/** A large cluster has some ten thousand; a page that has many more must not cost the time of a scrape. */
const MOST_SERIES = 200_000

/** Requests that last as long as their clients want: watches, and what is streamed. */
export const LONG_VERBS: ReadonlySet<string> = new Set(['WATCH', 'WATCHLIST', 'CONNECT', 'PROXY'])
export const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/** Where the numbers of a family stand, whatever its label sets. */
interface Places {
  readonly series: readonly Series[]
  readonly bounds: readonly number[]
  /** Indices of the buckets up to each bound, the last for +Inf. */
  readonly buckets: readonly (readonly number[])[]
  readonly sums: readonly number[]
  readonly counts: readonly number[]
}

/**
 * Reads the times of requests of all levels of one server: the families name no level. What it remembers of one page makes
 * the next one cheaper. `undefined` for a page without them.
 */
export function createRequestTimesReader(): (page: Pick<Page, 'families'>) => RequestTimes | undefined {
  const known = new Map<string, Places>()
  const read = (family: Family | undefined): Histogram | undefined => {
    if (family === undefined || family.series.length > MOST_SERIES) return undefined
    let places = known.get(family.name)
    if (places === undefined || !isSame(places.series, family.series)) {
      places = placesIn(family)
      known.set(family.name, places)
    }
    return sumAt(places, family.values)
  }
  return ({ families }) => {
    const duration = read(families.get(DURATION))
    if (duration === undefined) return undefined
    const own = read(OWN_DURATIONS.map((name) => families.get(name)).find((family) => family !== undefined))
    return { duration, ...(own && { own }) }
  }
}

/** Parsers intern series, so identity is enough. */
const isSame = (a: readonly Series[], b: readonly Series[]): boolean =>
  a === b || (a.length === b.length && a.every((series, i) => series === b[i]))

const isLong = ({ verb = '', subresource = '' }: Readonly<Record<string, string>>): boolean =>
  LONG_VERBS.has(verb.toUpperCase()) || LONG_SUBRESOURCES.has(subresource)

function placesIn({ name, series }: Family): Places {
  const buckets = new Map<number, number[]>()
  const sums: number[] = []
  const counts: number[] = []
  for (const [i, { name: sample, labels }] of series.entries()) {
    if (isLong(labels)) continue
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
    series,
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

/** `undefined` unless it is whole: the same label sets in every bucket, a bucket for all, and numbers alone. */
function sumAt({ bounds, buckets, sums, counts }: Places, values: ArrayLike<number>): Histogram | undefined {
  const all = buckets.at(-1)
  if (all === undefined || buckets.some(({ length }) => length !== all.length) || sums.length !== counts.length) {
    return undefined
  }
  const total = (at: readonly number[]): number => at.reduce((sum, i) => sum + (values[i] ?? Number.NaN), 0)
  const histogram = { bounds: [...bounds], counts: buckets.map(total), sum: total(sums), count: total(counts) }
  const isFinite = Number.isFinite(histogram.sum) && histogram.counts.every(Number.isFinite)
  return isFinite && Number.isFinite(histogram.count) ? histogram : undefined
}
