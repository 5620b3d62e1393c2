import fc from 'fast-check'
import { expect, test } from 'vitest'
import { namedRandom, seededRandom } from './random.ts'

const draw = (random: () => number, count: number): readonly number[] => Array.from({ length: count }, random)

test('the same seed gives the same numbers, another one others', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const numbers = draw(seededRandom(seed), 20)
      expect(draw(seededRandom(seed), 20)).toEqual(numbers)
      expect(draw(seededRandom(seed + 1), 20)).not.toEqual(numbers)
      expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
    }),
  )
})

test('numbers are spread evenly, and neighbours have nothing to do with each other', () => {
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

test('names tell generators apart', () => {
  const names = ['', 'a', 'b', 'ab', 'ba', 'node/1', 'node/2']
  const firsts = names.map((name) => namedRandom(1, name)())
  expect(new Set(firsts).size).toBe(names.length)
})
