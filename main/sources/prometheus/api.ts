import type { SourceInfo } from '../../../core/frame/frame.ts'
import { ProblemError, toProblem } from '../../../core/errors.ts'
import { isReservedHeader, type PrometheusTarget } from '../../../core/contract/prometheus.ts'
import { unixMsOf } from '../../../core/units.ts'
import { createAnswerReader, type PromSeries } from '../../../core/prom/answer.ts'
import { kubeconfigConnection, urlsConnection } from '../../cluster/connection.ts'
import type { Consent } from '../../cluster/consent.ts'
import { send } from '../../cluster/http.ts'
import type { HttpLimits } from '../../cluster/httpProblems.ts'
import { sendWith } from '../../cluster/nodeHttp.ts'
import { isLoopback } from '../../cluster/redact.ts'
import { misread, refusedOnTheWay, tooLargeAnswer, unanswered, type Unanswered } from './problems.ts'

/** An answer of the largest fleet that was measured has a twelfth of it. It is read while it arrives. */
const MOST_BYTES = 96 * 1024 * 1024

/** A query about the present must not take much longer than the interval until the next one. */
export const LIVE_LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 20_000,
  idleMs: 10_000,
  totalMs: 30_000,
  maxWireBytes: MOST_BYTES,
  maxBytes: MOST_BYTES,
}
/** A query about the past may take as long as Prometheus allows by default. */
export const PAST_LIMITS: HttpLimits = { ...LIVE_LIMITS, firstByteMs: 60_000, totalMs: 120_000 }

export interface Answered {
  readonly ok: true
  readonly series: readonly PromSeries[]
  readonly warnings: readonly string[]
  /** Milliseconds from the request to the last byte, and bytes of JSON. */
  readonly ms: number
  readonly bytes: number
  /** Unix milliseconds of the Date header, a full second; absent when there was none. */
  readonly date?: number
}

export type Reply = Answered | Unanswered

/** The HTTP API that Prometheus, Thanos, Mimir and VictoriaMetrics have in common. */
export interface PrometheusApi {
  /** Displayed address, without secrets. */
  readonly shown: string
  readonly host: string
  readonly notes: readonly string[]
  /** At an instant (Unix milliseconds); without one, at the server's own present. */
  query(query: string, at: number | undefined, asking: Asking): Promise<Reply>
  queryRange(query: string, range: StepRange, asking: Asking): Promise<Reply>
  close(): void
}

/** Instants from `start` to `end`, both included, Unix milliseconds. */
export interface StepRange {
  readonly start: number
  readonly end: number
  readonly stepMs: number
}

interface Asking {
  readonly signal: AbortSignal
  readonly limits: HttpLimits
  /**
   * Thanos may merge the replicas of a Prometheus, which suits expressions. It does so series by series, from scrapes
   * at different instants, so that no page would be whole: without merging, replicas are kept apart.
   */
  readonly merged?: true
}

