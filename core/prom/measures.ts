import type { FamilyKey } from '../metrics/familyNames.ts'
import { familyFor } from '../metrics/catalogue.ts'
import { QUANTILE_WINDOW_MS } from '../frame/derive.ts'
import { RECENT_MS } from '../frame/recent.ts'
import { equals, metric, type Matcher } from './promql.ts'

/**
 * The values of charts and numbers, as PromQL that gives the same values.
 *
 * Labels that are not needed are dropped with `without`, so the labels that Prometheus added stay: where no matcher
 * separates servers, each of them has its own series instead of a part in a meaningless sum.
 */

/** Labels that a number can be split by. */
export type Each = 'priority_level' | 'flow_schema' | 'reason' | 'le'

/** A chart or a number. */
export interface Shown {
  /** Several measures are the lines of one chart. */
  readonly measures: MeasureId | readonly MeasureId[]
  readonly level?: string | undefined
  readonly schema?: string | undefined
  /** One number for each value of these labels; otherwise one for the server, the level or the schema. */
  readonly each?: readonly Each[]
  /** One number for all servers. */
  readonly summed?: boolean
  /** Unix milliseconds of the number's scrape; the current one if absent. */
  readonly atMs?: number | undefined
  /** Time span of a cell of a heat map, or of the shares of a histogram; milliseconds. */
  readonly spanMs?: number | undefined
}

/** The measured server. */
export interface Place {
  /** gitVersion: it determines the names of families and which of them exist. */
  readonly version: string | undefined
  /** The labels that Prometheus gives the server; empty if they are unknown. */
  readonly matchers: readonly Matcher[]
  /** Scrape interval; the usual one if unknown. */
  readonly intervalMs: number | undefined
  /** Families for which Prometheus has native histograms and no classic ones. */
  readonly native?: readonly string[] | undefined
}

/** The default scrape interval of Prometheus is one minute; most installations configure half of that. */
export const USUAL_INTERVAL_MS = 30_000
/** The windows of the console's own numbers (`core/frame`). */

/**
 * Ranges include their ends and one more interval, so that at any time of evaluation they contain as many scrapes as
 * the console compares: `rate()` is the increase between the first and the last of these.
 */
const windowsOf = (intervalMs = USUAL_INTERVAL_MS) => {
  const step = intervalMs < 1_000 ? intervalMs : Math.round(intervalMs / 1_000) * 1_000
  return {
    present: Math.ceil(RECENT_MS / step) * step + step,
    quantiles: Math.max(1, Math.floor(QUANTILE_WINDOW_MS / step)) * step + step,
    twoScrapes: 2 * step,
    atLeast: (ms: number) => Math.max(2, Math.ceil(ms / step)) * step,
  }
}
type Windows = ReturnType<typeof windowsOf>

/** The building blocks of expressions; each is absent where the version lacks the family. */
interface Terms {
  readonly windows: Windows
  /** Milliseconds of the chart's own window. */
  readonly span: number
  readonly value: (key: FamilyKey, own?: readonly Matcher[]) => string | undefined
  readonly rate: (key: FamilyKey, rangeMs: number, own?: readonly Matcher[]) => string | undefined
  readonly isNative: (key: FamilyKey) => boolean
  /** Observations by upper bound, or as native histograms: per second, or their number. */
  readonly buckets: (key: FamilyKey, rangeMs: number, own?: readonly Matcher[], how?: 'rate' | 'increase') => Part
  readonly part: (key: FamilyKey, part: 'sum' | 'count', rangeMs: number | undefined) => Part
  /** Levels other than the exempt one, which has no limit. */
  readonly limited: readonly Matcher[]
  /** Aggregates over all levels an expression with one number per level. */
  readonly overLevels: (how: 'sum' | 'topk', each: (terms: Terms) => Part) => Part
}
type Part = string | undefined

export const NOT_EXEMPT: Matcher = { label: 'priority_level', is: '!=', value: 'exempt' }
const WAITED = [equals('execute', 'true')]
const ORDINARY = [equals('type', 'regular')]

/** An operator between two expressions, absent with either. */
const joined = (left: Part, operator: string, right: Part): Part =>
  left === undefined || right === undefined ? undefined : `${left} ${operator} ${right}`
const inside = (call: (expression: string) => string, expression: Part): Part =>
  expression === undefined ? undefined : call(expression)

const quantile =
  (q: number, key: FamilyKey, own: readonly Matcher[]) =>
  ({ windows, buckets, limited }: Terms): Part =>
    inside(
      (rates) => `histogram_quantile(${q}, ${rates})`,
      buckets(key, windows.quantiles, key === 'wait' ? [...own, ...limited] : own),
    )
