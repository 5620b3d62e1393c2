import { expect, test } from 'vitest'
import { sumOfKnown } from './reading.ts'

test('a sum is known when each of its parts is', () => {
  expect(sumOfKnown([1, 2, 3])).toBe(6)
  expect(sumOfKnown([])).toBe(0)
  expect(sumOfKnown([0, undefined])).toBeUndefined()
  expect(sumOfKnown([undefined, 1])).toBeUndefined()
})
