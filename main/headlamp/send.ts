import type { HeadlampReply, HeadlampRequest } from '../../core/contract/headlamp.ts'
import type { Problem } from '../../core/errors.ts'
import type { Delivered, Failed, Send } from '../cluster/http.ts'
import {
  htmlProblem,
  refuseHead,
  retryAfterMs,
  startsAsMarkup,
  statusProblem,
  timeoutProblem,
  tooLargeProblem,
  type Phase,
} from '../cluster/httpProblems.ts'
import type { Environment } from '../ports/environment.ts'

/** A line to Headlamp’s side. */
export interface RequestLine {
  post(request: HeadlampRequest): void
  onReply(listener: (reply: HeadlampReply) => void): void
}

/** A placeholder for the address of a cluster’s API in Headlamp; never contacted, but shown in messages. */
export const headlampBase = (cluster: string): string => `https://headlamp/clusters/${encodeURIComponent(cluster)}`

/** Requests that Headlamp sends for the frame, within the limits of each. Nothing is ever written. */
export function sendThrough(line: RequestLine, cluster: string, { now, after }: Environment): Send {
  const start = new URL(headlampBase(cluster)).pathname.length
  const hearing = new Map<number, (reply: HeadlampReply) => void>()
  let last = 0
  line.onReply((reply) => hearing.get(reply.id)?.(reply))

  return ({ url, limits, signal, accept, body, write, onHead, failureBytes }, onChunk) =>
    new Promise<Delivered | Failed>((resolve) => {
      if (body !== undefined || write !== undefined) return resolve({ ok: false, problem: READ_ONLY })
      if (signal?.aborted === true) return resolve({ ok: false, problem: CANCELLED })
      last += 1
      const id = last
      const began = now()
      let [status, bytes] = [0, 0]
      let headers: Readonly<Record<string, string>> = {}
      const finish = (result: Delivered | Failed, ended = false): void => {
        if (!hearing.delete(id)) return
        cancelStep()
        cancelTotal()
        signal?.removeEventListener('abort', onAbort)
        if (!ended) line.post({ kind: 'stop', id })
        resolve(result)
      }
      const fail = (problem: Problem): void => finish({ ok: false, problem, ...(status > 0 && { status }) })
      const onAbort = (): void => fail(CANCELLED)
      const patience = (phase: Phase, ms: number) => after(ms, () => fail(timeoutProblem(phase, url, limits)))
      const cancelTotal = patience('total', limits.totalMs)
      let cancelStep = patience('firstByte', limits.connectMs + limits.firstByteMs)
      const deliver = (ended: boolean): void => finish({ ok: true, status, headers, bytes, ms: now() - began }, ended)

      const take = (piece: Uint8Array): void => {
        if (bytes === 0 && startsAsMarkup(piece)) return fail(htmlProblem(url))
        bytes += piece.length
        if (bytes > limits.maxBytes) return fail(tooLargeProblem('decoded', url, limits))
        if (onChunk(piece) === 'enough') deliver(false)
      }
      hearing.set(id, (reply) => {
        cancelStep()
        cancelStep = patience('idle', limits.idleMs)
        switch (reply.kind) {
          case 'head': {
            ;({ status, headers } = reply)
            const refusal = refuseHead(headers, url)
            return refusal === undefined ? onHead?.() : fail(refusal)
          }
          case 'piece':
            return take(reply.bytes)
          case 'end':
            return deliver(true)
          case 'failed': {
            const retry = retryAfterMs(headers['retry-after'], now())
            return finish(
              {
                ok: false,
                problem: failure(reply, url, cluster),
                ...(reply.status !== undefined && { status: reply.status }),
                ...(retry !== undefined && { retryAfterMs: retry }),
                ...(failureBytes !== undefined && { body: reply.words.slice(0, failureBytes) }),
              },
              true,
            )
          }
        }
      })
      signal?.addEventListener('abort', onAbort, { once: true })
      const path = `${url.pathname.slice(start)}${url.search}`
      line.post({ kind: 'get', id, path, accept: accept ?? '*/*' })
    })
}

const CANCELLED: Problem = { code: 'cancelled', message: 'The console cancelled the request.' }
const READ_ONLY: Problem = { code: 'forbidden', message: 'In Headlamp the console is read-only.' }

/** The user signs in to Headlamp, so refused requests must be fixed there. */
function failure(
  { status, words }: Extract<HeadlampReply, { readonly kind: 'failed' }>,
  url: URL,
  cluster: string,
): Problem {
  const place = url.pathname.slice(new URL(headlampBase(cluster)).pathname.length)
  const details = words === '' ? {} : { details: words }
  if (status === undefined) {
    return {
      code: 'unreachable',
      message: `Headlamp could not reach ${cluster}; the details show the cause.`,
      ...details,
    }
  }
  if (status === 401) {
    return {
      code: 'unauthorized',
      message: `${cluster} does not accept Headlamp’s credentials (401). Sign in again.`,
      ...details,
    }
  }
  if (status === 403) {
    const message = `Your user may not read ${place} of ${cluster} (403); ask for the get permission on that path.`
    return { code: 'forbidden', message, ...details }
  }
  return statusProblem(status, {}, words, url)
}