const rejectedFor =
  (reason: string) =>
  ({ windows, rate }: Terms): Part =>
    rate('rejected', windows.present, [equals('reason', reason)])
const limit =
  (key: FamilyKey) =>
  ({ value, limited }: Terms): Part =>
    value(key, limited)
const gauge =
  (key: FamilyKey) =>
  ({ value }: Terms): Part =>
    value(key)
/** With a fair fraction of 0 there is no pool: seats that limits lack are withheld, not lent (specification 6.4). */
const ifShared = ({ value }: Terms, seats: Part): Part =>
  joined(
    seats,
    '* ignoring (priority_level) group_left ()',
    inside((fraction) => `(${fraction} > bool 0)`, value('seatFairFrac')),
  )
const difference = ({ value, limited }: Terms, from: FamilyKey, less: FamilyKey): Part =>
  joined(value(from, limited), '-', value(less, limited))
/** Seats by which current limits are below nominal ones, or above them. */
const moved =
  (less: FamilyKey, from: FamilyKey) =>
  ({ overLevels }: Terms): Part =>
    overLevels('sum', (terms) =>
      ifShared(
        terms,
        inside((seats) => `clamp_min(${seats}, 0)`, difference(terms, from, less)),
      ),
    )
/** Shares of time at or below a ratio. */
const timeShares =
  (key: FamilyKey) =>
  ({ windows, span, buckets, part, isNative }: Terms): Part => {
    const rangeMs = windows.atLeast(span)
    // A native histogram is one series: no label separates its shares.
    if (isNative(key)) return undefined
    return joined(buckets(key, rangeMs), '/ ignoring (le) group_left', part(key, 'count', rangeMs))
  }

const MEASURES = {
  executing: gauge('executingSeats'),
  executingRequests: gauge('executingRequests'),
  queued: gauge('queuedRequests'),
  queuedSeats: gauge('queuedSeats'),
  limit: limit('current'),
  nominal: gauge('nominal'),
  limitedNominal: limit('nominal'),
  min: limit('lower'),
  max: limit('upper'),
  change: (terms) =>
    ifShared(
      terms,
      inside((seats) => `(${seats})`, difference(terms, 'current', 'nominal')),
    ),
  lent: moved('current', 'nominal'),
  borrowed: moved('nominal', 'current'),
  demand: gauge('smoothed'),
  highWatermark: gauge('highWatermark'),
  average: gauge('average'),
  deviation: gauge('stdev'),
  envelope: ({ value }) => joined(value('average'), '+', value('stdev')),
  target: limit('target'),
  fairFraction: gauge('seatFairFrac'),
  limitToTarget: ({ value, limited }) => joined(value('current', limited), '/', value('target', limited)),
  dispatched: ({ windows, rate }) => rate('dispatched', windows.present),
  rejected: ({ windows, rate }) => rate('rejected', windows.present),
  queueFull: rejectedFor('queue-full'),
  timeOut: rejectedFor('time-out'),
  concurrencyLimit: rejectedFor('concurrency-limit'),
  rejectedTotal: gauge('rejected'),
  noAccommodation: ({ windows, rate }) => rate('noAccommodation', windows.twoScrapes),
  waitP50: quantile(0.5, 'wait', WAITED),
  waitP99: quantile(0.99, 'wait', WAITED),
  longestWaitP99: ({ overLevels }) => overLevels('topk', quantile(0.99, 'wait', WAITED)),
  executionP99: quantile(0.99, 'execution', ORDINARY),
  meanSeats: ({ part }) =>
    joined(part('estimatedSeats', 'sum', undefined), '/', part('estimatedSeats', 'count', undefined)),
  waits: ({ windows, span, buckets }) => buckets('wait', windows.atLeast(span), WAITED, 'increase'),
  executions: ({ windows, span, buckets }) => buckets('execution', windows.atLeast(span), ORDINARY, 'increase'),
  utilizationShares: timeShares('seatUtilization'),
  demandShares: timeShares('demandRatio'),
  virtualTime: gauge('currentR'),
  dispatchVirtualTime: gauge('dispatchR'),
  lastServedTag: gauge('latestS'),
} as const satisfies Record<string, (terms: Terms) => Part>
export type MeasureId = keyof typeof MEASURES
/** Every measure. */
export const MEASURE_IDS = Object.keys(MEASURES).filter((id): id is MeasureId => Object.hasOwn(MEASURES, id))

/** Time span of a heat map's cell or of a time share where the chart sets none. */
const USUAL_SPAN_MS = 60_000

