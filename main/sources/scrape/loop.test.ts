import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextDue } from './loop.ts'

describe('the next due time', () => {
  test('keeps to the grid, whatever a scrape takes', () => {
    expect(nextDue(10_000, 10_040, 1_000)).toBe(11_000)
    expect(nextDue(10_000, 10_999, 1_000)).toBe(11_000)
    expect(nextDue(10_000, 11_000, 1_000)).toBe(12_000)
    expect(nextDue(10_000, 13_700, 1_000)).toBe(14_000)
  })

  test('allows for a timer that fires a moment early', () => {
    expect(nextDue(10_000, 9_999, 1_000)).toBe(11_000)
  })

  test('starts anew when the clock was set back', () => {
    expect(nextDue(10_000_000, 5_000, 1_000)).toBe(6_000)
  })

  test('is always in the future, by at most two intervals, and on the grid unless the clock was set back', () => {
    const ms = fc.integer({ min: 0, max: 10_000_000 })
    fc.assert(
      fc.property(ms, ms, fc.integer({ min: 500, max: 60_000 }), (last, now, interval) => {
        const due = nextDue(last, now, interval)
        expect(due).toBeGreaterThan(now)
        expect(due).toBeLessThanOrEqual(now + 2 * interval)
        if (last - now <= interval) expect((due - last) % interval).toBe(0)
      }),
    )
  })
})
