/**
 * The one place where families and their labels become PromQL, for Prometheus, Thanos, Mimir and VictoriaMetrics alike:
 * selectors only, without functions that these implement differently.
 */
export interface Matcher {
  readonly label: string
  readonly is: '=' | '!=' | '=~'
  readonly value: string
}

export const equals = (label: string, value: string): Matcher => ({ label, is: '=', value })

/** One of several values, each taken literally. */
export function oneOf(label: string, values: readonly string[]): Matcher {
  const [only] = values
  if (only !== undefined && values.length === 1) return equals(label, only)
  return { label, is: '=~', value: values.map(literally).join('|') }
}

/** Series of these sample names: `apiserver_flowcontrol_current_r`, `…_bucket`. */
export const named = (names: readonly string[]): Matcher => oneOf('__name__', names)

/** Series that all matchers hold for; with a range, every sample of each in the time before the instant of the query. */
export function selector(matchers: readonly Matcher[], rangeMs?: number): string {
  const inside = matchers.map(({ label, is, value }) => `${labelName(label)}${is}${quoted(value)}`).join(',')
  return `{${inside}}${rangeMs === undefined ? '' : `[${durationText(rangeMs)}]`}`
}

/** When the samples that a selector finds were scraped, Unix seconds, as the values of the answer. */
export const timestampsOf = (matchers: readonly Matcher[]): string => `timestamp(${selector(matchers)})`

/** A whole number of milliseconds as PromQL writes durations. */
export const durationText = (ms: number): string => (ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`)

const PLAIN_LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** Names with other characters are quoted, which Prometheus 3 reads. */
const labelName = (label: string): string => (PLAIN_LABEL.test(label) ? label : quoted(label))

const quoted = (text: string): string =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)}"`

/** For RE2, the regular expressions of Prometheus, which always match the whole value. */
const literally = (text: string): string => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`)
