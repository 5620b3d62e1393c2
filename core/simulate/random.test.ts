import fc from 'fast-check'
import { expect, test, describe } from 'vitest'
import {
  namedRandom,
  randomOf,
  seededState,
  seededRandom,
  type Buckets,
  type Distribution,
  constant,
  drawNs,
  exponential,
  lognormal,
  meanOfBuckets,
  uniform,
} from './random.ts'

const draw = (random: () => number, count: number): readonly number[] => Array.from({ length: count }, random)

test('the same seed gives the same numbers, another seed gives others', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const numbers = draw(seededRandom(seed), 20)
      expect(draw(seededRandom(seed), 20)).toEqual(numbers)
      expect(draw(seededRandom(seed + 1), 20)).not.toEqual(numbers)
      expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    }),
  )
})

test('a generator continues from a copy of its state', () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(50), (seed, before) => {
      const state = seededState(seed)
      draw(randomOf(state), before)
      const copy = structuredClone(state)
      expect(draw(randomOf(copy), 20)).toEqual(draw(randomOf(state), 20))
      expect(copy).toEqual(state)
    }),
  )
})

test('numbers are uniform, and neighbours are independent', () => {
  const numbers = draw(seededRandom(7), 100_000)
  const tenths = Array.from({ length: 10 }, () => 0)
  let product = 0
  numbers.forEach((number, i) => {
    const tenth = Math.floor(number * 10)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
    product += (number - 0.5) * ((numbers[i - 1] ?? 0.5) - 0.5)
  })
  // Three deviations of a binomial with n = 100,000 and p = 0.1 are 285.
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(400)
  expect(Math.abs(product / numbers.length)).toBeLessThan(0.002)
})

test('generators with different names differ', () => {
  const names = ['', 'a', 'b', 'ab', 'ba', 'node/1', 'node/2']
  const firsts = names.map((name) => namedRandom(1, name)())
  expect(new Set(firsts).size).toBe(names.length)
})

const average = (distribution: Distribution): number => {
  const random = seededRandom(3)
  let sum = 0
  for (let i = 0; i < 100_000; i++) sum += drawNs(distribution, random)
  return sum / 100_000 / 1e6
}

describe('durations', () => {
  test('have the expected average', () => {
    expect(average(constant(12))).toBe(12)
    expect(average(uniform(10, 30))).toBeCloseTo(20, 0)
    expect(average(exponential(50)) / 50).toBeCloseTo(1, 1)
    expect(average(lognormal(20, 0.5)) / (20 * Math.exp(0.125))).toBeCloseTo(1, 1)
    const measured: Buckets = { kind: 'buckets', boundsMs: [1, 10, 10, 500], weights: [30, 20, 50] }
    expect(average(measured) / meanOfBuckets(measured)).toBeCloseTo(1, 1)
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
