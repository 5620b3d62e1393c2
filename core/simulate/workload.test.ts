import { expect, test } from 'vitest'
import { CapacityCurveSchema, slowdownAt } from './workload.ts'

const curve = [
  { seats: 100, slowdown: 1 },
  { seats: 200, slowdown: 3 },
  { seats: 300, slowdown: 10 },
]

test.each([
  [0, 1],
  [100, 1],
  [150, 2],
  [200, 3],
  [250, 6.5],
  [300, 10],
  [9_999, 10],
])('%d seats slow everything down by a factor of %d', (seats, slowdown) => {
  expect(slowdownAt(curve, seats)).toBe(slowdown)
})

test('there is no slowdown without points', () => {
  expect(slowdownAt([], 1_000)).toBe(1)
})

test('points whose seats do not ascend are rejected', () => {
  expect(CapacityCurveSchema.safeParse(curve).success).toBe(true)
  expect(CapacityCurveSchema.safeParse(curve.toReversed()).success).toBe(false)
})
