import { sentenceText } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gapsOf, gapsPhrase, lateAfterMs } from './gaps.ts'
import { gapAround, gapsWithin } from './gapsWithin.ts'

/** Points by their times in seconds; those in `silent` represent no sample. */
const points = (seconds: readonly number[], silent: readonly number[] = [], mergedSeconds = 0) => ({
  times: seconds.map((second) => second * 1_000),
  samples: seconds.map((second) => (silent.includes(second) ? 0 : 1)),
  stepSeconds: Math.max(1, mergedSeconds),
  mergedSeconds,
})

describe('gaps of a series', () => {
  it('are wherever a point stands for no sample', () => {
    expect(gapsOf(points([0, 1, 3], [1]))).toEqual([{ from: 0, to: 3_000 }])
    expect(gapsOf(points([0, 10, 20], [0, 20]))).toEqual([])
  })

  it('end where the step of the first sample after them begins', () => {
    expect(gapsOf(points([10, 20, 30, 31, 68, 78], [31], 10))).toEqual([{ from: 30_000, to: 60_000 }])
  })

  it('are also of what is looked at, and not of single points that lack it', () => {
    const series = points([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(gapsOf(series, (index) => index % 2 === 0)).toEqual([])
    expect(gapsOf(series, (index) => index < 3 || index > 5)).toEqual([{ from: 2_000, to: 6_000 }])
  })

  it('hold no sample, follow each other and lie between samples', () => {
    const steps = fc.array(fc.record({ after: fc.integer({ min: 1, max: 40 }), silent: fc.boolean() }))
    fc.assert(
      fc.property(steps, (all) => {
        let second = 0
        const at = all.map(({ after }) => (second += after))
        const series = points(
          at,
          at.filter((_, i) => all[i]?.silent),
        )
        const known = series.times.filter((_, i) => series.samples[i] === 1)
        let end = Number.NEGATIVE_INFINITY
        for (const { from, to } of gapsOf(series)) {
          expect(from).toBeGreaterThanOrEqual(end)
          expect(known).toContain(from)
          expect(known.filter((time) => time > from && time < to)).toEqual([])
          end = to
        }
      }),
    )
  })

  it('of a stretch of time reach to its ends, and it may lie in one', () => {
    const series = points([0, 1, 2, 3, 20, 21], [3])
    expect(gapsWithin(series, { from: 1_000, to: 60_000 })).toEqual([
      { from: 2_000, to: 20_000 },
      { from: 21_000, to: 60_000 },
    ])
    expect(gapsWithin(series, { from: -9_000, to: 10_000 })).toEqual([
      { from: -9_000, to: 0 },
      { from: 2_000, to: 10_000 },
    ])
    expect(gapsWithin(series, { from: 4_000, to: 9_000 })).toEqual([{ from: 4_000, to: 9_000 }])
    expect(gapsWithin(series, { from: -1_000, to: 2_000 })).toEqual([])
  })

  it('are found by an instant in them, and samples are late after three steps', () => {
    const series = points([0, 5, 10, 15, 60, 65], [15])
    expect(gapAround(series, 30_000)).toEqual({ from: 10_000, to: 60_000 })
    expect(gapAround(series, 60_000)).toBeUndefined()
    expect(lateAfterMs({ ...series, stepSeconds: 5 })).toBe(15_000)
    expect(lateAfterMs(points([]))).toBe(3_000)
  })
})

it('gaps are named by when and how long', () => {
  const said = (...gaps: { from: number; to: number }[]): string => sentenceText(gapsPhrase(gaps, 'time'), plain)
  expect(said()).toBe('')
  expect(said({ from: 1_000, to: 4_000 })).toBe('no samples from 00:00:01 to 00:00:04 (3 s)')
  expect(said({ from: 1_000, to: 4_000 }, { from: 9_000, to: 80_000 })).toBe(
    'no samples in 2 gaps, the longest from 00:00:09 to 00:01:20 (1 min 11 s)',
  )
})
