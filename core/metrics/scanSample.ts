import {
  BACKSLASH,
  CLOSE_BRACE,
  COMMA,
  commonLength,
  EQUALS,
  mix,
  NEWLINE,
  OPEN_BRACE,
  QUOTE,
  skipBlanks,
  SPACE,
  type Text,
  setLabel,
  type StringTable,
} from './bytes.ts'
import type { Format } from './page.ts'

const NAME_START = 1
const NAME = 2
const LABEL_START = 4
const LABEL = 8

/** A position on a line that no line reaches. */
const NEVER = 2 ** 30

/** By byte: whether it may begin or continue the name of a metric or label. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (/[a-zA-Z_]/.test(character)) return NAME_START | NAME | LABEL_START | LABEL
  if (/\d/.test(character)) return NAME | LABEL
  return character === ':' ? NAME_START | NAME : 0
})

/** The byte at a position, for people. */
export function describeByte(byte: number | undefined): string {
  if (byte === undefined || byte === NEWLINE || byte === 0x0d) return 'the end of the line'
  if (byte > SPACE && byte < 0x7f) return `'${String.fromCharCode(byte)}'`
  return byte === SPACE ? 'a space' : `byte 0x${byte.toString(16).padStart(2, '0')}`
}

/**
 * Reads the series of sample lines: name and labels, up to the value.
 *
 * Most lines begin like the previous one, up to the last label, so the leading labels that both share are reused
 * without reading them again.
 */
export class SeriesScanner {
  name = ''
  labels: Record<string, string> = {}
  /** After a failure: index of the byte that did not fit, and what was expected there. */
  problemAt = 0
  problem = ''

  readonly #strings: StringTable
  readonly #needsCommas: boolean
  /** Whether a name has been read on the current line. */
  #named = false
  /** Whether it precedes the brace, which reusing labels requires. */
  #nameInFront = false
  /** String that `#quoted` or `#word` read last. */
  #string = ''

  /** Bytes and start of the previous line. */
  #text: Text | undefined
  #from = 0
  /**
   * Its labels, if the name comes first: name, value, the offset in the line of the quote before the value, and the
   * offset where the next label may begin, which a comma must precede.
   */
  #count = 0
  readonly #names: string[] = []
  readonly #values: string[] = []
  readonly #quotes: number[] = []
  readonly #nexts: number[] = []
  /** How many of them the current line shares, and whether it has the name of the next one. */
  #common = 0
  #commonName = false

  constructor(strings: StringTable, format: Format) {
    this.#strings = strings
    // Between labels, the text format reader of Prometheus does not require commas.
    this.#needsCommas = format === 'openmetrics'
  }

  /** Whether the name has been read; it may follow the brace. */
  get named(): boolean {
    return this.#named
  }

