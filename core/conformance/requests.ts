import { z } from 'zod'
import {
  type RequestDigest,
  matchesFlowSchema,
  classify,
  danglingCondition,
  orderFlowSchemas,
  flowOf,
  hashToBigInt,
} from '../request/match.ts'
import { type RequestInfo, requestInfo } from '../request/requestInfo.ts'
import { type Query, type RequestTarget, parseRequestTarget } from '../request/requestTarget.ts'
import { WatchTracker } from '../engine/watchTracker.ts'
import { type EstimatorProfile, estimateUnknown, estimateWork } from '../engine/workEstimator.ts'
import type { FlowSchema } from '../config/objects.ts'
import { planOf, refusal } from '../engine/levelPlan.ts'
import { QuestionError, list, record, text, count, flag, int, oneOf, signedCount, optionalText } from './question.ts'
import { level, levelObject } from './levels.ts'
import { orNull } from './statistics.ts'

const requestFields = { method: text, url: text }
export const requestQuestion = record(requestFields)
type RequestQuestion = z.output<typeof requestQuestion>

function targetOf(url: string): RequestTarget {
  const target = /^(?:\/|\*$)/.test(url) ? parseRequestTarget(url) : undefined
  if (target === undefined) throw new QuestionError(`url ${JSON.stringify(url)} is no target of a request.`)
  return target
}

/** The target of a request that can be served. */
export function readRequest({ method, url }: RequestQuestion): { readonly info: RequestInfo; readonly query: Query } {
  const target = targetOf(url)
  const { info, failed } = requestInfo(method, target)
  if (failed)
    throw new QuestionError(`url ${JSON.stringify(url)} is that of a request that a server does not understand.`)
  return { info, query: target.query }
}

/** Fields of a request, with the user who sends it. */
export const sentRequestFields = { user: text, groups: list(text), ...requestFields }

export const digestOf = (
  request: RequestQuestion & { readonly user: string; readonly groups: readonly string[] },
): RequestDigest => ({
  user: { name: request.user, groups: request.groups },
  info: readRequest(request).info,
})

/** What is derived from method and address (specification 2.1). */
export function answerRequestInfo({ method, url }: RequestQuestion) {
  const { info, failed } = requestInfo(method, targetOf(url))
  const { isResource, parts, ...rest } = info
  return { error: failed, isResourceRequest: isResource, ...rest, parts: parts ?? null }
}

export const watchesQuestion = record({ watches: list(text), requests: list(requestQuestion) })

/** Which watches are counted, and how many of them receive the changes of each request (specification 5.6). */
export function answerWatches({ watches, requests }: z.output<typeof watchesQuestion>) {
  const tracker = new WatchTracker()
  const registered = watches.map((url) => {
    const { info, query } = readRequest({ method: 'GET', url })
    return tracker.register(info, query) !== undefined
  })
  const interested = requests.map((request) => tracker.interested(readRequest(request).info))
  return { registered: orNull(registered), interested: orNull(interested) }
}

const statisticsFields = {
  state: oneOf('ok', 'stale', 'notfound', 'error').default('error'),
  count: signedCount,
  avgSize: signedCount,
}

export const estimateQuestion = record({
  ...requestFields,
  noRequestInfo: flag,
  watchListGate: flag,
  sizeBasedGate: flag,
  consistentReads: flag,
  stats: z.preprocess((stats) => stats ?? {}, record(statisticsFields)),
  watchers: int,
  maxSeats: count,
})

