import { digitsOf, fallingFactorial, setsOf } from './digits.ts'
import { flowHash, hashToBigInt } from '../request/match.ts'
import {
  type DealerShape,
  isLegalShape,
  requiredEntropyBits,
  largestHand,
  mostWaitingPerFlow,
} from '../config/shape.ts'
import { deal } from '../engine/dealer.ts'
import {
  coveredOdds,
  expectedClean,
  touchedOdds,
  judge,
  recommend,
  type Candidate,
  type ShardingGoal,
} from './collision.ts'

export interface FlowHand extends FlowName {
  readonly hash: bigint
  /** The hash in mixed radix: the position of each queue of the hand among the remaining ones. */
  readonly digits: readonly number[]
  /** Its queues in the order of the deal. */
  readonly hand: readonly number[]
  /** Queues that no other of the flows has. */
  readonly own: readonly number[]
}

/** Two flows that share queues, by their position in the list of flows, in its order. */
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

/** The hands of these flows and where they collide. Without legal hands there are no collisions. */
export function overlapOf(names: readonly FlowName[], shape: DealerShape): Overlap {
  const holdersOf = new Map<number, number[]>()
  const hands = names.map((name) => dealtHand(name, shape) ?? [])
  hands.forEach((hand, index) => {
    for (const queue of hand) holdersOf.set(queue, [...(holdersOf.get(queue) ?? []), index])
  })
  return {
    flows: names.map((name, index) => {
      const hand = hands[index] ?? []
      const hash = hashToBigInt(flowHash(name.schema, name.distinguisher))
      return {
        ...name,
        hash,
        digits: digitsOf(hash, shape.queues, hand.length),
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

/** The inputs of its hash, and so of its hand (specification 2.7). */
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

/** The question about a shape. */
interface ShardQuestion {
  /** Legal. */
  readonly shape: DealerShape
  readonly queueLengthLimit: number
  /** Numbers of elephants, each at least 1. */
  readonly elephants: readonly number[]
  readonly goal?: ShardingGoal
}

/** The answer, as `apf-console shard` prints it (docs/sharding.md). Chances are between 0 and 1. */
export interface ShardReport extends DealerShape {
  /** Bits of the flow’s hash that dealing a hand uses up, of 60. */
  readonly entropyBits: number
  readonly largestHand: number
  /** Hands that can be dealt, and sets of queues that they hold; decimal, as they may exceed a double. */
  readonly hands: string
  readonly sets: string
  /** Requests of one flow that can wait. */
  readonly mostWaitingPerFlow: number
  readonly odds: readonly OddsReport[]
  readonly flows: readonly FlowReport[]
  readonly overlaps: readonly OverlapReport[]
  readonly goal?: GoalReport
}

export interface OddsReport {
  readonly elephants: number
  /** Chance that every queue of a mouse’s hand is in an elephant’s, and that at least one is. */
  readonly covered: number
  readonly touched: number
  /** Queues of a mouse’s hand in no elephant’s, on average. */
  readonly cleanQueues: number
}

interface FlowReport {
  readonly flowSchema: string
  readonly distinguisher: string
  /** In decimal. */
  readonly flowHash: string
  /** The hash in mixed radix: the position of each queue of the hand among the remaining ones. */
  readonly digits: readonly number[]
  readonly hand: readonly number[]
  /** Queues of the hand that no other of the given flows has. */
  readonly own: readonly number[]
}

interface OverlapReport {
  /** Positions of two flows in the list of flows. */
  readonly flows: readonly [number, number]
  readonly queues: readonly number[]
}

interface GoalReport extends ShardingGoal {
  readonly covered: number
  readonly reaches: boolean
  /** The hand with the smallest chance for as many queues. */
  readonly bestHand: Candidate
  /** The smallest shapes that reach the target; none when no shape within the bounds does. */
  readonly configurations: readonly Candidate[]
  /** The shape with the smallest chance within the bounds. */
  readonly closest: Candidate
}

export const oddsOf = (shape: DealerShape, elephants: readonly number[]): readonly OddsReport[] =>
  elephants.map((count) => ({
    elephants: count,
    covered: coveredOdds(shape, count),
    touched: touchedOdds(shape, count),
    cleanQueues: expectedClean(shape, count),
  }))

export function shardReport(
  { shape, queueLengthLimit, elephants, goal }: ShardQuestion,
  overlap: Overlap,
): ShardReport {
  const { queues, handSize } = shape
  return {
    queues,
    handSize,
    entropyBits: requiredEntropyBits(queues, handSize),
    largestHand: largestHand(queues),
    hands: fallingFactorial(queues, handSize).toString(),
    sets: setsOf(queues, handSize).toString(),
    mostWaitingPerFlow: mostWaitingPerFlow({ queues, handSize, queueLengthLimit }),
    odds: oddsOf(shape, elephants),
    flows: overlap.flows.map(({ schema, distinguisher, hash, digits, hand, own }) => ({
      flowSchema: schema,
      distinguisher,
      flowHash: hash.toString(),
      digits,
      hand,
      own,
    })),
    overlaps: overlap.pairs.map(({ first, second, queues: shared }) => ({ flows: [first, second], queues: shared })),
    ...(goal === undefined ? {} : goalReport(shape, goal)),
  }
}

function goalReport(shape: DealerShape, goal: ShardingGoal): { readonly goal?: GoalReport } {
  const verdict = judge(shape, goal)
  if (verdict === undefined) return {}
  const { covered, reaches, best } = verdict
  const { candidates, closest } = recommend(goal)
  return { goal: { ...goal, covered, reaches, bestHand: best, configurations: candidates, closest } }
}
