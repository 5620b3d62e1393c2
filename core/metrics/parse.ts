import { KnownLines, type Entry, isSeries } from './linesKnown.ts'
import { type Format, type Page, Selection, type ParseProblem, type Series } from './page.ts'
import {
  StringTable,
  equalBytes,
  HASH,
  indexOfNewline,
  LESS,
  NEWLINE,
  skipBlanks,
  SPACE,
  type Text,
  textOf,
} from './bytes.ts'
import { PageBuilder, type SeriesOfPage, type TypeOf, scanComment } from './pageBuilder.ts'
import { NumberScanner, isLineEnd, TailScanner } from './scanTail.ts'
import { describeByte, SeriesScanner } from './scanSample.ts'

export interface ParserOptions {
  /** Names of the families to keep; all by default. Lines of others are skipped without examination. */
  readonly keep?: ReadonlySet<string>
  /** `text` by default. */
  readonly format?: Format
  /** Types of families that pages may leave undeclared; none by default. */
  readonly typeOf?: TypeOf
}

/** A page that arrives in pieces. Of the pushed bytes, only an unfinished line and the families to keep are stored. */
export interface PageStream {
  /** Takes the next bytes, which may end anywhere. They may be overwritten afterwards. */
  push(chunk: Uint8Array): void
  /** The page, after the last byte. */
  end(): Page
}

/**
 * A parser for the pages of one server: it keeps the last page without a problem and reads a nearly identical one
 * several times faster, with the same `Series` objects. The result does not depend on the kept page, nor on how a page
 * was cut into chunks.
 *
 * It never throws. Reading stops at the first problem, and everything before it is in the page. A series that occurs
 * twice on the page is in the result twice.
 *
 * It accepts what the Prometheus server accepts, with these differences:
 * - Lines may end with CR LF, timestamps of the text format may be negative, and OpenMetrics may have or lack blanks,
 *   blank lines, remarks and the text of a `# HELP` as freely as the text format.
 * - A line feed inside a label value, a label name that a series has twice, and a value or a help text that nothing
 *   separates from the name before it are problems.
 * - A last line without a line feed is a problem, as it may have been cut (only `# EOF` is complete without one).
 * - The first `# TYPE`, `# HELP` or `# UNIT` of a family counts.
 * - A NUL byte does not end the page: in a remark it is read over, elsewhere it is a problem.
 * - Timestamps are JavaScript numbers of milliseconds, so that those of more than 53 bits are rounded. Like there,
 *   fractions of a millisecond are cut off.
 */
export interface Parser {
  parse(bytes: Uint8Array): Page
  begin(): PageStream
}

export function createParser(options: ParserOptions = {}): Parser {
  const memory: Memory = { known: new KnownLines(), series: new Map(), strings: new StringTable() }
  const selection = new Selection(options.format ?? 'text', options.keep)
  const begin = (): PageReader => new PageReader(memory, selection, options.typeOf ?? (() => undefined))
  return {
    begin,
    parse(bytes) {
      const page = begin()
      page.push(bytes)
      return page.end()
    },
  }
}

/** Bytes of the longest line that is read; a longer one is a problem of the page. */
export const MAX_LINE_BYTES = 1 << 20

/** State that survives a page. */
interface Memory {
  known: KnownLines
  series: SeriesOfPage
  readonly strings: StringTable
}

/** Length of `# HELP `, and of what other metadata begin with. */
const KEYWORD = 7
/** Longest skipped prefix of names that is stored. */
const PASSED_BYTES = 256

/** Reads one page, line by line, from chunks. */
class PageReader {
  readonly #memory: Memory
  readonly #selection: Selection
  readonly #builder: PageBuilder
  readonly #series: SeriesScanner
  readonly #tail: TailScanner
  readonly #number = new NumberScanner()
  readonly #known: KnownLines
  /** Line of `#known` that is expected next. */
  #expected = 0
  /** Lines of this page, starting at the first unexpected one. */
  #record: KnownLines | undefined
  /** Prefix of the names that are being skipped, and its length. */
  readonly #passedName = textOf(new Uint8Array(PASSED_BYTES))
  #passed = 0
  /** Beginning of a line whose end has not arrived yet. */
  #carry = new Uint8Array(0)
  #carried = 0
  #line = 1
  #ended = false
  #problem: ParseProblem | undefined
  #page: Page | undefined

  constructor(memory: Memory, selection: Selection, typeOf: TypeOf) {
    this.#memory = memory
    this.#known = memory.known
    this.#selection = selection
    this.#builder = new PageBuilder(selection, memory.series, typeOf)
    this.#series = new SeriesScanner(memory.strings, selection.format)
    this.#tail = new TailScanner(memory.strings, selection.format)
  }

