import type { FlowSchema } from '../config/objects.ts'
import { Dealer } from '../engine/dealer.ts'
import type { LevelPlan } from '../engine/levelPlan.ts'
import type { FlowExplanation } from './classification.ts'
import { flowOf, hashToBigInt } from '../request/flow.ts'
import type { RequestDigest } from '../request/match.ts'

/** The flow of a request that falls into this schema and level, and its hand (specification 2.6, 2.7, 3.2). */
export function explainFlow(schema: FlowSchema, digest: RequestDigest, { queuing }: LevelPlan): FlowExplanation {
  const { queues, handSize } = queuing
  const { distinguisher, hash } = flowOf(schema, digest, queues)
  const method = methodOf(schema)
  return {
    method,
    distinguisher,
    hash: String(hashToBigInt(hash)),
    queues,
    handSize,
    hand: queues > 0 ? handOf(hash, queues, handSize) : [],
    reason: reasonFor(method, queues, distinguisher),
  }
}

function handOf(hash: { readonly hi: number; readonly lo: number }, queues: number, handSize: number): number[] {
  const dealer = new Dealer()
  dealer.configure(queues, handSize)
  return [...dealer.handOf(hash)]
}

function methodOf({ spec }: FlowSchema): FlowExplanation['method'] {
  const type = spec.distinguisherMethod?.type
  return type === 'ByUser' || type === 'ByNamespace' ? type : 'none'
}

function reasonFor(method: FlowExplanation['method'], queues: number, distinguisher: string): string {
  if (queues < 0) return 'The level is exempt: nothing is queued, and no flow is told apart.'
  if (queues === 0) return 'The level rejects instead of queuing: no flow is told apart.'
  if (queues === 1) return 'The level has one queue: no flow is told apart.'
  switch (method) {
    case 'ByUser':
      return 'Each user is a flow of its own.'
    case 'ByNamespace':
      return distinguisher === ''
        ? 'Each namespace is a flow of its own; all requests without one share a flow.'
        : 'Each namespace is a flow of its own.'
    case 'none':
      return 'The flow schema has no distinguisher: all its requests are one flow.'
  }
}
