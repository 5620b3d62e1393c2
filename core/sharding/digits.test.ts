import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digitsOf, fallingFactorial, setsOf } from './digits.ts'
import { overlapOf } from './overlap.ts'

it('counts hands and sets of queues exactly', () => {
  expect(fallingFactorial(128, 6)).toBe(3_905_000_064_000n)
  expect(setsOf(128, 6)).toBe(5_423_611_200n)
  expect(setsOf(7, 0)).toBe(1n)
})

it('reconstructs the hash from its digits', () => {
  const shape = fc
    .integer({ min: 1, max: 512 })
    .chain((queues) =>
      fc.record({ queues: fc.constant(queues), hand: fc.integer({ min: 1, max: Math.min(6, queues) }) }),
    )
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), shape, (hash, { queues, hand }) => {
      const digits = digitsOf(hash, queues, hand)
      const sum = digits.reduce((all, digit, i) => all + BigInt(digit) * fallingFactorial(queues, i), 0n)
      expect(sum).toBe(hash % fallingFactorial(queues, hand))
    }),
  )
})

it('are the positions of the dealt queues among the remaining ones', () => {
  const [flow] = overlapOf([{ schema: 's', distinguisher: 'alice' }], { queues: 128, handSize: 6 }).flows
  if (flow === undefined) return expect.fail('no flow')
  const left = Array.from({ length: 128 }, (_, i) => i)
  const dealt = digitsOf(flow.hash, 128, 6).map((digit) => left.splice(digit, 1)[0])
  expect(dealt).toEqual(flow.hand)
  return undefined
})
