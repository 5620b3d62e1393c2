import { readRequestLine, type RequestLine, isLongRunning } from '../request/requestInfo.ts'
import { parseGoDuration } from '../text/text.ts'
import type { LiveRequest } from '../contract/live.ts'
import { keptText, MOST_CHARACTERS, ownText } from '../run/keptText.ts'
import { type JsonObject } from '../config/jsonValues.ts'
import { MS_PER_DAY } from '../units.ts'
import { type FeedArrival, type FeedRecord, quoted, unreadable } from './request.ts'

/**
 * Methods of the verbs that a server logs. `CONNECT` stands for every method of exec, log and the like, which bypass
 * flow control.
 */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['LIST', 'GET'],
  ['WATCH', 'GET'],
  ['CONNECT', 'GET'],
  ['APPLY', 'PATCH'],
])
const TOO_MANY = '429'

/** One line of a kube-apiserver log of `-v=3` or more; `nowMs` (Unix) determines the year, which klog omits. */
export function readHttpLogLine(text: string, nowMs: number): FeedRecord {
  return recordOf(readKlogLine(text, nowMs), text)
}

/** The same as JSON (`--logging-format=json`). */
export function readHttpLogValue(value: JsonObject): FeedRecord {
  return recordOf(readJson(value), '')
}

/** Whether a text is a request line of a log in klog's text format. */
export const isRequestLine = (text: string): boolean => headerOf(text) !== null

function recordOf(read: KlogResult, text: string): FeedRecord {
  if (read.kind === 'other' || read.kind === 'unlisted') return read
  if (read.kind === 'damaged') return unreadable(`A request line of the log cannot be read: ${read.why}.`)
  const { writtenMs, values } = read.line
  const auditId = ownText(keptText(values.get('audit-ID') ?? '', MOST_CHARACTERS.name))
  const verb = values.get('verb')
  const requestURI = values.get('URI')
  const latencyMs = durationOf(values, 'latency')
  if (verb === undefined || requestURI === undefined || latencyMs === undefined || auditId === '') {
    return unreadable(`A request line of the log has no verb, URI, latency or audit-ID: ${quoted(text)}`)
  }
  // Rows and audit-IDs are kept long after their lines.
  const uri = ownText(requestURI)
  const line = readRequestLine(METHODS.get(verb) ?? verb, uri)
  if (verb === 'LIST' && line.ok && line.info.verb !== 'list' && line.info.verb !== 'watch') {
    return unreadable(
      `A request line of the log has the verb LIST, but a server reads ${quoted(requestURI)} as ${line.info.verb}.`,
    )
  }
  const status = values.get('resp')
  const executionMs = durationOf(values, 'apf_init_latency') ?? durationOf(values, 'apf_execution_time')
  const refused = status === TOO_MANY && executionMs === undefined && values.has('apf_fs')
  return {
    kind: 'arrival',
    auditId,
    stage: 'complete',
    user: undefined,
    client: clientOf(values),
    verb: verb.toLowerCase(),
    requestURI: uri,
    line,
    isWatch: line.ok && line.info.verb === 'watch',
    longRunning: line.ok && isLongRunning(line.info),
    receivedMs: writtenMs - latencyMs,
    endedMs: writtenMs,
    status: status === undefined ? undefined : Number(status),
    executionMs,
    inAllMs: undefined,
    refused,
    outside: outsideOf(line, values),
    server: serverOf(values, refused ? latencyMs : durationOf(values, 'fl_priorityandfairness')),
  }
}

function durationOf(values: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = values.get(name)
  return text === undefined ? undefined : parseGoDuration(text)
}

function outsideOf(line: RequestLine, values: ReadonlyMap<string, string>): string | undefined {
  if (!line.ok) return `The server rejects it before flow control: ${line.problem}.`
  return values.has('apf_fs') ? undefined : 'The server logged no flow schema: the request did not reach flow control.'
}

function serverOf(values: ReadonlyMap<string, string>, waitMs: number | undefined): LiveRequest['server'] {
  const level = values.get('apf_pl')
  const schema = values.get('apf_fs')
  if (level === undefined || schema === undefined) return undefined
  const initialSeats = Number(values.get('apf_iseats') ?? Number.NaN)
  const finalSeats = Number(values.get('apf_fseats') ?? Number.NaN)
  return {
    level: nameOf(level),
    schema: nameOf(schema),
    ...(Number.isInteger(initialSeats) && { initialSeats }),
    ...(Number.isInteger(finalSeats) && { finalSeats }),
    ...(waitMs !== undefined && { waitMs }),
  }
}

/** Names of objects: a server logs the same few again and again, and each row would keep a copy of its own. */
const names = new Map<string, string>()
const MOST_NAMES = 1_000

function nameOf(logged: string): string {
  const known = names.get(logged)
  if (known !== undefined) return known
  const name = ownText(keptText(logged, MOST_CHARACTERS.name))
  if (names.size < MOST_NAMES) names.set(name, name)
  return name
}

/** The program and its address without the port, which differs for each connection. */
function clientOf(values: ReadonlyMap<string, string>): string {
  const [agent = ''] = (values.get('userAgent') ?? '').split(' ', 1)
  return ownText(keptText(`${agent} at ${(values.get('srcIP') ?? '').replace(/:\d+$/, '')}`, MOST_CHARACTERS.name))
}

