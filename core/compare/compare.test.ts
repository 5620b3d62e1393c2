import fc from 'fast-check'
import { expect, test } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { LevelSeries, Series } from '../history/series.ts'
import { type LevelColumn, LEVEL_COLUMNS } from '../history/columns.ts'
import { cellText, sentenceText } from '../answer/answer.ts'
import { plain } from '../text/format.ts'
import { compare, NUMBERS, type Recorded } from './compare.ts'
import { missing as missingIn, presentComparison } from './present.ts'
import { firstPeriods, joinMarks, type Mark, type Period, periodsApart, periodsAround, SETTLE_MS } from './period.ts'
import { otherDifferences } from './surroundings.ts'

const level = (
  name: string,
  values: Partial<Record<LevelColumn, readonly (number | null)[]>>,
  count: number,
): LevelSeries => ({
  name,
  columns: Object.fromEntries(
    LEVEL_COLUMNS.map((column) => [column, [...(values[column] ?? Array.from({ length: count }, () => null))]]),
  ) as LevelSeries['columns'],
})

/** One sample a second from an instant on. */
const series = (
  from: number,
  levels: Readonly<Record<string, Partial<Record<LevelColumn, readonly number[]>>>>,
): Series => {
  const count = Math.max(...Object.values(levels).map(({ executing }) => executing?.length ?? 0))
  return {
    server: 's',
    stepSeconds: 1,
    mergedSeconds: 0,
    times: Array.from({ length: count }, (_, index) => from + (index + 1) * 1_000),
    samples: Array.from({ length: count }, () => 1),
    fairFrac: [],
    levels: Object.entries(levels).map(([name, values]) => level(name, values, count)),
  }
}

const A = {
  period: { from: 0, to: 4_000 },
  series: series(0, {
    low: { executing: [10, 10, 10, 10], current: [10, 10, 10, 10], queueFullRate: [2, 2, 2, 2], waitP99: [1, 5, 2, 1] },
    old: { executing: [1, 1, 1, 1] },
    exempt: { executing: [3, 3, 3, 3], current: [9, 9, 9, 9] },
  }),
}
const B = {
  period: { from: 60_000, to: 64_000 },
  series: series(60_000, {
    low: { executing: [2, 4, 2, 4], current: [20, 20, 20, 20], queueFullRate: [0, 0, 0, 0], waitP99: [0, 0.5, 0, 0] },
    fresh: { executing: [6, 6, 6, 6], queueFullRate: [9, 9, 9, 9] },
    exempt: { executing: [3, 3, 3, 3], current: [1, 1, 1, 1] },
  }),
}

test('means, counts and the longest wait of each level, with sign and size', () => {
  const { levels, perSecond, totals } = compare(A, B)
  const low = levels.find(({ name }) => name === 'low')
  expect(perSecond).toBe(false)
  expect(low?.numbers.executing).toEqual({ a: 10, b: 3, change: -7, share: -0.7 })
  expect(low?.numbers.rejected).toEqual({ a: 8, b: 0, change: -8, share: -1 })
  expect(low?.numbers.waitP99).toMatchObject({ a: 5, b: 0.5 })
  expect(totals.rejected).toMatchObject({ a: 8, b: 36, change: 28 })
  // The Exempt level has no limit that adds to the others.
  expect(totals.limit).toMatchObject({ a: 10, b: 20 })
})

test('writes waits as their buckets, and no difference between two of them', () => {
  const { tables } = presentComparison(compare(A, B), [])
  const row = tables[0]?.rows.find(([name]) => name === 'Longest wait p99')
  expect(row?.map((cell) => cellText(cell, plain))).toEqual(['Longest wait p99', '2–5 s', '200–500 ms', '', ''])
})

test('a level of one period only is said to be so, and the largest changes come first', () => {
  const { levels } = compare(A, B)
  expect(levels.map(({ name, in: where }) => [name, where])).toEqual([
    ['fresh', 'b'],
    ['low', 'both'],
    ['old', 'a'],
    ['exempt', 'both'],
  ])
  expect(levels[0]?.numbers.rejected).toEqual({ a: undefined, b: 36, change: undefined, share: undefined })
})

