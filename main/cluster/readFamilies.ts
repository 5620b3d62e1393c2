import type { Page } from '../../core/metrics/page.ts'
import { createParser } from '../../core/metrics/parse.ts'
import { type Failed, type HttpRequest, send } from './http.ts'
import { METRICS_LIMITS } from './httpProblems.ts'
import { isLoopback } from './redact.ts'

/** These families of a metrics page. */
export async function readFamilies(
  request: Pick<HttpRequest, 'url' | 'settings' | 'signal' | 'onTurn'>,
  keep: ReadonlySet<string>,
): Promise<{ readonly ok: true; readonly page: Page } | Failed> {
  const reading = createParser({ keep }).begin()
  const answer = await send(
    { ...request, limits: METRICS_LIMITS, gzip: !isLoopback(request.url), accept: 'text/plain' },
    (piece) => {
      reading.push(piece)
      return undefined
    },
  )
  return answer.ok ? { ok: true, page: reading.end() } : answer
}
