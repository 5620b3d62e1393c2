import type { FamilyKey } from '../metrics/familyNames.ts'
import { familyFor } from '../metrics/catalogue.ts'
import { QUANTILE_WINDOW_MS } from '../frame/derive.ts'
import { RECENT_MS } from '../frame/recent.ts'
import { equals, metric, type Matcher } from './promql.ts'

/**
 * What charts and numbers show, as PromQL that gives the same value.
 *
 * Labels that are not asked about are dropped with `without`, so that those that Prometheus added stay: where servers are
 * not told apart by a matcher, each of them has a series of its own instead of a part in a meaningless sum.
 */

/** Labels that there may be one number for each value of. */
export type Each = 'priority_level' | 'flow_schema' | 'reason'

/** A chart or a number. */
export interface Shown {
  /** Several are the lines of one chart. */
  readonly measures: MeasureId | readonly MeasureId[]
  readonly level?: string | undefined
  readonly schema?: string | undefined
  /** One number for each value of these labels; otherwise one for the server, the level or the schema. */
  readonly each?: readonly Each[]
  /** One number for all servers. */
  readonly summed?: boolean
  /** Unix milliseconds of the scrape that a number is of; it is the present one without. */
  readonly atMs?: number | undefined
  /** How much time a cell of a heat map, or the shares of a histogram, are of; milliseconds. */
  readonly spanMs?: number | undefined
}

/** Where it is measured. */
export interface Place {
  /** gitVersion: it decides how families are named, and whether they are there. */
  readonly version: string | undefined
  /** What Prometheus labels the server with; nothing where that is not known. */
  readonly matchers: readonly Matcher[]
  /** How often Prometheus scrapes; the usual interval where that is not known. */
  readonly intervalMs: number | undefined
  /** Families of which Prometheus has native histograms and no classic ones. */
  readonly native?: readonly string[] | undefined
}

/** Prometheus itself scrapes every minute unless it is told otherwise; half of that is what most installations tell it. */
export const USUAL_INTERVAL_MS = 30_000
/** The windows of the console's own numbers (`core/frame`). */

/**
 * Ranges hold their ends and one interval more, so that whenever they are evaluated as many scrapes lie in them as the
 * console compares: `rate()` is the increase between the first and the last of these.
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

/** What the expressions of measures are put together from; each is absent where the version lacks the family. */
interface Terms {
  readonly windows: Windows
  /** Milliseconds of the chart's own window. */
  readonly span: number
  readonly value: (key: FamilyKey, own?: readonly Matcher[]) => string | undefined
  readonly rate: (key: FamilyKey, rangeMs: number, own?: readonly Matcher[]) => string | undefined
  readonly isNative: (key: FamilyKey) => boolean
  /** Observations by upper bound, or as native histograms: how many a second, or how many there were. */
  readonly buckets: (key: FamilyKey, rangeMs: number, own?: readonly Matcher[], how?: 'rate' | 'increase') => Part
  readonly part: (key: FamilyKey, part: 'sum' | 'count', rangeMs: number | undefined) => Part
  /** Levels other than the exempt one, which nothing limits. */
  readonly limited: readonly Matcher[]
  /** Drops the level of an expression that has one number for each of them. */
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
/** Seats by which current limits lie below nominal ones, or above them. */
const moved =
  (less: FamilyKey, from: FamilyKey) =>
  ({ overLevels }: Terms): Part =>
    overLevels('sum', ({ value, limited }) =>
      inside((difference) => `clamp_min(${difference}, 0)`, joined(value(from, limited), '-', value(less, limited))),
    )
/** Shares of the time at or below a ratio. */
const timeShares =
  (key: FamilyKey) =>
  ({ windows, span, buckets, part, isNative }: Terms): Part => {
    const rangeMs = windows.atLeast(span)
    // A native histogram is one series: its shares cannot be told apart by a label.
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
  change: ({ value, limited }) => joined(value('current', limited), '-', value('nominal', limited)),
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
/** Every measure there is. */
export const MEASURE_IDS = Object.keys(MEASURES).filter((id): id is MeasureId => Object.hasOwn(MEASURES, id))

/** Minutes that a heat map's cell or a share of time is of where the chart does not say. */
const USUAL_SPAN_MS = 60_000

/** PromQL that gives what is shown; `undefined` where the version of the server has no metrics of it. */
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
 * Series of a family that are summed until only the labels `kept` of it are left, and those that Prometheus added; nothing
 * where the version lacks the family. `write` makes an expression of one series; matchers of labels that the family lacks
 * are left out unless they are of the place.
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
  // Amid two scrapes, so that none that is a little early or late comes into a range or leaves it.
  const instant = atMs === undefined ? {} : { atMs: atMs + Math.round((place.intervalMs ?? 0) / 2) }

  /** Series of a family that are summed until only the labels in question are left. */
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
