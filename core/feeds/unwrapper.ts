import { parse } from 'yaml'
import { withoutEscapes } from '../text/escapes.ts'
import { parseJson } from '../text/text.ts'
import {
  cutShort,
  endOfString,
  type LogRecord,
  membersOf,
  recordsIn,
  recordsInText,
  REQUESTS,
  valuesIn,
  type Wanted,
} from './envelopes.ts'

/** A record with the 1-based line on which what contains it begins. */
export type LogPiece = LogRecord & { readonly line: number }

/** Characters of what may span several lines. Reading rows and YAML takes more than ten times as long as JSON. */
const MOST_CHARACTERS = { json: 64_000_000, row: 2_000_000, yaml: 500_000 } as const
/** Lines of it: of JSON that people indent. */
const MOST_LINES = 2_000_000
const BINARY = 'The file is no text: unpack it if it is an archive, and save it as UTF-8 if it is UTF-16.'
const TOO_LONG: LogRecord = {
  kind: 'damaged',
  problem: "A value is too long to be read: write one record on each line, for example with jq -c '.[]'.",
}
/** Byte order marks, which joined files have in the middle too; record separators of JSON sequences. */
const MARKS = new RegExp(`^[\uFEFF${String.fromCodePoint(30)}]+`)
const OTHER_CLOSERS = /^(?:[[\],]|\],)$/
/** A line of a container runtime (CRI), which splits long ones into partial and full ones. */
const CRI = /^(?:.*\s)?\S+ (stdout|stderr) ([PF])(?::\S+)? (.*)$/s
/** Docker splits lines at this length. */
const DOCKER_PART = 16_384
/** How documents of `gcloud` begin, and lists of audit events in YAML. */
const YAML_START = /^(?:---|(?:insertId|labels|logName|protoPayload|apiVersion|kind|items): ?.*)$/
const YAML_LINE = /^(?:\s|- |-$|#|[\w@'"./-]+:(?:\s|$)|$)/
/** Names of columns: the first line of a table. */
const HEADER = /^(?:"[^"{}]+"|[@\w][\w .@/()[\]-]*)(?:[,;\t](?:"[^"{}]+"|[@\w][\w .@/()[\]-]*))+$/
const CELL = /(?:^|[,;\t])(?:"((?:[^"]|"")*)"|([^,;\t]*))/g

/** Lines of something that is not complete. */
interface Unfinished {
  readonly kind: 'json' | 'row' | 'yaml'
  readonly began: number
  readonly parts: string[]
  characters: number
  /** Brackets of a JSON value that are open. */
  depth: number
}

/** Finds the records of a log line by line, in whatever envelopes; JSON, YAML and rows of tables may span several lines. */
export class LogUnwrapper {
  private readonly wanted: Wanted
  private line = 0
  private open: Unfinished | undefined
  /** Lines that a container runtime split, by stream. */
  private readonly split = new Map<string, string>()
  /** Columns of a table. */
  private columns: readonly string[] | undefined
  private hasBegun = false

  constructor(wanted: Wanted = REQUESTS) {
    this.wanted = wanted
  }

  /** The records that this line completes. */
  push(written: string): readonly LogPiece[] {
    this.line += 1
    const clean = this.joined(withoutEscapes(written).replace(MARKS, ''))
    if (clean === undefined) return []
    const { open } = this
    if (open === undefined) return this.begin(clean)
    // What was cut short must not hide the whole records after it.
    const whole = clean.startsWith('{') && clean.endsWith('}') ? parseJson(clean) : undefined
    const isOver = whole !== undefined || (open.kind === 'yaml' && !YAML_LINE.test(clean))
    return isOver ? [...this.end(), ...this.begin(clean)] : this.proceed(open, clean)
  }

  /** After the last line: what is still open was cut short. */
  end(): readonly LogPiece[] {
    const { open } = this
    this.open = undefined
    const rest = [...this.split.values()].flatMap((text) => this.placed(recordsInText(text, this.wanted), this.line))
    this.split.clear()
    if (open === undefined) return rest
    const text = open.parts.join('\n')
    const records = open.kind === 'yaml' ? this.ofYaml(`${text}\n`) : this.salvaged(text)
    return [...this.placed(records, open.began), ...rest]
  }

  /** A line of a container with its parts; `undefined` while some are missing. */
  private joined(line: string): string | undefined {
    const [, stream = '', mark, text = ''] = (line.includes(' std') && CRI.exec(line)) || []
    const before = this.split.get(stream) ?? ''
    if (mark === undefined || (mark === 'F' && before === '')) return line
    this.split.delete(stream)
    if (mark === 'F') return before + text
    if (before.length + text.length <= MOST_CHARACTERS.json) this.split.set(stream, before + text)
    return undefined
  }

