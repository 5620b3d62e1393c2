import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { histogramOf, levelFrame, schemaFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import { createDeriver } from '../frame/derive.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { heatMapOf } from './heat.ts'
import { createHistory, type History } from './history.ts'
import { HeatMapSchema, SeriesSchema, type Series } from './series.ts'
import type { LevelColumn } from './columns.ts'

interface Moment {
  readonly second: number
  readonly executing?: number
  readonly dispatched?: number
  readonly level?: string
}

const frameOf = ({ second, executing = 0, dispatched = 0, level = 'low' }: Moment): ServerFrame =>
  serverFrame(second, [
    levelFrame(level, [schemaFrame('s', { dispatched, seats: { executing, queued: 0 } })], {
      limits: { nominal: 10, lower: 5, upper: 40, current: second },
    }),
  ])

function remember(frames: Iterable<ServerFrame>, history = createHistory()): History {
  const derive = createDeriver('api-1:6443')
  let before: ServerFrame | undefined
  for (const frame of frames) {
    history.append(frame, derive(frame), before)
    before = frame
  }
  return history
}

const at = (second: number): number => START_MS + second * 1_000
const query = (history: History, from: number, to: number, maxPoints = 1_000): Series =>
  SeriesSchema.parse(history.series({ from: at(from), to: at(to), maxPoints }))
const column = (series: Series, name: LevelColumn, level = 'low') =>
  series.levels.find((candidate) => candidate.name === level)?.columns[name]
const seconds = (count: number, step = 1): number[] => Array.from({ length: count }, (_, i) => i * step)

describe('series', () => {
  it('hold each sample of a level at its time', () => {
    const series = query(remember([0, 1, 2].map((second) => frameOf({ second, executing: second * 3 }))), 0, 10)
    expect(series).toMatchObject({ server: 'api-1:6443', stepSeconds: 1, times: [at(0), at(1), at(2)] })
    expect(column(series, 'executing')).toEqual([0, 3, 6])
    expect(column(series, 'current')).toEqual([0, 1, 2])
    expect(column(series, 'dispatchedRate')).toEqual([null, 0, 0])
    expect(series.fairFrac).toEqual([1, 1, 1])
  })

  it('are empty without frames', () => {
    expect(query(createHistory(), 0, 10)).toMatchObject({ times: [], levels: [] })
  })

  it('are cut to the asked range', () => {
    const history = remember(seconds(20).map((second) => frameOf({ second })))
    expect(query(history, 5, 7).times).toEqual([at(5), at(6), at(7)])
  })

  it('have a null point where samples are missing, never a zero', () => {
    const history = remember([0, 1, 2, 3, 20, 21].map((second) => frameOf({ second, executing: 4 })))
    const series = query(history, 0, 30)
    expect(series.times).toEqual([0, 1, 2, 3, 4, 20, 21].map(at))
    expect(column(series, 'executing')).toEqual([4, 4, 4, 4, null, 4, 4])
    expect(series.fairFrac[4]).toBeNull()
  })

  it('show levels that come and go', () => {
    const frames = seconds(9).map((second) => frameOf({ second, executing: 1, level: second < 3 ? 'old' : 'new' }))
    const series = query(remember(frames), 0, 9)
    expect(series.levels.map(({ name }) => name)).toEqual(['new', 'old'])
    expect(column(series, 'executing', 'old')).toEqual([1, 1, 1, null, null, null, null, null, null])
    expect(column(series, 'executing', 'new')?.slice(0, 4)).toEqual([null, null, null, 1])
  })

  it('ignore a duplicate', () => {
    const history = remember([0, 1, 1, 2].map((second) => frameOf({ second })))
    expect(query(history, 0, 5).times).toEqual([at(0), at(1), at(2)])
  })

  it('know the rates of a sample once the one before it came', () => {
    const frames = seconds(9).map((second) => frameOf({ second, dispatched: second ** 2 }))
    const whole = remember(frames)
    const late = remember(frames.slice(0, 4), remember(frames.slice(4)))
    const [before, first] = [frames[3], frames[4]]
    if (before === undefined || first === undefined) throw new Error('no frames')
    expect(column(query(late, 0, 9), 'dispatchedRate')?.[4]).toBeNull()
    const derive = createDeriver('a')
    derive(before)
    late.complete(first, derive(first), before)
    for (const points of [100, 2]) {
      const [a, b] = [late, whole].map((one) => one.series({ from: at(0), to: at(9), maxPoints: points }))
      expect(a?.samples).toEqual(b?.samples)
      expect(a && column(a, 'dispatchedRate')).toEqual(b && column(b, 'dispatchedRate'))
    }
  })

  it('take in a range that is older than what they have, and lose nothing', () => {
    const frames = seconds(3_000).map((second) => frameOf({ second, executing: second % 9, dispatched: second ** 2 }))
    const whole = remember(frames)
    const late = [frames.slice(2_000), frames.slice(0, 900), frames.slice(900, 2_000)].reduce(
      (history, range) => remember(range, history),
      createHistory(),
    )
    for (const [from, to] of [
      [2_900, 3_000],
      [0, 3_000],
      [500, 1_500],
    ] as const) {
      const [a, b] = [query(late, from, to), query(whole, from, to)]
      expect(a.times).toEqual(b.times)
      expect(a.samples).toEqual(b.samples)
      expect(column(a, 'executing')).toEqual(column(b, 'executing'))
      expect(column(a, 'executingMax')).toEqual(column(b, 'executingMax'))
    }
  })

  it('forget the time that a clock took back', () => {
    const history = remember([0, 1, 2, 3, 1.5, 2.5].map((second) => frameOf({ second })))
    expect(query(history, 0, 5).times).toEqual([0, 1, 1.5, 2.5].map(at))
  })

  it('merge into aligned steps that keep maxima, means of rates and last values', () => {
    const frames = seconds(100).map((second) =>
      frameOf({ second, executing: second === 42 ? 30 : 1, dispatched: second * second }),
    )
    const series = query(remember(frames), 0, 99, 10)
    expect(series.times.length).toBeLessThanOrEqual(10)
    expect(series.stepSeconds).toBe(11)
    const peak = column(series, 'executingMax')?.indexOf(30) ?? -1
    expect(peak).toBeGreaterThan(0)
    expect(column(series, 'executing')?.[peak]).toBe(1)
    expect(series.times[peak]).toBeGreaterThanOrEqual(at(42))
    // Between two samples n² grows by 2n − 1; over a whole step the mean is that of its ends.
    const ends = series.times.map((time) => (time - START_MS) / 1_000)
    const [previous, end] = [ends[peak - 1] ?? Number.NaN, ends[peak] ?? Number.NaN]
    expect(column(series, 'dispatchedRate')?.[peak]).toBeCloseTo((end ** 2 - previous ** 2) / (end - previous), 3)
  })

  it('reach back 6 hours in steps of 10 s, with the peaks of single samples', () => {
    const frames = function* () {
      for (let second = 0; second < 5 * 3_600; second += 2) {
        yield frameOf({ second, executing: second === 1_000 ? 30 : 1 })
      }
    }
    const series = query(remember(frames()), 0, 5 * 3_600)
    expect(series.times[0]).toBeLessThanOrEqual(at(10))
    expect(column(series, 'executingMax')?.filter((value) => value === 30)).toHaveLength(1)
    expect(column(series, 'executing')?.every((value) => value === 1 || value === 30)).toBe(true)
    const recent = query(remember(frames()), 5 * 3_600 - 600, 5 * 3_600)
    expect(recent.stepSeconds).toBe(2)
    expect(recent.times.length).toBeGreaterThan(290)
  })

  it('have ascending times and no more points than asked, whatever arrives', () => {
    const steps = fc.array(fc.integer({ min: -3, max: 40 }), { maxLength: 120 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 10, max: 60 }), (deltas, maxPoints) => {
        let second = 0
        const history = remember(deltas.map((delta) => frameOf({ second: (second += delta), executing: 2 })))
        const series = query(history, -1_000, 5_000, maxPoints)
        expect(series.times.length).toBeLessThanOrEqual(maxPoints)
        expect(series.times).toEqual(series.times.toSorted((a, b) => a - b))
        expect(new Set(series.times).size).toBe(series.times.length)
        for (const { columns } of series.levels) {
          expect(columns.executing).toHaveLength(series.times.length)
          expect(columns.executing.every((value) => value === null || value === 2)).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('heat maps', () => {
  const bounds = [0.1, 1]
  const frame = (second: number, s: number[], t: number[] = [0, 0, 0]) =>
    serverFrame(second, [
      levelFrame('low', [
        schemaFrame('s', { wait: histogramOf(bounds, s) }),
        schemaFrame('t', { wait: histogramOf(bounds, t) }),
      ]),
    ])
  const heat = (history: History, over: { schema?: string; from?: number; to?: number } = {}) =>
    HeatMapSchema.parse(
      history.heatMap({
        level: 'low',
        kind: 'wait',
        schema: over.schema,
        from: at(over.from ?? 1),
        to: at(over.to ?? 1_000),
      }),
    )

  it('put what each interval added into cells of 10 s', () => {
    const history = remember([frame(1, [5, 0, 0]), frame(5, [7, 0, 0]), frame(9, [7, 1, 0]), frame(15, [7, 1, 4])])
    expect(heat(history, { schema: 's' })).toEqual({
      stepSeconds: 10,
      times: [at(10), at(20)],
      bounds,
      cells: [
        [2, 1, 0],
        [0, 0, 4],
      ],
    })
  })

  it('sum over the schemas of a level', () => {
    const history = remember([frame(1, [0, 0, 0]), frame(5, [2, 0, 0], [1, 0, 3])])
    expect(heat(history).cells).toEqual([[3, 0, 3]])
    expect(heat(history, { schema: 't' }).cells).toEqual([[1, 0, 3]])
  })

  it('have null for a time without samples, and nothing of a gap or a restart', () => {
    const regular = [1, 2, 3, 4].map((second) => frame(second, [0, 0, 0]))
    const history = remember([...regular, frame(35, [50, 0, 0]), frame(36, [52, 0, 0]), frame(37, [1, 0, 0])])
    expect(heat(history).cells).toEqual([[0, 0, 0], null, null, [2, 0, 0]])
  })

  it('of several stretches are the same as of one, wider where the range is long', () => {
    const frames = seconds(120).map((second) => frame(second, [second, 0, 0], [0, Math.floor(second / 3), 0]))
    const history = remember(frames)
    const wish = { level: 'low', kind: 'wait', from: at(0), to: at(120) } as const
    // The cell at 45 s is in both; the stretch that covers less of it does not count.
    const parts = [history.heatBetween(at(0), at(45)), history.heatBetween(at(45), at(120))]
    expect(heatMapOf(wish, parts)).toEqual(history.heatMap(wish))
    const part = remember(frames.slice(0, 45)).heatBetween(at(0), at(45))
    expect(heatMapOf(wish, [part, ...parts])).toEqual(history.heatMap(wish))
    const flow = { ...wish, schema: 't' }
    expect(heatMapOf(flow, parts)).toEqual(history.heatMap(flow))
    const day = heatMapOf({ ...wish, from: at(120) - 86_400_000 }, parts)
    expect(day.stepSeconds).toBe(120)
    expect(day.times.length).toBeLessThanOrEqual(722)
    const sum = (cells: readonly (readonly number[] | null)[]): number =>
      cells.flatMap((cell) => cell ?? []).reduce((a, b) => a + b)
    expect(sum(day.cells)).toBe(sum(history.heatMap(wish).cells))
    expect(day.cells[0]).toBeNull()
    expect(heatMapOf(wish, [])).toEqual({ stepSeconds: 10, times: [], bounds: [], cells: [] })
  })

  it('keep an hour', () => {
    const history = remember(seconds(800, 5).map((second) => frame(second, [second, 0, 0])))
    const { times, cells } = heat(history, { to: 4_000 })
    expect(times).toHaveLength(360)
    expect(cells.at(-1)).not.toBeNull()
    expect(cells.slice(0, -1).every((cell) => cell?.[0] === 10)).toBe(true)
  })

  it('take in a range that is older than what they have', () => {
    const frames = seconds(60).map((second) => frame(second, [second, 0, 0]))
    const late = remember(frames.slice(0, 31), remember(frames.slice(30)))
    expect(heat(late, { from: 0 })).toEqual(heat(remember(frames), { from: 0 }))
  })

  it('begin anew where a clock stepped back to', () => {
    const history = remember([frame(5, [0, 0, 0]), frame(25, [9, 0, 0]), frame(3, [9, 0, 0]), frame(4, [11, 0, 0])])
    expect(heat(history).times).toEqual([at(10)])
    expect(heat(history).cells).toEqual([[2, 0, 0]])
  })
})
