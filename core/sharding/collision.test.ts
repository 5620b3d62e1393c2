import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactCoveredOdds, nearestDouble } from '../../test/harness/exactCollision.ts'
import { flowHash } from '../request/match.ts'
import { deal } from '../engine/dealer.ts'
import { largestHand, type DealerShape, isLegalShape } from '../config/shape.ts'
import {
  coverage,
  coveredOdds,
  expectedClean,
  touchedOdds,
  documentedTable,
  USUAL_ELEPHANTS,
  type ShardingGoal,
  bestHand,
  hands,
  judge,
  recommend,
} from './collision.ts'

/** The Kubernetes documentation, “Example Shuffle Sharding Configurations”, as printed. */
const PRINTED = [
  [12, 32, 4.428838398950118e-9, 0.11431348830099144, 0.9935089607656024],
  [10, 32, 1.550093439632541e-8, 0.0626479840223545, 0.9753101519027554],
  [10, 64, 6.601827268370426e-12, 0.00045571320990370776, 0.49999929150089345],
  [9, 64, 3.6310049976037345e-11, 0.00045501212304112273, 0.4282314876454858],
  [8, 64, 2.25929199850899e-10, 0.0004886697053040446, 0.35935114681123076],
  [8, 128, 6.994461389026097e-13, 3.4055790161620863e-6, 0.02746173137155063],
  [7, 128, 1.0579122850901972e-11, 6.960839379258192e-6, 0.02406157386340147],
  [7, 256, 7.597695465552631e-14, 6.728547142019406e-8, 0.0006709661542533682],
  [6, 256, 2.7134626662687968e-12, 2.9516464018476436e-7, 0.0008895654642000348],
  [6, 512, 4.116062922897309e-14, 4.982983350480894e-9, 2.26025764343413e-5],
  [6, 1024, 6.337324016514285e-16, 8.09060164312957e-11, 4.517408062903668e-7],
] as const

const shapes = fc
  .integer({ min: 1, max: 2_000 })
  .chain((queues) =>
    fc.record({ queues: fc.constant(queues), handSize: fc.integer({ min: 1, max: largestHand(queues) }) }),
  )
const relative = (value: number, exact: number): number => (exact === 0 ? value : Math.abs(value - exact) / exact)
const exactly = (shape: DealerShape, elephants: number): number => nearestDouble(exactCoveredOdds(shape, elephants))

describe('the documentation’s table', () => {
  it('has the same shapes and, to 15 digits, the same chances', () => {
    const rounded = (value: number): string => value.toPrecision(15)
    expect(
      documentedTable().map(({ handSize, queues, covered }) => [handSize, queues, ...covered.map(rounded)]),
    ).toEqual(PRINTED.map(([handSize, queues, ...covered]) => [handSize, queues, ...covered.map(rounded)]))
  })

  it('is printed to within two units of its last place', () => {
    for (const [handSize, queues, ...printed] of PRINTED) {
      printed.forEach((odds, i) => {
        const exact = exactly({ queues, handSize }, USUAL_ELEPHANTS[i] ?? 0)
        expect(relative(odds, exact)).toBeLessThan(2 * Number.EPSILON)
      })
    }
  })
})

describe('coveredOdds', () => {
  it('is the exact ratio to 13 digits, for legal shapes and any number of elephants', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 0, max: 300 }), (shape, elephants) => {
        expect(relative(coveredOdds(shape, elephants), exactly(shape, elephants))).toBeLessThan(1e-13)
      }),
    )
  })

  it('equals the result of trying every hand', () => {
    for (const [queues, handSize, elephants] of [
      [5, 2, 1],
      [5, 2, 3],
      [6, 3, 2],
      [7, 4, 2],
      [4, 1, 4],
    ] as const) {
      const all = handsOf(queues, handSize)
      const mouse = new Set(all[0])
      const counts = Array.from({ length: handSize + 1 }, () => 0)
      for (const dealt of combinations(all, elephants)) {
        const held = new Set(dealt.flat())
        const covered = [...mouse].filter((queue) => held.has(queue)).length
        counts[covered] = (counts[covered] ?? 0) + 1
      }
      const total = all.length ** elephants
      const shape = { queues, handSize }
      coverage(shape, elephants).forEach((chance, covered) =>
        expect(chance).toBeCloseTo((counts[covered] ?? 0) / total, 14),
      )
      expect(coveredOdds(shape, elephants)).toBeCloseTo((counts[handSize] ?? 0) / total, 14)
      expect(touchedOdds(shape, elephants)).toBeCloseTo(1 - (counts[0] ?? 0) / total, 14)
      const clean = counts.reduce((sum, count, covered) => sum + count * (handSize - covered), 0) / total
      expect(expectedClean(shape, elephants)).toBeCloseTo(clean, 13)
    }
  })

  it.each([
    [64, 8, 16],
    [16, 4, 4],
    [128, 6, 30],
  ])('equals how often real flows are covered: %i queues, hands of %i, %i elephants', (queues, handSize, elephants) => {
    const shape = { queues, handSize }
    const cards = new Int32Array(handSize)
    let flow = 0
    const handOfNext = (): readonly number[] => {
      deal(flowHash('service-accounts', `tenant-${flow++}`), queues, handSize, cards)
      return [...cards]
    }
    const rounds = 4_000
    let covered = 0
    for (let round = 0; round < rounds; round++) {
      const held = new Set(Array.from({ length: elephants }, handOfNext).flat())
      if (handOfNext().every((queue) => held.has(queue))) covered++
    }
    const odds = coveredOdds(shape, elephants)
    const deviation = Math.sqrt((odds * (1 - odds)) / rounds)
    expect(Math.abs(covered / rounds - odds)).toBeLessThan(4 * deviation)
  })

  it('grows with every elephant, from 0, and never beyond 1', () => {
    fc.assert(
      fc.property(shapes, fc.integer({ min: 0, max: 2_000 }), (shape, elephants) => {
        const odds = coveredOdds(shape, elephants)
        expect(odds).toBeLessThanOrEqual(coveredOdds(shape, elephants + 1) * (1 + 1e-12))
        expect(coveredOdds(shape, 0)).toBe(0)
        expect(odds).toBeLessThanOrEqual(1)
        expect(odds).toBeLessThanOrEqual(touchedOdds(shape, elephants) * (1 + 1e-12))
        expect(coverage(shape, elephants).reduce((sum, chance) => sum + chance)).toBeCloseTo(1, 9)
      }),
    )
    expect(coveredOdds({ queues: 4, handSize: 4 }, 1)).toBe(1)
    expect(coveredOdds({ queues: 1, handSize: 1 }, 1)).toBe(1)
    expect(coveredOdds({ queues: 64, handSize: 8 }, 1e9)).toBeCloseTo(1, 6)
  })
})

