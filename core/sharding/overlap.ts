import { flowHash, hashToBigInt } from '../request/match.ts'
import { type DealerShape, isLegalShape } from '../config/shape.ts'
import { deal } from '../engine/dealer.ts'

export interface FlowHand extends FlowName {
  readonly hash: bigint
  /** Its queues in the order of the deal. */
  readonly hand: readonly number[]
  /** Those that no other of the flows has. */
  readonly own: readonly number[]
}

/** Two flows that share queues, by their place in the list of flows; the first comes first there. */
export interface SharedHands {
  readonly first: number
  readonly second: number
  readonly queues: readonly number[]
}

export interface Overlap {
  readonly flows: readonly FlowHand[]
  /** Pairs that share at least one queue, those that share most first. */
  readonly pairs: readonly SharedHands[]
  /** How many of the flows each queue that is in a hand belongs to, by queue. */
  readonly holders: ReadonlyMap<number, number>
}

/** The hands of these flows and where they meet. Where none can be dealt there is nothing to meet. */
export function overlapOf(names: readonly FlowName[], shape: DealerShape): Overlap {
  const holdersOf = new Map<number, number[]>()
  const hands = names.map((name) => dealtHand(name, shape) ?? [])
  hands.forEach((hand, index) => {
    for (const queue of hand) holdersOf.set(queue, [...(holdersOf.get(queue) ?? []), index])
  })
  return {
    flows: names.map((name, index) => {
      const hand = hands[index] ?? []
      return {
        ...name,
        hash: hashToBigInt(flowHash(name.schema, name.distinguisher)),
        hand,
        own: hand.filter((queue) => holdersOf.get(queue)?.length === 1),
      }
    }),
    pairs: pairsOf(hands, holdersOf),
    holders: new Map([...holdersOf].map(([queue, indices]) => [queue, indices.length])),
  }
}

/** Only flows that meet in some queue are compared: most pairs share nothing. */
function pairsOf(
  hands: readonly (readonly number[])[],
  holdersOf: ReadonlyMap<number, readonly number[]>,
): readonly SharedHands[] {
  return hands
    .flatMap((hand, first) => {
      const shared = new Map<number, number[]>()
      for (const queue of hand) {
        for (const second of holdersOf.get(queue) ?? []) {
          if (second > first) shared.set(second, [...(shared.get(second) ?? []), queue])
        }
      }
      return [...shared].map(([second, queues]) => ({ first, second, queues }))
    })
    .toSorted((a, b) => b.queues.length - a.queues.length || a.first - b.first || a.second - b.second)
}

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
