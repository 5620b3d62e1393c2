import type { z } from 'zod'
import type { RequestDigest } from '../request/match.ts'
import { type RequestInfo, requestInfo } from '../request/requestInfo.ts'
import { type Query, type RequestTarget, parseRequestTarget } from '../request/requestTarget.ts'
import { WatchTracker } from '../engine/watchTracker.ts'
import { QuestionError, list, record, text } from './question.ts'
import { orNull } from './statistics.ts'

export const requestFields = { method: text, url: text }
export const requestQuestion = record(requestFields)
type RequestQuestion = z.output<typeof requestQuestion>

function targetOf(url: string): RequestTarget {
  const target = /^(?:\/|\*$)/.test(url) ? parseRequestTarget(url) : undefined
  if (target === undefined) throw new QuestionError(`url ${JSON.stringify(url)} is no target of a request.`)
  return target
}

/** What a request that can be served is about. */
export function readRequest({ method, url }: RequestQuestion): { readonly info: RequestInfo; readonly query: Query } {
  const target = targetOf(url)
  const { info, failed } = requestInfo(method, target)
  if (failed)
    throw new QuestionError(`url ${JSON.stringify(url)} is that of a request that a server does not understand.`)
  return { info, query: target.query }
}

/** Fields of a request with the user who sends it. */
export const sentRequestFields = { user: text, groups: list(text), ...requestFields }

export const digestOf = (
  request: RequestQuestion & { readonly user: string; readonly groups: readonly string[] },
): RequestDigest => ({
  user: { name: request.user, groups: request.groups },
  info: readRequest(request).info,
})

/** What method and address say (specification 2.1). */
export function answerRequestInfo({ method, url }: RequestQuestion) {
  const { info, failed } = requestInfo(method, targetOf(url))
  const { isResource, parts, ...rest } = info
  return { error: failed, isResourceRequest: isResource, ...rest, parts: parts ?? null }
}

export const watchesQuestion = record({ watches: list(text), requests: list(requestQuestion) })

/** Which watches are counted, and how many of them hear of each request (specification 5.6). */
export function answerWatches({ watches, requests }: z.output<typeof watchesQuestion>) {
  const tracker = new WatchTracker()
  const registered = watches.map((url) => {
    const { info, query } = readRequest({ method: 'GET', url })
    return tracker.register(info, query) !== undefined
  })
  const interested = requests.map((request) => tracker.interested(readRequest(request).info))
  return { registered: orNull(registered), interested: orNull(interested) }
}
