import http, { type Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Problem } from '../../core/contract/errors.ts'
import {
  networkProblem,
  retryAfterMs,
  statusProblem,
  timeoutProblem,
  type HttpLimits,
  type Phase,
  readBody,
  readStart,
  refuseHead,
  type ChunkConsumer,
} from './httpProblems.ts'
import { redact, shownUrl } from './redact.ts'

/** How requests to one server are made: from its credentials, renewed when these expire. */
export interface RequestSettings {
  readonly agent: Agent
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Replaced in every problem; never shown, logged or sent elsewhere. */
  readonly secrets: readonly string[]
  /** Unix milliseconds until which they hold; for as long as the server accepts them without. */
  readonly validUntil?: number
  /** Why the server probably refuses them, where it does, and what to do: a sentence. */
  readonly ifRefused?: string
}

export interface HttpRequest {
  readonly url: URL
  readonly settings: RequestSettings
  readonly limits: HttpLimits
  /** JSON to POST; a GET without it. */
  readonly body?: string
  /** For what changes something. Such a request is never sent twice by itself: the first may have been carried out. */
  readonly write?: { readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; readonly contentType: string }
  readonly accept?: string
  /** Called with the head of a 2xx response. */
  readonly onHead?: () => void
  /** Bytes of the body of a failure that are kept for whoever understands it; none without it. */
  readonly failureBytes?: number
  /** Ask for compression. It costs the server about 8 ms for a page, so it is for links, not for loopback. */
  readonly gzip?: boolean
  readonly signal?: AbortSignal
}

/** A complete answer with status 2xx. */
export interface Delivered {
  readonly ok: true
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Bytes after decompression and, when it was compressed, on the wire. */
  readonly bytes: number
  readonly wireBytes?: number
  /** Milliseconds from the request to the last byte. */
  readonly ms: number
}

export interface Failed {
  readonly ok: false
  readonly problem: Problem
  /** Present when the server answered at all. */
  readonly status?: number
  readonly headers?: IncomingHttpHeaders
  readonly retryAfterMs?: number
  /** The start of the body, when it was asked for. */
  readonly body?: string
}

/**
 * One request, its body handed on piece by piece; nothing is kept. Resolves always: what went wrong is a value. The
 * body may be incomplete unless the result is ok. An answer that breaks off on a connection kept from earlier, before
 * it began, is asked for once more on a new one, unless it writes: the server may have closed the idle connection.
 */
export async function send(request: HttpRequest, onChunk: ChunkConsumer): Promise<Delivered | Failed> {
  const first = await attempt(request, onChunk)
  const again = first === 'stale-connection' && request.write === undefined
  const result = again ? await attempt(request, onChunk) : first
  if (result === 'stale-connection') return { ok: false, problem: networkProblem(RESET, request.url) }
  if (result.ok) return result
  const { secrets } = request.settings
  return {
    ...result,
    problem: hideSecrets(result.problem, secrets),
    ...(result.body !== undefined && { body: redact(result.body, secrets) }),
  }
}

const RESET = Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' })

function hideSecrets(problem: Problem, secrets: readonly string[]): Problem {
  const message = redact(problem.message, secrets)
  return problem.details === undefined
    ? { code: problem.code, message }
    : { code: problem.code, message, details: redact(problem.details, secrets) }
}

function attempt(request: HttpRequest, onChunk: ChunkConsumer): Promise<Delivered | Failed | 'stale-connection'> {
  const { url, limits, signal } = request
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve({ ok: false, problem: CANCELLED })
      return
    }
    const started = performance.now()
    const outgoing = openSafely(request)
    if (outgoing instanceof Error) {
      resolve({ ok: false, problem: unsendable(url, outgoing) })
      return
    }
    let phase: Phase = 'connect'
    let answered = false

    const finish = (result: Delivered | Failed | 'stale-connection', keepConnection = false): void => {
      if (answered) return
      answered = true
      clearTimeout(total)
      clearTimeout(step)
      signal?.removeEventListener('abort', onAbort)
      if (!keepConnection) outgoing.destroy()
      resolve(result)
    }
    const fail = (problem: Problem): void => finish({ ok: false, problem })
    const onAbort = (): void => fail(CANCELLED)
    const total = setTimeout(() => fail(timeoutProblem('total', url, limits)), limits.totalMs)
    let step = setTimeout(() => fail(timeoutProblem(phase, url, limits)), limits.connectMs)
    const enter = (next: 'firstByte' | 'idle', ms: number): void => {
      if (answered) return
      phase = next
      clearTimeout(step)
      step = setTimeout(() => fail(timeoutProblem(next, url, limits)), ms)
    }

    signal?.addEventListener('abort', onAbort, { once: true })
    onConnected(outgoing, url, () => enter('firstByte', limits.firstByteMs))
    outgoing.on('error', (error: Error & { code?: string }) => {
      if (outgoing.reusedSocket && phase !== 'idle' && error.code === 'ECONNRESET') finish('stale-connection')
      else fail(networkProblem(error, url, request.settings.ifRefused))
    })
    outgoing.on('response', (response) => {
      enter('idle', limits.idleMs)
      response.on('data', () => step.refresh())
      readAnswer(response, { request, onChunk, started, finish })
    })
    outgoing.end(request.body)
  })
}

