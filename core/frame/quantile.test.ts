import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { histogramOf } from '../../test/fixtures/frames.ts'
import {
  histogramQuantile,
  quantileRange,
  timeWeightedQuantile,
  histogramIncrease,
  histogramMean,
  sumHistograms,
} from './quantile.ts'

/** Expected values computed by hand from the definition of Prometheus' histogram_quantile. */
describe('histogramQuantile', () => {
  const bounds = [0.1, 0.2, 0.5, 1]

  it('interpolates within the bucket that holds the rank', () => {
    // Rank 5 of 10 is the second of four events in (0.1, 0.2].
    const histogram = histogramOf(bounds, [3, 4, 2, 1, 0])
    expect(histogramQuantile(0.5, histogram)).toBeCloseTo(0.1 + 0.1 * (2 / 4), 15)
    expect(histogramQuantile(0.9, histogram)).toBeCloseTo(0.5, 15)
    expect(histogramQuantile(1, histogram)).toBe(1)
  })

  it('starts the first bucket at 0, unless its bound is 0 or less', () => {
    expect(histogramQuantile(0.5, histogramOf([0.4, 1], [4, 0, 0]))).toBeCloseTo(0.2, 15)
    expect(histogramQuantile(0.5, histogramOf([0, 1], [4, 0, 0]))).toBe(0)
    expect(histogramQuantile(0.5, histogramOf([-1, 1], [4, 0, 0]))).toBe(-1)
  })

  it('answers the last finite bound when the quantile lies beyond it', () => {
    expect(histogramQuantile(0.99, histogramOf(bounds, [0, 0, 0, 1, 9]))).toBe(1)
  })

  it.each([
    ['no observations', 0.5, histogramOf(bounds, [0, 0, 0, 0, 0])],
    ['no finite bucket', 0.5, histogramOf([], [5])],
    ['q is NaN', Number.NaN, histogramOf(bounds, [1, 1, 1, 1, 1])],
  ])('is NaN when there is/are %s', (_, q, histogram) => {
    expect(histogramQuantile(q, histogram)).toBeNaN()
  })

  it('is infinite for a q outside of 0 to 1', () => {
    const histogram = histogramOf(bounds, [1, 1, 1, 1, 1])
    expect(histogramQuantile(-0.1, histogram)).toBe(Number.NEGATIVE_INFINITY)
    expect(histogramQuantile(1.1, histogram)).toBe(Number.POSITIVE_INFINITY)
  })

  it('raises counts that fall', () => {
    const torn = { bounds: [1, 2, 3], counts: [5, 4, 10, 10] }
    expect(histogramQuantile(0.5, torn)).toBe(1)
    expect(histogramQuantile(0.75, torn)).toBeCloseTo(2.5, 15)
  })

  it('takes counts that differ by rounding for equal', () => {
    const rounded = { bounds: [1, 2, 3], counts: [10, 10.000_000_000_000_002, 10, 10] }
    expect(histogramQuantile(1, rounded)).toBe(1)
  })

  it('is monotonic in q and lies within the bounds', () => {
    const histogram = fc
      .array(fc.nat(50), { minLength: 5, maxLength: 5 })
      .filter((events) => events.some((count) => count > 0))
      .map((events) => histogramOf(bounds, events))
    fc.assert(
      fc.property(
        histogram,
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (h, a, b) => {
          const [low, high] = [histogramQuantile(Math.min(a, b), h), histogramQuantile(Math.max(a, b), h)]
          expect(low).toBeGreaterThanOrEqual(0)
          expect(high).toBeLessThanOrEqual(1)
          expect(low).toBeLessThanOrEqual(high)
        },
      ),
    )
  })
})