/** Opens the API without contacting it; the operator may have to confirm files. Rejects with `ProblemError`. */
export async function openPrometheus(
  target: PrometheusTarget,
  now: () => number,
  consent: Consent,
): Promise<PrometheusApi> {
  const { credentials, through, headers = [], tenant } = target
  const connection =
    through === undefined
      ? await urlsConnection({ kind: 'urls', urls: [target.url], ...(credentials && { credentials }) }, now, consent)
      : await kubeconfigConnection({ kind: 'kubeconfig', ...through }, now, { consent, env: process.env })
  const base = baseOf(new URL(target.url))
  const [server] = connection.servers
  const service = through === undefined ? undefined : serviceBehind(base, server?.base)
  const reserved = headers.find(({ name }) => isReservedHeader(name))
  if (reserved !== undefined) {
    throw new ProblemError('invalid-input', `The header ${reserved.name} cannot be set; it belongs to the connection.`)
  }
  if (headers.length > 0 && base.protocol === 'http:' && !isLoopback(base)) {
    throw new ProblemError(
      'credentials',
      `The headers would travel to ${base.host} unencrypted, and may hold secrets; use its https:// address.`,
    )
  }
  const own = {
    ...(tenant !== undefined && { 'X-Scope-OrgID': tenant }),
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  }
  const secrets = headers.map(({ value }) => value)

  /** Some servers reject unknown parameters. */
  let takesDedup = true

  const ask = async (path: string, parameters: Record<string, string>, asking: Asking): Promise<Reply> => {
    const { signal, limits, merged } = asking
    const url = new URL(base)
    url.pathname = `${base.pathname.replace(/\/$/, '')}/api/v1/${path}`
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const isApart = merged !== true && takesDedup
    if (isApart) url.searchParams.set('dedup', 'false')
    if (server === undefined) throw new Error('a connection of one address has one server')
    try {
      const known = await connection.settings(server)
      const settings = {
        ...known,
        // Prometheus is not the server that is watched: queries need not wait for each other.
        send: sendWith(known.agent),
        headers: { ...known.headers, ...own },
        secrets: [...known.secrets, ...secrets],
      }
      const gzip = !isLoopback(base)
      const decoder = new TextDecoder()
      const reader = createAnswerReader()
      const request = { url, settings, limits, signal, gzip, accept: 'application/json', failureBytes: 4_096 }
      const answer = await send(request, (piece) => reader.add(decoder.decode(piece, { stream: true })))
      if (!answer.ok) {
        if (answer.status === 401) connection.renew()
        if (isApart && answer.status === 400 && answer.body?.includes('dedup') === true) {
          takesDedup = false
          return await ask(path, parameters, asking)
        }
        return (
          (service === undefined ? undefined : refusedOnTheWay(answer, service)) ??
          unanswered(answer, url, refusedText(target, known.ifRefused))
        )
      }
      const date = unixMsOf(answer.headers.date ?? '')
      const read = reader.end()
      if (read.kind === 'too-large') return { ok: false, problem: tooLargeAnswer(url), tooMuch: true }
      if (read.kind === 'foreign') return misread(read.why, url)
      if (read.kind === 'refused') return misread(`refuses the query: ${read.words}`, url)
      const { ms, bytes } = answer
      return { ok: true, series: read.series, warnings: read.warnings, ms, bytes, ...(!Number.isNaN(date) && { date }) }
    } catch (error) {
      return { ok: false, problem: toProblem(error), tooMuch: false }
    }
  }
  return {
    shown: service === undefined ? `${base.origin}${base.pathname.replace(/\/$/, '')}` : `${service} in ${base.host}`,
    host: service ?? base.host,
    notes: connection.notes,
    query: (query, at, asking) =>
      ask('query', { query, ...(at !== undefined && { time: seconds(at) }), ...timeout(asking) }, asking),
    queryRange: (query, { start, end, stepMs }, asking) =>
      ask(
        'query_range',
        { query, start: seconds(start), end: seconds(end), step: seconds(stepMs), ...timeout(asking) },
        asking,
      ),
    close: () => connection.close(),
  }
}

/** A source that reads it, named after its cluster, if that has a name. */
export const sourceInfo = ({ host, shown }: PrometheusApi, cluster: string | undefined): SourceInfo => ({
  kind: 'prometheus',
  name: cluster === undefined || cluster === '' ? host : cluster,
  via: `Prometheus at ${shown}`,
})

/**
 * The service that an address of an API server leads to. The credentials of the kubeconfig go nowhere else: throws
 * `invalid-input` for any other address.
 */
function serviceBehind(url: URL, api = ''): string {
  const [, namespace = '', service = ''] =
    /^\/api\/v1\/namespaces\/([^/]+)\/services\/([^/]+)\/proxy(?:\/|$)/.exec(url.href.slice(api.length)) ?? []
  if (service !== '' && url.href.startsWith(`${api}/`)) return `${namespace}/${service}`
  throw new ProblemError(
    'invalid-input',
    `${url.host}${url.pathname} does not lead to a service through the API server of the kubeconfig (${api}); find it again.`,
  )
}

/** The root of the API, whichever page of Prometheus the address was copied from. */
function baseOf(url: URL): URL {
  const base = new URL(url)
  base.hash = ''
  base.pathname =
    base.pathname.replace(/\/(?:graph|query|targets|alerts|api(?:\/v1(?:\/(?!namespaces\/)[\w/]*)?)?)?\/*$/, '') || '/'
  return base
}

const seconds = (ms: number): string => String(ms / 1_000)

/** Shorter than the wait for the response, so that a server that gives up can still report it. */
const SERVER_SHARE = 0.9
const timeout = ({ limits }: Asking): { timeout: string } => ({
  timeout: `${Math.round(limits.firstByteMs * SERVER_SHARE)}ms`,
})

const refusedText = ({ credentials }: PrometheusTarget, ifRefused = 'Sign in again.'): string =>
  credentials?.username === undefined ? ifRefused : 'Check the user name and the password.'
