import type { IncomingHttpHeaders } from 'node:http'
import { send, type Delivered, type Failed, type HttpRequest } from './http.ts'
import type { HttpLimits } from './httpProblems.ts'
import { shownUrl } from './redact.ts'

/** For objects and reviews of the API: small answers, soon. */
const JSON_LIMITS: HttpLimits = {
  connectMs: 5_000,
  firstByteMs: 8_000,
  idleMs: 3_000,
  totalMs: 10_000,
  maxWireBytes: 8 * 1024 * 1024,
  maxBytes: 8 * 1024 * 1024,
}

export type TextRequest = Omit<HttpRequest, 'limits'> & { readonly limits?: HttpLimits }

export interface GotText extends Delivered {
  readonly value: string
}

export interface GotJson {
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