const CANCELLED: Problem = { code: 'cancelled', message: 'The console cancelled the request.' }

/** Node refuses some requests at once: a header with characters that HTTP does not have. */
function openSafely(request: HttpRequest): ClientRequest | Error {
  try {
    return open(request)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const unsendable = (url: URL, { message }: Error): Problem => ({
  code: 'invalid-input',
  message: `A request to ${url.host} cannot be made with these credentials; check them for characters that do not belong there.`,
  details: message,
})

function open({ url, settings, body, write, accept, gzip }: HttpRequest): ClientRequest {
  const headers: Record<string, string | string[]> = {
    'User-Agent': 'apf-console',
    Accept: accept ?? '*/*',
    'Accept-Encoding': gzip === true ? 'gzip' : 'identity',
    ...settings.headers,
  }
  if (body !== undefined) {
    headers['Content-Type'] = write?.contentType ?? 'application/json'
    headers['Content-Length'] = String(Buffer.byteLength(body))
  }
  const method = write?.method ?? (body === undefined ? 'GET' : 'POST')
  const options = { method, agent: settings.agent, headers }
  return url.protocol === 'https:' ? https.request(url, options) : http.request(url, options)
}

/** Calls back once the connection (with TLS where the address says so) stands; at once when it is kept from earlier. */
function onConnected(outgoing: ClientRequest, url: URL, connected: () => void): void {
  outgoing.on('socket', (socket) => {
    if (outgoing.reusedSocket || !socket.connecting) connected()
    else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected)
  })
}

interface Reading {
  readonly request: HttpRequest
  readonly onChunk: ChunkConsumer
  readonly started: number
  readonly finish: (result: Delivered | Failed, keepConnection?: boolean) => void
}

function readAnswer(response: IncomingMessage, { request, onChunk, started, finish }: Reading): void {
  const { url, settings, limits, failureBytes } = request
  const { headers } = response
  const status = response.statusCode ?? 0
  const failed = (problem: Problem): Failed => {
    const retry = retryAfterMs(headers['retry-after'], Date.now())
    return { ok: false, problem, status, headers, ...(retry === undefined ? {} : { retryAfterMs: retry }) }
  }
  if (status < 200 || status > 299) {
    readStart(response, failureBytes, (start, complete) => {
      const failure = failed(statusProblem(status, headers, start, url, settings.ifRefused))
      finish(failureBytes === undefined ? failure : { ...failure, body: start }, complete)
    })
    return
  }
  const refusal = refuseHead(headers, url)
  if (refusal !== undefined) {
    finish(failed(refusal))
    return
  }
  request.onHead?.()
  readBody(response, {
    url,
    limits,
    onChunk,
    onFailed: (problem) => finish(failed(problem)),
    onDelivered: (read, complete) =>
      finish({ ok: true, status, headers, ...read, ms: performance.now() - started }, complete),
  })
}

/** For objects and reviews of the API: small answers, soon. */
const JSON_LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 8_000,
  idleMs: 3_000,
  totalMs: 10_000,
  maxWireBytes: 8 * 1024 * 1024,
  maxBytes: 8 * 1024 * 1024,
}

type TextRequest = Omit<HttpRequest, 'limits'> & { readonly limits?: HttpLimits }

interface GotText extends Delivered {
  readonly value: string
}

interface GotJson {
  readonly ok: true
  readonly value: unknown
  readonly headers: IncomingHttpHeaders
}

/** A whole answer as text, within the limits. */
export async function getText({ limits = JSON_LIMITS, ...request }: TextRequest): Promise<GotText | Failed> {
  const pieces: Uint8Array[] = []
  const answer = await send({ ...request, limits }, (piece) => {
    pieces.push(piece)
    return undefined
  })
  return answer.ok ? { ...answer, value: Buffer.concat(pieces).toString('utf8') } : answer
}

/** A whole answer as parsed JSON, of unknown shape. */
export async function getJson(request: TextRequest): Promise<GotJson | Failed> {
  const answer = await getText({ accept: 'application/json', ...request })
  if (!answer.ok) return answer
  try {
    return { ok: true, value: JSON.parse(answer.value), headers: answer.headers }
  } catch {
    return {
      ok: false,
      problem: { code: 'bad-answer', message: `${shownUrl(request.url)} answered with something that is not JSON.` },
    }
  }
}

/** The gitVersion of a reply of /version. */
export function gitVersion(reply: unknown): string | undefined {
  if (typeof reply !== 'object' || reply === null || !('gitVersion' in reply)) return undefined
  return typeof reply.gitVersion === 'string' ? reply.gitVersion : undefined
}
