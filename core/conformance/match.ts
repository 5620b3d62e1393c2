import type { z } from 'zod'
import { classify, danglingCondition, orderFlowSchemas } from '../request/flowSchemas.ts'
import { flowOf, hashToBigInt } from '../request/flow.ts'
import { matchesFlowSchema } from '../request/match.ts'
import { planOf, refusal } from '../engine/levelPlan.ts'
import { flowSchema } from './flowSchema.ts'
import { level, levelObject } from './level.ts'
import { list, record, text } from './question.ts'
import { digestOf, sentRequestFields } from './requests.ts'
import { orNull } from './statistics.ts'

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