describe('quantileRange', () => {
  const bounds = [0, 0.005, 15, 30]

  it('is bounded by the sum where that says more than the bucket', () => {
    // One of ten in the bucket from 15 to 30 s; the sum leaves it 15.2 s at most.
    expect(quantileRange(0.99, { ...histogramOf(bounds, [9, 0, 0, 1, 0]), sum: 15.2 })).toEqual({
      above: 15,
      upTo: 15.2,
    })
    expect(quantileRange(0.99, { ...histogramOf(bounds, [0, 10, 0, 0, 0]), sum: 0.001 })?.upTo).toBe(0.001)
  })

  it('is the bucket where the sum contradicts the counts, and open beyond the last bound', () => {
    expect(quantileRange(1, { ...histogramOf(bounds, [0, 0, 0, 2, 0]), sum: 1 })).toEqual({ above: 15, upTo: 30 })
    expect(quantileRange(1, { ...histogramOf(bounds, [0, 0, 0, 0, 1]), sum: Infinity })).toEqual({
      above: 30,
      upTo: undefined,
    })
  })

  it('is bounded by the largest observation of the bucket where that is known', () => {
    const counted = { ...histogramOf(bounds, [0, 0, 3, 1, 0]), sum: 60 }
    expect(quantileRange(0.5, { ...counted, largest: [0, 0, 7.25, 15.5, 0] })?.upTo).toBe(7.25)
    // Observations since an earlier reading are no larger than the largest of all; of several, the largest counts.
    const later = { ...counted, largest: [0, 0, 7.25, 15.5, 0] }
    const gained = histogramIncrease(later, { ...histogramOf(bounds, [0, 0, 1, 0, 0]), sum: 2 })
    expect(gained?.largest).toEqual(later.largest)
    expect(sumHistograms([later, { ...later, largest: [0, 0, 9, 0, 0] }])?.largest).toEqual([0, 0, 9, 15.5, 0])
    expect(sumHistograms([later, counted])).not.toHaveProperty('largest')
  })

  it('knows nothing without observations', () => {
    expect(quantileRange(0.5, { ...histogramOf(bounds, [0, 0, 0, 0, 0]), sum: 0 })).toBeUndefined()
  })

  it('contains the true quantile of any waits', () => {
    const waits = fc.array(fc.double({ min: 0, max: 60, noNaN: true }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(waits, fc.double({ min: 0.01, max: 1, noNaN: true }), fc.boolean(), (observed, q, keeps) => {
        const events = [0, 0, 0, 0, 0]
        const largest = [0, 0, 0, 0, 0]
        for (const wait of observed) {
          const found = bounds.findIndex((bound) => wait <= bound)
          const bucket = found < 0 ? bounds.length : found
          events[bucket] = (events[bucket] ?? 0) + 1
          largest[bucket] = Math.max(largest[bucket] ?? 0, wait)
        }
        const sum = observed.reduce((total, wait) => total + wait, 0)
        const range = quantileRange(q, { ...histogramOf(bounds, events), sum, ...(keeps && { largest }) })
        const truth = observed.toSorted((a, b) => a - b)[Math.ceil(q * observed.length) - 1] ?? Number.NaN
        expect(truth).toBeGreaterThanOrEqual(range?.above ?? Number.NaN)
        expect(truth).toBeLessThanOrEqual((range?.upTo ?? Number.POSITIVE_INFINITY) * (1 + 1e-9) + 1e-9)
      }),
    )
  })
})

describe('timeWeightedQuantile', () => {
  const bounds = [0, 0.5, 0.95, 1]

  it('gives the interval that the quantile certainly lies in', () => {
    const histogram = histogramOf(bounds, [0, 6e9, 3e9, 1e9, 0])
    expect(timeWeightedQuantile(0.5, histogram)).toEqual({ lower: 0, upper: 0.5, exact: false })
    expect(timeWeightedQuantile(0.6, histogram)).toEqual({ lower: 0, upper: 0.5, exact: false })
    expect(timeWeightedQuantile(0.61, histogram)).toEqual({ lower: 0.5, upper: 0.95, exact: false })
    expect(timeWeightedQuantile(1, histogram)).toEqual({ lower: 0.95, upper: 1, exact: false })
  })

  it('is exact where the interval is one point', () => {
    expect(timeWeightedQuantile(0.9, histogramOf(bounds, [95, 5, 0, 0, 0]))).toEqual({
      lower: 0,
      upper: 0,
      exact: true,
    })
  })

  it('has no upper bound beyond the last bucket', () => {
    expect(timeWeightedQuantile(0.9, histogramOf(bounds, [0, 0, 0, 1, 9]))).toEqual({
      lower: 1,
      upper: undefined,
      exact: false,
    })
  })

  it('knows nothing without time, and for a share that is none', () => {
    expect(timeWeightedQuantile(0.5, histogramOf(bounds, [0, 0, 0, 0, 0]))).toBeUndefined()
    for (const q of [0, -1, 1.1, Number.NaN]) {
      expect(timeWeightedQuantile(q, histogramOf(bounds, [1, 1, 1, 1, 1]))).toBeUndefined()
    }
  })

  it('contains the true quantile of any course of ratios', () => {
    const course = fc.array(fc.tuple(fc.double({ min: 0, max: 2, noNaN: true }), fc.integer({ min: 1, max: 1_000 })), {
      minLength: 1,
      maxLength: 30,
    })
    fc.assert(
      fc.property(course, fc.integer({ min: 1, max: 99 }), (spans, percent) => {
        const events = [0, 0, 0, 0, 0]
        for (const [ratio, ns] of spans) {
          const found = bounds.findIndex((bound) => ratio <= bound)
          const bucket = found < 0 ? bounds.length : found
          events[bucket] = (events[bucket] ?? 0) + ns
        }
        const q = percent / 100
        const interval = timeWeightedQuantile(q, histogramOf(bounds, events))
        const total = spans.reduce((sum, [, ns]) => sum + ns, 0)
        let spent = 0
        const truth = spans.toSorted(([a], [b]) => a - b).find(([, ns]) => (spent += ns) >= q * total)?.[0]
        expect(truth).toBeGreaterThanOrEqual(interval?.lower ?? Number.NaN)
        expect(truth).toBeLessThanOrEqual(interval?.upper ?? Number.POSITIVE_INFINITY)
      }),
    )
  })
})

const bounds = [1, 2]

describe('histogramIncrease', () => {
  it('is what was observed between two readings', () => {
    const increase = histogramIncrease(histogramOf(bounds, [3, 4, 5], 20), histogramOf(bounds, [1, 4, 2], 8))
    expect(increase).toEqual({ bounds, counts: [2, 2, 5], sum: 12, count: 5 })
  })

  it('counts from zero for a histogram that did not exist', () => {
    expect(histogramIncrease(histogramOf(bounds, [1, 0, 0], 1), undefined)).toEqual(histogramOf(bounds, [1, 0, 0], 1))
  })

  it('is unknown when a count fell or the buckets changed', () => {
    expect(histogramIncrease(histogramOf(bounds, [1, 0, 0]), histogramOf(bounds, [2, 0, 0]))).toBeUndefined()
    expect(histogramIncrease(histogramOf(bounds, [1, 5, 0]), histogramOf(bounds, [2, 0, 0]))).toBeUndefined()
    expect(histogramIncrease(histogramOf([1, 3], [5, 0, 0]), histogramOf(bounds, [2, 0, 0]))).toBeUndefined()
  })
})

describe('sumHistograms', () => {
  it('adds observations and leaves what it adds alone', () => {
    const [a, b] = [histogramOf(bounds, [1, 0, 2], 7), histogramOf(bounds, [0, 3, 0], 5)]
    expect(sumHistograms([a, b])).toEqual(histogramOf(bounds, [1, 3, 2], 12))
    expect(a).toEqual(histogramOf(bounds, [1, 0, 2], 7))
  })

  it('is unknown for none and for different buckets', () => {
    expect(sumHistograms([])).toBeUndefined()
    expect(sumHistograms([histogramOf(bounds, [1, 0, 0]), histogramOf([1], [1, 0])])).toBeUndefined()
  })
})

describe('histogramMean', () => {
  it('is sum by count, and unknown for nothing', () => {
    expect(histogramMean(histogramOf(bounds, [1, 1, 2], 6))).toBe(1.5)
    expect(histogramMean(histogramOf(bounds, [0, 0, 0], 0))).toBeUndefined()
  })
})