  push(chunk: Uint8Array): void {
    let from = 0
    if (this.#carried > 0) {
      const newline = chunk.indexOf(NEWLINE)
      this.#keep(newline < 0 ? chunk : chunk.subarray(0, newline + 1))
      if (newline < 0) return
      const carried = this.#carried
      this.#carried = 0
      this.#read(this.#carry, 0, carried)
      from = newline + 1
    }
    const limit = chunk.lastIndexOf(NEWLINE) + 1
    if (limit > from) this.#read(chunk, from, limit)
    this.#keep(chunk.subarray(Math.max(from, limit)))
  }

  end(): Page {
    return (this.#page ??= this.#finish())
  }

  #finish(): Page {
    const rest = this.#carry.subarray(0, this.#carried)
    if (this.#problem === undefined && this.#carried > 0) this.#finishLine(rest)
    if (this.#problem === undefined && this.#selection.format === 'openmetrics' && !this.#ended) {
      this.#fail(0, 0, 'expected # EOF, found the end of the page')
    }
    const page = this.#builder.page(this.#problem)
    if (this.#problem === undefined) this.#memory.series = this.#builder.seriesOfPage()
    if (this.#problem === undefined && this.#record !== undefined) this.#memory.known = this.#record
    return page
  }

  /** The page ends without a line feed: valid after blanks and after `# EOF`; otherwise the line may be incomplete. */
  #finishLine(rest: Uint8Array): void {
    const text = textOf(new Uint8Array(rest.length + 1).fill(NEWLINE))
    text.bytes.set(rest)
    const from = skipBlanks(text.bytes, 0)
    if (from === rest.length) return
    if (this.#ended) {
      this.#fail(0, from, 'expected nothing after # EOF')
    } else if (text.bytes[from] === HASH) {
      const comment = scanComment(text, from, rest.length, this.#memory.strings, this.#selection)
      this.#ended = comment.kind === 'eof'
    } else if (this.#series.scanName(text, 0) < 0) {
      this.#failStart(text.bytes, 0)
    }
    if (this.#problem !== undefined || this.#ended) return
    this.#fail(0, rest.length, 'expected the end of the line, found the end of the page')
  }

  /** Stores the beginning of a line, or the next part of it. */
  #keep(piece: Uint8Array): void {
    const size = this.#carried + piece.length
    const length = piece.at(-1) === NEWLINE ? size - 1 : size
    if (this.#problem !== undefined || piece.length === 0) return
    if (length > MAX_LINE_BYTES) return this.#failLong()
    if (size > this.#carry.length) {
      const larger = new Uint8Array(Math.max(256, 2 * this.#carry.length, size))
      larger.set(this.#carry.subarray(0, this.#carried))
      this.#carry = larger
    }
    this.#carry.set(piece, this.#carried)
    this.#carried = size
  }

  /** Reads the lines from `from` to `limit`, the last of which ends there. */
  #read(bytes: Uint8Array, from: number, limit: number): void {
    const text = textOf(bytes)
    let at = from
    while (at < limit && this.#problem === undefined) {
      if (this.#ended) {
        this.#fail(at, at, 'expected nothing after # EOF')
        return
      }
      const next = this.#isPassed(text, at, limit) ? this.#pass(text, at, limit) : this.#readKnown(text, at, limit)
      at = next < 0 ? this.#readLine(text, at, limit) : next
      this.#line++
    }
    this.#record?.flush()
  }

  /** Whether the line is a sample or metadata whose name begins with the skipped prefix. */
  #isPassed({ bytes, view }: Text, at: number, limit: number): boolean {
    const length = this.#passed
    if (length === 0 || at + KEYWORD + length >= limit) return false
    if (bytes[at] !== HASH) return equalBytes(view, at, this.#passedName.view, 0, length)
    // With another keyword it would be a remark, which is skipped as well.
    const isMetadata = bytes[at + 1] === SPACE && bytes[at + KEYWORD - 1] === SPACE
    return isMetadata && equalBytes(view, at + KEYWORD, this.#passedName.view, 0, length)
  }

  #passOver(prefix: string): void {
    this.#passed = prefix.length > PASSED_BYTES ? 0 : prefix.length
    for (let i = 0; i < this.#passed; i++) this.#passedName.bytes[i] = prefix.charCodeAt(i)
  }

  /** Skips the line; index of the next one, or −1 if it is too long. */
  #pass(text: Text, at: number, limit: number): number {
    const newline = indexOfNewline(text, at, limit)
    return newline - at > MAX_LINE_BYTES ? -1 : newline + 1
  }

  /** Reads the line if it is the expected one; index of the next line, or −1. */
  #readKnown(text: Text, at: number, limit: number): number {
    if (this.#expected >= this.#known.count) return -1
    const length = this.#known.match(this.#expected, text, at, limit)
    if (length < 0) return -1
    const entry = this.#known.entries[this.#expected]!
    let next = at + length
    if (isSeries(entry)) {
      next = this.#readValue(text, entry, at, next, limit)
      if (next < 0) return -1
    } else {
      this.#builder.declare(entry)
    }
    this.#expected++
    this.#record?.append(entry, text.bytes, at, next, length)
    return next
  }

  /** Reads any line; index of the next line. */
  #readLine(text: Text, at: number, limit: number): number {
    const { bytes } = text
    const from = skipBlanks(bytes, at)
    const isComment = bytes[from] === HASH
    if (!isComment && !isLineEnd(bytes, from)) {
      const next = this.#readSample(text, at, limit)
      if (next >= 0) return next
    }
    const newline = indexOfNewline(text, at, limit)
    if (newline - at > MAX_LINE_BYTES) this.#failLong()
    else if (isComment) this.#readComment(text, at, from, newline)
    return newline + 1
  }

  #readComment(text: Text, at: number, hash: number, newline: number): void {
    const comment = scanComment(text, hash, newline, this.#memory.strings, this.#selection)
    if (comment.kind === 'remark') return
    if (comment.kind === 'problem' || comment.kind === 'eof') {
      if (comment.kind === 'eof') this.#ended = true
      else this.#fail(at, comment.at, comment.message)
      return
    }
    const known = this.#recall(comment, text, at, newline + 1)
    this.#builder.declare(isSeries(known) ? comment : known)
    this.#record?.append(known, text.bytes, at, newline + 1, newline + 1 - at)
  }

  /** Reads a sample; index of the next line, or −1 after a failure. */
  #readSample(text: Text, at: number, limit: number): number {
    const { bytes } = text
    const scanner = this.#series
    const nameEnd = scanner.scanName(text, at)
    if (nameEnd < 0) return this.#failStart(bytes, at)
    if (scanner.named && !this.#selection.mayKeepSample(scanner.name)) {
      this.#passOver(this.#selection.foreignPrefix(scanner.name))
      return this.#pass(text, at, limit)
    }
    const valueAt = scanner.scanRest(text, at, nameEnd)
    if (valueAt < 0) return this.#fail(at, scanner.problemAt, scanner.problem)
    const series = { name: scanner.name, labels: scanner.labels }
    const known = this.#recall(series, text, at, valueAt)
    const next = this.#readValue(text, isSeries(known) ? known : series, at, valueAt, limit)
    if (next >= 0) this.#record?.append(known, bytes, at, next, valueAt - at)
    else if (this.#number.scan(bytes, valueAt)) this.#fail(at, this.#tail.problemAt, this.#tail.problem)
    else this.#fail(at, valueAt, `expected a number, found ${describeByte(bytes[valueAt])}`)
    return next
  }

  /** Reads the value and what follows it; index of the next line, or −1 without any effect. */
  #readValue(text: Text, series: Series, at: number, valueAt: number, limit: number): number {
    const number = this.#number
    if (!number.scan(text.bytes, valueAt)) return -1
    const { value, end } = number
    if (text.bytes[end] === NEWLINE) {
      if (end - at > MAX_LINE_BYTES) return -1
      this.#builder.add(series, value, undefined, undefined)
      return end + 1
    }
    const newline = indexOfNewline(text, end, limit)
    if (newline - at > MAX_LINE_BYTES || !this.#tail.scan(text, end)) return -1
    this.#builder.add(series, value, this.#tail.timestampMs, this.#tail.exemplar)
    return newline + 1
  }

  /**
   * Searches the other known lines for an unexpected line and continues from there; from now on the lines of this page
   * are recorded. Returns the known entry of the line, or `entry` if it is new.
   */
  #recall(entry: Entry, text: Text, at: number, to: number): Entry {
    this.#record ??= this.#known.head(this.#expected)
    const line = this.#known.find(text, at, to)
    if (line < 0) return entry
    this.#expected = line + 1
    return this.#known.entries[line]!
  }

  /** Reports the problem at `at`, on the line that begins at `lineStart`. */
  #fail(lineStart: number, at: number, message: string): -1 {
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
    this.#problem = { line: this.#line, column: at - lineStart + 1, message: sentence }
    return -1
  }

  #failStart(bytes: Uint8Array, at: number): -1 {
    const { problemAt, problem } = this.#series
    const html = bytes[problemAt] === LESS ? '; this looks like HTML, not like metrics' : ''
    return this.#fail(at, problemAt, problem + html)
  }

  #failLong(): void {
    this.#fail(0, MAX_LINE_BYTES, `expected the end of the line within ${MAX_LINE_BYTES} bytes`)
  }
}
