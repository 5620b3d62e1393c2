import fc from 'fast-check'
import { expect, test } from 'vitest'
import { solve } from './solver.ts'

const near = (actual: number, wanted: number) =>
  expect(Math.abs(actual - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(Math.abs(wanted), Number.MIN_VALUE))

test('every allocation is p·target or a bound, and they sum to the required total', () => {
  const item = fc
    .record({ lower: fc.nat(100), room: fc.nat(200), demand: fc.double({ min: 0, max: 300, noNaN: true }) })
    .map(({ lower, room, demand }) => ({ lower, upper: lower + room, target: lower + demand }))
  fc.assert(
    fc.property(
      fc.array(item, { minLength: 1, maxLength: 40 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (items, where) => {
        const lowest = items.reduce((sum, { lower }) => sum + lower, 0)
        const highest = items.reduce((sum, { upper }) => sum + upper, 0)
        const required = Math.round(lowest + where * (highest - lowest))
        const solution = solve(required, items)
        if (!solution.ok) throw new Error(solution.problem)
        const sum = solution.allocations.reduce((total, allocation) => total + allocation, 0)
        expect(Math.abs(sum - required)).toBeLessThanOrEqual(1e-6)
        fc.pre(required !== 0)
        for (const [i, { lower, upper, target }] of items.entries()) {
          near(
            solution.allocations[i] ?? Number.NaN,
            Math.max(lower, Math.min(upper, solution.fairFrac * Math.max(target, 0.001))),
          )
        }
      },
    ),
  )
})
