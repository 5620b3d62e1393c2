import { parseGoDuration } from '../text/goText.ts'
import { msToNs, type Nanoseconds, secondsToNs } from '../units.ts'
import { type RequestInfo, requestInfo } from './requestInfo.ts'
import { type Query, parseRequestTarget } from './requestTarget.ts'

/** The `timeout` of a query; the server answers 400 to one that is `unreadable`, before flow control (specification 4.9). */
export type QueryTimeout = { readonly ns: Nanoseconds } | 'unreadable' | undefined

export function queryTimeout(query: Query): QueryTimeout {
  const text = query.get('timeout')
  if (text === undefined || text === '') return undefined
  const ms = parseGoDuration(text)
  return ms === undefined ? 'unreadable' : { ns: msToNs(ms) }
}

/** What a server makes of a request line, or what it answers when it cannot (specification 2.1, 4.9). */
export type RequestLine =
  | { readonly ok: true; readonly info: RequestInfo; readonly query: Query }
  | { readonly ok: false; readonly status: 400 | 500; readonly problem: string }

/** Reads method and target of a request, for `ApfEngine.arrive`. The answer may be kept and used again. */
export function readRequestLine(method: string, target: string): RequestLine {
  const read = parseRequestTarget(target)
  if (read === undefined) return { ok: false, status: 400, problem: 'the path is not properly percent-encoded' }
  const { info, failed } = requestInfo(method, read)
  if (failed) return { ok: false, status: 500, problem: 'the path names a verb and no resource' }
  if (queryTimeout(read.query) === 'unreadable') {
    return { ok: false, status: 400, problem: 'the parameter timeout is no duration' }
  }
  return { ok: true, info, query: read.query }
}

/** No request waits longer than this. */
const MAX_WAIT_NS = secondsToNs(60)

/**
 * When the handling of a request that is not long-running must end: the `timeout` of its query after its receipt, at most
 * the server's request timeout; that, too, where none, none above 0 or no readable one is given.
 */
export function deadlineNs(receivedNs: Nanoseconds, query: Query, requestTimeoutNs: Nanoseconds): Nanoseconds {
  const timeout = query.size === 0 ? undefined : queryTimeout(query)
  if (timeout === undefined || timeout === 'unreadable' || timeout.ns <= 0) return receivedNs + requestTimeoutNs
  return receivedNs + Math.min(timeout.ns, requestTimeoutNs)
}

/**
 * When the wait of a request ends (specification 4.9): a quarter of the time from its receipt to its deadline, counted
 * from the receipt (trap T27); a quarter of the request timeout where it has no deadline; never more than a minute.
 */
export function waitEndNs(
  receivedNs: Nanoseconds,
  deadline: Nanoseconds | undefined,
  requestTimeoutNs: Nanoseconds,
): Nanoseconds {
  if (deadline === undefined) return receivedNs + Math.min(Math.trunc(requestTimeoutNs / 4), MAX_WAIT_NS)
  return Math.min(receivedNs + Math.min(Math.trunc((deadline - receivedNs) / 4), MAX_WAIT_NS), deadline)
}
