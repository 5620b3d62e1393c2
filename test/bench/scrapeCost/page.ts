import { readCapture, readFixture } from '../../fixtures/load.ts'

/** A whole page, and the flow-control families of a server under load, read thirty times a second apart. */
const PAGE = 'captures/v1.36.3/mixed.metrics.txt.gz'
const SERIES = 'captures/v1.36.3/elephants-and-mice.metrics.ndjson.gz'
const PREFIX = 'apiserver_flowcontrol_'
/** The busiest schema of that server and its level, whose series are repeated. */
const SCHEMA = 'service-accounts'
const LEVEL = 'workload-low'

export interface PageSize {
  readonly levels: number
  readonly schemas: number
  /** Of the whole page: beside flow control it contains as much of the rest of the captured page as fits. */
  readonly bytes: number
}

export interface Pages {
  page(step: number): string
  /** Share of the flow-control values that differ from one page to the next, over all pages of the capture. */
  readonly changing: number
}

/**
 * Pages of one server, one scrape after the other: flow control with the series of the busiest level and schema
 * repeated, amid unused families. Values continue as on the captured server, each schema at another moment of it; after
 * the last captured scrape counters go on from there and gauges begin again.
 */
export function createPages({ levels, schemas, bytes }: PageSize): Pages {
  const flowControl = repeat(captured(), levels, schemas)
  const { head, tail } = surroundings(bytes - render(flowControl, 0).length)
  return {
    page: (step) => `${head}${render(flowControl, step)}${tail}`,
    changing: changingShare(flowControl),
  }
}

/** A line that stays as it is, or a sample: its line up to the value, and its values on the captured pages. */
type Line = { readonly text: string } | Sample
interface Sample {
  readonly head: string
  readonly values: readonly number[]
  readonly grows: boolean
  /** Captured scrapes by which it is ahead. */
  readonly ahead: number
}

/** The flow-control lines of the last captured page; a series that was not there yet on an earlier one was 0. */
function captured(): readonly Line[] {
  const pages = readCapture(SERIES).map(({ body }) => body.split('\n').filter((line) => line.includes(PREFIX)))
  const values = pages.map((lines) => new Map(lines.map((line) => split(line))))
  return (pages.at(-1) ?? []).map((line) => {
    if (line.startsWith('#')) return { text: line }
    const [head] = split(line)
    const grows = /_(total|bucket|count|sum)\{/.test(head)
    return { head, values: values.map((page) => page.get(head) ?? 0), grows, ahead: 0 }
  })
}

function split(line: string): readonly [head: string, value: number] {
  const end = line.lastIndexOf(' ') + 1
  return [line.slice(0, end), Number(line.slice(end))]
}

/** Of each family the series of the busiest level and schema once for each, sorted as the server sorts them. */
function repeat(lines: readonly Line[], levels: number, schemas: number): readonly Line[] {
  const result: Line[] = []
  let family: Sample[] = []
  const flush = (): void => {
    const copies = family.some(({ head }) => head.includes('flow_schema=')) ? schemas : levels
    for (let i = 0; i < copies; i++) result.push(...family.map((sample) => copy(sample, i, levels)))
    family = []
  }
  for (const line of lines) {
    if ('text' in line) {
      flush()
      result.push(line)
    } else if (!line.head.includes('priority_level=')) result.push(line)
    else if (line.head.includes(`"${LEVEL}"`)) family.push(line)
  }
  flush()
  return result
}

function copy(sample: Sample, i: number, levels: number): Sample {
  const schema = `"${SCHEMA}-${String(i).padStart(3, '0')}"`
  const level = `"${LEVEL}-${String(i % levels).padStart(2, '0')}"`
  return { ...sample, head: sample.head.replace(`"${SCHEMA}"`, schema).replace(`"${LEVEL}"`, level), ahead: i }
}

function surroundings(room: number): { readonly head: string; readonly tail: string } {
  const lines = readFixture(PAGE).toString('utf8').split('\n')
  const before = lines.slice(
    0,
    lines.findIndex((line) => line.includes(PREFIX)),
  )
  const after = lines.slice(lines.findLastIndex((line) => line.includes(PREFIX)) + 1)
  // Version and start time come after flow control and are needed.
  const needed = after.filter((line) => /kubernetes_build_info|process_start_time_seconds/.test(line))
  const others = after.filter((line) => !needed.includes(line))
  const head = wholeLines(before, room / 2)
  return { head, tail: wholeLines([...needed, ...others], room - head.length) }
}

function wholeLines(lines: readonly string[], bytes: number): string {
  const text = `${lines.join('\n')}\n`.slice(0, Math.max(0, Math.floor(bytes)))
  return text.slice(0, text.lastIndexOf('\n') + 1)
}

function render(lines: readonly Line[], step: number): string {
  let page = ''
  for (const line of lines) page += 'text' in line ? `${line.text}\n` : `${line.head}${goNumber(valueAt(line, step))}\n`
  return page
}

function valueAt({ values, grows, ahead }: Sample, step: number): number {
  const period = values.length - 1
  const at = step + ahead
  const value = values[at % period] ?? 0
  return grows ? value + Math.floor(at / period) * ((values[period] ?? 0) - (values[0] ?? 0)) : value
}

function changingShare(lines: readonly Line[]): number {
  let changed = 0
  let all = 0
  for (const line of lines) {
    if ('text' in line) continue
    for (let step = 1; step < line.values.length; step++) {
      all++
      if (line.values[step] !== line.values[step - 1]) changed++
    }
  }
  return changed / all
}

/** As Go writes numbers: large and small ones with an exponent of at least two digits. */
function goNumber(value: number): string {
  const size = Math.abs(value)
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}
