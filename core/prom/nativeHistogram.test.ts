import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { histogramIncrease } from '../frame/quantile.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import type { PromSeries } from './answer.ts'
import { classicOf, nativeFamilies } from './nativeHistogram.ts'

/** A histogram of these observations with 2^schema buckets in each power of two. */
function observed(values: readonly number[], schema: number) {
  const counts = new Map<number, number>()
  for (const value of values) {
    const index = Math.ceil(Math.log2(value) * 2 ** schema)
    counts.set(index, (counts.get(index) ?? 0) + 1)
  }
  const buckets = [...counts].map(([index, count]) => ({
    left: 2 ** ((index - 1) / 2 ** schema),
    right: 2 ** (index / 2 ** schema),
    count,
  }))
  return { count: values.length, sum: values.reduce((a, b) => a + b, 0), buckets }
}

const values = fc.array(fc.double({ min: 1e-4, max: 5_000, noNaN: true }), { maxLength: 40 })

describe('a native histogram', () => {
  test('counts at each bound what lies at or below it', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 4 }), (all, schema) => {
        const { bounds, counts } = classicOf(observed(all, schema))
        expect(counts).toHaveLength(bounds.length + 1)
        expect(counts.at(-1)).toBe(all.length)
        for (const [i, bound] of bounds.entries()) {
          const [below, atMost] = [0.999_999, 1.000_001].map((near) => all.filter((v) => v <= bound * near).length)
          expect(counts[i]).toBeGreaterThanOrEqual(below ?? 0)
          expect(counts[i]).toBeLessThanOrEqual(atMost ?? 0)
        }
      }),
    )
  })

  test('has the same bounds for every sample of a schema, so that two can be subtracted', () => {
    fc.assert(
      fc.property(
        values.filter((all) => all.length > 0),
        values,
        fc.integer({ min: 0, max: 4 }),
        (first, more, schema) => {
          const [earlier, later] = [first, [...first, ...more]].map((all) => {
            const native = observed(all, schema)
            const { bounds, counts } = classicOf(native)
            return { bounds: [...bounds], counts: [...counts], sum: native.sum, count: native.count }
          })
          if (later === undefined) throw new Error('no histogram')
          expect(histogramIncrease(later, earlier)?.count).toBe(more.length)
        },
      ),
    )
  })

  test('has the zero bucket below every bound, and bounds of its own where they are no powers', () => {
    const zero = { left: -1e-9, right: 1e-9, count: 2 }
    expect(classicOf({ count: 3, sum: 1, buckets: [{ left: 0.5, right: 1, count: 1 }, zero] }).counts[0]).toBe(2)
    const own = [
      { left: 0, right: 0.005, count: 1 },
      { left: 0.005, right: 0.02, count: 2 },
      { left: 0.02, right: 0.1, count: 3 },
    ]
    expect(classicOf({ count: 7, sum: 1, buckets: own })).toEqual({
      bounds: [0, 0.005, 0.02, 0.1],
      counts: [0, 1, 3, 6, 7],
    })
    expect(classicOf({ count: 0, sum: 0, buckets: [] }).counts.every((count) => count === 0)).toBe(true)
  })
})

test('families are native where they have no classic buckets', () => {
  const series = (name: string): PromSeries => ({ labels: { __name__: name }, times: [0], samples: [1] })
  const [wait, execution] = [FAMILY.wait, FAMILY.execution]
  expect(nativeFamilies([series(wait), series(wait), series(FAMILY.nominal)])).toEqual([wait])
  expect(nativeFamilies([series(wait), series(`${wait}_bucket`), series(execution)])).toEqual([execution])
})
