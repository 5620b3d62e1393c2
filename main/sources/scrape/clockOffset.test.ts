import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { narrowOffset, offsetMs, type OffsetBounds } from './clockOffset.ts'

/**
 * Responses of a server whose clock is `offset` ahead, each requested at `at` and taking `ms`, its Date written
 * half-way.
 */
function observe(
  offset: number,
  asked: readonly { readonly at: number; readonly ms: number }[],
): OffsetBounds | undefined {
  return asked.reduce<OffsetBounds | undefined>((known, { at, ms }) => {
    const date = Math.floor((at + ms / 2 + offset) / 1_000) * 1_000
    return narrowOffset(known, date, at, at + ms)
  }, undefined)
}

describe('the clock offset', () => {
  test('of one answer is right to a second', () => {
    const bounds = observe(5_000, [{ at: 1_700_000_000_250, ms: 30 }])
    expect(bounds === undefined ? 0 : Math.abs(offsetMs(bounds) - 5_000)).toBeLessThan(600)
  })

  test('always lies within its bounds, which only ever narrow', () => {
    const answers = fc.array(
      fc.record({
        at: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
        ms: fc.integer({ min: 0, max: 900 }),
      }),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), answers, (offset, asked) => {
        const bounds = observe(offset, asked)
        const first = observe(offset, asked.slice(0, 1))
        expect(bounds?.low).toBeLessThanOrEqual(offset)
        expect(bounds?.high).toBeGreaterThanOrEqual(offset)
        expect((bounds?.high ?? 0) - (bounds?.low ?? 0)).toBeLessThanOrEqual((first?.high ?? 0) - (first?.low ?? 0))
      }),
    )
  })

  test('of answers spread over the second is right to a few milliseconds', () => {
    const asked = Array.from({ length: 200 }, (_, i) => ({ at: 1_700_000_000_000 + i * 1_005, ms: 4 }))
    const bounds = observe(-1_234, asked)
    expect(bounds === undefined ? 0 : Math.abs(offsetMs(bounds) + 1_234)).toBeLessThan(10)
  })

  test('starts anew when a clock was set', () => {
    const before = observe(0, [{ at: 1_700_000_000_250, ms: 4 }])
    const after = narrowOffset(before, 1_700_000_060_000, 1_700_000_001_250, 1_700_000_001_254)
    expect(offsetMs(after)).toBeGreaterThan(58_000)
  })
})
