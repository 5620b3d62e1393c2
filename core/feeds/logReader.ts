import type { JsonObject } from '../config/jsonValues.ts'
import { readAuditEvent } from './auditEvent.ts'
import { otherText } from '../text/otherTexts.ts'
import { BASE64, COMPRESSED, isAuditValue, isHttpValue, REQUESTS } from './envelopes.ts'
import { isRequestLine, readHttpLogLine, readHttpLogValue } from './httpLog.ts'
import type { FeedIdentity } from './placing.ts'
import { type FeedRecord, quoted, unreadable } from './request.ts'
import { LogUnwrapper, type LogPiece } from './unwrapper.ts'

/** Reads a log line by line, whatever its collector put around its records. */
export interface LogReader {
  /** `nowMs` (Unix) determines the year of a request log. */
  read(line: string, nowMs: number): readonly FeedRecord[]
  /** After the last line. */
  end(nowMs: number): readonly FeedRecord[]
}

/** `placed`: the lines are those of a whole file, so problems name their line. */
export function createLogReader(kind: FeedIdentity, { placed }: { readonly placed: boolean }): LogReader {
  const unwrapper = new LogUnwrapper()
  const recordOf = (piece: LogPiece, nowMs: number): FeedRecord => {
    const record = kind === 'audit' ? auditRecord(piece) : httpRecord(piece, nowMs)
    return placed && record.kind === 'unreadable' ? unreadable(`Line ${piece.line}: ${record.problem}`) : record
  }
  return {
    read: (line, nowMs) => unwrapper.push(line).map((piece) => recordOf(piece, nowMs)),
    end: (nowMs) => unwrapper.end().map((piece) => recordOf(piece, nowMs)),
  }
}

/** The records of a whole text. */
export function readLog(kind: FeedIdentity, text: string, nowMs: number): readonly FeedRecord[] {
  const reader = createLogReader(kind, { placed: true })
  return [...text.split('\n').flatMap((line) => reader.read(line, nowMs)), ...reader.end(nowMs)]
}

/** The records of several logs in the order in which they were logged, as a feed has them. */
export const mergedByTime = (logs: readonly (readonly FeedRecord[])[]): readonly FeedRecord[] =>
  logs.length < 2
    ? (logs[0] ?? [])
    : logs.flat().toSorted((a, b) => (a.kind === 'arrival' && b.kind === 'arrival' ? a.endedMs - b.endedMs : 0))

/** The kind of a log, from the first of its lines that tells; `undefined` for other texts. */
export function logKindOf(text: string): FeedIdentity | undefined {
  if (!REQUESTS.traces.test(text) && !BASE64.test(text)) return undefined
  const unwrapper = new LogUnwrapper()
  const kindIn = (pieces: readonly LogPiece[]): FeedIdentity | undefined =>
    pieces
      .map((piece) => {
        if (piece.kind === 'damaged') return piece.problem === COMPRESSED ? 'audit' : undefined
        if (piece.kind === 'text') return isRequestLine(piece.text) ? 'httplog' : undefined
        return isHttpValue(piece.value) ? 'httplog' : isAuditValue(piece.value) ? 'audit' : undefined
      })
      .find((kind) => kind !== undefined)
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('\n', from)
    const line = text.slice(from, end === -1 ? text.length : end)
    const kind = kindIn(unwrapper.push(line))
    if (kind !== undefined) return kind
    from = end === -1 ? text.length + 1 : end + 1
  }
  return kindIn(unwrapper.end()) ?? (text.includes('"EventList"') ? 'audit' : undefined)
}

/** The body of a post to an audit webhook; `undefined` if it contains no audit event. */
export function readAuditBatch(text: string): readonly FeedRecord[] | undefined {
  const unwrapper = new LogUnwrapper()
  const pieces = [...text.split('\n').flatMap((line) => unwrapper.push(line)), ...unwrapper.end()]
  const holds = (kind: string): boolean =>
    pieces.some(({ kind: found, ...piece }) => found === 'json' && 'value' in piece && piece.value['kind'] === kind)
  // A list whose items could not be opened is still a list.
  const isBatch = (text.includes('"EventList"') && !holds('EventList')) || holds('Event')
  return isBatch ? pieces.map(auditRecord) : undefined
}

function auditRecord(piece: LogPiece): FeedRecord {
  if (piece.kind === 'json') {
    if (isHttpValue(piece.value)) return unreadable(REQUEST_LOG)
    return isAuditValue(piece.value) ? readAuditEvent(piece.value) : unreadable(noEvent(piece.value))
  }
  if (piece.kind === 'damaged') return unreadable(piece.problem)
  if (/ AUDIT: id="/.test(piece.text)) return unreadable(LEGACY)
  if (isRequestLine(piece.text)) return unreadable(REQUEST_LOG)
  const other = otherText(piece.text)
  return unreadable(other === undefined ? `A line is not JSON: ${quoted(piece.text)}` : `The text ${other}.`)
}

function httpRecord(piece: LogPiece, nowMs: number): FeedRecord {
  if (piece.kind === 'damaged') return unreadable(piece.problem)
  if (piece.kind === 'text') return readHttpLogLine(piece.text, nowMs)
  return isAuditValue(piece.value) ? unreadable(AUDIT_LOG) : readHttpLogValue(piece.value)
}

const noEvent = (value: JsonObject): string => {
  const names = Object.keys(value)
  return names.length === 0
    ? 'A record contains no audit event: it is empty.'
    : `A record contains no audit event: its members are ${quoted(names.join(', '))}.`
}
const LEGACY = 'A line is in the legacy format of audit logs, which lacks what is needed: set --audit-log-format=json.'
const REQUEST_LOG = 'This is a line of a request log, not an audit event: read the file with --httplog.'
const AUDIT_LOG = 'This is an audit event, not a line of a request log: read the file with --audit-file.'
