import { describe, expect, it } from 'vitest'
import { histogramOf } from '../../test/fixtures/frames.ts'
import { histogramIncrease, histogramMean, sumHistograms } from './histogram.ts'

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
