import { CATALOGUE } from '../metrics/catalogue.ts'
import type { Family, Page, Series } from '../metrics/page.ts'
import { byCodeUnits } from '../text/text.ts'
import type { NativeHistogram, PromSeries } from './answer.ts'
import { isClock, isPageLabel } from './asked.ts'
import { targetsOf } from './discovery.ts'
import { classicOf } from './nativeHistogram.ts'

/** A metrics page as Prometheus scraped it. */
export interface TimedPage {
  /** Unix milliseconds of the scrape. */
  readonly at: number
  readonly page: Page
}

/** Pages by server, each server's in order of time. */
export type PagesByServer = ReadonlyMap<string, readonly TimedPage[]>

/** Reassembles the scraped pages from responses. */
export interface Pages {
  /** From every sample of a range. All samples of a scrape have the same time, so each page is exactly as scraped. */
  raw(series: readonly PromSeries[]): PagesByServer
  /**
   * From the newest samples at some steps. For each server and step, `clock` has the time of the scrape that provided
   * the samples. A scrape that is the newest at several steps is one page.
   */
  stepped(series: readonly PromSeries[], clock: readonly PromSeries[]): PagesByServer
}

/** Maximum number of series kept; more than a cluster has, so that servers that come and go do not fill the memory. */
const MOST_KNOWN = 200_000

/**
 * `instance` is the label that identifies a series' server. Several Prometheus replicas may scrape one server: each has
 * its own pages, separated by the labels that they added.
 */
export function createPages(instance: string): Pages {
  const strings = createSeriesTable()

  const build = (
    series: readonly PromSeries[],
    clock: readonly PromSeries[],
    instantsOf: (clock: PromSeries) => readonly Instant[],
  ): Target[] => {
    const { keyOf } = targetsOf(clock)
    const columns = Map.groupBy(series, keyOf)
    return clock.map((one) => ({
      server: one.labels[instance] ?? '',
      pages: pagesOf(columns.get(keyOf(one)) ?? [], instantsOf(one), strings),
    }))
  }
  return {
    raw(series) {
      const targets = build(
        series,
        series.filter(({ labels }) => isClock(labels)),
        ({ times }) => times.map((at) => ({ step: at, at })),
      )
      return byServer(targets, (all) => all.flatMap(({ pages }) => pages))
    },
    stepped(series, clock) {
      const targets = build(series, clock, scrapes)
      // One replica throughout: the values of two would mix at the steps.
      return byServer(targets, ([first, ...others]) =>
        others.reduce((best, target) => (target.pages.length > best.length ? target.pages : best), first?.pages ?? []),
      )
    },
  }
}

/** A page is read at `step`, where its samples are, and was scraped at `at`. */
interface Instant {
  readonly step: number
  readonly at: number
}

interface Target {
  readonly server: string
  readonly pages: readonly TimedPage[]
}

function byServer(
  targets: readonly Target[],
  pagesOfAll: (targets: readonly Target[]) => readonly TimedPage[],
): PagesByServer {
  return new Map(
    [...Map.groupBy(targets, ({ server }) => server)].map(([server, all]) => [
      server,
      pagesOfAll(all)
        .toSorted((a, b) => a.at - b.at)
        .filter(({ at }, index, sorted) => at !== sorted[index - 1]?.at),
    ]),
  )
}

/** The scrapes that a clock with steps contains, each at the first step that contains it. */
function scrapes({ times, samples }: PromSeries): Instant[] {
  const instants: Instant[] = []
  for (const [index, step] of times.entries()) {
    const seconds = samples[index]
    const at = typeof seconds === 'number' ? Math.round(seconds * 1_000) : Number.NaN
    // A scrape cannot be later than the step that contains it, nor earlier than one at an earlier step.
    if (at <= step && at > (instants.at(-1)?.at ?? Number.NEGATIVE_INFINITY)) instants.push({ step, at })
  }
  return instants
}

/** A series and its position in the responses. */
interface Column {
  readonly family: string
  readonly series: PromSeries
  /** The same series with only the labels of the page. */
  readonly own: Known
  /** Index of the first sample that has not been consumed yet. */
  next: number
}

