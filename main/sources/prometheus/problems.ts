import { z } from 'zod'
import type { Problem } from '../../../core/errors.ts'
import { readAnswer } from '../../../core/prom/answer.ts'
import type { Failed } from '../../cluster/http.ts'
import { shownUrl } from '../../cluster/redact.ts'
import { parseJson } from '../../../core/text/text.ts'

/** Why a query failed. */
export interface Unanswered {
  readonly ok: false
  readonly problem: Problem
  readonly retryAfterMs?: number
  /** A smaller part of the same query might succeed. */
  readonly tooMuch: boolean
}

/** Characters of the server's own message that are kept. */
const MOST_WORDS = 500

/** Explains a failed request in terms of Prometheus. `ifRefused` is the remedy when it rejects the credentials. */
export function unanswered(
  { problem, status, body = '', retryAfterMs }: Failed,
  url: URL,
  ifRefused: string,
): Unanswered {
  const words = wordsOf(body)
  const own = problem.code === 'too-large' ? tooLargeAnswer(url) : statusProblem(status, words, url, ifRefused)
  const whole = own === undefined ? problem : { ...own, ...(words !== '' && { details: words }) }
  return {
    ok: false,
    problem: whole,
    tooMuch: whole.code === 'too-large' || whole.code === 'timeout',
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** An answer of an API server about itself. */
const StatusSchema = z.object({ kind: z.literal('Status'), message: z.string().default('') })

/** Why a query to a service in a cluster did not get there, or was not accepted there; `undefined` for other failures. */
export function refusedOnTheWay({ status, body = '' }: Failed, service: string): Unanswered | undefined {
  const own = StatusSchema.safeParse(parseJson(body)).data
  const because = (code: Problem['code'], message: string): Unanswered => ({
    ok: false,
    tooMuch: false,
    problem: { code, message, ...(own !== undefined && own.message !== '' && { details: own.message }) },
  })
  if (own === undefined) {
    return status === 401 || status === 403
      ? because(
          'credentials',
          `${service} requires credentials of its own (${status}), which an API server does not pass on; give its address instead.`,
        )
      : undefined
  }
  if (status === 403) {
    return because(
      'forbidden',
      `The credentials of the kubeconfig may not query ${service} through the API server: they need the right to get services/proxy there.`,
    )
  }
  if (status === 404) return because('not-found', `There is no service ${service} in the cluster; find it again.`)
  if (status === 500 || status === 502 || status === 503)
    return because('unreachable', `The API server does not reach ${service}; check that its pods run and are ready.`)
  return undefined
}

/** The error of the API, or the first line of anything else. */
function wordsOf(body: string): string {
  const answer = readAnswer(body)
  const words = answer.kind === 'refused' ? answer.words : (body.trim().split('\n', 1)[0] ?? '')
  return words.slice(0, MOST_WORDS)
}

export const tooLargeAnswer = (url: URL): Problem => ({
  code: 'too-large',
  message: `The answer of ${shownUrl(url)} is too large to read; choose a shorter range or fewer servers.`,
})

/** Messages of servers about queries that run for too long, or read too much. */
const TOO_MUCH =
  /timed? ?out|deadline|cancell?ed|too many (?:samples|chunks|series|points)|exceeded maximum resolution|limit/i
/** Limits of one query, not of the number of queries: Mimir returns 422 for these, some servers 429 or 500. */
const TOO_LARGE = /too many (?:samples|chunks|series|points)|exceed\w* (?:the |a )?(?:\w+ ){0,2}(?:limit|maximum)/i
/** A store behind the server failed, which is unrelated to size. */
const STORE_FAILED = /\brpc error\b|code = Unavailable|connection (?:refused|reset)|no such host|get range reader/i

function statusProblem(status: number | undefined, words: string, url: URL, ifRefused: string): Problem | undefined {
  const { host } = url
  switch (status) {
    case 400:
      // A server that speaks TLS responds to plain HTTP like this; the general sentence names the remedy.
      if (/https/i.test(words)) return undefined
      return TOO_MUCH.test(words)
        ? tooLarge(host, status)
        : {
            code: 'bad-answer',
            message: `${host} cannot read the query (400); check that the address is that of a Prometheus, and the names of its labels.`,
          }
    case 401:
      return { code: 'unauthorized', message: `${host} does not accept the credentials (401). ${ifRefused}` }
    case 403:
      return {
        code: 'forbidden',
        message: `These credentials may not query ${host} (403). Ask for read access to its API, or check the tenant.`,
      }
    case 404:
      return {
        code: 'not-found',
        message: `There is no Prometheus API at ${shownUrl(url)} (404); give the address before /api/v1, with its path prefix.`,
      }
    case 422:
      if (STORE_FAILED.test(words) && !TOO_LARGE.test(words)) {
        return {
          code: 'unreachable',
          message: `${host} could not read the stores behind it (422); check them. The console tries again.`,
        }
      }
      return {
        code: 'too-large',
        message: `${host} could not run the query (422), most likely because of its limits. Raise them (--query.max-samples, or those of the tenant), or choose fewer servers.`,
      }
    case 429:
      if (TOO_LARGE.test(words)) return tooLarge(host, status)
      return {
        code: 'throttled',
        message: `${host} limits how often it is queried (429); the console tries again when it allows.`,
      }
    case 503:
      return TOO_MUCH.test(words)
        ? {
            code: 'timeout',
            message: `${host} gave up the query because it took too long (503); it may be overloaded.`,
          }
        : { code: 'unreachable', message: `${host} is not ready (503), as after a restart; the console tries again.` }
    case 502:
    case 504:
      return {
        code: status === 504 ? 'timeout' : 'unreachable',
        message: `The proxy at ${host} did not get an answer from the Prometheus behind it (${status}); check that it runs.`,
      }
    case 500:
      return TOO_LARGE.test(words) ? tooLarge(host, status) : undefined
    default:
      return undefined
  }
}

const tooLarge = (host: string, status: number): Problem => ({
  code: 'too-large',
  message: `${host} refuses a query of this size (${status}); choose a shorter range or fewer servers.`,
})

/** A response with status 200 that is not a response of the API, or that rejects the query. */
export function misread(why: string, url: URL): Unanswered {
  return {
    ok: false,
    tooMuch: false,
    problem: {
      code: 'bad-answer',
      message: `${shownUrl(url)} did not answer as Prometheus does; check the address and its path prefix.`,
      details: `The answer ${why}.`,
    },
  }
}
