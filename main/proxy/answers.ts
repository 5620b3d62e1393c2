import { randomUUID } from 'node:crypto'
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpAnswer } from '../../core/engine/httpAnswer.ts'
import { isGone, isHttp2, type AnyRequest, type AnyResponse } from './exchange.ts'
import { headerLines, rawOf } from './headers.ts'
import { asksForWatch } from './watchStart.ts'

/** A response of the proxy itself. */
export interface OwnAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the proxy itself returns instead of the upstream: one sentence. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 421 | 501 | 502 | 503
  readonly sentence: string
}

/** Reasons of `Status` objects; Kubernetes has none for the other statuses. */
const REASONS: Readonly<Partial<Record<Refusal['status'], string>>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  503: 'ServiceUnavailable',
}

/** A watch that is retried resumes where it was; without this header client-go gives it up and lists everything anew. */
const SOON = { 'Retry-After': '1' }

/** A `Status` object for clients that accept JSON, as all Kubernetes clients do; plain text for others. */
export function refusalAnswer(
  request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>,
  { status, sentence }: Refusal,
): OwnAnswer {
  const more = {
    'X-Content-Type-Options': 'nosniff',
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 502 && asksForWatch(request) && SOON),
  }
  if (request.headers.accept?.includes('json') !== true) {
    return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...more }, body: `${sentence}\n` }
  }
  const reason = REASONS[status]
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: sentence,
    ...(reason !== undefined && { reason }),
    code: status,
  })
  return { status, headers: { 'Content-Type': 'application/json', ...more }, body: `${body}\n` }
}

/**
 * The engine's rejection as a server sends it (specification 4.14), with the headers that the filters around its flow
 * control add: an audit id, which is the client's own if it sent one, and the header that forbids caching.
 */
export function engineAnswer(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { status = 429, headers: own, body = '' }: HttpAnswer,
): OwnAnswer {
  const given = headers['audit-id']
  const id = typeof given === 'string' && given !== '' ? given : randomUUID()
  return { status, headers: { 'Audit-Id': id, 'Cache-Control': 'no-cache, private', ...own }, body }
}

/**
 * Sends a whole response. What the client still sends is read and discarded, so that the connection can be reused. A
 * client that waits for `100 Continue` might send its body or not, so its connection ends.
 */
export function answerWhole(request: AnyRequest, response: AnyResponse, { status, headers, body }: OwnAnswer): void {
  if (response.headersSent || isGone(response)) return
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('Content-Length', Buffer.byteLength(body))
  if (request.headers.expect !== undefined && !isHttp2(response)) response.setHeader('Connection', 'close')
  response.end(body)
  request.resume()
}

/** The same for a client that requested a protocol change; the connection ends. */
export function answerSocket(socket: Duplex, { status, headers, body }: OwnAnswer): void {
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }
  endSoon(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headerLines(rawOf(all))}\r\n${body}`)
}

/** Ends a connection once everything is sent, whether or not the other side ends it, too. */
export function endSoon(socket: Duplex, last?: string): void {
  socket.once('finish', () => socket.destroy())
  socket.end(last)
}
