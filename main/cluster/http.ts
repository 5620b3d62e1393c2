import type { IncomingHttpHeaders } from 'node:http'
import type { Problem } from '../../core/errors.ts'
import type { ChunkConsumer, HttpLimits } from './httpProblems.ts'
import { redact, shownUrl } from './redact.ts'

/** Sends one request and passes its body on in chunks. Always resolves: a failure is a value. */
export type Send = (request: HttpRequest, onChunk: ChunkConsumer) => Promise<Delivered | Failed>

/** How requests to one server are sent: derived from its credentials, renewed when these expire. */
export interface RequestSettings {
  readonly send: Send
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Redacted in every problem; never shown, logged or sent elsewhere. */
  readonly secrets: readonly string[]
  /** Unix milliseconds until which they are valid; if absent, for as long as the server accepts them. */
  readonly validUntil?: number
  /** Host and port of the proxy that the requests go through. */
  readonly proxy?: string
  /** The probable reason if the server refuses them, and the remedy: a sentence. */
  readonly ifRefused?: string
}

export interface HttpRequest {
  readonly url: URL
  readonly settings: RequestSettings
  readonly limits: HttpLimits
  /** JSON to POST; if absent, a GET. */
  readonly body?: string
  /**
   * For requests that change something. Such a request is never repeated automatically: the first may have been carried
   * out.
   */
  readonly write?: { readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; readonly contentType: string }
  readonly accept?: string
  /** Called when the request is sent, if it had to wait for its turn (`inTurn`). */
  readonly onTurn?: () => void
  /** Called with the head of a 2xx response. */
  readonly onHead?: () => void
  /** Bytes of the body of a failure to keep for the caller; if absent, none. */
  readonly failureBytes?: number
  /** Requests compression. It costs the server about 8 ms per page, so it is for network links, not for loopback. */
  readonly gzip?: boolean
  readonly signal?: AbortSignal
}

/** A complete response with status 2xx. */
export interface Delivered {
  readonly ok: true
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Bytes after decompression and, if it was compressed, on the wire. */
  readonly bytes: number
  readonly wireBytes?: number
  /** Milliseconds from the request to the last byte. */
  readonly ms: number
}

export interface Failed {
  readonly ok: false
  readonly problem: Problem
  /** Present if the server answered at all. */
  readonly status?: number
  readonly headers?: IncomingHttpHeaders
  readonly retryAfterMs?: number
  /** The start of the body, if requested. */
  readonly body?: string
}

/**
 * Sends one request with its settings and passes its body on in chunks; nothing is kept. Always resolves: a failure is
 * a value, without secrets. The body may be incomplete unless the result is ok.
 */
export async function send(request: HttpRequest, onChunk: ChunkConsumer): Promise<Delivered | Failed> {
  const { secrets } = request.settings
  const result = await request.settings.send(request, onChunk)
  if (result.ok) return result
  return {
    ...result,
    problem: hideSecrets(result.problem, secrets),
    ...(result.body !== undefined && { body: redact(result.body, secrets) }),
  }
}

function hideSecrets(problem: Problem, secrets: readonly string[]): Problem {
  const message = redact(problem.message, secrets)
  return problem.details === undefined
    ? { code: problem.code, message }
    : { code: problem.code, message, details: redact(problem.details, secrets) }
}

/** For objects and reviews of the API: small responses, quickly. */
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

/** A whole response as text, within the limits. */
export async function getText({ limits = JSON_LIMITS, ...request }: TextRequest): Promise<GotText | Failed> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const pieces: string[] = []
  const answer = await send({ ...request, limits }, (piece) => {
    pieces.push(decoder.decode(piece, { stream: true }))
    return undefined
  })
  return answer.ok ? { ...answer, value: pieces.join('') + decoder.decode() } : answer
}

/** A whole response as parsed JSON, of unknown shape. */
export async function getJson(request: TextRequest): Promise<GotJson | Failed> {
  const answer = await getText({ accept: 'application/json', ...request })
  if (!answer.ok) return answer
  try {
    return { ok: true, value: JSON.parse(answer.value), headers: answer.headers }
  } catch {
    return {
      ok: false,
      problem: { code: 'bad-answer', message: `${shownUrl(request.url)} returned a response that is not JSON.` },
    }
  }
}

/** The gitVersion in a response of /version. */
export function gitVersion(reply: unknown): string | undefined {
  if (typeof reply !== 'object' || reply === null || !('gitVersion' in reply)) return undefined
  return typeof reply.gitVersion === 'string' ? reply.gitVersion : undefined
}
