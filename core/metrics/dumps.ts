import { recordOf } from '../frame/reading.ts'
import type { DumpFrame, DumpLevel, DumpQueue, DumpRequest } from '../frame/dump.ts'
import {
  parseGoBoolean,
  parseGoDuration,
  parseGoInteger,
  parseGoTime,
  parseSeatSeconds,
  ZERO_TIME,
  isAscii,
} from '../text/text.ts'
import type { ParseProblem } from './page.ts'
import { DUMP_LEVEL_COLUMNS, DUMP_QUEUE_COLUMNS, DUMP_REQUEST_COLUMNS } from './dumpText.ts'

/** Path of the dumps, below the API of a server (specification 12). */
export const DUMPS_PATH = '/debug/api_priority_and_fairness'

/**
 * A dump as far as it could be read: with a problem, `rows` has all valid rows. The server ends a dump with a line
 * break; a caller that knows a text without one to be complete (from a clipboard) appends it.
 */
export type DumpResult<Row> =
  | { readonly ok: true; readonly rows: Row[] }
  | { readonly ok: false; readonly problem: ParseProblem; readonly rows: Row[] }

/** `GET /debug/api_priority_and_fairness/dump_priority_levels` (specification 12). */
export function parsePriorityLevelsDump(text: string): DumpResult<DumpLevel> {
  return readDump(text, DUMP_LEVEL_COLUMNS.slice(0, 6), ({ word, integer, boolean, known }) => ({
    name: word('PriorityLevelName'),
    activeQueues: integer('ActiveQueues'),
    idle: boolean('IsIdle'),
    quiescing: boolean('IsQuiescing'),
    waiting: integer('WaitingRequests'),
    executing: integer('ExecutingRequests'),
    ...known('dispatched', 'DispatchedRequests', integer),
    ...known('rejected', 'RejectedRequests', integer),
    ...known('timedOut', 'TimedoutRequests', integer),
    ...known('cancelled', 'CancelledRequests', integer),
  }))
}

/** `GET /debug/api_priority_and_fairness/dump_queues` (specification 12). */
export function parseQueuesDump(text: string): DumpResult<DumpQueue> {
  return readDump(text, DUMP_QUEUE_COLUMNS.slice(0, 4), ({ word, integer, seatSeconds, known, has }) => {
    const [pending, executing] = [integer('PendingRequests'), integer('ExecutingRequests')]
    return {
      level: word('PriorityLevelName'),
      index: integer('Index'),
      pending,
      executing,
      // Up to 1.22 each request takes one seat.
      seatsInUse: has('SeatsInUse') ? integer('SeatsInUse') : executing,
      ...known('nextDispatchR', 'NextDispatchR', seatSeconds),
      initialSeats: has('InitialSeatsSum') ? integer('InitialSeatsSum') : pending,
      maxSeats: has('MaxSeatsSum') ? integer('MaxSeatsSum') : pending,
      ...known('totalWork', 'TotalWorkSum', seatSeconds),
    }
  })
}

/**
 * `GET /debug/api_priority_and_fairness/dump_requests`, with or without `includeRequestDetails` (specification 12).
 * Without it the details are absent; with it those that a request does not have are empty.
 */
export function parseRequestsDump(text: string): DumpResult<DumpRequest> {
  return readDump(
    text,
    DUMP_REQUEST_COLUMNS.slice(0, 6),
    ({ word, known, integer, duration, time, startTime, has }) => ({
      level: word('PriorityLevelName'),
      schema: word('FlowSchemaName'),
      queue: integer('QueueIndex'),
      position: integer('RequestIndexInQueue'),
      flow: word('FlowDistingsher'),
      arrivedAt: time('ArriveTime'),
      // Up to 1.22 each request takes one seat.
      initialSeats: has('InitialSeats') ? integer('InitialSeats') : 1,
      finalSeats: has('FinalSeats') ? integer('FinalSeats') : 0,
      additionalLatencyMs: has('AdditionalLatency') ? duration('AdditionalLatency') : 0,
      ...(has(EXECUTING_COLUMN) && startTime(EXECUTING_COLUMN)),
      ...known('user', 'UserName', word),
      ...known('verb', 'Verb', word),
      ...known('path', 'APIPath', word),
      ...known('namespace', 'Namespace', word),
      ...known('name', 'Name', word),
      ...known('apiVersion', 'APIVersion', word),
      ...known('resource', 'Resource', word),
      ...known('subresource', 'SubResource', word),
    }),
  )
}

/** Only dumps with this column contain requests that execute. */
const EXECUTING_COLUMN = 'StartTime'

/** Aborts reading one row; never leaves this file. */
class FieldProblem extends Error {
  readonly at: Pick<ParseProblem, 'line' | 'column'>
  constructor(message: string, at: Pick<ParseProblem, 'line' | 'column'>) {
    super(message)
    this.at = at
  }
}

