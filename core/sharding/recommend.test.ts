import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactCoveredOdds, nearestDouble } from '../../test/harness/exactCollision.ts'
import { isLegalShape, largestHand } from '../config/shape.ts'
import { coveredOdds } from './collision.ts'
import { bestHand, hands, judge, recommend } from './recommend.ts'

const goals = fc.record({
  target: fc.double({ min: 1e-9, max: 0.9, noNaN: true }),
  elephants: fc.integer({ min: 1, max: 40 }),
  maxQueues: fc.integer({ min: 1, max: 600 }),
})

describe('recommend', () => {
  it('names legal shapes within the bounds that reach the target, smaller and smaller', () => {
    fc.assert(
      fc.property(goals, (goal) => {
        const { candidates, fewest } = recommend(goal)
        for (const [i, shape] of candidates.entries()) {
          expect(isLegalShape(shape)).toBe(true)
          expect(shape.queues).toBeLessThanOrEqual(goal.maxQueues)
          expect(shape.covered).toBe(coveredOdds(shape, goal.elephants))
          expect(shape.covered).toBeLessThanOrEqual(goal.target)
          const before = candidates[i - 1]
          if (before === undefined) continue
          expect(shape.queues).toBeLessThan(before.queues)
          expect(shape.handSize).toBeGreaterThan(before.handSize)
        }
        expect(fewest).toEqual(candidates.at(-1))
      }),
    )
  })

  it('misses none: every legal shape that reaches the target is at least as large as a named one', () => {
    fc.assert(
      fc.property(goals, (goal) => {
        const { candidates, closest } = recommend(goal)
        for (let queues = 1; queues <= goal.maxQueues; queues++) {
          for (const shape of hands(queues, goal.elephants)) {
            const covered = candidates.some((one) => one.queues <= queues && one.handSize <= shape.handSize)
            expect(shape.covered <= goal.target && !covered, JSON.stringify(shape)).toBe(false)
            expect(closest.covered).toBeLessThanOrEqual(shape.covered)
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  it('asks for more when there are more elephants or less may happen', () => {
    fc.assert(
      fc.property(goals, (goal) => {
        const { fewest } = recommend(goal)
        const needed = fewest?.queues ?? Infinity
        for (const harder of [
          { ...goal, elephants: goal.elephants + 1 },
          { ...goal, target: goal.target / 2 },
        ]) {
          expect(recommend(harder).fewest?.queues ?? Infinity).toBeGreaterThanOrEqual(needed)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('looks through all sizes that a server takes', () => {
    const target = 1e-6
    const { candidates } = recommend({ target, elephants: 16, maxQueues: 10_000_000 })
    expect(candidates.map(({ handSize }) => handSize)).toEqual([2, 3, 4, 5, 6])
    // By exact arithmetic each has enough queues, and one fewer would be too few.
    const exactly = (queues: number, handSize: number): number =>
      nearestDouble(exactCoveredOdds({ queues, handSize }, 16))
    for (const { queues, handSize } of candidates) {
      expect(exactly(queues, handSize)).toBeLessThanOrEqual(target)
      expect(exactly(queues - 1, handSize)).toBeGreaterThan(target)
    }
    // One elephant alone covers one in as many hands as there are.
    expect(recommend({ target: 1 / 15, elephants: 1, maxQueues: 6 }).fewest).toMatchObject({ queues: 6, handSize: 2 })
  })

  it('names the best there is where nothing reaches the target', () => {
    const { candidates, fewest, closest } = recommend({ target: 1e-12, elephants: 16, maxQueues: 128 })
    expect({ candidates, fewest }).toEqual({ candidates: [], fewest: undefined })
    expect(closest).toEqual(bestHand(128, 16))
  })
})

describe('the best hand', () => {
  it('is found among all legal ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 60 }), (queues, elephants) => {
        const best = bestHand(queues, elephants)
        expect(hands(queues, elephants)).toHaveLength(largestHand(queues))
        for (const { covered } of hands(queues, elephants)) expect(best?.covered).toBeLessThanOrEqual(covered)
      }),
    )
    // The largest is best against one elephant, a small one against many.
    expect(bestHand(64, 1)?.handSize).toBe(10)
    expect(bestHand(64, 16)?.handSize).toBe(3)
    expect(bestHand(0, 1)).toBeUndefined()
  })
})

describe('judge', () => {
  it('says what a shape is worth and what would be better', () => {
    const goal = { target: 0.05, elephants: 16 }
    expect(judge({ queues: 128, handSize: 8 }, goal)).toMatchObject({ reaches: true, best: { queues: 128 } })
    expect(judge({ queues: 64, handSize: 8 }, goal)).toMatchObject({ reaches: false })
    expect(judge({ queues: 512, handSize: 8 }, goal)).toBeUndefined()
  })
})
