import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { createDeriver } from '../frame/derive.ts'
import { type Point, pointOf } from './point.ts'
import { LEVEL_COLUMNS, type LevelColumn } from './columns.ts'
import type { Series } from './series.ts'
import { createTier, tierFrom } from './tier.ts'

const EVERYTHING = { from: 0, to: Number.MAX_SAFE_INTEGER, maxPoints: Number.MAX_SAFE_INTEGER }

function point(at: number, values: Partial<Record<LevelColumn, number>>, name = 'low'): Point {
  const row = LEVEL_COLUMNS.map((column) => values[column] ?? Number.NaN)
  return { at, fairFrac: 0.5, levels: new Map([[name, row]]) }
}
const executing = (at: number, seats: number, name?: string): Point =>
  point(at, { executing: seats, executingMax: seats, dispatchedRate: seats }, name)

function all(points: readonly Point[], options: { stepMs?: number; capacity?: number } = {}): Omit<Series, 'server'> {
  const tier = createTier({ stepMs: options.stepMs ?? 0, capacity: options.capacity ?? 100 })
  for (const one of points) tier.add(one)
  return tier.query(EVERYTHING)
}
const column = (
  series: Omit<Series, 'server'>,
  key: LevelColumn,
  name = 'low',
): readonly (number | null)[] | undefined => series.levels.find((level) => level.name === name)?.columns[key]

