/**
 * The tables of the debug dumps (specification 12): cells joined by comma and tab, then aligned by Go's elastic tab
 * formatter. Fields may hold commas and spaces, so cells are not found by splitting but by the columns of the header,
 * which no field can move: every line has the same columns, counted in code points as the formatter does.
 */
export interface DumpProblem {
  /** 1-based; columns count code points. */
  readonly line: number
  readonly column: number
  /** One sentence: what was found and what was expected. */
  readonly message: string
}

export type DumpTable =
  | {
      readonly columns: readonly string[]
      readonly rows: readonly DumpRow[]
      /** The first one; rows that could be cut into cells are there all the same. */
      readonly problem: DumpProblem | undefined
    }
  /** Not a table at all. */
  | { readonly columns: undefined; readonly problem: DumpProblem }

export interface DumpRow {
  readonly line: number
  readonly cells: readonly DumpCell[]
}

export interface DumpCell {
  readonly text: string
  readonly column: number
}

const HEADER_NAME = /^[A-Za-z][A-Za-z0-9]*$/
/** What follows from here belongs to an answer of another kind, of which the beginning says enough. */
const SHOWN = 40

/** Cuts a dump into cells. An empty text is a problem: even a dump without rows has a header. */
export function readDumpTable(text: string): DumpTable {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const unfinished = lines.pop() ?? ''
  const header = readHeader(lines[0] ?? unfinished)
  if ('message' in header) return { columns: undefined, problem: header }

  const rows: DumpRow[] = []
  let problem: DumpProblem | undefined
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue
    const cells = cutRow(line, i + 1, header.starts)
    if ('message' in cells) problem ??= cells
    else rows.push({ line: i + 1, cells: cells.cells })
  }
  if (unfinished !== '' || lines.length === 0) {
    problem ??= {
      line: lines.length + 1,
      column: Array.from(unfinished).length + 1,
      message: 'The text ends without a line break, so its last row may be cut short and was left out.',
    }
  }
  return { columns: header.names, rows, problem }
}

interface Header {
  readonly names: readonly string[]
  /** Code points before each column. */
  readonly starts: readonly number[]
}

function readHeader(line: string): Header | DumpProblem {
  const names: string[] = []
  const starts: number[] = []
  for (const found of line.matchAll(/([^,]*)(,\s*|$)/g)) {
    if (found[0] === '') continue
    const name = (found[1] ?? '').trimEnd()
    if (!HEADER_NAME.test(name)) return { line: 1, column: found.index + 1, message: describeOther(line) }
    names.push(name)
    starts.push(found.index)
  }
  return names.length > 1 ? { names, starts } : { line: 1, column: 1, message: describeOther(line) }
}

function describeOther(line: string): string {
  const start = line.trimStart()
  if (start === '') return 'The text is empty; a dump begins with a line of column names.'
  if (start.startsWith('<'))
    return 'This is a web page, not a dump: something between here and the API server answered.'
  if (start.startsWith('{')) return 'This is a JSON answer, probably an error of the API server, not a dump.'
  const shown = start.length > SHOWN ? `${start.slice(0, SHOWN)}…` : start
  return `Expected a line of column names such as "PriorityLevelName, …" and found ${JSON.stringify(shown)}.`
}

function cutRow(line: string, lineNumber: number, starts: readonly number[]): { cells: DumpCell[] } | DumpProblem {
  // Only lines beyond ASCII have code points that differ from the string's own units.
  const points = isAscii(line) ? line : Array.from(line)
  const slice = (from: number, to?: number): string => {
    const part = points.slice(from, to)
    return typeof part === 'string' ? part : part.join('')
  }
  const cells: DumpCell[] = []
  for (const [i, start] of starts.entries()) {
    if (i === starts.length - 1) {
      cells.push({ text: slice(start), column: start + 1 })
      break
    }
    const padded = slice(start, starts[i + 1]).trimEnd()
    if (!padded.endsWith(',')) {
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

const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
