import { requiredEntropyBits, largestHand, mostWaitingPerFlow, type DealerShape } from '../config/shape.ts'
import {
  coveredOdds,
  expectedClean,
  touchedOdds,
  judge,
  recommend,
  type Candidate,
  type ShardingGoal,
} from './collision.ts'
import { type FlowName, overlapOf } from './overlap.ts'

/** What is asked about a shape. */
export interface ShardQuestion {
  /** Legal. */
  readonly shape: DealerShape
  readonly queueLengthLimit: number
  /** Numbers of elephants, each at least 1. */
  readonly elephants: readonly number[]
  readonly flows: readonly FlowName[]
  readonly goal?: ShardingGoal
}

/** The answer, as `apf-console shard` prints it (docs/sharding.md). Chances are between 0 and 1. */
export interface ShardReport extends DealerShape {
  /** Bits of the flow’s hash that dealing a hand uses up, of 60. */
  readonly entropyBits: number
  readonly largestHand: number
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

export interface FlowReport {
  readonly flowSchema: string
  readonly distinguisher: string
  /** In decimal. */
  readonly flowHash: string
  readonly hand: readonly number[]
  /** Queues of the hand that no other of the given flows has. */
  readonly own: readonly number[]
}

export interface OverlapReport {
  /** Places of two flows in the list of flows. */
  readonly flows: readonly [number, number]
  readonly queues: readonly number[]
}

export interface GoalReport extends ShardingGoal {
  readonly covered: number
  readonly reaches: boolean
  /** The hand with the smallest chance for as many queues. */
  readonly bestHand: Candidate
  /** The smallest shapes that reach the target; none when no shape within the bounds does. */
  readonly configurations: readonly Candidate[]
  /** The shape with the smallest chance within the bounds. */
  readonly closest: Candidate
}

export function shardReport({ shape, queueLengthLimit, elephants, flows, goal }: ShardQuestion): ShardReport {
  const { queues, handSize } = shape
  const overlap = overlapOf(flows, shape)
  return {
    queues,
    handSize,
    entropyBits: requiredEntropyBits(queues, handSize),
    largestHand: largestHand(queues),
    mostWaitingPerFlow: mostWaitingPerFlow({ queues, handSize, queueLengthLimit }),
    odds: elephants.map((count) => ({
      elephants: count,
      covered: coveredOdds(shape, count),
      touched: touchedOdds(shape, count),
      cleanQueues: expectedClean(shape, count),
    })),
    flows: overlap.flows.map(({ schema, distinguisher, hash, hand, own }) => ({
      flowSchema: schema,
      distinguisher,
      flowHash: hash.toString(),
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