/** Up to 1.28, in the row of a level without queues. */
const NONE = '<none>'

/**
 * Unknown columns are skipped, so a newer server can add some; rows of levels without queues have no values. Each row is
 * read before the next is split: a dump may have a million. An empty text is a problem: even a dump without rows has a
 * header.
 */
function readDump<Row>(
  text: string,
  required: readonly string[],
  read: (fields: ReturnType<typeof fieldsOf>) => Row,
): DumpResult<Row> {
  const lines = text.split('\n')
  const unfinished = withoutReturn(lines.pop() ?? '')
  const header = readHeader(withoutReturn(lines[0] ?? unfinished))
  if ('message' in header) return { ok: false, problem: header, rows: [] }
  const lacking = required.find((column) => !header.names.includes(column))
  if (lacking !== undefined) {
    const message = `The dump has no column ${lacking}, which every release writes.`
    return { ok: false, problem: { line: 1, column: 1, message }, rows: [] }
  }
  const rows: Row[] = []
  let problem: ParseProblem | undefined
  let row: DumpRow = { line: 1, cells: [] }
  const fields = fieldsOf(() => row, header.names)
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue
    const cut = cutRow(withoutReturn(line), i + 1, header)
    if ('message' in cut) {
      problem ??= cut
      continue
    }
    row = { line: i + 1, cells: cut.cells }
    if (cut.cells[1]?.text === NONE) continue
    try {
      rows.push(read(fields))
    } catch (thrown) {
      if (!(thrown instanceof FieldProblem)) throw thrown
      problem ??= { ...thrown.at, message: thrown.message }
    }
  }
  if (unfinished !== '' || lines.length === 0) {
    problem ??= {
      line: lines.length + 1,
      column: Array.from(unfinished).length + 1,
      message: 'The text ends without a line break, so its last row may be cut short and was left out.',
    }
  }
  return problem === undefined ? { ok: true, rows } : { ok: false, problem, rows }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** Readers of the fields of the present row by column name; a field that cannot be read throws `FieldProblem`. */
function fieldsOf(row: () => DumpRow, columns: readonly string[]) {
  const has = (column: string): boolean => columns.includes(column)
  const cell = (column: string): DumpCell => row().cells[columns.indexOf(column)] ?? { text: '', column: 1 }
  const field =
    <T>(what: string, parse: (text: string) => T | undefined) =>
    (column: string): T => {
      const { text, column: at } = cell(column)
      const value = parse(text)
      if (value !== undefined) return value
      throw new FieldProblem(`${column} should be ${what} and is ${JSON.stringify(text)}.`, {
        line: row().line,
        column: at,
      })
    }
  const time = field('a UTC time', parseGoTime)
  return {
    has,
    word: (column: string): string => cell(column).text,
    integer: field('a whole number', parseGoInteger),
    boolean: field('true or false', parseGoBoolean),
    seatSeconds: field('seat-seconds', parseSeatSeconds),
    duration: field('a duration', parseGoDuration),
    time,
    /** Empty for the zero time of a request that has not started. */
    startTime: (column: string): { startedAt?: number } =>
      cell(column).text === ZERO_TIME ? {} : { startedAt: time(column) },
    /** Empty in a dump without the column. */
    known: <K extends string, T>(property: K, column: string, read: (column: string) => T): Partial<Record<K, T>> =>
      has(column) ? recordOf([property], () => read(column)) : {},
  }
}

export type DumpKind = 'levels' | 'queues' | 'requests'

/** Identifies a dump by its header (specification 12): each of the three has a column that the others lack. */
export function dumpKind(text: string): DumpKind | undefined {
  const header = /^\s*(PriorityLevelName,[^\n]*)/.exec(text)?.[1]
  if (header === undefined) return undefined
  if (header.includes('FlowSchemaName')) return 'requests'
  return /, *Index,/.test(header) ? 'queues' : 'levels'
}

/**
 * The dumps in a text, each from its header on, which scripts write one after the other, below warnings and indented;
 * the text itself where there is none.
 */
export function dumpsIn(text: string): readonly string[] {
  const starts = Array.from(text.matchAll(/^[ \t]*PriorityLevelName,/gm), ({ index }) => index)
  if (starts.length === 0 || (starts[0] ?? 0) > MOST_BEFORE) return [text]
  return starts.map((from, index) => {
    const dump = text.slice(from, starts[index + 1])
    const indent = /^[ \t]*/.exec(dump)?.[0] ?? ''
    const rows = indent === '' ? dump : dump.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return rows.replace(/\n(?:[ \t]*\r?\n)*[ \t]*$/, '\n')
  })
}
/** Warnings of kubectl; a longer text is something else. */
const MOST_BEFORE = 4_000

