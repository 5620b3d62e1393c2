import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Distribution, constant, drawNs, exponential, lognormal, uniform } from './distribution.ts'
import { seededRandom } from './random.ts'

const average = (distribution: Distribution): number => {
  const random = seededRandom(3)
  let sum = 0
  for (let i = 0; i < 100_000; i++) sum += drawNs(distribution, random)
  return sum / 100_000 / 1e6
}

describe('durations', () => {
  test('have the average that they should have', () => {
    expect(average(constant(12))).toBe(12)
    expect(average(uniform(10, 30))).toBeCloseTo(20, 0)
    expect(average(exponential(50)) / 50).toBeCloseTo(1, 1)
    expect(average(lognormal(20, 0.5)) / (20 * Math.exp(0.125))).toBeCloseTo(1, 1)
  })

  test('are whole nanoseconds between nothing and an hour', () => {
    const distribution = fc.oneof(
      fc.double({ min: 0, max: 4e6, noNaN: true }).map(constant),
      fc.double({ min: 0, max: 3.6e6, noNaN: true }).map(exponential),
      fc
        .tuple(fc.double({ min: 0, max: 3.6e6, noNaN: true }), fc.double({ min: 0, max: 3, noNaN: true }))
        .map(([median, sigma]) => lognormal(median, sigma)),
    )
    fc.assert(
      fc.property(distribution, fc.integer(), (one, seed) => {
        const ns = drawNs(one, seededRandom(seed))
        expect(Number.isSafeInteger(ns)).toBe(true)
        expect(ns).toBeGreaterThanOrEqual(0)
        expect(ns).toBeLessThanOrEqual(3_600e9)
      }),
    )
  })
})
