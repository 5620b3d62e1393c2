import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Problem } from '../../core/errors.ts'
import type { Delivered, Failed, HttpRequest, Send } from './http.ts'
import { readBody, readStart } from './httpBody.ts'
import {
  networkProblem,
  refuseHead,
  retryAfterMs,
  statusProblem,
  timeoutProblem,
  type ChunkConsumer,
  type Phase,
} from './httpProblems.ts'

/**
 * Requests of this machine. If a kept connection breaks before the response began, the request is repeated once on a
 * new connection, unless it writes: the server may have closed the idle connection.
 */
export const sendWith =
  (agent: Agent): Send =>
  async (request, onChunk) => {
    const first = await attempt(request, agent, onChunk)
    const again = first === 'stale-connection' && request.write === undefined
    const result = again ? await attempt(request, agent, onChunk) : first
    return result === 'stale-connection' ? { ok: false, problem: networkProblem(RESET, request.url) } : result
  }

const RESET = Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' })

function attempt(
  request: HttpRequest,
  agent: Agent,
  onChunk: ChunkConsumer,
): Promise<Delivered | Failed | 'stale-connection'> {
  const { url, limits, signal } = request
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve({ ok: false, problem: CANCELLED })
      return
    }
    const started = performance.now()
    const outgoing = openSafely(request, agent)
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
      else fail(networkProblem(error, url, request.settings))
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

/** Node rejects some requests immediately: a header with characters that HTTP does not allow. */
function openSafely(request: HttpRequest, agent: Agent): ClientRequest | Error {
  try {
    return open(request, agent)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const unsendable = (url: URL, { message }: Error): Problem => ({
  code: 'invalid-input',
  message: `A request to ${url.host} cannot be made with these credentials; check them for invalid characters.`,
  details: message,
})

function open({ url, settings, body, write, accept, gzip }: HttpRequest, agent: Agent): ClientRequest {
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
  const options = { method, agent, headers }
  return url.protocol === 'https:' ? https.request(url, options) : http.request(url, options)
}

/**
 * Calls back once the connection is established (including TLS if the address requires it); immediately for a kept
 * connection.
 */
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
