import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explainedBy, harmParts, type Lever } from './explain.ts'

const lever: fc.Arbitrary<Lever> = fc.record({
  needs: fc.integer({ min: 0, max: 300 }),
  takes: fc.integer({ min: 0, max: 100 }),
  factor: fc.double({ min: 1, max: 10, noNaN: true }),
})
const well = { needs: 20, seats: 50 }

describe('the part that a cause explains', () => {
  it('is none of what is enough, and all of it for a single cause', () => {
    expect(explainedBy(well, [{ needs: 10 }])).toEqual([0])
    expect(explainedBy(well, [{ needs: 100 }])).toEqual([1])
    expect(explainedBy(well, [{ needs: 100 }, {}])).toEqual([1, 0])
  })

  it('is half for each of two that are both needed, and of two that both suffice', () => {
    expect(explainedBy(well, [{ needs: 25 }, { needs: 25 }])).toEqual([0.5, 0.5])
    expect(explainedBy(well, [{ needs: 300 }, { needs: 300 }])).toEqual([0.5, 0.5])
  })

  it('adds up to all that is missing, is never negative, and is nothing for a cause that does nothing', () => {
    fc.assert(
      fc.property(fc.array(lever, { minLength: 1, maxLength: 5 }), (levers) => {
        const parts = explainedBy(well, [...levers, {}])
        const sum = parts.reduce((total, part) => total + part, 0)
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(-1e-9)
        expect(parts.at(-1)).toBeCloseTo(0)
        expect(sum === 0 || Math.abs(sum - 1) < 1e-9).toBe(true)
      }),
    )
  })

  it('does not depend on the order of the causes', () => {
    fc.assert(
      fc.property(fc.array(lever, { minLength: 2, maxLength: 4 }), (levers) => {
        const turned = explainedBy(well, levers.toReversed()).toReversed()
        for (const [i, part] of explainedBy(well, levers).entries()) expect(part).toBeCloseTo(turned[i] ?? NaN)
      }),
    )
  })

  it('is that of any harm', () => {
    expect(harmParts(['a', 'b'], (acting) => (acting.length === 2 ? 8 : 0))).toEqual([0.5, 0.5])
  })
})
