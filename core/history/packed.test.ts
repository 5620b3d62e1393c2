import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { createDeriver } from '../frame/derive.ts'
import { recordOf } from '../frame/reading.ts'
import { createHistory } from './history.ts'
import { inSteps, packSeries, pointsOfPacked, unpackSeries } from './packed.ts'
import type { Series } from './series.ts'
import { addSeries, createTier } from './tier.ts'
import { LEVEL_COLUMNS } from './point.ts'

const EVERYTHING = { from: 0, to: Number.MAX_SAFE_INTEGER, maxPoints: Number.MAX_SAFE_INTEGER }

/** The history of a server of some levels over that many seconds. */
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
    expect(() => unpackSeries(bytes.subarray(0, bytes.length - 1))).toThrow('another length')
    const noHead = bytes.slice()
    noHead[5] = 0
    expect(() => unpackSeries(noHead)).toThrow(RangeError)
    expect(() => unpackSeries(bytes.subarray(0, 3))).toThrow(RangeError)
  })
})

test('steps of parts of a time make the steps of the whole', () => {
  const whole = historyOf(100)
  const cut = (from: number, to: number): Series => {
    const tier = createTier({ capacity: 200, stepMs: 0 })
    addSeries(tier, whole)
    return { server: whole.server, ...tier.query({ ...EVERYTHING, from, to }) }
  }
  const middle = whole.times[37] ?? 0
  const tier = createTier({ capacity: 200, stepMs: 10_000 })
  for (const part of [cut(0, middle), cut(middle + 1, EVERYTHING.to)]) addSeries(tier, inSteps(part, 10_000))
  const joined = tier.query(EVERYTHING)
  const expected = inSteps(whole, 10_000)
  expect(joined.times).toEqual(expected.times)
  expect(joined.samples).toEqual(expected.samples)
  expect(joined.levels.map(({ columns }) => columns.executingMax)).toEqual(
    expected.levels.map(({ columns }) => columns.executingMax),
  )
})
