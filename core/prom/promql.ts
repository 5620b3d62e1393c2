import { rounded } from '../text/format.ts'
/**
 * The only place where families and their labels become PromQL, for Prometheus, Thanos, Mimir and VictoriaMetrics
 * alike. The console's own queries are selectors only, without functions that these implement differently; expressions
 * for people are in `measures.ts`.
 */
export interface Matcher {
  readonly label: string
  readonly is: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

export const equals = (label: string, value: string): Matcher => ({ label, is: '=', value })

/** One of several values, each matched literally. */
export function oneOf(label: string, values: readonly string[]): Matcher {
  const [only] = values
  if (only !== undefined && values.length === 1) return equals(label, only)
  return { label, is: '=~', value: values.map(literally).join('|') }
}

/** None of several values, each matched literally. */
export const noneOf = (label: string, values: readonly string[]): Matcher => ({
  label,
  is: '!~',
  value: values.map(literally).join('|'),
})

/** The common matchers of several sets of labels: for each label of the first, the values in the sets. */
export function matchersOfAll(
  sets: readonly (readonly { readonly label: string; readonly value: string }[])[],
): Matcher[] {
  const [first = []] = sets
  return first.map(({ label }) =>
    oneOf(label, [...new Set(sets.map((set) => set.find((one) => one.label === label)?.value ?? ''))]),
  )
}

/** Series of these sample names: `apiserver_flowcontrol_current_r`, `…_bucket`. */
export const named = (names: readonly string[]): Matcher => oneOf('__name__', names)

/** Series that all matchers match; with a range, every sample of each in the time before the instant of the query. */
export function selector(matchers: readonly Matcher[], rangeMs?: number): string {
  return `{${matchersText(matchers)}}${rangeMs === undefined ? '' : `[${durationText(rangeMs)}]`}`
}

/**
 * The same for one name in the usual notation, with the name before the braces. With `atMs`, Unix milliseconds, at that
 * instant instead of the query's.
 */
export function metric(
  name: string,
  matchers: readonly Matcher[],
  { rangeMs, atMs }: { readonly rangeMs?: number | undefined; readonly atMs?: number | undefined } = {},
): string {
  const inside = matchers.length === 0 ? '' : `{${matchersText(matchers)}}`
  const range = rangeMs === undefined ? '' : `[${durationText(rangeMs)}]`
  return `${name}${inside}${range}${atMs === undefined ? '' : ` @ ${rounded(atMs / 1_000, 3)}`}`
}

const matchersText = (matchers: readonly Matcher[]): string =>
  matchers.map(({ label, is, value }) => `${labelName(label)}${is}${quoted(value)}`).join(',')

/** Scrape times of the samples that a selector matches, Unix seconds, as the values of the response. */
export const timestampsOf = (matchers: readonly Matcher[]): string => `timestamp(${selector(matchers)})`

/** The sums of an expression's series, one for each set of these labels; `__name__` keeps the name. */
export const sumBy = (labels: readonly string[], expression: string): string =>
  `sum by (${labels.map(labelName).join(', ')}) (${expression})`

/** A whole number of milliseconds as a PromQL duration. */
export const durationText = (ms: number): string => (ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`)

const PLAIN_LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** Names with other characters are quoted, which Prometheus 3 accepts. */
const labelName = (label: string): string => (PLAIN_LABEL.test(label) ? label : quoted(label))

const quoted = (text: string): string =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`

/** Escapes for RE2, the regular expressions of Prometheus, which always match the whole value. */
const literally = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)
