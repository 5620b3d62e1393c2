import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readVectors } from '../../test/fixtures/vectors.ts'
import { solve } from './solver.ts'

interface Question {
  required: number
  items?: (readonly [lower: number, upper: number, target: number])[] | null
}
interface Answer {
  allocs?: number[]
  fairProp: number
  error?: string
}

const near = (actual: number, wanted: number) =>
  expect(Math.abs(actual - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(Math.abs(wanted), Number.MIN_VALUE))

test('agrees with every upstream vector', () => {
  for (const { in: question, out } of readVectors<Question, Answer>('solver')) {
    const items = (question.items ?? []).map(([lower, upper, target]) => ({ lower, upper, target }))
    const solution = solve(question.required, items)
    expect(solution.ok, JSON.stringify(question)).toBe(out.error === undefined)
    if (!solution.ok) continue
    near(solution.fairFrac, out.fairProp)
    const wanted = out.allocs ?? []
    expect(solution.allocations).toHaveLength(wanted.length)
    for (const [i, allocation] of solution.allocations.entries()) near(allocation, wanted[i] ?? Number.NaN)
  }
})

test('every allocation is p·target or a bound, and they sum to what is required', () => {
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
        if (required === 0) return
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
