import { flowHash } from '../request/flow.ts'
import { deal } from '../engine/dealer.ts'
import { isLegalShape, type DealerShape } from '../config/shape.ts'

/** What its hash, and so its hand, follows from (specification 2.7). */
export interface FlowName {
  readonly schema: string
  readonly distinguisher: string
}

/**
 * The queues that a flow may use, in the order in which they are dealt (specification 3.2). `undefined` where there is
 * no choice between queues, or none can be dealt.
 */
export function dealtHand({ schema, distinguisher }: FlowName, shape: DealerShape): readonly number[] | undefined {
  const { queues, handSize } = shape
  if (queues <= 1 || !isLegalShape(shape)) return undefined
  const cards = new Int32Array(handSize)
  deal(flowHash(schema, distinguisher), queues, handSize, cards)
  return [...cards]
}

/** The queues that two hands share, in the order of the first. */
export const sharedQueues = (first: readonly number[], second: readonly number[]): readonly number[] =>
  first.filter((queue) => second.includes(queue))