  /** Reads the start of the line from `from`. Index where `scanRest` has to continue, or −1 after a failure. */
  scanName(text: Text, from: number): number {
    const { bytes } = text
    this.#compare(text, from)
    if (this.#commonName) return from + this.#quotes[this.#common]!
    if (this.#common > 0) return from + this.#nexts[this.#common - 1]!
    this.#count = 0
    this.#named = false
    const at = skipBlanks(bytes, from)
    this.#nameInFront = bytes[at] !== OPEN_BRACE
    if (!this.#nameInFront) return at
    const end = this.#word(text, at, NAME_START, NAME)
    if (end < 0) return this.#fail(at, 'a metric name, a comment or a blank line', bytes)
    this.name = this.#string
    this.#named = true
    return end
  }

  /** Reads the labels of the line from `from`, starting where `scanName` ended. Index of the value, or −1. */
  scanRest(text: Text, from: number, nameEnd: number): number {
    const { bytes } = text
    const labels: Record<string, string> = {}
    this.labels = labels
    for (let label = 0; label < this.#common; label++) setLabel(labels, this.#names[label]!, this.#values[label]!)
    this.#count = this.#common
    this.#text = text
    this.#from = from
    let at = nameEnd
    if (this.#commonName) {
      at = this.#value(text, this.#names[this.#common]!, at)
      if (at < 0) return at
    } else if (this.#common === 0) {
      at = skipBlanks(bytes, at)
      if (bytes[at] !== OPEN_BRACE) {
        return at > nameEnd ? at : this.#fail(at, 'a space or { after the metric name', bytes)
      }
      at++
    }
    at = this.#labels(text, at)
    if (at < 0) return at
    if (!this.#named) return this.#fail(at - 1, 'a metric name among the labels', bytes)
    return skipBlanks(bytes, at)
  }

  /** Reads the labels of an exemplar from after its opening brace; index after the closing one, or −1. */
  scanLabels(text: Text, at: number): number {
    this.labels = {}
    this.#named = true
    this.#nameInFront = false
    return this.#labels(text, at)
  }

  /** Finds the prefix that the current line shares with the previous one. */
  #compare(text: Text, from: number): void {
    this.#common = 0
    this.#commonName = false
    const count = this.#count
    if (count === 0 || this.#text !== text) return
    const same = commonLength(text.view, from, this.#from, this.#quotes[count - 1]! + 1)
    let common = 0
    while (common < count && this.#nexts[common]! <= same) common++
    this.#common = common
    this.#commonName = common < count && this.#quotes[common]! < same
  }

  #labels(text: Text, from: number): number {
    const { bytes } = text
    let at = skipBlanks(bytes, from)
    while (bytes[at] !== CLOSE_BRACE) {
      const start = at
      const quoted = bytes[at] === QUOTE
      at = quoted ? this.#quoted(text, at) : this.#word(text, at, LABEL_START, LABEL)
      if (at < 0) return quoted ? at : this.#fail(start, 'a label name or }', bytes)
      at = skipBlanks(bytes, at)
      if (bytes[at] === EQUALS) {
        const name = this.#string
        if (Object.hasOwn(this.labels, name)) return this.#fail(start, `a label other than ${name} again`, bytes)
        at = this.#value(text, name, skipBlanks(bytes, at + 1))
        if (at < 0) return at
      } else if (quoted && !this.#named && (bytes[at] === COMMA || bytes[at] === CLOSE_BRACE)) {
        this.name = this.#string
        this.#named = true
        if (bytes[at] === COMMA) at = skipBlanks(bytes, at + 1)
      } else {
        return this.#fail(at, '= after the label name', bytes)
      }
    }
    return at + 1
  }

  /** Reads the value of the label `name` at `quote`; index after it and its comma, or −1 after a failure. */
  #value(text: Text, name: string, quote: number): number {
    const { bytes } = text
    let at = this.#quoted(text, quote)
    if (at < 0) return at
    setLabel(this.labels, name, this.#string)
    at = skipBlanks(bytes, at)
    const comma = bytes[at] === COMMA
    if (comma) at = skipBlanks(bytes, at + 1)
    else if (bytes[at] !== CLOSE_BRACE && this.#needsCommas) {
      return this.#fail(at, ', or } after the label value', bytes)
    }
    if (this.#nameInFront) {
      const label = this.#count++
      this.#names[label] = name
      this.#values[label] = this.#string
      this.#quotes[label] = quote - this.#from
      this.#nexts[label] = comma ? at - this.#from : NEVER
    }
    return at
  }

  /** Index after the name at `at`, or −1 if there is none. */
  #word(text: Text, at: number, first: number, rest: number): number {
    const { bytes } = text
    const from = at
    let byte = bytes[at]!
    if ((CLASSES[byte]! & first) === 0) return -1
    let hash = 0
    do {
      hash = mix(hash, byte)
      byte = bytes[++at]!
    } while ((CLASSES[byte]! & rest) !== 0)
    this.#string = this.#strings.get(text, from, at, hash)!
    return at
  }

  /** Index after the closing quote of the string at `at`, or −1 after a failure. */
  #quoted(text: Text, at: number): number {
    const { bytes } = text
    if (bytes[at] !== QUOTE) return this.#fail(at, 'a " before the label value', bytes)
    const from = ++at
    let hash = 0
    let byte = bytes[at]!
    while (byte !== QUOTE) {
      if (byte === NEWLINE) return this.#fail(at, 'a " after the label value', bytes)
      hash = mix(hash, byte)
      if (byte === BACKSLASH && bytes[at + 1] !== NEWLINE) hash = mix(hash, bytes[++at]!)
      byte = bytes[++at]!
    }
    const string = this.#strings.get(text, from, at, hash)
    if (string === undefined) return this.#fail(from, 'a label value in UTF-8', bytes)
    this.#string = string
    return at + 1
  }

  #fail(at: number, expected: string, bytes: Uint8Array): -1 {
    this.problemAt = at
    this.problem = `expected ${expected}, found ${describeByte(bytes[at])}`
    return -1
  }
}