function pagesOf(series: readonly PromSeries[], instants: readonly Instant[], strings: SeriesTable): TimedPage[] {
  const all = series.map((one): Column => {
    const own = strings.of(one.labels)
    return { family: familyOf(own.series.name), series: one, own, next: 0 }
  })
  const classic = new Set(all.flatMap(({ own }) => (own.series.name.endsWith('_bucket') ? [own.withoutBound] : [])))
  const columns = all
    .filter(({ own, family }) => own.series.name !== family || !classic.has(own.asHistogram))
    .toSorted((a, b) => a.own.seq - b.own.seq)
  return instants.map(({ step, at }) => ({ at, page: pageAt(columns, step, strings) }))
}

/** Family of a sample by its name: the parts of a histogram are named after it. */
function familyOf(name: string): string {
  if (CATALOGUE.has(name)) return name
  const family = name.replace(/_(?:bucket|sum|count)$/, '')
  return CATALOGUE.get(family)?.type === 'histogram' ? family : name
}

function pageAt(columns: readonly Column[], step: number, strings: SeriesTable): Page {
  const families = new Map<string, { series: Series[]; values: number[] }>()
  let samples = 0
  const add = (family: string, series: Series, value: number): void => {
    const found = families.get(family) ?? { series: [], values: [] }
    families.set(family, found)
    found.series.push(series)
    found.values.push(value)
    samples++
  }
  for (const column of columns) {
    const { times, samples: values } = column.series
    while ((times[column.next] ?? Number.POSITIVE_INFINITY) < step) column.next++
    if (times[column.next] !== step) continue
    const value = values[column.next]
    if (typeof value === 'number') add(column.family, column.own.series, value)
    else if (value !== undefined) addNative(column, value, (series, part) => add(column.family, series, part), strings)
  }
  return {
    families: new Map(
      [...families].map(([name, { series, values }]): [string, Family] => [
        name,
        { name, type: CATALOGUE.get(name)?.type ?? 'untyped', series, values },
      ]),
    ),
    samples,
  }
}

/** A native histogram replaces the classic one on the page. */
function addNative(
  { family, own }: Column,
  histogram: NativeHistogram,
  add: (series: Series, value: number) => void,
  strings: SeriesTable,
): void {
  const { bounds, counts } = classicOf(histogram)
  const { labels } = own.series
  for (const [index, count] of counts.entries()) {
    const le = String(bounds[index] ?? '+Inf')
    add(strings.of({ ...labels, __name__: `${family}_bucket`, le }).series, count)
  }
  add(strings.of({ ...labels, __name__: `${family}_sum` }).series, histogram.sum)
  add(strings.of({ ...labels, __name__: `${family}_count` }).series, histogram.count)
}

interface Known {
  /** The same object each time, so that a builder can cache by it. */
  readonly series: Series
  /** Order of appearance. */
  readonly seq: number
  /** Family name and labels without the bound: the same for a `…_bucket` and for the native histogram of the series. */
  readonly withoutBound: string
  readonly asHistogram: string
}

interface SeriesTable {
  of(labels: Readonly<Record<string, string>>): Known
}

function createSeriesTable(): SeriesTable {
  const known = new Map<string, Known>()
  let seq = 0
  return {
    of(labels) {
      const name = labels['__name__'] ?? ''
      const own = Object.entries(labels)
        .filter(([label]) => label !== '__name__' && isPageLabel(label))
        .toSorted(([a], [b]) => byCodeUnits(a, b))
      const key = JSON.stringify([name, own])
      const found = known.get(key)
      if (found !== undefined) return found
      if (known.size >= MOST_KNOWN) known.clear()
      const unbound = own.filter(([label]) => label !== 'le')
      const made: Known = {
        series: { name, labels: Object.fromEntries(own) },
        seq: seq++,
        withoutBound: JSON.stringify([name.replace(/_bucket$/, ''), unbound]),
        asHistogram: JSON.stringify([name, own]),
      }
      known.set(key, made)
      return made
    },
  }
}
