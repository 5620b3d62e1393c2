import { isLegalShape, LARGEST_HAND, largestHand, leastQueues, mostQueues, type DealerShape } from '../config/shape.ts'
import { coveredOdds } from './collision.ts'

/** What a level’s shape is to be good for. */
export interface ShardingGoal {
  /** The chance, above 0 and below 1, that elephants may cover a mouse’s hand with. */
  readonly target: number
  readonly elephants: number
  /** No shape with more queues is considered. */
  readonly maxQueues: number
}

/** A shape and the chance that the elephants cover a mouse’s hand. */
export interface Candidate extends DealerShape {
  readonly covered: number
}

export interface Recommendation {
  /**
   * The smallest shapes that reach the target, each with fewer queues than those before it and a larger hand: every
   * other shape that reaches it has at least as many queues and as large a hand as one of them.
   */
  readonly candidates: readonly Candidate[]
  /** The last of them: fewest queues of all. */
  readonly fewest: Candidate | undefined
  /** The best that can be had with so many queues at most: what to fall back on when nothing reaches the target. */
  readonly closest: Candidate
}

/**
 * The smallest shapes that keep the chance within the target. For one hand size the chance falls with every further
 * queue, so the least number of queues is found by halving.
 */
export function recommend({ target, elephants, maxQueues }: ShardingGoal): Recommendation {
  const candidates: Candidate[] = []
  let closest = candidateOf({ queues: 1, handSize: 1 }, elephants)
  for (let handSize = 1; handSize <= LARGEST_HAND; handSize++) {
    const most = Math.min(maxQueues, mostQueues(handSize))
    if (most < handSize) break
    const best = candidateOf({ queues: most, handSize }, elephants)
    if (best.covered < closest.covered) closest = best
    const reaches = (queues: number): boolean => coveredOdds({ queues, handSize }, elephants) <= target
    const queues = leastQueues(handSize, reaches, most + 1)
    if (queues <= most && queues < (candidates.at(-1)?.queues ?? Infinity)) {
      candidates.push(candidateOf({ queues, handSize }, elephants))
    }
  }
  return { candidates, fewest: candidates.at(-1), closest }
}

/**
 * All hands that may be dealt from so many queues, smallest first. A larger hand gives a mouse more queues to find a
 * clean one among and each elephant more to fill, so the chance falls with the hand and then rises again.
 */
export const hands = (queues: number, elephants: number): readonly Candidate[] =>
  Array.from({ length: largestHand(queues) }, (_, i) => candidateOf({ queues, handSize: i + 1 }, elephants))

/** The hand that elephants cover least often; the smallest of equals. `undefined` where none can be dealt. */
export function bestHand(queues: number, elephants: number): Candidate | undefined {
  const [first, ...others] = hands(queues, elephants)
  return first && others.reduce((best, one) => (one.covered < best.covered ? one : best), first)
}

export interface Verdict extends Candidate {
  readonly reaches: boolean
  /** The best hand for as many queues. */
  readonly best: Candidate
}

/** What a shape is worth against a goal; `undefined` when it is not legal. */
export function judge(shape: DealerShape, { target, elephants }: Omit<ShardingGoal, 'maxQueues'>): Verdict | undefined {
  const best = isLegalShape(shape) ? bestHand(shape.queues, elephants) : undefined
  if (best === undefined) return undefined
  const judged = candidateOf(shape, elephants)
  return { ...judged, reaches: judged.covered <= target, best }
}

const candidateOf = ({ queues, handSize }: DealerShape, elephants: number): Candidate => ({
  queues,
  handSize,
  covered: coveredOdds({ queues, handSize }, elephants),
})
