import type { DealerShape } from '../config/shape.ts'

/**
 * How hands of queues collide, all of them being dealt uniformly and independently: what the hash of a flow gives but
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
 * For each number of clean queues before one more elephant, the chances of those after it: its hand takes as many of
 * them as a hand of cards holds of so many marked ones.
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
