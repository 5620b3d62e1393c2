import type { Answer } from './apfEngine.ts'

/** A server's answer before, or instead of, the handler's own. Header names are in canonical form. */
export interface HttpAnswer {
  /** Absent if the handler is to answer. */
  readonly status?: 429
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Headers that name the objects by which a request was classified (specification 4.14). */
const PRIORITY_LEVEL_UID_HEADER = 'X-Kubernetes-Pf-Prioritylevel-Uid'
const FLOW_SCHEMA_UID_HEADER = 'X-Kubernetes-Pf-Flowschema-Uid'

const BODY = 'Too many requests, please try again later.\n'

/** The HTTP form of an answer (specification 4.14; 9 for the max-in-flight filter, which sets no UIDs). */
export function httpAnswer<T>(answer: Answer<T>): HttpAnswer {
  switch (answer.kind) {
    case 'bypassed':
      return { headers: {} }
    case 'executing':
    case 'waiting':
      return { headers: uidHeaders(answer) }
    case 'rejected':
      return refusalAnswer(answer.retryAfter, uidHeaders(answer))
  }
}

/** The answer to a request that is rejected now or whose wait ended. `retryAfter` is in seconds. */
export function refusalAnswer(retryAfter: number, uids: Readonly<Record<string, string>>): HttpAnswer {
  return {
    status: 429,
    headers: {
      ...uids,
      'Retry-After': String(retryAfter),
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    },
    body: BODY,
  }
}

/** The empty text is the UID of an object that the API does not have (trap T71). */
function uidHeaders<T>({ uids }: Exclude<Answer<T>, { kind: 'bypassed' }>): Readonly<Record<string, string>> {
  if (uids === undefined) return {}
  return { [PRIORITY_LEVEL_UID_HEADER]: uids.level, [FLOW_SCHEMA_UID_HEADER]: uids.schema }
}