test('periods of unequal length count per second', () => {
  const { perSecond, totals } = compare(A, { ...B, period: { from: 60_000, to: 68_000 } })
  expect(perSecond).toBe(true)
  expect(totals.rejected).toMatchObject({ a: 2, b: 4.5 })
})

test('what is not recorded is known', () => {
  const nothing: Series = { ...A.series, times: [], samples: [], levels: [] }
  const { a, b, totals } = compare(
    { series: nothing, period: A.period },
    { ...B, period: { from: 60_000, to: 80_000 } },
  )
  expect(a).toEqual({ seconds: 4, samples: 0, gaps: [{ from: 0, to: 4_000 }], share: 0 })
  expect(b).toMatchObject({ seconds: 20, samples: 4 })
  expect(b.share).toBeCloseTo(0.2)
  expect(b.gaps).toEqual([{ from: 64_000, to: 80_000 }])
  expect(totals.executing).toMatchObject({ a: undefined, change: undefined })
})

test('a long period whose samples are merged is complete, and what is missing from one is said with its times', () => {
  const minutes = (count: number, missing: readonly number[] = []): Series => {
    const times = Array.from({ length: count }, (_, minute) => (minute + 1) * 60_000)
    const known = times.map((_, minute) => (missing.includes(minute) ? 0 : 60))
    return { ...A.series, stepSeconds: 60, mergedSeconds: 60, times, samples: known, levels: [] }
  }
  const period = { from: 0, to: 3_600_000 }
  const { a, b } = compare({ series: minutes(60), period }, { series: minutes(60, [20, 21, 22]), period })
  expect(a).toMatchObject({ gaps: [], share: 1 })
  expect(b.gaps).toEqual([{ from: 1_200_000, to: 1_380_000 }])
  const said = (name: string, recorded: Recorded): string => sentenceText(missingIn(name, recorded), plain)
  expect(said('A', a)).toBe('')
  const gap = 'no samples from 1970-01-01 00:20:00 to 1970-01-01 00:23:00 (3 min)'
  expect(said('B', { ...b, share: 0.95 })).toBe(`5 % of B is not recorded: ${gap}.`)
  expect(said('B', { ...b, share: 0.99 })).toBe(`B has ${gap}.`)
  expect(said('B', { ...b, share: 0 })).toBe('Nothing is recorded in B.')
})

test('a period compared with itself differs in nothing, and swapping turns every sign', () => {
  const amounts = fc.array(fc.nat({ max: 500 }), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(amounts, amounts, amounts, (executing, rejected, other) => {
      const one = { period: A.period, series: series(0, { low: { executing, queueFullRate: rejected } }) }
      const two = { period: A.period, series: series(0, { low: { executing: other, queueFullRate: rejected } }) }
      for (const number of NUMBERS) expect(compare(one, one).totals[number].change ?? 0).toBe(0)
      const there = compare(one, two).totals.executing.change ?? 0
      const back = compare(two, one).totals.executing.change ?? 0
      expect(there + back).toBeCloseTo(0)
    }),
  )
})

test('periods around a mark are equally long and leave out what settles; those apart are equally long too', () => {
  const { a, b } = periodsAround(1_000_000, 300_000)
  expect([a.to, b.from]).toEqual([1_000_000, 1_000_000 + SETTLE_MS])
  expect(a.to - a.from).toBe(b.to - b.from)
  expect(periodsApart({ from: 100, to: 200 }, 50)).toEqual({ a: { from: 50, to: 150 }, b: { from: 100, to: 200 } })
})