/** The estimate of one request and the inputs that were read for it (specification 5.3 – 5.5). */
export function answerEstimate(question: z.output<typeof estimateQuestion>) {
  const profile: EstimatorProfile = {
    sizeBasedLists: question.sizeBasedGate,
    watchList: question.watchListGate,
    legacyWatchesCost: true,
    consistentReadsFromCache: question.consistentReads,
  }
  const { stats, noRequestInfo, maxSeats: levelMaxSeats } = question
  let statsKey: string | null = null
  let askedWatchers = false
  const sources = {
    objectStatistics(key: string) {
      statsKey = key
      if (stats.state === 'ok') return { state: 'ok', count: stats.count, averageSize: stats.avgSize } as const
      return { state: stats.state === 'notfound' ? 'not-found' : 'stale' } as const
    },
    interestedWatches() {
      askedWatchers = true
      return question.watchers
    },
  }
  const read = noRequestInfo ? undefined : readRequest(question)
  const { initialSeats, finalSeats, additionalLatency } =
    read === undefined
      ? estimateUnknown(profile, levelMaxSeats)
      : estimateWork(read.info, read.query, levelMaxSeats, profile, sources)
  return {
    verb: read?.info.verb ?? '',
    statsKey,
    askedWatchers,
    initialSeats: String(initialSeats),
    finalSeats: String(finalSeats),
    additionalLatencyNs: String(additionalLatency),
    maxSeats: Math.max(initialSeats, finalSeats),
  }
}

const named = record({ name: text })

/** A FlowSchema as the API returns it. It may violate the API's own rules, and missing members are empty. */
const flowSchema = record({
  metadata: named,
  spec: record({
    priorityLevelConfiguration: named.default({ name: '' }),
    matchingPrecedence: int,
    distinguisherMethod: record({ type: text }).exactOptional(),
    rules: list(
      record({
        subjects: list(
          record({
            kind: text,
            user: named.exactOptional(),
            group: named.exactOptional(),
            serviceAccount: record({ namespace: text, name: text }).exactOptional(),
          }),
        ),
        resourceRules: list(
          record({
            verbs: list(text),
            apiGroups: list(text),
            resources: list(text),
            clusterScope: flag,
            namespaces: list(text),
          }),
        ),
        nonResourceRules: list(record({ verbs: list(text), nonResourceURLs: list(text) })),
      }),
    ),
  }).default({ priorityLevelConfiguration: { name: '' }, matchingPrecedence: 0, rules: [] }),
  status: record({
    conditions: list(
      record({
        type: text,
        status: text,
        reason: optionalText,
        message: optionalText,
        lastTransitionTime: optionalText,
      }),
    ),
  }).exactOptional(),
}) satisfies z.ZodType<FlowSchema>

export const matchQuestion = record({
  id: text,
  priorityLevels: list(level),
  flowSchemas: list(flowSchema),
  requests: list(record(sentRequestFields)),
})

/** Matching order, dangling schemas and the classification of requests (specification 2.2 – 2.7, 7.3, 7.6). */
export function answerMatch({ id, priorityLevels, flowSchemas, requests }: z.output<typeof matchQuestion>) {
  const objects = priorityLevels.map(levelObject).filter((object) => refusal(object) === undefined)
  const plans = new Map(objects.map((object) => [object.metadata.name, planOf(object)]))
  const { order } = orderFlowSchemas(flowSchemas, new Set(plans.keys()))
  const dangling = flowSchemas.flatMap((schema) => {
    const condition = danglingCondition(schema, plans.has(schema.spec.priorityLevelConfiguration.name))
    return condition === undefined ? [] : [[schema.metadata.name, condition.status]]
  })
  const answers = requests.map((request) => {
    const digest = digestOf(request)
    const schema = classify(order, digest)
    const name = schema.spec.priorityLevelConfiguration.name
    const { distinguisher, hash } = flowOf(schema, digest, plans.get(name)?.queuing.queues ?? 0)
    return {
      flowSchema: schema.metadata.name,
      priorityLevel: name,
      distinguisher,
      hash: String(hashToBigInt(hash)),
      matches: flowSchemas.map((candidate) => (matchesFlowSchema(candidate, digest) ? '1' : '0')).join(''),
    }
  })
  return {
    ...(id === '' ? {} : { id }),
    order: order.map(({ metadata }) => metadata.name),
    dangling: Object.fromEntries(dangling),
    answers: orNull(answers),
  }
}