export const emptyDump = (server: string, atMs: number): DumpFrame => ({
  server,
  at: new Date(atMs).toISOString(),
  costMs: 0,
  bytes: 0,
  errors: [],
})

/** The reading with one more dump added; rows that could not be read are left out and reported in `errors`. */
export function withDump(dump: DumpFrame, kind: DumpKind, text: string, path: string): DumpFrame {
  const [result, part] = readKind(kind, text)
  if (result.ok) return { ...dump, ...part }
  const { line, column, message } = result.problem
  return { ...dump, ...part, errors: [...dump.errors, { path, message: `line ${line}, column ${column}: ${message}` }] }
}

function readKind(kind: DumpKind, text: string) {
  switch (kind) {
    case 'levels': {
      const result = parsePriorityLevelsDump(text)
      return [result, { levels: result.rows }] as const
    }
    case 'queues': {
      const result = parseQueuesDump(text)
      return [result, { queues: result.rows }] as const
    }
    case 'requests': {
      const result = parseRequestsDump(text)
      const waitingOnly = result.rows.length > 0 && !text.slice(0, text.indexOf('\n')).includes(EXECUTING_COLUMN)
      return [result, { requests: result.rows, ...(waitingOnly && { waitingOnly }) }] as const
    }
  }
}

/**
 * The tables of the debug dumps (specification 12): cells joined by comma and tab, then aligned by Go's elastic tab
 * formatter. Fields may contain commas and spaces, so cells are not found by splitting but by the columns of the
 * header, which no field can move: every line has the same columns, counted in code points as the formatter does.
 */
interface DumpRow {
  readonly line: number
  readonly cells: readonly DumpCell[]
}

interface DumpCell {
  readonly text: string
  readonly column: number
}

const HEADER_NAME = /^[A-Za-z][A-Za-z0-9]*$/
/** The text from here on is a different kind of response; its beginning is enough to identify it. */
const SHOWN = 40

interface Header {
  readonly names: readonly string[]
  /** Code points before each column. */
  readonly starts: readonly number[]
  /** Its last column ends with a comma too. */
  readonly trailing: boolean
}

function readHeader(line: string): Header | ParseProblem {
  const names: string[] = []
  const starts: number[] = []
  for (const found of line.matchAll(/([^,]*)(,\s*|$)/g)) {
    if (found[0] === '') continue
    const name = (found[1] ?? '').trimEnd()
    if (!HEADER_NAME.test(name)) return { line: 1, column: found.index + 1, message: describeOther(line) }
    names.push(name)
    starts.push(found.index)
  }
  return names.length > 1
    ? { names, starts, trailing: /,\s*$/.test(line) }
    : { line: 1, column: 1, message: describeOther(line) }
}

function describeOther(line: string): string {
  const start = line.trimStart()
  if (start === '') return 'The text is empty; a dump begins with a line of column names.'
  if (start.startsWith('<'))
    return 'This is a web page, not a dump: the response came from something between the console and the API server.'
  if (start.startsWith('{')) return 'This is a JSON response, probably an error of the API server, not a dump.'
  const shown = start.length > SHOWN ? `${start.slice(0, SHOWN)}…` : start
  return `Expected a line of column names such as "PriorityLevelName, …" and found ${JSON.stringify(shown)}.`
}

function cutRow(line: string, lineNumber: number, { starts, trailing }: Header): { cells: DumpCell[] } | ParseProblem {
  // Only lines beyond ASCII have code points that differ from the string's own units.
  const points = isAscii(line) ? line : Array.from(line)
  const slice = (from: number, to?: number): string => {
    const part = points.slice(from, to)
    return typeof part === 'string' ? part : part.join('')
  }
  const cells: DumpCell[] = []
  for (const [i, start] of starts.entries()) {
    if (i === starts.length - 1) {
      const last = slice(start)
      // Earlier releases end every line, also that of the header, with a comma.
      cells.push({ text: trailing ? last.trimEnd().replace(/,$/, '') : last, column: start + 1 })
      break
    }
    const padded = slice(start, starts[i + 1]).trimEnd()
    if (!padded.endsWith(',')) {
      // Editors and tables drop the padding; a field with a comma cannot be told from two then.
      const parts = line.trimEnd().replace(/,$/, '').split(/,\s*/)
      if (parts.length === starts.length) return { cells: parts.map((text) => ({ text, column: 1 })) }
      return {
        line: lineNumber,
        column: start + 1,
        message: `Expected a field that ends with a comma before column ${(starts[i + 1] ?? 0) + 1}; the row is cut short or not part of this table.`,
      }
    }
    cells.push({ text: padded.slice(0, -1), column: start + 1 })
  }
  return { cells }
}
