import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs } from './reflector.ts'

test('pauses grow to half a minute and stay there', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 1_000].map((failures) => backoffMs(failures, () => 0.5))
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test('chance moves a pause by a fifth at most', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (n, chance) => {
        const middle = backoffMs(n, () => 0.5)
        const pause = backoffMs(n, () => chance)
        expect(pause).toBeGreaterThanOrEqual(Math.floor(middle * 0.8))
        expect(pause).toBeLessThanOrEqual(Math.ceil(middle * 1.2))
      },
    ),
  )
})

test('a longer wish of the server is honoured, up to five minutes', () => {
  expect(backoffMs(1, () => 0.5, 500)).toBe(1_000)
  expect(backoffMs(1, () => 0.5, 45_000)).toBe(45_000)
  expect(backoffMs(1, () => 0.5, 86_400_000)).toBe(300_000)
})
