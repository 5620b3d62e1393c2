import { HASH, NEWLINE, OPEN_BRACE, RETURN, skipBlanks, type Text, type StringTable } from './bytes.ts'
import type { Format, Exemplar } from './page.ts'
import { describeByte, SeriesScanner } from './scanSample.ts'

/** 10^0 to 10^22: the powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
const EXACT = 2 ** 53
/** Larger than any exponent that matters, so that adding up its digits cannot overflow. */
const LARGE_EXPONENT = 100_000

const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const LOWER_E = 0x65
const UPPER_E = 0x45

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const INFINITE = /^[+-]?inf(?:inity)?$/i
const NOT_A_NUMBER = /^nan$/i

/**
 * Value of a number as Go's `strconv.ParseFloat` reads it and Prometheus' parser accepts it: decimal notation, `NaN`,
 * `Inf` and `Infinity` in any case and the latter two with a sign. No hexadecimal, no `_`, and nothing that is too
 * large for a double. `undefined` for anything else.
 */
export function numberOf(text: string): number | undefined {
  if (DECIMAL.test(text)) {
    const value = Number(text)
    return Number.isFinite(value) ? value : undefined
  }
  if (INFINITE.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return NOT_A_NUMBER.test(text) ? Number.NaN : undefined
}

/** Whether a byte ends a number on its line. */
const isEnd = (byte: number | undefined): boolean =>
  byte === 0x0a || byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === undefined

/**
 * Reads numbers from bytes, exactly as {@link numberOf} reads them from text.
 *
 * A decimal number m × 10^e whose digits m make less than 2^53 and whose |e| is at most 22 is one correctly rounded
 * multiplication or division of two exact doubles, which covers nearly every value on a page. All others are parsed by
 * the language.
 */
export class NumberScanner {
  /** What the last successful `scan` read. */
  value = 0
  /** Index of the byte after it. */
  end = 0

  /** Reads the number at `at`, up to a blank or the end of the line; false if there is none. */
  scan(bytes: Uint8Array, at: number): boolean {
    const from = at
    let byte = bytes[at]!
    const negative = byte === MINUS
    if (negative || byte === PLUS) byte = bytes[++at]!
    let digits = 0
    let mantissa = 0
    let exponent = 0
    let digit = byte - ZERO
    while (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit
      digits++
      digit = (byte = bytes[++at]!) - ZERO
    }
    if (byte === POINT) {
      const point = at
      digit = (byte = bytes[++at]!) - ZERO
      while (digit >= 0 && digit <= 9) {
        mantissa = mantissa * 10 + digit
        digit = (byte = bytes[++at]!) - ZERO
      }
      exponent = point + 1 - at
      digits -= exponent
    }
    if (digits === 0) return this.#scanText(bytes, from)
    if (byte === LOWER_E || byte === UPPER_E) {
      byte = bytes[++at]!
      const down = byte === MINUS
      if (down || byte === PLUS) byte = bytes[++at]!
      digit = byte - ZERO
      if (!(digit >= 0 && digit <= 9)) return false
      let written = 0
      while (digit >= 0 && digit <= 9) {
        if (written < LARGE_EXPONENT) written = written * 10 + digit
        digit = (byte = bytes[++at]!) - ZERO
      }
      exponent += down ? -written : written
    }
    if (!isEnd(byte)) return false
    if (!(mantissa < EXACT) || exponent < -22 || exponent > 22) return this.#scanText(bytes, from)
    const value = exponent < 0 ? mantissa / POWERS[-exponent]! : mantissa * POWERS[exponent]!
    this.value = negative ? -value : value
    this.end = at
    return true
  }

  #scanText(bytes: Uint8Array, from: number): boolean {
    let end = from
    let text = ''
    while (!isEnd(bytes[end])) text += String.fromCharCode(bytes[end++]!)
    const value = numberOf(text)
    if (value === undefined) return false
    this.value = value
    this.end = end
    return true
  }
}

/** Timestamps of the text format are signed 64-bit integers. */
const TIMESTAMP_LIMIT = 2 ** 63
const MOST_TIMESTAMP = 2n ** 63n - 1n

