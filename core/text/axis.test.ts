import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeTicks, valueAxis } from './axis.ts'
import { rfc3339 } from '../units.ts'

const utc = { time: (at: number) => rfc3339(at).slice(11, 19), offsetMs: 0 }

describe('timeTicks', () => {
  it('stands on round clock times and leaves room for their labels', () => {
    const from = Date.UTC(2026, 10, 21, 3, 2, 43)
    const ticks = timeTicks({ from, to: from + 600_000 }, 500, utc)
    expect(ticks.map((tick) => tick.label)).toEqual(['03:04', '03:06', '03:08', '03:10', '03:12'])
  })

  it('names seconds when ticks are closer than a minute', () => {
    const from = Date.UTC(2026, 10, 21, 3, 0, 1)
    expect(timeTicks({ from, to: from + 60_000 }, 400, utc)[0]?.label).toBe('03:00:15')
  })

  it('is round in the zone of the clock', () => {
    const offsetMs = 5.5 * 3_600_000
    const india = { time: (at: number) => utc.time(at + offsetMs), offsetMs }
    const from = Date.UTC(2026, 10, 21, 3, 2, 0)
    for (const { label } of timeTicks({ from, to: from + 21_600_000 }, 500, india)) expect(label).toMatch(/:00$/)
  })

  it('never crowds and never leaves the domain', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2e12 }),
        fc.integer({ min: 2_000, max: 86_400_000 * 40 }),
        fc.integer({ min: 50, max: 2_000 }),
        (from, span, width) => {
          const domain = { from, to: from + span }
          const ticks = timeTicks(domain, width, utc)
          for (const [i, tick] of ticks.entries()) {
            expect(tick.at).toBeGreaterThanOrEqual(domain.from)
            expect(tick.at).toBeLessThanOrEqual(domain.to)
            const before = ticks[i - 1]
            if (before !== undefined) expect(((tick.at - before.at) / span) * width).toBeGreaterThanOrEqual(75.9)
          }
        },
      ),
    )
  })

  it('has no ticks without room', () => {
    expect(timeTicks({ from: 5, to: 5 }, 100, utc)).toEqual([])
    expect(timeTicks({ from: 0, to: 5_000 }, 0, utc)).toEqual([])
  })
})

describe('valueAxis', () => {
  it.each([
    [894, 1_000, 200],
    [3, 3, 1],
    [0, 1, 1],
    [0.2, 1, 1],
    [47, 50, 10],
  ])('holds %s with a top of %s', (largest, max, step) => {
    const axis = valueAxis(largest)
    expect(axis.max).toBe(max)
    expect(axis.ticks[1]).toBe(step)
  })

  it('has fractional ticks only for amounts that are divisible', () => {
    expect(valueAxis(0.4, 4, false).ticks).toEqual([0, 0.1, 0.2, 0.3, 0.4])
  })

  it('always holds the largest amount, from 0, in equal steps', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), fc.boolean(), (largest, integers) => {
        const { max, ticks } = valueAxis(largest, 4, integers)
        expect(max).toBeGreaterThanOrEqual(largest * (1 - 1e-6))
        expect(ticks[0]).toBe(0)
        expect(ticks.at(-1)).toBeCloseTo(max, 6)
        expect(ticks.length).toBeLessThanOrEqual(12)
        if (integers) for (const tick of ticks) expect(Number.isInteger(tick)).toBe(true)
      }),
    )
  })
})
