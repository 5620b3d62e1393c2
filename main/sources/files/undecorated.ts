import { isJsonObject, type JsonObject } from '../../../core/config/jsonValues.ts'
import { withoutEscapes } from '../../../core/text/escapes.ts'
import { parseJson } from '../../../core/text/text.ts'
import { unixMsOf } from '../../../core/units.ts'
import { MOST_PAGES } from './scrapes.ts'

/** The headers that `curl -i` prints, of every response up to the last. */
const HTTP_HEADERS = /^(?:HTTP\/[\d.]+ \d{3}[^\n]*\n(?:[\w-]+:[^\n]*\n){0,200}\r?\n){1,20}/
/** What `curl -v` prints around an answer, and between its pieces. */
const CURL = /^[*<>](?: .*)?\r?(?:\n|$)|[{}] \[\d+ bytes data\]\r?\n/gm
/** Its progress. */
const PROGRESS = /^(?: *% Total | +Dload +Upload|[ \d][^\n]*--:--:--)[^\n]*\n/gm
/** A command that was typed in a terminal or traced by a shell, perhaps corrected; what is before it begins each prompt. */
const TYPED = /^([^"{}\n]{0,200}[$#%>❯] |\+ )(?:.{0,200}[\b])?(?:sudo )?(?:kubectl|oc|k|curl|wget|cat|ssh) /m
/** The first line of a page or a dump, with what grep, a mail, Markdown or YAML put before each of its lines. */
const FIRST =
  /^((?:[\w./-]{1,500}:)?(?:\d{1,9}[:-]| {0,8}\d{1,9}\t)?[>|\t ]{0,200})(?:# (?:HELP|TYPE) )?(?:apiserver_flowcontrol_\w+[ {]|PriorityLevelName,)/m

/** In Markdown. */
const BLOCK = /^[> \t]*```[^\n]*\n([^]*?)^[> \t]*```/gm
const OF_SERVER = /apiserver_|PriorityLevelName,/

/** A text without what terminals, curl, grep, mails and Markdown put around it. */
export function undecorated(written: string): string {
  let text = withoutEscapes(written)
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '')
  text = withoutTerminal(text)
  if (/^< HTTP\/[\d.]+ \d{3}/m.test(text)) text = text.replaceAll(CURL, '')
  if (/^ +Dload +Upload/m.test(text)) text = text.replaceAll(PROGRESS, '')
  text = text.replace(HTTP_HEADERS, '')
  if (text.includes('```')) {
    const blocks = Array.from(text.matchAll(BLOCK), ([, block = '']) => block).filter((block) => OF_SERVER.test(block))
    text = blocks.length > 0 ? blocks.join('') : text.replaceAll(/^[> \t]*```.*$/gm, '')
  }
  const [, before = ''] = FIRST.exec(text) ?? []
  if (before.trim() === '' && (before === '' || /PriorityLevelName,/.test(text))) return text
  // Numbers of lines differ.
  const pattern = before.replaceAll(/[.|]/g, String.raw`\$&`).replace(/ *\d+(?=[:\t-])/, String.raw` *\d+`)
  return text.replaceAll(new RegExp(`^${pattern}`, 'gm'), '')
}

const MOST_BEFORE_COMMAND = 65_536

/** A page, a dump or a refusal without prompts of a terminal, their commands, and what `script` says. */
function withoutTerminal(text: string): string {
  const [, before] = TYPED.exec(text.slice(0, MOST_BEFORE_COMMAND)) ?? []
  if (before === undefined || !(OF_SERVER.test(text) || /\bStatus\b/.test(text))) return text
  const prompt = before.trimEnd().replaceAll(/[^\w\s]/g, String.raw`\$&`)
  const lines = String.raw`^(?:${prompt}(?! ?(?:HELP|TYPE|UNIT|EOF)\b).*|exit|logout|Script (?:started|done) .*)\r?(?:\n|$)`
  return text.replaceAll(/^\r+(?=[^\n])/gm, '').replaceAll(new RegExp(lines, 'gm'), '')
}

/** A series, a value, or both on one line. */
const PROMQL_RESULT = /^(?:(\S.*\}) =>(?: |\r?$))?(?:(\S+) @\[(\d+(?:\.\d+)?)\]\r?$)?/gm

/** The name among the labels: as `promtool tsdb dump` has it, and as Prometheus quotes names since 3.0. */
const NAME_WITHIN = /^\{(?:__name__=)?"([a-zA-Z_:][\w:]*)"(?:, ?)?/gm

/**
 * Samples that were copied or exported from Prometheus and its relatives, in its text format: answers of its API,
 * exports of VictoriaMetrics, output of `promtool query` and `promtool tsdb dump`. Other texts are unchanged.
 */
export function sampleText(text: string): string {
  if (/\} =>\s/.test(text)) {
    let series = ''
    return text.replaceAll(PROMQL_RESULT, (line, name: string = series, value?: string, at?: string) => {
      series = name
      if (value !== undefined) return sampleLine(series, value, Number(at) * 1_000)
      return line === '' ? line : '# '
    })
  }
  if (/^\{(?:__name__=)?"[a-zA-Z_:][\w:]*"[,}]/m.test(text)) return text.replaceAll(NAME_WITHIN, '$1{')
  if (!text.startsWith('{') || !text.includes('"metric"') || !text.includes('"__name__"')) return text
  const whole = parseJson(text)
  const data = isJsonObject(whole) ? whole['data'] : undefined
  const results = isJsonObject(data) ? data['result'] : text.split('\n').map(parseJson)
  return Array.isArray(results) ? results.flatMap((one) => (isJsonObject(one) ? linesOf(one) : [])).join('') : text
}

function linesOf({ metric, value, values, timestamps }: JsonObject): readonly string[] {
  if (!isJsonObject(metric)) return []
  const { __name__: name, ...labels } = metric
  const list = Object.entries(labels).map(([label, content]) => `${label}=${JSON.stringify(content)}`)
  const series = `${String(name)}{${list.join(',')}}`
  const pairs: readonly unknown[] = Array.isArray(timestamps) ? timestamps : Array.isArray(values) ? values : [value]
  return pairs.flatMap((pair, index) => {
    const [at, number]: readonly unknown[] = Array.isArray(pair)
      ? [Number(pair[0]) * 1_000, pair[1]]
      : [pair, Array.isArray(values) ? values[index] : undefined]
    const isValue = typeof number === 'string' || typeof number === 'number'
    return isValue ? [`${sampleLine(series, String(number), Number(at))}\n`] : []
  })
}

const sampleLine = (series: string, value: string, atMs: number): string => `${series} ${value} ${Math.round(atMs)}`

const FIRST_SERIES = /^[a-zA-Z_:][\w:]*(?:\{[^\n]*\})?(?=[ \t]+\S+[ \t]*\r?$)/m
const COMMENT = /^# (?:HELP|TYPE|UNIT) /
/** As `date` prints it, in zones that need no table, or like RFC 3339, in UTC where it names no zone. */
const DATE =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (?:[AP]M )?(?:UTC|GMT|[ECMP][SD]T) \d{4}/
/** Between a page and what a script wrote before it. */
const MOST_LINES_BEFORE = 4

/** A page of a text that scripts append to. */
export interface WrittenPage {
  /** Unix milliseconds that a script wrote before it, usually in full seconds. */
  readonly written?: number
  readonly text: string
}

/** The pages in a text that scripts append to, each from where its first series begins again; not all of too many. */
export function pagesIn(text: string): readonly WrittenPage[] {
  const first = FIRST_SERIES.exec(text)
  if (first === null) return [{ text }]
  const [series] = first
  const starts = [startOfComments(text, first.index)]
  for (let at = first.index; ;) {
    at = text.indexOf(`\n${series}`, at) + 1
    if (at === 0 || starts.length > MOST_PAGES) break
    if (/[ \t]/.test(text.charAt(at + series.length))) starts.push(startOfComments(text, at))
  }
  const dates = starts.map((start) => dateBefore(text, start))
  return starts.map((start, index) => {
    const date = dates[index]
    const from = index === 0 && date === undefined ? 0 : start
    const page = text.slice(from, dates[index + 1]?.from ?? starts[index + 1])
    return { text: page, ...(date !== undefined && { written: date.at }) }
  })
}

function startOfComments(text: string, at: number): number {
  let start = at
  for (let line = lineBefore(text, start); COMMENT.test(text.slice(line, start)); line = lineBefore(text, start))
    start = line
  return start
}

/** What a script wrote before a page, and where its line begins. */
function dateBefore(text: string, at: number): { readonly at: number; readonly from: number } | undefined {
  for (let end = at, n = 0; end > 0 && n < MOST_LINES_BEFORE; n++) {
    const start = lineBefore(text, end)
    const line = text.slice(start, Math.min(end, start + MOST_DATE_LINE))
    const found = line.includes('{') ? null : DATE.exec(line)
    if (found !== null) {
      const told = unixMsOf(found[0].replace(',', '.').replace(/ ?UTC$/, 'Z'))
      if (!Number.isNaN(told)) return { at: told, from: start }
    }
    end = start
  }
  return undefined
}

const MOST_DATE_LINE = 500
const lineBefore = (text: string, at: number): number => (at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1)
