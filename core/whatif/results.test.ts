import { expect, it } from 'vitest'
import { jainIndex, nearestRank } from './results.ts'

it('takes quantiles by nearest rank', () => {
  const ten = Float64Array.from({ length: 10 }, (_, i) => i + 1)
  expect([0.5, 0.9, 0.99, 1].map((quantile) => nearestRank(ten, quantile))).toEqual([5, 9, 10, 10])
  expect(nearestRank(new Float64Array(), 0.5)).toBe(0)
})

it('measures fairness between 1/n and 1', () => {
  expect(jainIndex([3, 3, 3])).toBe(1)
  expect(jainIndex([6, 0, 0])).toBeCloseTo(1 / 3, 12)
  expect(jainIndex([0, 0])).toBeUndefined()
  expect(jainIndex([])).toBeUndefined()
})
