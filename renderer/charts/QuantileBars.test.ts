import { describe, expect, it } from 'vitest'
import type { Histogram } from '../../core/frame/frame.ts'
import { intervalText, keepSample, ratioData, windowHistogram, type HistogramSample } from './QuantileBars.tsx'

/** A cumulative histogram of nanoseconds at ratios up to 0, 0.5, 1 and above. */
const histogram = (...counts: [number, number, number, number]): Histogram => ({
  bounds: [0, 0.5, 1],
  counts,
  count: counts[3],
  sum: counts[3] * 0.4,
})
const sample = (at: number, count: number): HistogramSample => ({ at, histogram: histogram(0, 0, count, count) })

describe('keepSample', () => {
  it('keeps the window and one sample at its far edge', () => {
    let kept: readonly HistogramSample[] = []
    for (let at = 0; at <= 100; at += 10) kept = keepSample(kept, sample(at, at), 30)
    expect(kept.map((entry) => entry.at)).toEqual([70, 80, 90, 100])
  })
  it('starts anew when the server did, or its clock went back', () => {
    expect(keepSample([sample(0, 50)], sample(10, 5), 30)).toHaveLength(1)
    expect(keepSample([sample(10, 5)], sample(0, 50), 30)).toHaveLength(1)
  })
  it('takes the same page once', () => {
    const kept = [sample(10, 5)]
    expect(keepSample(kept, sample(10, 5), 30)).toBe(kept)
  })
})

describe('windowHistogram', () => {
  it('is since the start of the server until there are two samples', () => {
    expect(windowHistogram([])).toBeUndefined()
    expect(windowHistogram([sample(0, 50)])?.seconds).toBeUndefined()
  })
  it('is what came between the first and the last', () => {
    const window = windowHistogram([sample(0, 50), sample(30_000, 80)])
    expect(window?.seconds).toBe(30)
    expect(window?.histogram.count).toBe(30)
  })
})

describe('ratioData', () => {
  it('brackets quantiles and counts the time above the limit', () => {
    const data = ratioData(histogram(10, 40, 90, 100))
    expect(data?.bars.map((bar) => intervalText(bar.interval))).toEqual(['50 to 100 %', '50 to 100 %', 'over 100 %'])
    expect(data?.aboveLimit).toBeCloseTo(0.1)
    expect(data?.mean).toBeCloseTo(0.4)
    expect(data?.buckets.map((bucket) => Number(bucket.share.toFixed(3)))).toEqual([0.1, 0.3, 0.5, 0.1])
  })
  it('is exact when the level was idle', () => {
    const data = ratioData(histogram(100, 100, 100, 100))
    expect(data?.bars.map((bar) => intervalText(bar.interval))).toEqual(['0 %', '0 %', '0 %'])
    expect(data?.axisMax).toBe(1)
  })
  it('says nothing about no time', () => expect(ratioData(histogram(0, 0, 0, 0))).toBeUndefined())
})
