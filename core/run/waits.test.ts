import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Waits, waitP99, waitsOf } from './waits.ts'

const of = (...all: readonly number[]): Waits => {
  const waits = new Waits()
  for (const ns of all) waits.note(ns)
  return waits
}

describe('waits', () => {
  it('reports a quantile to within 9 %, and never too small', () => {
    const durations = fc.array(fc.integer({ min: 1_001, max: 100e9 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, quantile) => {
        const exact = all.toSorted((a, b) => a - b)[Math.ceil(quantile * all.length) - 1] ?? 0
        const ms = of(...all).quantileMs(quantile)
        expect(ms * 1e6).toBeGreaterThanOrEqual(exact * (1 - 1e-9))
        expect(ms * 1e6).toBeLessThan(exact * 1.0906)
      }),
    )
  })

  it('counts durations of up to a microsecond as 0', () => {
    expect(of().quantileMs(0.99)).toBe(0)
    expect(of(0, 1_000).quantileMs(0.99)).toBe(0)
  })

  it('adds those of another one', () => {
    const waits = of(...Array.from({ length: 50 }, () => 0))
    waits.add(of(...Array.from({ length: 50 }, () => 2e6)))
    expect([waits.quantileMs(0.5), waits.quantileMs(0.99)]).toEqual([0, expect.closeTo(2, 0)])
  })

  it('are kept by level', () => {
    const byLevel = new Map<string, Waits>()
    waitsOf(byLevel, 'a').note(0)
    waitsOf(byLevel, 'b').note(1_024e3)
    waitsOf(byLevel, 'a').note(0)
    expect(waitP99(byLevel)).toEqual({ a: 0, b: 1.024 })
  })
})
