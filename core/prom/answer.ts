/** A native histogram in the format of the HTTP API; counts are per bucket, not cumulative. */
export interface NativeHistogram {
  readonly count: number
  readonly sum: number
  readonly buckets: readonly { readonly left: number; readonly right: number; readonly count: number }[]
}

/** One series of a response; `times` are Unix milliseconds, ascending, without duplicates. */
export interface PromSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly times: readonly number[]
  /** By index into `times`. */
  readonly samples: readonly (number | NativeHistogram)[]
}

export type PromAnswer =
  | {
      readonly kind: 'series'
      readonly series: readonly PromSeries[]
      /** Problems that the server reports with a result: parts that it could not read. */
      readonly warnings: readonly string[]
    }
  /** The server's response has the API's format but rejects the query. */
  | { readonly kind: 'refused'; readonly type: string; readonly words: string }
  /** Not a response of this API; `why` completes "the answer …". */
  | { readonly kind: 'foreign'; readonly why: string }

/** Maximum length of a warning in characters, and maximum number of warnings. */
const WARNING_CHARACTERS = 300
const WARNINGS = 4

/**
 * Reads a parsed JSON response of `/api/v1/query` or `/api/v1/query_range`. Samples that are not numbers (stale
 * markers, NaN) are left out: they mean that there is no value. Any other mismatch makes the whole response foreign, so
 * a damaged response is never shown as a smaller cluster.
 */
export function readAnswer(json: unknown): PromAnswer {
  if (!isRecord(json)) return foreign('is not a JSON object')
  const { status, data } = json
  if (status === 'error') {
    return { kind: 'refused', type: textOf(json['errorType']) ?? '', words: textOf(json['error']) ?? '' }
  }
  if (status !== 'success' || !isRecord(data)) return foreign('has no status and data of the Prometheus API')
  const { resultType, result } = data
  if ((resultType !== 'matrix' && resultType !== 'vector') || !Array.isArray(result)) {
    return foreign('contains no list of series')
  }
  const series: PromSeries[] = []
  for (const item of result) {
    const read = readSeries(item)
    if (read === undefined) return foreign('contains an unreadable series')
    if (read.times.length > 0) series.push(read)
  }
  return { kind: 'series', series, warnings: warningsOf(json, data) }
}

const foreign = (why: string): PromAnswer => ({ kind: 'foreign', why })

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Thanos documents them within the data. A VictoriaMetrics cluster sends `isPartial` instead of a warning. */
function warningsOf({ warnings, isPartial }: Json, { warnings: within }: Json): string[] {
  const said = [warnings, within].flatMap((list) =>
    Array.isArray(list) ? list.flatMap((warning) => textOf(warning) ?? []) : [],
  )
  const all = isPartial === true ? [...said, 'Some storage nodes did not answer (isPartial).'] : said
  return all.slice(0, WARNINGS).map((warning) => warning.slice(0, WARNING_CHARACTERS))
}

function readSeries(item: unknown): PromSeries | undefined {
  if (!isRecord(item)) return undefined
  const labels = readLabels(item['metric'])
  if (labels === undefined) return undefined
  const points: Point[] = []
  const plain = listOf(item, 'value', 'values')
  const native = listOf(item, 'histogram', 'histograms')
  if (plain === undefined || native === undefined) return undefined
  // Most series of a large response have one sample, which needs no sorting.
  if (plain.length === 1 && native.length === 0) {
    const only = readPoint(plain[0], numberOf)
    if (only === undefined) return undefined
    const { at, sample } = only
    return Number.isFinite(sample) ? { labels, times: [at], samples: [sample] } : { labels, times: [], samples: [] }
  }
  for (const pair of plain) {
    const point = readPoint(pair, numberOf)
    if (point === undefined) return undefined
    if (typeof point.sample !== 'number' || Number.isFinite(point.sample)) points.push(point)
  }
  for (const pair of native) {
    const point = readPoint(pair, readNative)
    if (point === undefined) return undefined
    points.push(point)
  }
  const ordered = inOrder(points) ? points : points.toSorted((a, b) => a.at - b.at).filter(isFirstOfItsTime)
  return { labels, times: ordered.map(({ at }) => at), samples: ordered.map(({ sample }) => sample) }
}

interface Point<S = number | NativeHistogram> {
  readonly at: number
  readonly sample: S
}

const inOrder = (points: readonly Point[]): boolean =>
  points.every(({ at }, index) => index === 0 || at > (points[index - 1]?.at ?? at))
const isFirstOfItsTime = ({ at }: Point, index: number, all: readonly Point[]): boolean => at !== all[index - 1]?.at

/** The points of a vector (one) or a matrix (many); none for a series of the other kind; `undefined` if malformed. */
function listOf(item: Readonly<Record<string, unknown>>, one: string, many: string): readonly unknown[] | undefined {
  const [single, list] = [item[one], item[many]]
  if (single !== undefined) return [single]
  if (list === undefined) return []
  return Array.isArray(list) ? list : undefined
}

function readLabels(metric: unknown): Readonly<Record<string, string>> | undefined {
  if (!isRecord(metric)) return undefined
  const labels: Record<string, string> = Object.create(null)
  for (const name of Object.keys(metric)) {
    const value = metric[name]
    if (typeof value !== 'string') return undefined
    labels[name] = value
  }
  return labels
}

function readPoint<S>(pair: unknown, read: (value: unknown) => S | undefined): Point<S> | undefined {
  if (!Array.isArray(pair) || pair.length !== 2) return undefined
  const seconds: unknown = pair[0]
  const value: unknown = pair[1]
  const sample = read(value)
  if (typeof seconds !== 'number' || !(Math.abs(seconds) < LAST_SECOND) || sample === undefined) return undefined
  return { at: Math.round(seconds * 1_000), sample }
}

/** A Date cannot represent a later second. */
const LAST_SECOND = 8.64e12

const INFINITIES: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  '+Inf': Number.POSITIVE_INFINITY,
  Inf: Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
}
const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/

function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  return DECIMAL.test(value) ? Number(value) : INFINITIES[value]
}

function readNative(value: unknown): NativeHistogram | undefined {
  if (!isRecord(value)) return undefined
  const [count, sum] = [numberOf(value['count']), numberOf(value['sum'])]
  const listed = value['buckets'] ?? []
  if (count === undefined || sum === undefined || !Array.isArray(listed)) return undefined
  const buckets: { left: number; right: number; count: number }[] = []
  for (const bucket of listed) {
    if (!Array.isArray(bucket)) return undefined
    const [, left, right, within] = bucket.map(numberOf)
    if (left === undefined || right === undefined || within === undefined || !(left <= right)) return undefined
    buckets.push({ left, right, count: within })
  }
  return { count, sum, buckets }
}