test('what is compared at first ends with the range, around a mark only where enough followed it', () => {
  const mark = (at: number) => ({ at, kind: 'edit' as const, text: `at ${at}` })
  const range = { from: 1_000_000, to: 2_000_000 }
  const { a, b } = firstPeriods(range, [mark(1_990_000), mark(1_850_000), mark(1_200_000)], 300_000)
  expect(b).toEqual({ from: 1_850_000 + SETTLE_MS, to: 2_000_000 })
  expect(a).toEqual({ from: 1_850_000 - (b.to - b.from), to: 1_850_000 })
  const apart = { a: { from: 1_400_000, to: 1_700_000 }, b: { from: 1_700_000, to: 2_000_000 } }
  expect(firstPeriods(range, [mark(1_990_000), mark(900_000)], 300_000)).toEqual(apart)
  expect(firstPeriods(range, [], 300_000)).toEqual(apart)
})

test('what is compared at first lies around the newest change, not around rejections or alerts after it', () => {
  const range = { from: 1_000_000, to: 2_000_000 }
  const mark = (at: number, kind: Mark['kind']): Mark => ({ at, kind, text: kind })
  const around = (...marks: readonly Mark[]) => firstPeriods(range, marks, 300_000).a.to
  const symptoms = [mark(1_900_000, 'alert'), mark(1_800_000, 'rejecting')]
  for (const kind of ['edit', 'object', 'reconfigured', 'restarted', 'version', 'note'] as const)
    expect(around(...symptoms, mark(1_400_000, kind))).toBe(1_400_000)
  expect(around(...symptoms)).toBe(1_900_000)
  expect(around(...symptoms, mark(900_000, 'edit'))).toBe(1_900_000)
})

test('marks of several places, the newest first and each once', () => {
  const mark = (at: number, text: string) => ({ at, kind: 'object' as const, text })
  expect(joinMarks([mark(1, 'x'), mark(5_000, 'y')], [mark(1.5, 'x'), mark(9_000, 'x')]).map(({ at }) => at)).toEqual([
    9_000, 5_000, 1.5,
  ])
})

test('what else differs: configuration, version, process and seats, or that it is not recorded', () => {
  const objects = builtInObjects('v1.36.3')
  const server = (version: string, startedAt: number): ServerFrame => ({
    id: 's',
    at: '2026-01-01T00:00:00Z',
    version,
    startedAt,
    levels: [{ name: 'low', limits: { nominal: 5 }, seats: {}, requests: {}, demand: {}, schemas: [] }],
    missing: [],
  })
  const before = { server: server('v1.36.3', 1), objects }
  const after = { server: server('v1.37.0', 500), objects: { ...objects, schemas: objects.schemas.slice(1) } }
  const states = (of: ReturnType<typeof otherDifferences>) => of.map(({ what, state }) => `${what} ${state}`)
  expect(states(otherDifferences(before, before))).toEqual([
    'configuration same',
    'version same',
    'process same',
    'seats same',
  ])
  expect(otherDifferences(before, before)[0]?.text).toBe('the same objects at the end of both')
  expect(states(otherDifferences(before, after))).toEqual([
    'configuration differs',
    'version differs',
    'process differs',
    'seats same',
  ])
  expect(states(otherDifferences({ server: undefined, objects: undefined }, after))[0]).toBe('configuration unknown')
})

test('says around which change the periods lie, and which one lies within a period', () => {
  const edit = { at: 300_000, kind: 'edit', text: 'Shares 100 → 150 by ann' } as const
  const evidence = (marks: readonly Mark[], a: Period, b: Period) =>
    presentComparison(compare(A, B), [], { periods: { a, b }, marks }).evidence.map((one) => sentenceText(one, plain))
  const [before, after] = [
    { from: 0, to: 300_000 },
    { from: 330_000, to: 630_000 },
  ]
  expect(evidence([edit], before, after)[0]).toBe(
    'Before and after: Shares 100 → 150 by ann at 00:05:00; the 30 s after it are left out.',
  )
  expect(evidence([edit], { from: 0, to: 310_000 }, after)[0]).toBe(
    'The objects changed within A: Shares 100 → 150 by ann at 00:05:00.',
  )
  // An alert changes nothing.
  expect(evidence([{ ...edit, kind: 'alert' }], before, after).join(' ')).not.toContain('Shares')
})
