import { classify, danglingCondition, orderFlowSchemas } from '../classify/flowSchemas.ts'
import { flowOf } from '../classify/flow.ts'
import { type RequestDigest, matchesFlowSchema } from '../classify/match.ts'
import { requestInfo } from '../classify/requestInfo.ts'
import { parseRequestTarget } from '../classify/requestTarget.ts'
import type { FlowSchema } from '../config/objects.ts'
import { planOf, refusal } from '../engine/levelPlan.ts'
import { hashToBigInt } from '../engine/shuffleSharding.ts'
import { type LevelQuestion, levelObject } from './levels.ts'

export interface RequestQuestion {
  readonly user: string
  readonly groups?: readonly string[] | null
  readonly method: string
  readonly url: string
}
export interface MatchQuestion {
  readonly id: string
  readonly priorityLevels: readonly LevelQuestion[]
  readonly flowSchemas: readonly FlowSchema[]
  readonly requests: readonly RequestQuestion[]
}

export function digestOf({ user, groups, method, url }: RequestQuestion): RequestDigest {
  const target = parseRequestTarget(url)
  if (target === undefined) throw new Error(`the request target ${url} cannot be decoded`)
  return { user: { name: user, groups: groups ?? [] }, info: requestInfo(method, target).info }
}

/** Matching order, dangling schemas and the classification of requests, as the oracle's `match` answers. */
export function answerMatch({ id, priorityLevels, flowSchemas, requests }: MatchQuestion) {
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
    const level = schema.spec.priorityLevelConfiguration.name
    const { distinguisher, hash } = flowOf(schema, digest, plans.get(level)?.queuing.queues ?? 0)
    return {
      flowSchema: schema.metadata.name,
      priorityLevel: level,
      distinguisher,
      hash: String(hashToBigInt(hash)),
      matches: flowSchemas.map((candidate) => (matchesFlowSchema(candidate, digest) ? '1' : '0')).join(''),
    }
  })
  return { id, order: order.map(({ metadata }) => metadata.name), dangling: Object.fromEntries(dangling), answers }
}