/** The request line of a server's log, as names and texts. */
interface KlogLine {
  /** Unix milliseconds at which it was written. */
  readonly writtenMs: number
  readonly values: ReadonlyMap<string, string>
}
type KlogResult =
  | { readonly kind: 'http'; readonly line: KlogLine }
  | Exclude<FeedRecord, FeedArrival | { readonly kind: 'unreadable' }>
  | { readonly kind: 'damaged'; readonly why: string }

const UNLISTED = /^(?:[^"]*\] "?)?Unable to list (PriorityLevelConfiguration|FlowSchema) objects\b/
/** A message that is about no request. */
function messageOf(text: string): KlogResult {
  const [, objects] = UNLISTED.exec(text) ?? []
  return objects === undefined
    ? { kind: 'other' }
    : { kind: 'unlisted', objects: objects === 'FlowSchema' ? objects : 'PriorityLevelConfiguration' }
}
/** What ends the header of a request line. A message of another line has quotes of its own before it. */
const HTTP = '] "HTTP" '
/** The header of a line, whatever a container runtime, a collector, the journal, syslog or a shell put before it. */
const HEADER = /(?:^|[\s\]|:=>])[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6}) +\d+ [^\]\s]*$/
const MOST_HEADER_CHARACTERS = 512

function headerOf(text: string): RegExpExecArray | null {
  const end = text.indexOf(HTTP)
  const before = text.slice(Math.max(0, end - MOST_HEADER_CHARACTERS), Math.max(0, end))
  return before.includes('] "') ? null : HEADER.exec(before)
}

/**
 * Parses a line of a kube-apiserver log in klog's text format, whatever is before it. The format has no year: the latest year that puts the line before `nowMs` is
 * used. Its zone is the server's own and is assumed to be UTC.
 */
function readKlogLine(text: string, nowMs: number): KlogResult {
  const header = headerOf(text)
  if (header === null) return messageOf(text)
  const writtenMs = timeOf(header, nowMs)
  if (writtenMs === undefined) return { kind: 'damaged', why: 'its time is invalid' }
  const values = valuesOf(text, text.indexOf(HTTP) + HTTP.length)
  if (values === undefined) return { kind: 'damaged', why: 'a quoted value is not closed' }
  return { kind: 'http', line: { writtenMs, values } }
}

function readJson(value: JsonObject): KlogResult {
  const { msg, ts } = value
  if (msg !== 'HTTP') return messageOf(typeof msg === 'string' ? msg : '')
  if (typeof ts !== 'number' || !(ts > 0)) return { kind: 'damaged', why: 'it has no ts' }
  return { kind: 'http', line: { writtenMs: ts, values: textsOf(value) } }
}

function textsOf(value: JsonObject): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string') texts.set(name, member)
    else if (typeof member === 'number' || typeof member === 'boolean') texts.set(name, String(member))
  }
  return texts
}

function timeOf(header: RegExpExecArray, nowMs: number): number | undefined {
  const [, month, day, hour, minute, second, micros] = header.map(Number)
  const inYear = (year: number): number =>
    Date.UTC(year, (month ?? 0) - 1, day, hour, minute, second) + (micros ?? 0) / 1_000
  const year = new Date(nowMs).getUTCFullYear()
  // Clocks and zones may differ by a day.
  const ms = inYear(year) > nowMs + MS_PER_DAY ? inYear(year - 1) : inYear(year)
  const read = new Date(ms)
  return read.getUTCMonth() + 1 === month && read.getUTCDate() === day && (hour ?? 24) < 24 ? ms : undefined
}

const isBlank = (text: string, at: number): boolean => text.charCodeAt(at) === 32

/** `name=value` and `name="value"` to the end of the line; `undefined` when a quotation is not closed. */
function valuesOf(text: string, from: number): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>()
  let at = from
  for (;;) {
    while (isBlank(text, at)) at += 1
    const equals = text.indexOf('=', at)
    if (equals === -1) return values
    const name = text.slice(at, equals)
    at = equals + 1
    // A text of several lines follows; the part before it is all that is needed.
    if (text.startsWith('<', at)) return values
    if (text[at] === '"') {
      const end = quotationEnd(text, at)
      if (end === -1) return undefined
      values.set(name, unquoted(text.slice(at + 1, end)))
      at = end + 1
    } else {
      const blank = text.indexOf(' ', at)
      const end = blank === -1 ? text.length : blank
      values.set(name, text.slice(at, end))
      at = end
    }
  }
}

function quotationEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes += 1
    if (slashes % 2 === 0) return at
  }
  return -1
}

const ESCAPE = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))/gis
const SHORT: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', f: '\f', v: '\v' }
const HIGHEST_CODE_POINT = 0x10_ff_ff

/** Undoes the quoting of Go's strconv. */
function unquoted(text: string): string {
  if (!text.includes('\\')) return text
  return text.replaceAll(
    ESCAPE,
    (_whole, x: string | undefined, u: string | undefined, long: string | undefined, one: string | undefined) => {
      const hex = x ?? u ?? long
      if (hex === undefined) return SHORT[one ?? ''] ?? one ?? ''
      const code = Number.parseInt(hex, 16)
      return code > HIGHEST_CODE_POINT ? '\uFFFD' : String.fromCodePoint(code)
    },
  )
}