/** All hands as sets of queues. */
function handsOf(queues: number, handSize: number, from = 0): readonly (readonly number[])[] {
  if (handSize === 0) return [[]]
  return Array.from({ length: queues - from }, (_, i) => from + i).flatMap((queue) =>
    handsOf(queues, handSize - 1, queue + 1).map((rest) => [queue, ...rest]),
  )
}

function combinations<T>(items: readonly T[], count: number): readonly (readonly T[])[] {
  if (count === 0) return [[]]
  return combinations(items, count - 1).flatMap((rest) => items.map((item) => [...rest, item]))
}

const goals = fc.record({
  target: fc.double({ min: 1e-9, max: 0.9, noNaN: true }),
  elephants: fc.integer({ min: 1, max: 40 }),
  maxQueues: fc.integer({ min: 1, max: 600 }),
})

describe('recommend', () => {
  it('returns legal shapes within the bounds that reach the target, in descending order of queues', () => {
    fc.assert(
      fc.property(goals, (goal) => {
        const { candidates } = recommend(goal)
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
      }),
    )
  })

  it('misses none: every legal shape that reaches the target is at least as large as a returned one', () => {
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

  it('requires more for more elephants or a lower target', () => {
    const fewestQueues = (goal: ShardingGoal): number => recommend(goal).candidates.at(-1)?.queues ?? Infinity
    fc.assert(
      fc.property(goals, (goal) => {
        const needed = fewestQueues(goal)
        for (const harder of [
          { ...goal, elephants: goal.elephants + 1 },
          { ...goal, target: goal.target / 2 },
        ]) {
          expect(fewestQueues(harder)).toBeGreaterThanOrEqual(needed)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('covers all sizes that a server accepts', () => {
    const target = 1e-6
    const { candidates } = recommend({ target, elephants: 16, maxQueues: 10_000_000 })
    expect(candidates.map(({ handSize }) => handSize)).toEqual([2, 3, 4, 5, 6])
    // By exact arithmetic each has enough queues, and one fewer would be too few.
    const oddsOf = (queues: number, handSize: number): number =>
      nearestDouble(exactCoveredOdds({ queues, handSize }, 16))
    for (const { queues, handSize } of candidates) {
      expect(oddsOf(queues, handSize)).toBeLessThanOrEqual(target)
      expect(oddsOf(queues - 1, handSize)).toBeGreaterThan(target)
    }
    // One elephant alone covers one in as many hands as there are.
    expect(recommend({ target: 1 / 15, elephants: 1, maxQueues: 6 }).candidates.at(-1)).toMatchObject({
      queues: 6,
      handSize: 2,
    })
  })

  it('returns the best available shape where none reaches the target', () => {
    const { candidates, closest } = recommend({ target: 1e-12, elephants: 16, maxQueues: 128 })
    expect(candidates).toEqual([])
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
  it('rates a shape and suggests a better one', () => {
    const goal = { target: 0.05, elephants: 16 }
    expect(judge({ queues: 128, handSize: 8 }, goal)).toMatchObject({ reaches: true, best: { queues: 128 } })
    expect(judge({ queues: 64, handSize: 8 }, goal)).toMatchObject({ reaches: false })
    expect(judge({ queues: 512, handSize: 8 }, goal)).toBeUndefined()
  })
})
