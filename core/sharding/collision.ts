import { significantly } from '../text/format.ts'
import { type DealerShape, isLegalShape, LARGEST_HAND, largestHand, leastWhere, mostQueues } from '../config/shape.ts'

/**
 * How hands of queues collide, all of them being dealt uniformly and independently: the result of flow hashes, except
 * for a bias below one in sixteen on the last card of the largest legal decks. An elephant is a flow that fills its
 * whole hand, a mouse one that sends little. Shapes must be legal.
 */

/**
 * The chances that exactly 0, 1, … handSize queues of a mouse’s hand are also in the hand of at least one of
 * `elephants` other flows. Only products and sums of positive numbers, so that small chances keep their digits.
 */
export function coverage({ queues, handSize }: DealerShape, elephants: number): readonly number[] {
  let clean = unit(handSize)
  let rounds = elephants
  for (let step = oneElephant(queues, handSize); rounds > 0; rounds = Math.floor(rounds / 2)) {
    if (rounds % 2 === 1) clean = after(clean, step)
    if (rounds > 1) step = step.map((row) => after(row, step))
  }
  return clean.toReversed()
}

/** The chance that elephants hold every queue of a mouse’s hand, so that it must wait behind one of them. */
export const coveredOdds = (shape: DealerShape, elephants: number): number =>
  Math.min(1, coverage(shape, elephants)[shape.handSize] ?? 0)

/** The chance that a mouse shares at least one queue with an elephant. */
export const touchedOdds = (shape: DealerShape, elephants: number): number =>
  Math.min(
    1,
    coverage(shape, elephants)
      .slice(1)
      .reduce((sum, chance) => sum + chance, 0),
  )

/** Queues of a mouse’s hand that no elephant holds, on average. */
export const expectedClean = ({ queues, handSize }: DealerShape, elephants: number): number =>
  handSize * ((queues - handSize) / queues) ** elephants

/** Chances by number of clean queues: with no elephant the whole hand is. */
const unit = (handSize: number): readonly number[] =>
  Array.from({ length: handSize + 1 }, (_, clean) => (clean === handSize ? 1 : 0))

/**
 * For each number of clean queues before one more elephant, the chances of each number after it: its hand takes as many
 * of them as a hand of cards contains marked ones.
 */
function oneElephant(queues: number, handSize: number): readonly (readonly number[])[] {
  const hands = choose(queues, handSize)
  return Array.from({ length: handSize + 1 }, (_row, before) =>
    Array.from({ length: handSize + 1 }, (_column, left) => {
      const taken = before - left
      return taken < 0 ? 0 : (choose(before, taken) * choose(queues - before, handSize - taken)) / hands
    }),
  )
}

const after = (chances: readonly number[], step: readonly (readonly number[])[]): readonly number[] =>
  chances.map((_, left) => chances.reduce((sum, chance, before) => sum + chance * (step[before]?.[left] ?? 0), 0))

/** Ways to choose `some` of `of`; below 2^60 for the hands of a legal dealer. */
function choose(of: number, some: number): number {
  if (some > of) return 0
  let ways = 1
  for (let i = 1; i <= some; i++) ways = (ways * (of - some + i)) / i
  return ways
}

/** A chance with at most this many digits; below one in ten thousand as a power of ten: `0.0221182`, `1.84379e-10`. */
export function chanceText(odds: number, digits: number): string {
  const chance = significantly(odds, digits)
  return chance > 0 && chance < 1e-4 ? chance.toExponential() : String(chance)
}

/** The number of digits that are right in the documentation's own arithmetic. */
export const DOCUMENTED_DIGITS = 15

/** Numbers of elephants that the Kubernetes documentation gives chances for. */
export const USUAL_ELEPHANTS = [1, 4, 16] as const

/** The shapes of its table “Example Shuffle Sharding Configurations”, in its order. */
const SHAPES: readonly (readonly [handSize: number, queues: number])[] = [
  [12, 32],
  [10, 32],
  [10, 64],
  [9, 64],
  [8, 64],
  [8, 128],
  [7, 128],
  [7, 256],
  [6, 256],
  [6, 512],
  [6, 1_024],
]

export interface DocumentedRow extends DealerShape {
  /** Chances that a mouse’s hand is covered, one for each of `USUAL_ELEPHANTS`. */
  readonly covered: readonly number[]
}

/** That table, computed. Its printed numbers have rounding errors in their 16th and 17th digit. */
export const documentedTable = (): readonly DocumentedRow[] =>
  SHAPES.map(([handSize, queues]) => ({
    queues,
    handSize,
    covered: USUAL_ELEPHANTS.map((elephants) => coveredOdds({ queues, handSize }, elephants)),
  }))

/** The requirements on a level’s shape. */
export interface ShardingGoal {
  /** The largest acceptable chance, above 0 and below 1, that elephants cover a mouse’s hand. */
  readonly target: number
  readonly elephants: number
  /** No shape with more queues is considered. */
  readonly maxQueues: number
}

/** A shape and the chance that the elephants cover a mouse’s hand. */
export interface Candidate extends DealerShape {
  readonly covered: number
}

interface Recommendation {
  /**
   * The smallest shapes that reach the target, each with fewer queues than those before it and a larger hand: every
   * other shape that reaches it has at least as many queues and as large a hand as one of them.
   */
  readonly candidates: readonly Candidate[]
  /** The best shape with at most this many queues: a fallback when none reaches the target. */
  readonly closest: Candidate
}

/**
 * The smallest shapes that keep the chance within the target. For one hand size the chance falls with every further
 * queue, so the least number of queues is found by bisection.
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
    const queues = leastWhere(handSize, most + 1, reaches)
    if (queues <= most && queues < (candidates.at(-1)?.queues ?? Infinity)) {
      candidates.push(candidateOf({ queues, handSize }, elephants))
    }
  }
  return { candidates, closest }
}

/**
 * All hands that may be dealt from this many queues, smallest first. A larger hand gives a mouse more queues to find a
 * clean one among, but lets each elephant fill more, so the chance falls with the hand and then rises again.
 */
export const hands = (queues: number, elephants: number): readonly Candidate[] =>
  Array.from({ length: largestHand(queues) }, (_, i) => candidateOf({ queues, handSize: i + 1 }, elephants))

/** The hand that elephants cover least often; the smallest of equals. `undefined` if none can be dealt. */
export function bestHand(queues: number, elephants: number): Candidate | undefined {
  const [first, ...others] = hands(queues, elephants)
  return first && others.reduce((best, one) => (one.covered < best.covered ? one : best), first)
}

interface Verdict extends Candidate {
  readonly reaches: boolean
  /** The best hand for as many queues. */
  readonly best: Candidate
}

/** The rating of a shape against a goal; `undefined` when it is not legal. */
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