describe('a tier', () => {
  it('holds every sample at its own time, also one that comes late', () => {
    const series = all([executing(1_010, 1), executing(3_000, 3), executing(1_990, 2)])
    expect(series.times).toEqual([1_010, 1_990, 3_000])
    expect(column(series, 'executing')).toEqual([1, 2, 3])
    expect(series.samples).toEqual([1, 1, 1])
  })

  it('merges what lies in the same step: last, maximum or mean, as the column says', () => {
    const points = [executing(3_000, 5), executing(1_000, 7), executing(11_000, 1), executing(2_000, 3)]
    const series = all(points, { stepMs: 10_000 })
    expect(series.times).toEqual([3_000, 11_000])
    expect(series.samples).toEqual([3, 1])
    expect(column(series, 'executing')).toEqual([5, 1])
    expect(column(series, 'executingMax')).toEqual([7, 1])
    expect(column(series, 'dispatchedRate')).toEqual([5, 1])
  })

  it('draws a silence as a gap, but neither jitter nor samples that are rarer from now on', () => {
    const regular = [1, 2, 3, 4].map((second) => executing(second * 1_000, 1))
    expect(all([...regular, executing(6_900, 2)]).times).toHaveLength(5)
    const gap = all([...regular, executing(9_000, 2)])
    expect(gap.times).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 9_000])
    expect(column(gap, 'executing')).toEqual([1, 1, 1, 1, null, 2])
    expect(gap.fairFrac).toEqual([0.5, 0.5, 0.5, 0.5, null, 0.5])
    const rarer = [...regular, ...[14, 24, 34].map((second) => executing(second * 1_000, 1))]
    expect(all(rarer).times).toHaveLength(7)
  })

  it('shows a gap in steps that had no sample, and lets a range that comes late close it', () => {
    const range = (from: number, to: number): Point[] =>
      Array.from({ length: to - from }, (_, i) => executing((from + i) * 1_000, 2))
    const [early, late, between] = [range(1, 60), range(120, 180), range(60, 120)]
    const holed = all([...late, ...early], { stepMs: 10_000 })
    expect(column(holed, 'executing')).toEqual([2, 2, 2, 2, 2, 2, null, 2, 2, 2, 2, 2, 2, 2])
    expect(column(all([...late, ...early, ...between], { stepMs: 10_000 }), 'executing')).not.toContain(null)
  })

  it('keeps unknown values apart from zero, and levels that come and go', () => {
    const series = all([executing(1_000, 0), executing(2_000, 2, 'new')])
    expect(column(series, 'executing')).toEqual([0, null])
    expect(column(series, 'waitP99')).toEqual([null, null])
    expect(column(series, 'executing', 'new')).toEqual([null, 2])
  })

  it('makes room from its oldest end, says how far it reaches, and forgets a level that no row has', () => {
    const tier = createTier({ stepMs: 0, capacity: 3 })
    tier.add(executing(1_000, 1, 'old'))
    expect(tier.reaches(0)).toBe(true)
    for (const second of [3, 4, 5]) tier.add(executing(second * 1_000, second))
    expect([tier.reaches(2_999), tier.reaches(3_000)]).toEqual([false, true])
    tier.add(executing(2_000, 2))
    const { times, levels } = tier.query(EVERYTHING)
    expect(times).toEqual([3_000, 4_000, 5_000])
    expect(levels.map(({ name }) => name)).toEqual(['low'])
  })

  it('has room for as many rows as it may have, with a level that comes in the middle', () => {
    const seconds = Array.from({ length: 450 }, (_, second) => second)
    const points = seconds.map((second) => executing(second * 1_000, second, second < 200 ? 'low' : 'late'))
    for (const capacity of [63, 64, 65, 129, 300, 1_000]) {
      const kept = seconds.slice(-capacity)
      const series = all(points, { capacity })
      const expected = (name: string): (number | null)[] =>
        kept.map((second) => (second < 200 === (name === 'low') ? second : null))
      expect(column(series, 'executing', 'late')).toEqual(expected('late'))
      expect(column(series, 'dispatchedRate', 'late')).toEqual(expected('late'))
      if (capacity > 250) expect(column(series, 'executing')).toEqual(expected('low'))
    }
  })

  it('answers the same whatever order its points came in', () => {
    const instants = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 80 })
    const shuffled = instants.chain((seconds) =>
      fc.tuple(fc.constant(seconds), fc.shuffledSubarray(seconds, { minLength: seconds.length })),
    )
    const pointAt = (second: number): Point => executing(second * 1_000, second % 7, second % 5 === 0 ? 'other' : 'low')
    fc.assert(
      fc.property(
        shuffled,
        fc.constantFrom(0, 10_000),
        fc.integer({ min: 2, max: 60 }),
        ([, order], stepMs, capacity) => {
          const options = { stepMs, capacity }
          const sorted = order.toSorted((a, b) => a - b)
          expectSame(all(order.map(pointAt), options), all(sorted.map(pointAt), options))
        },
      ),
    )
  })

  it('goes on from what another answered as that one itself would', () => {
    const moments = [...syntheticStory({ seconds: 90 })]
    const derive = createDeriver('apiserver-a:6443')
    const points = moments
      .flatMap(({ frame }) => frame.servers.slice(0, 1))
      .map((frame) => pointOf(frame, derive(frame)))
    const widths = fc.constantFrom(600, 30, 12)
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 89 }), widths, fc.constantFrom(0, 10_000), (split, maxPoints, stepMs) => {
        const whole = createTier({ capacity: 200, stepMs })
        const range = { from: points[0]?.at ?? 0, to: points.at(-1)?.at ?? 0, maxPoints }
        for (const one of points.slice(0, split)) whole.add(one)
        const answered = whole.query(range)
        const goesOn = tierFrom({ server: 'a', ...answered }, 200)
        for (const one of points.slice(split)) {
          whole.add(one)
          goesOn.add(one)
        }
        const later = whole.query(range)
        // The range had more points than allowed only after the split: then the page would send a new query.
        fc.pre(later.mergedSeconds === answered.mergedSeconds)
        expectSame(goesOn.query(EVERYTHING), later)
      }),
    )
  })
})

/** Means in single precision differ by the order of additions. */
function expectSame(a: Omit<Series, 'server'>, b: Omit<Series, 'server'>): void {
  const { levels: ofA, ...restA } = a
  const { levels: ofB, ...restB } = b
  expect(restA).toEqual(restB)
  expect(ofA.map(({ name }) => name)).toEqual(ofB.map(({ name }) => name))
  for (const [i, level] of ofA.entries()) {
    for (const key of LEVEL_COLUMNS) {
      const other = ofB[i]?.columns[key] ?? []
      const differs = level.columns[key].findIndex((value, at) => !isClose(value, other[at] ?? null))
      expect(differs, `${level.name} ${key}: ${level.columns[key][differs]}, ${other[differs]}`).toBe(-1)
    }
  }
}

const isClose = (a: number | null, b: number | null): boolean =>
  a === null || b === null ? a === b : Math.abs(a - b) <= 1e-5 * Math.max(1, Math.abs(a))
