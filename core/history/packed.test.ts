import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { createDeriver } from '../frame/derive.ts'
import { recordOf } from '../frame/reading.ts'
import { createHistory } from './history.ts'
import { type CountedPoint, inSteps, joinPacked, packSeries, pointsOfPacked, unpackSeries } from './packed.ts'
import type { Series } from './series.ts'
import { addSeries, createTier } from './tier.ts'
import { LEVEL_COLUMNS } from './columns.ts'

const EVERYTHING = { from: 0, to: Number.MAX_SAFE_INTEGER, maxPoints: Number.MAX_SAFE_INTEGER }

/** The history of a server with some levels over that many seconds. */
function historyOf(seconds: number): Series {
  const derive = createDeriver('a')
  const history = createHistory()
  let before
  for (const { frame } of syntheticStory({ seconds })) {
    const [server] = frame.servers
    if (server === undefined) continue
    history.append(server, derive(server), before)
    before = server
  }
  return history.series(EVERYTHING)
}

describe('a series as bytes', () => {
  test('is what it was', () => {
    const series = historyOf(70)
    expect(unpackSeries(packSeries(series))).toEqual(series)
  })

  test('of nothing, and of a part of a larger piece of memory', () => {
    const empty: Series = {
      server: 'ä',
      stepSeconds: 1,
      mergedSeconds: 0,
      times: [],
      samples: [],
      fairFrac: [],
      levels: [],
    }
    const bytes = packSeries(empty)
    const larger = new Uint8Array(bytes.length + 3)
    larger.set(bytes, 3)
    expect(unpackSeries(larger.subarray(3))).toEqual(empty)
  })

  test('of any values', () => {
    const value = fc.option(fc.float({ noNaN: true, noDefaultInfinity: true }), { nil: null })
    const rows = fc.nat(5).chain((length) => {
      const column = fc.array(value, { minLength: length, maxLength: length })
      return fc.record({
        times: fc.array(fc.nat(), { minLength: length, maxLength: length }),
        fairFrac: column,
        name: fc.string(),
        columns: fc.tuple(...LEVEL_COLUMNS.map(() => column)),
      })
    })
    fc.assert(
      fc.property(rows, ({ times, fairFrac, name, columns }) => {
        const series: Series = {
          server: name,
          stepSeconds: 0.5,
          mergedSeconds: 10,
          times,
          samples: times.map(() => 1),
          fairFrac,
          levels: [{ name, columns: recordOf(LEVEL_COLUMNS, (key) => columns[LEVEL_COLUMNS.indexOf(key)] ?? []) }],
        }
        expect(unpackSeries(packSeries(series))).toEqual(series)
      }),
    )
  })

  test('gives its points alone as well', () => {
    const series = historyOf(70)
    const tier = createTier({ capacity: 200, stepMs: 0 })
    for (const point of pointsOfPacked(packSeries(series))) tier.add(point, point.count)
    expect({ server: series.server, ...tier.query(EVERYTHING) }).toEqual(series)
  })

  test('that is damaged says so', () => {
    const bytes = packSeries(historyOf(5))
    expect(() => unpackSeries(bytes.subarray(0, bytes.length - 1))).toThrow('does not match its header')
    const noHead = bytes.slice()
    noHead[5] = 0
    expect(() => unpackSeries(noHead)).toThrow(RangeError)
    expect(() => unpackSeries(bytes.subarray(0, 3))).toThrow(RangeError)
  })
})

test('steps of parts of a time make the steps of the whole, wherever it is cut', () => {
  const series = historyOf(100)
  const rows = series.times.length
  const part = (from: number, to: number): Uint8Array => {
    const tier = createTier({ capacity: rows, stepMs: 0 })
    addSeries(tier, series)
    const [first = 0, last = 0] = [series.times[from], series.times[to - 1]]
    return packSeries(
      inSteps({ server: series.server, ...tier.query({ ...EVERYTHING, from: first, to: last }) }, 10_000),
    )
  }
  const whole = inSteps(series, 10_000)
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: rows - 1 }), { maxLength: 6 }), (cuts) => {
      const ends = [0, ...cuts.toSorted((a, b) => a - b), rows]
      const pieces = ends.slice(1).map((to, i) => part(ends[i] ?? 0, to))
      const joined = unpackSeries(joinPacked(series.server, pieces, 10_000))
      expect(joined.times).toEqual(whole.times)
      expect(joined.samples).toEqual(whole.samples)
      for (const [level, { columns }] of whole.levels.entries()) {
        const found = joined.levels[level]?.columns
        expect(found?.executingMax).toEqual(columns.executingMax)
        for (const name of LEVEL_COLUMNS) {
          // Means of means, in single precision.
          const off = columns[name].map((value, row) => Math.abs((value ?? 0) - (found?.[name][row] ?? 0)))
          expect(Math.max(...off.map((by, row) => by / Math.max(1, columns[name][row] ?? 0)))).toBeLessThan(1e-4)
          expect(found?.[name].map((value) => value === null)).toEqual(columns[name].map((value) => value === null))
        }
      }
    }),
    { numRuns: 30 },
  )
})

test('a series with several gaps keeps each sample in steps of any width, and is finite', () => {
  const point = (at: number): CountedPoint => ({ at, fairFrac: 0.5, levels: new Map(), count: 1 })
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 1_800 }), { minLength: 1, maxLength: 60 }),
      fc.constantFrom(0, 10_000),
      fc.constantFrom(0, 10_000, 60_000),
      (seconds, mergedMs, stepMs) => {
        const tier = createTier({ capacity: 2_000, stepMs: mergedMs })
        for (const second of seconds.toSorted((a, b) => a - b)) tier.add(point(1_795_145_399_000 + second * 1_000))
        const series = { server: 'a', ...tier.query(EVERYTHING) }
        const kept = inSteps(series, stepMs)
        expect(unpackSeries(packSeries(kept))).toEqual(kept)
        expect(kept.samples.reduce((sum, count) => sum + count, 0)).toBe(seconds.length)
        if (stepMs === 0 && mergedMs === 0) expect(kept.times).toEqual(series.times)
      },
    ),
    // Half an hour at one sample per second with a gap, which a history has merged: more gaps than before.
    { examples: [[Array.from({ length: 1_620 }, (_, i) => (i < 900 ? i : i + 180)), 10_000, 0]] },
  )
})