/** Whether it is below the limit; the digits decide where its value was rounded to the limit. */
const isTimestamp = (value: number, bytes: Uint8Array, first: number, end: number): boolean =>
  Math.abs(value) < TIMESTAMP_LIMIT ||
  (Math.abs(value) === TIMESTAMP_LIMIT &&
    BigInt(new TextDecoder('utf-8').decode(bytes.subarray(first, end))) <= MOST_TIMESTAMP)

/** Whether the line ends at `at`, with LF or CR LF. */
export const isLineEnd = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === NEWLINE || (bytes[at] === RETURN && bytes[at + 1] === NEWLINE)

/** Reads what may follow the value of a sample: a timestamp and, in OpenMetrics, an exemplar. */
export class TailScanner {
  timestampMs: number | undefined
  exemplar: Exemplar | undefined
  problemAt = 0
  problem = ''

  readonly #series: SeriesScanner
  readonly #number = new NumberScanner()
  readonly #format: Format

  constructor(strings: StringTable, format: Format) {
    this.#series = new SeriesScanner(strings, format)
    this.#format = format
  }

  /** Reads from the byte after the value to the end of the line; false after a failure. */
  scan(text: Text, from: number): boolean {
    const { bytes } = text
    this.timestampMs = undefined
    this.exemplar = undefined
    let at = skipBlanks(bytes, from)
    if (isLineEnd(bytes, at)) return true
    if (bytes[at] !== HASH) {
      at = this.#format === 'text' ? this.#milliseconds(bytes, at) : this.#seconds(bytes, at)
      if (at < 0) return false
      this.timestampMs = this.#number.value
      at = skipBlanks(bytes, at)
      if (isLineEnd(bytes, at)) return true
    }
    if (this.#format === 'text' || bytes[at] !== HASH) return this.#fail(at, 'the end of the line', bytes) > 0
    return this.#exemplar(text, at)
  }

  #exemplar(text: Text, hash: number): boolean {
    const { bytes } = text
    let at = skipBlanks(bytes, hash + 1)
    if (bytes[at] !== OPEN_BRACE) return this.#fail(at, '{ of an exemplar after #', bytes) > 0
    const series = this.#series
    at = series.scanLabels(text, at + 1)
    if (at < 0) {
      this.problemAt = series.problemAt
      this.problem = series.problem
      return false
    }
    const { labels } = series
    at = skipBlanks(bytes, at)
    if (!this.#number.scan(bytes, at)) return this.#fail(at, 'the value of an exemplar', bytes) > 0
    const { value } = this.#number
    at = skipBlanks(bytes, this.#number.end)
    if (isLineEnd(bytes, at)) {
      this.exemplar = { labels, value }
      return true
    }
    at = this.#seconds(bytes, at)
    if (at < 0) return false
    this.exemplar = { labels, value, timestampMs: this.#number.value }
    at = skipBlanks(bytes, at)
    return isLineEnd(bytes, at) || this.#fail(at, 'the end of the line', bytes) > 0
  }

  /** Index after the whole number at `at`, or −1 after a failure. */
  #milliseconds(bytes: Uint8Array, at: number): number {
    let end = bytes[at] === MINUS ? at + 1 : at
    const first = end
    for (let digit = bytes[end]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[end]! - ZERO) end++
    const valid = end > first && this.#number.scan(bytes, at) && this.#number.end === end
    if (!valid || !isTimestamp(this.#number.value, bytes, first, end)) {
      return this.#fail(at, 'a timestamp in milliseconds or the end of the line', bytes)
    }
    return end
  }

  /** Index after the timestamp in seconds at `at`, or −1 after a failure. */
  #seconds(bytes: Uint8Array, at: number): number {
    if (!this.#number.scan(bytes, at) || !Number.isFinite(this.#number.value)) {
      return this.#fail(at, 'a timestamp in seconds, an exemplar or the end of the line', bytes)
    }
    this.#number.value = Math.trunc(this.#number.value * 1000)
    return this.#number.end
  }

  #fail(at: number, expected: string, bytes: Uint8Array): -1 {
    this.problemAt = at
    this.problem = `expected ${expected}, found ${describeByte(bytes[at])}`
    return -1
  }
}
