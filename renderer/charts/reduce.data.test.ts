import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketRanges, largest, lastValue, reduceColumn, timeRanges } from './reduce.data.ts'

describe('bucketRanges', () => {
  it('covers every index once, in order, in at most so many buckets', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 400 }), (length, max) => {
        const ranges = bucketRanges(length, max)
        expect(ranges.length).toBeLessThanOrEqual(max)
        expect(ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i))).toEqual(
          Array.from({ length }, (_, i) => i),
        )
      }),
    )
  })
})

describe('timeRanges', () => {
  const times = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => (from + i) * 1_000)

  it('keeps every point while there is room', () => {
    expect(timeRanges(times(0, 3), 300)).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
  })

  it('halves a range of twice as many seconds', () => {
    expect(timeRanges(times(0, 601), 300).length).toBe(301)
  })

  it('puts a sample into the same bucket wherever the window starts', () => {
    const bucketOf = (start: number, second: number): readonly number[] => {
      const all = times(start, 600)
      const index = all.indexOf(second * 1_000)
      const range = timeRanges(all, 300).find(([from, to]) => index >= from && index < to) ?? [0, 0]
      return all.slice(range[0], range[1])
    }
    expect(bucketOf(1_001, 1_301)).toEqual(bucketOf(1_000, 1_301))
    expect(bucketOf(1_002, 1_301)).toEqual(bucketOf(1_000, 1_301))
  })

  it('covers every index once', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 1e7 }), { maxLength: 800 }),
        fc.integer({ min: 1, max: 300 }),
        (raw, max) => {
          const all = raw.toSorted((a, b) => a - b)
          const ranges = timeRanges(all, max)
          expect(ranges.reduce((sum, [from, to]) => sum + to - from, 0)).toBe(all.length)
          expect(ranges.every(([from, to], i) => to > from && from === (ranges[i - 1]?.[1] ?? 0))).toBe(true)
        },
      ),
    )
  })
})

describe('reduceColumn', () => {
  const ranges = bucketRanges(6, 2)
  it('keeps the last or an extreme value, and a bucket without samples empty', () => {
    expect(reduceColumn([1, 9, null, null, null, null], ranges, 'last')).toEqual([9, null])
    expect(reduceColumn([9, 1, null, 2, 7, 3], ranges, 'max')).toEqual([9, 7])
    expect(reduceColumn([9, 1, null, 2, 7, 3], ranges, 'min')).toEqual([1, 2])
    expect(reduceColumn([1, 9, null, null, null, 0], ranges, 'max')).toEqual([9, 0])
  })
})

it('finds the largest and the last of what exists', () => {
  expect(largest([1, null, 5], [7], [])).toBe(7)
  expect(largest([null])).toBe(0)
  expect(lastValue([1, 2, null])).toBe(2)
  expect(lastValue([null])).toBeUndefined()
})
