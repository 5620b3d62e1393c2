import { nsToMs, type SeatSeconds, unixMsOf } from '../units.ts'

/**
 * Characters that act on a terminal, a log or the order of a line instead of being visible, or are not visible at all:
 * C0, DEL and C1, formatting characters (direction of writing, zero width, tags), and separators of lines and
 * paragraphs.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** As JSON writes it: one `\u` for each UTF-16 unit. */
const escape = (character: string): string =>
  character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Beginning of a command anywhere in a log line of a GitHub, Azure or TeamCity job: `##[error]`, `##vso[…]`. */
const JOB_COMMAND = /#(?=#\w*\[)/g

/** The text with every invisible character as JSON writes it, `\u001b`; newlines and tabs too. */
export const escapeControls = (text: string): string => text.replaceAll(UNSEEN, escape).replaceAll(JOB_COMMAND, escape)

/** The same for a text of several lines, which keep their line breaks. */
export const escapeLines = (text: string): string => text.split(/\r?\n/).map(escapeControls).join('\n')

/** The lines of a text, without space around them and without empty ones. */
export const filledLines = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

/**
 * One line of text for people, with parts from any source. `::` at its beginning would be a command of a GitHub job.
 */
export const shownLine = (text: string): string => escapeControls(text).replace(/^(\s*):(?=:)/, String.raw`$1\u003a`)

/**
 * A value as JSON without invisible characters: between its members there are only newlines and blanks, and within its
 * strings every such character is escaped.
 */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent)
    .replaceAll(UNSEEN, (character) => (character === '\n' ? character : escape(character)))
    .replaceAll(JOB_COMMAND, escape)

/** The value of a JSON text; `undefined` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A part of an address without percent-encoding; as it is where an escape is malformed. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A third of the letters of a word. */
const aThird = (candidate: string): number => Math.max(1, Math.floor(candidate.length / 3))

/** The known word that was probably intended: at most `most` of its letters differ. */
export function nearest(
  word: string,
  known: readonly string[],
  mostOf: (candidate: string) => number = aThird,
): string | undefined {
  let best: { readonly candidate: string; readonly edits: number } | undefined
  for (const candidate of known) {
    const most = mostOf(candidate)
    // Each extra letter is an edit, and comparing a word of megabytes would take minutes.
    if (Math.abs(word.length - candidate.length) > most) continue
    const edits = distance(word, candidate)
    if (edits <= most && (best === undefined || edits < best.edits)) best = { candidate, edits }
  }
  return best?.candidate
}

/** Least number of letters to insert, delete or replace. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Plain order of UTF-16 code units: the same on every machine and in every locale. */
export const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Parsers of Go's text forms, as the debug dumps print them (specification 12). `undefined` for anything else. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: nsToMs(1),
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const DURATION = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/
const DURATION_PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g

/** A duration such as `0s`, `5ms` or `1h2m3.5s`, in milliseconds. */
export function parseGoDuration(text: string): number | undefined {
  const sign = DURATION.exec(text)
  if (sign === null) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) ms += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  return sign[1] === '-' ? -ms : ms
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/

/**
 * A UTC time with up to nine decimals, in Unix milliseconds. Below a microsecond a double does not distinguish times.
 */
export function parseGoTime(text: string): number | undefined {
  const found = TIME.exec(text)
  if (found === null) return undefined
  const [, second = '', fraction = ''] = found
  if (second !== lastSecond.text) lastSecond = { text: second, unixMs: unixMsOf(`${second}Z`) }
  const { unixMs } = lastSecond
  return Number.isNaN(unixMs) ? undefined : unixMs + nsToMs(Number(fraction) * 10 ** (9 - fraction.length))
}

/** Logs contain many times of each second, one after another. */
let lastSecond = { text: '', unixMs: Number.NaN }

/** Go's zero time, which stands for "never". */
export const ZERO_TIME = '0001-01-01T00:00:00Z'

/** Seat-seconds such as `12.03000000ss` (specification 0.3). */
export function parseSeatSeconds(text: string): SeatSeconds | undefined {
  return /^\d+\.\d{8}ss$/.test(text) ? Number(text.slice(0, -2)) : undefined
}

export function parseGoInteger(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

export function parseGoBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** Whether a text contains every word of a query, in any case and order; every text contains an empty query. */
export function holdsWords(query: string): (text: string) => boolean {
  const words = query.toLowerCase().split(/\s+/)
  return (text) => {
    const lower = text.toLowerCase()
    return words.every((word) => lower.includes(word))
  }
}

/** `a, b and c`. */
export const listed = (names: readonly string[], word: 'and' | 'or' = 'and'): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1) ?? ''}`

/** The same of a few names; those beyond them are counted: `a, b, c and 2 more`. */
export const fewOf = (names: readonly string[], most = 3, word: 'and' | 'or' = 'and'): string =>
  listed(names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names, word)

/** The lines of a text, which may be larger than a list of them. */
export function* linesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    yield text.slice(from, end === -1 ? text.length : end)
    from = end === -1 ? text.length : end + 1
  }
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}

/** A value of a foreign document as text; empty if it is none. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
