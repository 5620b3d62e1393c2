import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gapAround, gapsOf, gapsPhrase, lateAfterMs, type Gap } from './gaps.ts'

/** Points by their times in seconds; those of `silent` stand for no sample. */
const points = (seconds: readonly number[], silent: readonly number[] = [], mergedSeconds = 0) => ({
  times: seconds.map((second) => second * 1_000),
  samples: seconds.map((second) => (silent.includes(second) ? 0 : 1)),
  stepSeconds: Math.max(1, mergedSeconds),
  mergedSeconds,
})

describe('gaps of a series', () => {
  it('are stretches of more than three usual distances, not late samples', () => {
    expect(gapsOf(points([0, 1, 2, 4, 5, 9, 10]))).toEqual([{ from: 5_000, to: 9_000 }])
    expect(gapsOf(points([0, 60, 120, 180]))).toEqual([])
  })

  it('follow another pace, and still show a hole in it', () => {
    expect(gapsOf(points([0, 1, 2, 3, 4, 5, 10, 15, 20, 60, 65, 70]))).toEqual([{ from: 20_000, to: 60_000 }])
  })

  it('are wherever a point stands for no sample', () => {
    expect(gapsOf(points([0, 1, 3], [1]))).toEqual([{ from: 0, to: 3_000 }])
    expect(gapsOf(points([0, 10, 20], [0, 20]))).toEqual([])
  })

  it('end where the step of the first sample after them begins', () => {
    expect(gapsOf(points([10, 20, 30, 31, 68, 78], [31], 10))).toEqual([{ from: 30_000, to: 60_000 }])
  })

  it('are of what is looked at, by its own usual distance', () => {
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

  it('are found by an instant in them, and samples are late after three distances', () => {
    const series = points([0, 5, 10, 60, 65])
    expect(gapAround(series, 30_000)).toEqual({ from: 10_000, to: 60_000 })
    expect(gapAround(series, 60_000)).toBeUndefined()
    expect(lateAfterMs(series)).toBe(15_000)
    expect(lateAfterMs(points([]))).toBe(3_000)
  })
})

it('gaps are named by when and how long', () => {
  const words = {
    stretch: ({ from, to }: Gap) => `from ${from} to ${to}`,
    length: (ms: number) => `${ms} ms`,
  }
  expect(gapsPhrase([], words)).toBe('')
  expect(gapsPhrase([{ from: 1, to: 4 }], words)).toBe('no samples from 1 to 4 (3 ms)')
  expect(
    gapsPhrase(
      [
        { from: 1, to: 4 },
        { from: 9, to: 19 },
      ],
      words,
    ),
  ).toBe('no samples in 2 gaps, 13 ms in all, the longest from 9 to 19 (10 ms)')
})
