import { KnownLines } from './linesKnown.ts'
import type { Format } from './openMetrics.ts'
import type { Page } from './page.ts'
import { type Memory, PageReader } from './parsePage.ts'
import { Selection } from './selection.ts'
import { StringTable } from './labels.ts'

export interface ParserOptions {
  /** Names of the families wanted; all by default. Lines of others are passed over and not examined. */
  readonly keep?: ReadonlySet<string>
  /** `text` by default; see `isOpenMetrics`. */
  readonly format?: Format
}

/** A page that arrives in pieces. Of what was pushed only an unfinished line and the families wanted are kept. */
export interface PageStream {
  /** Takes the next bytes, which may end anywhere. They may be overwritten afterwards. */
  push(chunk: Uint8Array): void
  /** The page, after the last byte. */
  end(): Page
}

/**
 * A parser for the pages of one server: it remembers the last page that had no problem and reads one that is nearly
 * the same several times faster, with the very same `Series` objects. What it yields does not depend on that memory,
 * nor on how a page was cut into chunks.
 *
 * It never throws. Reading stops at the first problem, and everything before it is in the page. A series that stands
 * on the page twice is in the page twice.
 *
 * What is accepted is what the Prometheus server accepts, with these differences:
 * - Lines may end with CR LF, timestamps of the text format may be negative, and OpenMetrics may have blanks, blank
 *   lines and remarks as freely as the text format.
 * - A line feed inside a label value, a label name that a series has twice, and a value or a help text that nothing
 *   sets off from the name before it are problems.
 * - A last line without a line feed is a problem, as it may have been cut (only `# EOF` is complete without one).
 * - The first `# TYPE`, `# HELP` or `# UNIT` of a family counts.
 */
export interface Parser {
  parse(bytes: Uint8Array): Page
  begin(): PageStream
}

export function createParser(options: ParserOptions = {}): Parser {
  const memory: Memory = { known: new KnownLines(), series: new Map(), strings: new StringTable() }
  const selection = new Selection(options.format ?? 'text', options.keep)
  const begin = (): PageReader => new PageReader(memory, selection)
  return {
    begin,
    parse(bytes) {
      const page = begin()
      page.push(bytes)
      return page.end()
    },
  }
}
