import { readFixture } from '../../fixtures/load.ts'

const CAPTURE = 'captures/v1.36.3/mixed.metrics.txt.gz'
const PREFIX = 'apiserver_flowcontrol_'
/** The schema and the level of the capture whose series are repeated. */
const SCHEMA = 'service-accounts'
const LEVEL = 'workload-low'

export interface PageSize {
  readonly levels: number
  readonly schemas: number
  /** Of the whole page: what flow control does not take is the rest of the captured page, as far as it goes. */
  readonly bytes: number
}

/**
 * Pages of one server, one scrape after the other: the flow-control families of a captured page with the series of a
 * busy level and schema repeated, all of whose values differ from page to page, amid families that nobody needs.
 */
export function createPages({ levels, schemas, bytes }: PageSize): (step: number) => string {
  const lines = readFixture(CAPTURE).toString('utf8').split('\n')
  const first = lines.findIndex((line) => line.includes(PREFIX))
  const last = lines.findLastIndex((line) => line.includes(PREFIX))
  const flowControl = template(lines.slice(first, last + 1), levels, schemas)
  const size = render(flowControl, 0).length
  const after = lines.slice(last + 1)
  // Version and start time stand after flow control and are needed.
  const needed = after.filter((line) => /kubernetes_build_info|process_start_time_seconds/.test(line))
  const room = bytes - size - needed.join('\n').length
  const before = `${lines.slice(0, first).join('\n')}\n`.slice(0, Math.max(0, Math.floor(room / 2)))
  const rest = after
    .filter((line) => !needed.includes(line))
    .join('\n')
    .slice(0, Math.max(0, room - before.length))
  const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1)
  const head = wholeLines(before)
  const tail = `${needed.join('\n')}\n${wholeLines(rest)}`
  return (step) => `${head}${render(flowControl, step)}${tail}`
}

/** A line that stays as it is, or a sample whose value moves. */
type Line = { readonly text: string } | { readonly head: string; readonly value: number; readonly grows: boolean }

function template(lines: readonly string[], levels: number, schemas: number): readonly Line[] {
  const result: Line[] = []
  const levelName = (i: number): string => `${LEVEL}-${String(i).padStart(2, '0')}`
  const schemaName = (i: number): string => `${SCHEMA}-${String(i).padStart(3, '0')}`
  let block: string[] = []
  const flush = (): void => {
    // Series of one family stand together, sorted by their labels, as the server writes them.
    const perSchema = block.some((line) => line.includes('flow_schema='))
    for (let i = 0; i < (perSchema ? schemas : levels); i++) {
      for (const line of block) {
        const renamed = line
          .replace(`"${SCHEMA}"`, `"${schemaName(i)}"`)
          .replace(`"${LEVEL}"`, `"${levelName(i % levels)}"`)
        result.push(sample(renamed))
      }
    }
    block = []
  }
  for (const line of lines) {
    if (line.startsWith('#')) {
      if (block.length > 0) flush()
      result.push({ text: line })
    } else if (!line.includes('priority_level=')) result.push(sample(line))
    else if (line.includes(`priority_level="${LEVEL}"`)) block.push(line)
  }
  flush()
  return result
}

function sample(line: string): Line {
  const space = line.lastIndexOf(' ')
  const head = line.slice(0, space + 1)
  return { head, value: Number(line.slice(space + 1)), grows: /_(total|bucket|count|sum)\{/.test(head) }
}

function render(lines: readonly Line[], step: number): string {
  let page = ''
  for (const [i, line] of lines.entries()) {
    if ('text' in line) page += `${line.text}\n`
    else page += `${line.head}${number(moved(line.value, line.grows, step, i))}\n`
  }
  return page
}

/** Counters grow with every step, nanoseconds by a second; gauges waver. */
function moved(value: number, grows: boolean, step: number, i: number): number {
  if (grows) return value + step * (value > 1e9 ? 1e9 : 3)
  return Math.max(0, value + ((step * 7 + i) % 5) - 2)
}

/** Long numbers with an exponent, as Go writes them. */
const number = (value: number): string =>
  Math.abs(value) >= 1e9 ? value.toExponential().replace(/e\+(\d)$/, 'e+0$1') : String(value)