  private begin(line: string): readonly LogPiece[] {
    const trimmed = line.trim()
    // One element on each line, between brackets on lines of their own.
    if (trimmed === '' || OTHER_CLOSERS.test(trimmed)) return []
    if (!this.hasBegun && HEADER.test(trimmed)) this.columns = cellsOf(trimmed)
    const isFirst = !this.hasBegun
    this.hasBegun = true
    if (isFirst && this.columns !== undefined) return []
    if (trimmed.startsWith('{') || trimmed.startsWith('[')) {
      const value = parseJson(trimmed.endsWith(',') ? trimmed.slice(0, -1) : trimmed)
      if (value !== undefined) return this.placed(this.ofValue(value), this.line)
      if (isOpening(trimmed)) return this.start('json', line)
    }
    // A text of JSON as a value of JSON, as jq prints it without -r.
    if (/^"[{[]/.test(trimmed) && this.columns === undefined) {
      const value = parseJson(trimmed)
      if (typeof value === 'string') return this.placed(recordsInText(value, this.wanted), this.line)
    }
    if ((isFirst || trimmed === '---') && YAML_START.test(trimmed)) return this.start('yaml', line)
    if (isQuotedOpen(line) && (this.columns !== undefined || line.startsWith('"'))) return this.start('row', line)
    return this.placed(this.ofLine(trimmed), this.line)
  }

  private start(kind: Unfinished['kind'], line: string): readonly LogPiece[] {
    this.open = { kind, began: this.line, parts: [], characters: 0, depth: 0 }
    return this.proceed(this.open, line)
  }

  private proceed(open: Unfinished, line: string): readonly LogPiece[] {
    if (open.kind === 'yaml' && open.parts.length > 0 && line.startsWith('---')) {
      return [...this.end(), ...this.begin(line)]
    }
    open.parts.push(line)
    open.characters += line.length
    if (open.characters > MOST_CHARACTERS[open.kind] || open.parts.length > MOST_LINES) {
      this.open = undefined
      return this.placed([TOO_LONG], open.began)
    }
    if (open.kind === 'json') open.depth += bracketsOf(line).depth
    const isComplete =
      open.kind === 'json' ? open.depth <= 0 : open.kind === 'row' && open.parts.length > 1 === isQuotedOpen(line)
    if (!isComplete) return []
    this.open = undefined
    const text = open.parts.join('\n')
    return this.placed(open.kind === 'row' ? this.ofLine(text) : this.salvaged(text), open.began)
  }

  private placed(records: readonly LogRecord[], line: number): readonly LogPiece[] {
    return records.map((record) => ({ ...record, line }))
  }

  private ofValue(read: unknown): readonly LogRecord[] {
    const value = this.whole(read)
    const records = recordsIn(value, this.wanted)
    if (records !== undefined) return records
    // Of a list without objects there is nothing to count but the line.
    if (Array.isArray(value) && (value.length === 0 || value.some((one) => typeof one === 'object')))
      return value.flatMap((one) => this.ofValue(one))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [{ kind: 'json', value: { ...value } }]
      : [{ kind: 'text', text: String(value) }]
  }

  /** A record of Docker with the parts before it. */
  private whole(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || !('log' in value && 'stream' in value && 'time' in value))
      return value
    const { log, stream } = value
    if (typeof log !== 'string' || typeof stream !== 'string') return value
    const all = (this.split.get(stream) ?? '') + log
    this.split.delete(stream)
    if (log.length < DOCKER_PART || log.endsWith('\n') || all.length > MOST_CHARACTERS.json)
      return { ...value, log: all }
    this.split.set(stream, all)
    return []
  }

  /** A line that is not JSON: a row of a table, or a text. */
  private ofLine(line: string): readonly LogRecord[] {
    if (line.includes('\u0000')) return [{ kind: 'damaged', problem: BINARY }]
    if (line.length > MOST_CHARACTERS.row) return [TOO_LONG]
    const { columns } = this
    const cells = columns !== undefined || line.startsWith('"') ? cellsOf(line) : []
    const value = cells.length === columns?.length ? membersOf(columns, cells) : cells
    return (cells.length > 0 ? recordsIn(value, this.wanted) : undefined) ?? recordsInText(line, this.wanted)
  }

  private ofYaml(text: string): readonly LogRecord[] {
    try {
      const value: unknown = parse(text, { logLevel: 'silent' })
      return value === null ? [] : this.ofValue(value)
    } catch {
      return [{ kind: 'damaged', problem: 'A YAML document cannot be read.' }]
    }
  }

  /** The records of JSON over several lines, also where it is cut short. */
  private salvaged(text: string): readonly LogRecord[] {
    const { values, cut } = valuesIn(text.trim().replace(/,$/, ''))
    if (!cut) return values.length === 0 ? [cutShort(text)] : values.flatMap((value) => this.ofValue(value))
    return [...values.flatMap((value) => recordsIn(value, this.wanted) ?? []), cutShort(text)]
  }
}

/** Cells of a row, without their quotation. */
const cellsOf = (row: string): readonly string[] =>
  Array.from(row.matchAll(CELL), ([, quotedCell, bare = '']) => quotedCell?.replaceAll('""', '"') ?? bare)

/** Whether a line opens or closes a quotation of a table that it does not end. */
const isQuotedOpen = (line: string): boolean => line.split('"').length % 2 === 0

/** Brackets that a line opens and does not close, up to a string that it does not end. */
function bracketsOf(line: string): { readonly depth: number; readonly ends: boolean } {
  let depth = 0
  for (let at = 0; at < line.length; at++) {
    const character = line[at]
    if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    else if (character === '"') {
      at = endOfString(line, at)
      if (at === -1) return { depth, ends: false }
    }
  }
  return { depth, ends: true }
}

/** Whether a line may begin a value of several lines. A line that ends within a string was cut. */
function isOpening(line: string): boolean {
  if (!/[[{,]$/.test(line)) return false
  const { depth, ends } = bracketsOf(line)
  return ends && depth > 0
}
