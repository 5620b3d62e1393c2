import { HASH, NEWLINE, OPEN_BRACE, RETURN, skipBlanks, type Text } from './bytes.ts'
import type { StringTable } from './labels.ts'
import type { Format } from './openMetrics.ts'
import type { Exemplar } from './page.ts'
import { NumberScanner } from './scanNumber.ts'
import { describeByte, SeriesScanner } from './scanSample.ts'

const MINUS = 0x2d
const ZERO = 0x30
/** Timestamps of the text format are signed 64-bit integers. */
const TIMESTAMP_LIMIT = 2 ** 63

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
    if (!valid || Math.abs(this.#number.value) >= TIMESTAMP_LIMIT) {
      return this.#fail(at, 'a timestamp in milliseconds or the end of the line', bytes)
    }
    return end
  }

  /** Index after the timestamp in seconds at `at`, or −1 after a failure. */
  #seconds(bytes: Uint8Array, at: number): number {
    if (!this.#number.scan(bytes, at) || !Number.isFinite(this.#number.value)) {
      return this.#fail(at, 'a timestamp in seconds, an exemplar or the end of the line', bytes)
    }
    this.#number.value = Math.round(this.#number.value * 1000)
    return this.#number.end
  }

  #fail(at: number, expected: string, bytes: Uint8Array): -1 {
    this.problemAt = at
    this.problem = `expected ${expected}, found ${describeByte(bytes[at])}`
    return -1
  }
}
