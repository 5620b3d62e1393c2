import type { RequestSample } from '../contract/objects.ts'
import { readRequestLine } from '../request/requestLine.ts'
import type { RequestDigest } from '../request/match.ts'
import type { Query } from '../request/requestTarget.ts'
import type { Unclassifiable } from './classification.ts'

/** A request as flow schemas and estimators look at it. */
export interface DigestedRequest {
  readonly ok: true
  readonly digest: RequestDigest
  readonly query: Query
}

/** What a server makes of a request, or what it answers when it cannot (specification 2.1). */
export function digestRequest({
  user,
  groups,
  method,
  url,
}: RequestSample): DigestedRequest | ({ readonly ok: false } & Unclassifiable) {
  if (!/^(?:\/|\*$)/.test(url)) {
    return { ok: false, status: 400, problem: 'The path of the request must begin with a slash: /api/v1/pods.' }
  }
  const line = readRequestLine(method, url)
  if (!line.ok) return { ok: false, status: line.status, problem: `A server answers ${line.status}: ${line.problem}.` }
  return { ok: true, digest: { user: { name: user, groups }, info: line.info }, query: line.query }
}