/** PromQL for the shown values; `undefined` where the server's version has no metrics for them. */
export function promqlOf(shown: Shown, place: Place): string | undefined {
  const { measures, summed = false, each = [] } = shown
  const one = (id: MeasureId): Part => {
    const expression = MEASURES[id](termsOf(shown, place))
    if (expression === undefined || !summed) return expression
    return `sum${each.length === 0 ? '' : ` by (${each.join(', ')})`} (${expression})`
  }
  if (typeof measures === 'string') return one(measures)
  const lines = measures.flatMap((id) => {
    const expression = one(id)
    return expression === undefined ? [] : [`label_replace(${expression}, "line", "${id}", "", "")`]
  })
  return lines.length === 0 ? undefined : lines.join('\nor\n')
}

/**
 * Series of a family, summed until only its labels in `kept` and the labels that Prometheus added remain; `undefined`
 * where the version lacks the family. `write` creates an expression from one series. Matchers of labels that the family
 * lacks are left out unless they belong to the place.
 */
export function summedSeries(
  place: Pick<Place, 'version' | 'matchers'>,
  key: FamilyKey,
  { matchers, kept }: { readonly matchers: readonly Matcher[]; readonly kept: readonly string[] },
  write: (name: string, matchers: readonly Matcher[]) => string,
): string | undefined {
  const family = familyFor(place.version, key)
  if (family === undefined) return undefined
  const { name, labels } = family
  const dropped = labels.filter((label) => !kept.includes(label))
  const series = write(
    name,
    matchers.filter(({ label }) => labels.includes(label) || place.matchers.some((one) => one.label === label)),
  )
  return dropped.length === 0 ? series : `sum without (${dropped.join(', ')}) (${series})`
}

function termsOf({ level, schema, each = [], atMs, spanMs = USUAL_SPAN_MS }: Shown, place: Place): Terms {
  const where: readonly Matcher[] = [
    ...place.matchers,
    ...(level === undefined ? [] : [equals('priority_level', level)]),
    ...(schema === undefined ? [] : [equals('flow_schema', schema)]),
  ]
  // Midway between two scrapes, so that a slightly early or late scrape neither enters nor leaves a range.
  const instant = atMs === undefined ? {} : { atMs: atMs + Math.round((place.intervalMs ?? 0) / 2) }

  /** Series of a family, summed until only the relevant labels remain. */
  const summed = (
    key: FamilyKey,
    own: readonly Matcher[],
    write: (name: string, matchers: readonly Matcher[]) => string,
  ): Part => {
    const matchers = [...where, ...own]
    const kept = [...each, ...matchers.flatMap(({ label, is }) => (is === '=' ? label : []))]
    return summedSeries(place, key, { matchers, kept }, write)
  }
  const over =
    (how: 'rate' | 'increase', suffix: string, rangeMs: number) =>
    (name: string, matchers: readonly Matcher[]): string =>
      `${how}(${metric(`${name}${suffix}`, matchers, { rangeMs, ...instant })})`

  const isNative = (key: FamilyKey): boolean =>
    place.native?.includes(familyFor(place.version, key)?.name ?? '') === true
  const partOf =
    (key: FamilyKey, part: 'sum' | 'count', rangeMs: number | undefined) =>
    (name: string, matchers: readonly Matcher[]): string => {
      const suffix = isNative(key) ? '' : `_${part}`
      const series =
        rangeMs === undefined
          ? metric(`${name}${suffix}`, matchers, instant)
          : over('rate', suffix, rangeMs)(name, matchers)
      return isNative(key) ? `histogram_${part}(${series})` : series
    }

  return {
    isNative,
    windows: windowsOf(place.intervalMs),
    span: spanMs,
    limited: level === undefined ? [NOT_EXEMPT] : [],
    value: (key, own = []) => summed(key, own, (name, matchers) => metric(name, matchers, instant)),
    rate: (key, rangeMs, own = []) => summed(key, own, over('rate', '', rangeMs)),
    buckets: (key, rangeMs, own = [], how = 'rate') =>
      summed(key, own, over(how, isNative(key) ? '' : '_bucket', rangeMs)),
    part: (key, part, rangeMs) => summed(key, [], partOf(key, part, rangeMs)),
    overLevels(how, expression) {
      const all = expression(termsOf({ measures: [], each: ['priority_level'], atMs, spanMs, level, schema }, place))
      if (level !== undefined || each.includes('priority_level')) return all
      return inside((text) => `${how} without (priority_level) (${how === 'topk' ? `1, ${text}` : text})`, all)
    },
  }
}
