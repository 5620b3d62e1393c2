import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeriver } from '../../core/frame/derive.ts'
import { createHistory } from '../../core/frame/history.ts'
import { LEVEL_COLUMNS, type LevelColumn, type Series } from '../../core/frame/series.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { append, sampleOf, type Sample } from './series.logic.ts'

const empty = (stepSeconds = 1): Series => ({ server: 'a', stepSeconds, times: [], fairFrac: [], levels: [] })
const options = { from: 0, intervalMs: 1_000, gapMs: 3_000 }

function sample(at: number, values: Partial<Record<LevelColumn, number>>, name = 'low'): Sample {
  const row = Float64Array.from(LEVEL_COLUMNS, (column) => values[column] ?? Number.NaN)
  return { at, fairFrac: 0.5, levels: new Map([[name, row]]) }
}
const executing = (at: number, seats: number, name?: string): Sample =>
  sample(at, { executing: seats, executingMax: seats, dispatchedRate: seats }, name)

const column = (series: Series, key: LevelColumn, name = 'low'): readonly (number | null)[] | undefined =>
  series.levels.find((level) => level.name === name)?.columns[key]

const all = (samples: readonly Sample[], start = empty()): Series =>
  samples.reduce((series, next) => append(series, next, options), start)

describe('appending to a series', () => {
  it('adds a point for each sample, at its own time', () => {
    const series = all([executing(1_010, 1), executing(1_990, 2), executing(3_000, 3)])
    expect(series.times).toEqual([1_010, 1_990, 3_000])
    expect(column(series, 'executing')).toEqual([1, 2, 3])
  })

  it('merges what lies in the same long step: last, maximum or mean, as the column says', () => {
    const series = all([executing(1_000, 7), executing(2_000, 3), executing(3_000, 5), executing(11_000, 1)], empty(10))
    expect(series.times).toEqual([3_000, 11_000])
    expect(column(series, 'executing')).toEqual([5, 1])
    expect(column(series, 'executingMax')).toEqual([7, 1])
    expect(column(series, 'dispatchedRate')).toEqual([5, 1])
  })

  it('draws a gap as a gap, and jitter not', () => {
    const jitter = all([executing(1_000, 1), executing(3_400, 2)])
    expect(column(jitter, 'executing')).toEqual([1, 2])
    const gap = all([executing(1_000, 1), executing(9_000, 2)])
    expect(gap.times).toEqual([1_000, 2_000, 9_000])
    expect(column(gap, 'executing')).toEqual([1, null, 2])
    expect(gap.fairFrac).toEqual([0.5, null, 0.5])
  })

  it('keeps unknown values apart from zero', () => {
    expect(column(all([executing(1_000, 0)]), 'executing')).toEqual([0])
    expect(column(all([executing(1_000, 0)]), 'waitP99')).toEqual([null])
  })

  it('fills a level that appears or disappears with nothing', () => {
    const series = all([executing(1_000, 1), executing(2_000, 2, 'new')])
    expect(column(series, 'executing')).toEqual([1, null])
    expect(column(series, 'executing', 'new')).toEqual([null, 2])
  })

  it('drops what has left the picture but one point', () => {
    const before = all([executing(1_000, 1), executing(2_000, 2), executing(3_000, 3)])
    const series = append(before, executing(4_000, 4), { ...options, from: 3_000 })
    expect(series.times).toEqual([2_000, 3_000, 4_000])
    expect(column(series, 'executing')).toEqual([2, 3, 4])
  })

  it('ignores samples that are not newer, and changes no series in place', () => {
    const before = all([executing(1_000, 1), executing(5_000, 2)])
    const copy = structuredClone(before)
    expect(append(before, executing(5_000, 9), options)).toBe(before)
    append(before, executing(6_000, 3), options)
    expect(before).toEqual(copy)
  })

  it('answers what the history itself would answer', () => {
    const moments = [...syntheticStory({ seconds: 60 })]
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 59 }), (split) => {
        const history = createHistory()
        const derive = createDeriver('apiserver-a:6443')
        const query = { from: 0, to: Number.MAX_SAFE_INTEGER, maxPoints: 600 }
        let live: Series | undefined
        for (const [index, { frame }] of moments.entries()) {
          const [server] = frame.servers
          if (server === undefined) continue
          const derived = derive(server)
          history.append(server, derived)
          if (index === split) live = history.series(query)
          else if (live !== undefined) live = append(live, sampleOf(server, derived), options)
        }
        const whole = history.series(query)
        expect(live?.times).toEqual(whole.times)
        for (const level of whole.levels) {
          const own = live?.levels.find(({ name }) => name === level.name)
          for (const key of LEVEL_COLUMNS) {
            for (const [at, value] of level.columns[key].entries()) {
              // The rings hold single precision.
              if (value === null) expect(own?.columns[key][at]).toBeNull()
              else expect(own?.columns[key][at]).toBeCloseTo(value, 2)
            }
          }
        }
      }),
      { numRuns: 5 },
    )
  })
})
