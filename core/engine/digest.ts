import { type RequestInfo, requestInfo } from '../classify/requestInfo.ts'
import { type Query, parseRequestTarget } from '../classify/requestTarget.ts'
import { queryTimeout } from './waitLimit.ts'

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
