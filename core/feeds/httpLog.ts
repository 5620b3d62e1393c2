import { readRequestLine, type RequestLine } from '../request/requestLine.ts'
import { isLongRunning } from '../request/requestInfo.ts'
import { parseGoDuration } from '../text/goText.ts'
import type { LiveRequest } from '../contract/live.ts'
import { keptText, MOST_CHARACTERS, ownText } from '../run/keptText.ts'
import { type FeedRecord, quoted, unreadable } from './arrival.ts'
import { readKlogLine } from './klogLine.ts'

/**
 * Methods of the verbs that a server logs. `CONNECT` stands for every method of exec, log and the like, which pass flow
 * control by.
 */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['LIST', 'GET'],
  ['WATCH', 'GET'],
  ['CONNECT', 'GET'],
  ['APPLY', 'PATCH'],
])
const TOO_MANY = '429'

/** One line of a kube-apiserver log of `-v=3` or more; `nowMs` (Unix) tells the year that klog leaves out. */
export function readHttpLogLine(text: string, nowMs: number): FeedRecord {
  const read = readKlogLine(text, nowMs)
  if (read.kind === 'other') return read
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
      `A request line of the log says LIST, and a server takes ${quoted(requestURI)} for ${line.info.verb}.`,
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
  if (!line.ok) return `The server refuses it before flow control: ${line.problem}.`
  return values.has('apf_fs') ? undefined : 'The server logged no flow schema: it did not come to flow control.'
}

function serverOf(values: ReadonlyMap<string, string>, waitMs: number | undefined): LiveRequest['server'] {
  const level = values.get('apf_pl')
  const schema = values.get('apf_fs')
  if (level === undefined || schema === undefined) return undefined
  const initialSeats = Number(values.get('apf_iseats') ?? Number.NaN)
  const finalSeats = Number(values.get('apf_fseats') ?? Number.NaN)
  return {
    level: ownText(keptText(level, MOST_CHARACTERS.name)),
    schema: ownText(keptText(schema, MOST_CHARACTERS.name)),
    ...(Number.isInteger(initialSeats) && { initialSeats }),
    ...(Number.isInteger(finalSeats) && { finalSeats }),
    ...(waitMs !== undefined && { waitMs }),
  }
}

/** The program and its address without the port, which is another one for each connection. */
function clientOf(values: ReadonlyMap<string, string>): string {
  const [agent = ''] = (values.get('userAgent') ?? '').split(' ', 1)
  return ownText(keptText(`${agent} at ${(values.get('srcIP') ?? '').replace(/:\d+$/, '')}`, MOST_CHARACTERS.name))
}
