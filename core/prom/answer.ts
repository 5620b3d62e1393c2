import { parseJson } from '../text/text.ts'

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
  | { readonly kind: 'too-large' }

/** Maximum length of a warning in characters, and maximum number of warnings. */
const WARNING_CHARACTERS = 300
const WARNINGS = 4

/** Characters of one series, and of everything that is not a series. */
const MOST_CHARACTERS = { series: 16 * 1024 * 1024, rest: 256 * 1024 }
/** Lists and objects of one series: short ones take twenty times their text in memory. */
const MOST_LISTS = 1_000_000
/** Bytes of all series in memory, of which these are the parts. */
const MOST_KEPT = 128 * 1024 * 1024
const KEPT = { series: 600, label: 48, sample: 16, bucket: 96 }

/** Reads a response while it arrives; only its series are kept. */
export interface AnswerReader {
  /** The next part of the text; `enough` once the rest cannot change the answer. */
  add(text: string): 'enough' | undefined
  /** The answer, after the last part. */
  end(): PromAnswer
}

/**
 * Reads a JSON response of `/api/v1/query` or `/api/v1/query_range`, one series at a time. Samples that are not numbers
 * (stale markers, NaN) are left out: they mean that there is no value. Any other mismatch makes the whole response
 * foreign, so a damaged response is never shown as a smaller cluster.
 */
export function createAnswerReader(): AnswerReader {
  const series: PromSeries[] = []
  /** Labels and their values repeat in most series. */
  const texts = new Map<string, string>()
  let failed: PromAnswer | undefined
  /** The response without its series, and what has arrived of the next series, with the comma before it. */
  let [rest, next] = ['', '']
  /** Lists and objects that are open, and those that the next series has opened. */
  let [depth, lists] = [0, 0]
  let kept = 0
  let place: 'before' | 'series' | 'after' = 'before'
  let [quoted, escaped, read] = [false, false, 0]

  const take = (text: string): void => {
    const items = parseJson(`[${read === 0 ? '' : '0'}${text}]`)
    const item =
      Array.isArray(items) && items.length === Math.min(++read, 2) ? readSeries(items.at(-1), texts) : undefined
    if (item === undefined) failed = foreign('contains an unreadable series')
    else if (item.times.length > 0) series.push(item)
    kept += item === undefined ? 0 : sizeOf(item)
    if (kept > MOST_KEPT) failed = { kind: 'too-large' }
  }
  return {
    add(text) {
      let from = 0
      for (let at = 0; at < text.length && failed === undefined; at++) {
        const code = text.charCodeAt(at)
        if (quoted) {
          if (escaped) escaped = false
          else if (code === CODE.backslash) escaped = true
          else if (code === CODE.quote) quoted = false
        } else if (code === CODE.quote) quoted = true
        else if (code === CODE.list || code === CODE.object) {
          depth++
          lists++
          if (place !== 'before' || depth !== 3 || code !== CODE.list) continue
          const before = rest.slice(-LONGEST_KEY) + text.slice(Math.max(from, at - LONGEST_KEY), at)
          if (!/"result"\s*:\s*$/.test(before)) continue
          place = 'series'
          rest += text.slice(from, at + 1)
          from = at + 1
        } else if (code === CODE.endOfList || code === CODE.endOfObject) {
          depth--
          if (place !== 'series' || depth > 3) continue
          next += text.slice(from, depth === 3 ? at + 1 : at)
          from = depth === 3 ? at + 1 : at
          if (depth === 3) take(next)
          else if (next.trim() === '') place = 'after'
          else failed = foreign('contains an unreadable series')
          ;[next, lists] = ['', 0]
        }
      }
      if (place === 'series') next += text.slice(from)
      else rest += text.slice(from)
      if (next.length > MOST_CHARACTERS.series || rest.length > MOST_CHARACTERS.rest || lists > MOST_LISTS)
        failed ??= { kind: 'too-large' }
      return failed && 'enough'
    },
    end: () => failed ?? answerOf(parseJson(rest), series),
  }
}

/** A whole response. */
export function readAnswer(text: string): PromAnswer {
  const reader = createAnswerReader()
  reader.add(text)
  return reader.end()
}

const CODE = { quote: 0x22, backslash: 0x5c, list: 0x5b, endOfList: 0x5d, object: 0x7b, endOfObject: 0x7d }
/** With the space around it. */
const LONGEST_KEY = 64

/** What a response without its series, and its series, mean together. */
function answerOf(json: unknown, series: readonly PromSeries[]): PromAnswer {
  if (!isRecord(json)) return foreign('is not a JSON object')
  const { status, data } = json
  if (status === 'error') {
    return { kind: 'refused', type: textOf(json['errorType']) ?? '', words: textOf(json['error']) ?? '' }
  }
  if (status !== 'success' || !isRecord(data)) return foreign('has no status and data of the Prometheus API')
  const { resultType, result } = data
  if ((resultType !== 'matrix' && resultType !== 'vector') || !Array.isArray(result) || result.length > 0) {
    return foreign('contains no list of series')
  }
  return { kind: 'series', series, warnings: warningsOf(json, data) }
}

function sizeOf({ labels, samples }: PromSeries): number {
  let size = KEPT.series + KEPT.label * Object.keys(labels).length + KEPT.sample * samples.length
  for (const sample of samples) if (typeof sample !== 'number') size += KEPT.bucket * (1 + sample.buckets.length)
  return size
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

function readSeries(item: unknown, texts: Map<string, string>): PromSeries | undefined {
  if (!isRecord(item)) return undefined
  const labels = readLabels(item['metric'], texts)
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

/** Labels in the parsed object itself: a copy without a prototype would take five times its memory. */
function readLabels(metric: unknown, texts: Map<string, string>): Readonly<Record<string, string>> | undefined {
  if (!isRecord(metric)) return undefined
  const labels: Record<string, string> = Object.setPrototypeOf(metric, null)
  for (const [name, value] of Object.entries(labels)) {
    if (typeof value !== 'string') return undefined
    const known = texts.get(value)
    if (known === undefined) texts.set(value, value)
    else labels[name] = known
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
