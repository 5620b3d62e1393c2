import { readAuditEvent } from './auditEvent.ts'
import { isAuditValue, isHttpValue, LogUnwrapper, type LogPiece } from './envelopes.ts'
import { isRequestLine, readHttpLogLine, readHttpLogValue } from './httpLog.ts'
import type { FeedIdentity } from './placing.ts'
import { type FeedRecord, quoted, unreadable } from './request.ts'

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

/** What only the records of a log contain, in whatever envelope. */
const TRACES = /audit\.k8s\.io\/v|auditID|AuditId|cloud\.audit\.AuditLog|"HTTP\\*"/

/** The kind of a log, from the first of its lines that tells; `undefined` for other texts. */
export function logKindOf(text: string): FeedIdentity | undefined {
  if (!TRACES.test(text)) return undefined
  const unwrapper = new LogUnwrapper()
  const kindIn = (pieces: readonly LogPiece[]): FeedIdentity | undefined =>
    pieces
      .map((piece) => {
        if (piece.kind === 'damaged') return undefined
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
  return text.includes('"EventList"') ? 'audit' : undefined
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
    return isHttpValue(piece.value) ? unreadable(REQUEST_LOG) : readAuditEvent(piece.value)
  }
  if (piece.kind === 'damaged') return unreadable(piece.problem)
  return unreadable(isRequestLine(piece.text) ? REQUEST_LOG : `A line is not JSON: ${quoted(piece.text)}`)
}

function httpRecord(piece: LogPiece, nowMs: number): FeedRecord {
  if (piece.kind === 'damaged') return unreadable(piece.problem)
  if (piece.kind === 'text') return readHttpLogLine(piece.text, nowMs)
  return isAuditValue(piece.value) ? unreadable(AUDIT_LOG) : readHttpLogValue(piece.value)
}

const REQUEST_LOG = 'This is a line of a request log, not an audit event: read the file with --httplog.'
const AUDIT_LOG = 'This is an audit event, not a line of a request log: read the file with --audit-file.'
