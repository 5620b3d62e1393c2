import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { histogramOf, levelFrame, schemaFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import { readCapture } from '../../test/fixtures/load.ts'
import { createParser } from '../metrics/parse.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import { createDeriver, sameAdjustment } from './derive.ts'
import { DerivedServerSchema, type DerivedServer } from './derived.ts'
import type { SchemaFrame, ServerFrame, Demand } from './frame.ts'

const frameOf = (seconds: number, schema: Partial<SchemaFrame>, over: Partial<ServerFrame> = {}): ServerFrame =>
  serverFrame(seconds, [levelFrame('low', [schemaFrame('s', schema)])], over)

const run = (...frames: readonly ServerFrame[]): DerivedServer[] => {
  const derive = createDeriver('api-1:6443')
  return frames.map((frame) => DerivedServerSchema.parse(derive(frame)))
}
const lastOf = (...frames: readonly ServerFrame[]): DerivedServer => {
  const last = run(...frames).at(-1)
  if (last === undefined) throw new Error('no frames')
  return last
}

describe('rates', () => {
  it('come from two samples', () => {
    const derived = lastOf(
      frameOf(0, { dispatched: 100, noAccommodation: 4 }),
      frameOf(2, {
        dispatched: 130,
        noAccommodation: 5,
        rejected: { 'queue-full': 8, 'concurrency-limit': 0, 'time-out': 1 },
      }),
    )
    expect(derived.intervalSeconds).toBe(2)
    expect(derived.noRates).toBeUndefined()
    const rates = {
      dispatchedPerSecond: 15,
      noAccommodationPerSecond: 0.5,
      rejectedPerSecond: { 'queue-full': 4, 'concurrency-limit': 0, 'time-out': 0.5 },
    }
    expect(derived.levels[0]).toMatchObject({ name: 'low', ...rates })
    expect(derived.levels[0]?.schemas[0]).toMatchObject({ name: 's', ...rates })
  })

  it('need a second sample', () => {
    const derived = lastOf(frameOf(0, { dispatched: 100 }))
    expect(derived).toMatchObject({ noRates: 'first-sample', torn: false })
    expect(derived.intervalSeconds).toBeUndefined()
    expect(derived.levels[0]?.dispatchedPerSecond).toBeUndefined()
  })

  it('count a flow that appears from 0', () => {
    const before = serverFrame(0, [levelFrame('low', [schemaFrame('s', { dispatched: 10 })])])
    const after = serverFrame(1, [
      levelFrame('low', [schemaFrame('s', { dispatched: 10 }), schemaFrame('t', { dispatched: 3 })]),
      levelFrame('new', [schemaFrame('u', { dispatched: 2 })]),
    ])
    const [low, fresh] = lastOf(before, after).levels
    expect(low?.schemas.map(({ dispatchedPerSecond }) => dispatchedPerSecond)).toEqual([0, 3])
    expect(low?.dispatchedPerSecond).toBe(3)
    expect(fresh?.dispatchedPerSecond).toBe(2)
  })

  it('are absent where the server does not report a total', () => {
    const unknown = { dispatched: undefined, rejected: undefined }
    const [level] = lastOf(frameOf(0, unknown), frameOf(1, unknown)).levels
    expect(level?.schemas[0]?.dispatchedPerSecond).toBeUndefined()
    expect(level?.schemas[0]?.rejectedPerSecond).toBeUndefined()
  })

  it('of a level are the sums over its schemas', () => {
    const totals = fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(totals, fc.integer({ min: 1, max: 60 }), (flows, seconds) => {
        const at = (second: number, total: (flow: [number, number]) => number) =>
          serverFrame(second, [
            levelFrame(
              'low',
              flows.map((flow, i) => schemaFrame(`s${i}`, { dispatched: total(flow) })),
            ),
          ])
        const [level] = lastOf(
          at(0, ([before]) => before),
          at(seconds, ([before, more]) => before + more),
        ).levels
        const sum = level?.schemas.reduce((total, schema) => total + (schema.dispatchedPerSecond ?? 0), 0)
        expect(level?.dispatchedPerSecond).toBeCloseTo(sum ?? Number.NaN, 9)
      }),
    )
  })
})

describe('what interrupts rates', () => {
  it('a restart, seen by the start time', () => {
    const frames = [
      frameOf(0, { dispatched: 5 }, { startedAt: 1_000 }),
      frameOf(1, { dispatched: 9 }, { startedAt: 2_000 }),
      frameOf(2, { dispatched: 10 }, { startedAt: 2_000 }),
    ]
    const [, restarted, next] = run(...frames)
    expect(restarted?.noRates).toBe('restart')
    expect(restarted?.levels[0]?.dispatchedPerSecond).toBeUndefined()
    expect(next?.levels[0]?.dispatchedPerSecond).toBe(1)
  })

  it.each<[string, Partial<SchemaFrame>, Partial<SchemaFrame>]>([
    ['dispatched', { dispatched: 100 }, { dispatched: 99 }],
    [
      'rejected',
      { rejected: { 'queue-full': 5, 'concurrency-limit': 0, 'time-out': 0 } },
      { rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 9 } },
    ],
    ['waited', { wait: histogramOf([1], [3, 0]) }, { wait: histogramOf([1], [2, 0]) }],
    ['executed', { execution: histogramOf([1], [3, 0]) }, { execution: histogramOf([1], [2, 0]) }],
  ])('a restart, seen by fewer requests %s than before', (_, before, after) => {
    expect(lastOf(frameOf(0, before), frameOf(1, after)).noRates).toBe('restart')
  })

  it('but not a start time that a clock correction moved by a second', () => {
    const derived = lastOf(
      frameOf(0, { dispatched: 5 }, { startedAt: 1_000 }),
      frameOf(1, { dispatched: 9 }, { startedAt: 1_001 }),
    )
    expect(derived.levels[0]?.dispatchedPerSecond).toBe(4)
  })

  it('a duplicate, which is forgotten at once', () => {
    const [, duplicate, next] = run(
      frameOf(0, { dispatched: 5 }),
      frameOf(0, { dispatched: 5 }),
      frameOf(2, { dispatched: 9 }),
    )
    expect(duplicate?.noRates).toBe('duplicate')
    expect(next).toMatchObject({ intervalSeconds: 2, levels: [{ dispatchedPerSecond: 2 }] })
  })

  it('a step of the clock, after which all starts anew', () => {
    const [, , stepped, next] = run(
      frameOf(100, { dispatched: 5 }),
      frameOf(101, { dispatched: 6 }),
      frameOf(50, { dispatched: 9 }),
      frameOf(51, { dispatched: 10 }),
    )
    expect(stepped?.noRates).toBe('clock-step')
    expect(next).toMatchObject({ intervalSeconds: 1, levels: [{ dispatchedPerSecond: 1 }] })
  })

  it('a gap, whose average is exact and marked', () => {
    const regular = [0, 1, 2, 3].map((second) => frameOf(second, { dispatched: second }))
    const derived = lastOf(...regular, frameOf(13, { dispatched: 53 }))
    expect(derived).toMatchObject({ noRates: 'gap', intervalSeconds: 10, levels: [{ dispatchedPerSecond: 5 }] })
  })

  it('but not a slower cadence, once it is the usual one', () => {
    const seconds = [0, 1, 2, 3, 13, 23, 33, 43, 53]
    const marks = run(...seconds.map((second) => frameOf(second, {}))).map(({ noRates }) => noRates)
    expect(marks.slice(-2)).toEqual([undefined, undefined])
  })
})

describe('quantiles', () => {
  const bounds = [0.1, 1]
  const waited = (...events: number[]): Partial<SchemaFrame> => ({ wait: histogramOf(bounds, events) })

  it('cover what was observed since the window began, not since the server started', () => {
    const [level] = lastOf(frameOf(0, waited(1_000, 0, 0)), frameOf(1, waited(1_000, 10, 0))).levels
    expect(level?.waitP50).toBeCloseTo(0.1 + 0.9 * 0.5, 12)
    expect(level?.schemas[0]?.waitP50).toBe(level?.waitP50)
  })

  it('are absent when nothing finished waiting', () => {
    const [level] = lastOf(frameOf(0, waited(5, 0, 0)), frameOf(1, waited(5, 0, 0))).levels
    expect(level?.waitP50).toBeUndefined()
    expect(level?.executionP99).toBeUndefined()
  })

  it('forget what is more than about 30 s ago', () => {
    const quick = (second: number) => frameOf(second, waited(second <= 5 ? 100 * second : 500, 0, 0))
    const frames = Array.from({ length: 41 }, (_, second) => quick(second))
    const p50 = run(...frames).map(({ levels: [level] }) => level?.waitP50)
    expect(p50[5]).toBeDefined()
    expect(p50[33]).toBeDefined()
    expect(p50[40]).toBeUndefined()
  })

  it('cover one interval when that is longer than the window', () => {
    const [level] = lastOf(
      frameOf(0, waited(0, 0, 0)),
      frameOf(60, waited(100, 0, 0)),
      frameOf(120, waited(100, 10, 0)),
    ).levels
    expect(level?.waitP50).toBeGreaterThan(0.1)
  })

  it('of a level are over all its requests', () => {
    const frame = (second: number, a: number, b: number) =>
      serverFrame(second, [levelFrame('low', [schemaFrame('s', waited(a, 0, 0)), schemaFrame('t', waited(0, b, 0))])])
    const [level] = lastOf(frame(0, 0, 0), frame(1, 90, 10)).levels
    expect(level?.waitP50).toBeLessThanOrEqual(0.1)
    expect(level?.waitP99).toBeGreaterThan(0.9)
  })

  it('of execution leave watches out', () => {
    const execution = histogramOf(bounds, [4, 0, 0])
    const executionWatch = histogramOf(bounds, [0, 0, 50])
    const [level] = lastOf(frameOf(0, {}), frameOf(1, { execution, executionWatch })).levels
    expect(level?.executionP99).toBeLessThanOrEqual(0.1)
  })
})

describe('levels', () => {
  const withLevel = (seconds: number, over: Parameters<typeof levelFrame>[2]) =>
    serverFrame(seconds, [levelFrame('low', [], over)])

  it('borrow or lend the difference of current and nominal limit', () => {
    const limits = { nominal: 10, lower: 5, upper: 40, current: 4 }
    expect(lastOf(withLevel(0, { limits })).levels[0]?.borrowed).toBe(-6)
    expect(lastOf(withLevel(0, { limits: { ...limits, nominal: undefined } })).levels[0]?.borrowed).toBeUndefined()
  })

  it('have the mean utilisation between two samples', () => {
    const at = (seconds: number, sum: number, ns: number) =>
      withLevel(seconds, { seatUtilization: histogramOf([0.5, 1], [0, ns, 0], sum) })
    expect(lastOf(at(0, 4e9, 10e9), at(1, 4.75e9, 11e9)).levels[0]?.utilizationMean).toBe(0.75)
    expect(lastOf(at(0, 4e9, 10e9)).levels[0]?.utilizationMean).toBeUndefined()
  })

  it('show when the limits were last seen to be recomputed', () => {
    const demand = (smoothed: number) => ({
      demand: { highWatermark: 0, average: 0, stdev: 0, smoothed, target: Math.max(5, smoothed) },
    })
    const seen = run(
      withLevel(0, demand(8)),
      withLevel(1, demand(8)),
      withLevel(2, demand(8 * 0.977)),
      withLevel(3, demand(8 * 0.977)),
    ).map(({ lastAdjustmentAt }) => lastAdjustmentAt)
    expect(seen).toEqual([undefined, undefined, START_MS + 2_000, START_MS + 2_000])
  })
})

const captured = ['elephants-and-mice', 'waves'].map((profile) => {
  const parser = createParser()
  const build = createFrameBuilder({ id: 'x' })
  const frames = readCapture(`captures/v1.36.3/${profile}.metrics.ndjson.gz`).map(({ t, body }) =>
    build(parser.parse(new TextEncoder().encode(body)), { at: new Date(t).toISOString(), version: 'v1.36.3' }),
  )
  return { profile, frames }
})

/** Which of these frames are judged torn, by index. */
const judge = (frames: readonly ServerFrame[]): number[] => {
  const derive = createDeriver('x')
  return frames.flatMap((frame, i) => (derive(frame).torn ? [i] : []))
}

/** `after` with some statistics from `before`: the content of a page read during a recomputation. */
const splice = (after: ServerFrame, before: ServerFrame, stale: readonly (keyof Demand)[]): ServerFrame => ({
  ...after,
  levels: after.levels.map((level, i) => {
    const old = before.levels[i]?.demand ?? {}
    return { ...level, demand: { ...level.demand, ...Object.fromEntries(stale.map((key) => [key, old[key]])) } }
  }),
})

describe.each(captured)('torn pages of $profile', ({ frames }) => {
  const adjusted = frames.flatMap((frame, i) => {
    const before = frames[i - 1]
    return before === undefined || sameAdjustment(frame, before) ? [] : [{ i, before, frame }]
  })

  it('are none in a series without tears, over several recomputations', () => {
    expect(adjusted.length).toBeGreaterThanOrEqual(3)
    expect(judge(frames)).toEqual([])
  })

  // Families are gathered one after the other, so a torn page leaves any of these sets old.
  it.each<[keyof Demand, ...(keyof Demand)[]]>([
    ['smoothed'],
    ['smoothed', 'target'],
    ['average', 'stdev'],
    ['average'],
    ['target'],
    ['highWatermark', 'average', 'stdev'],
  ])('are found when %s (and %s) is still old', (...stale) => {
    for (const { i, before, frame } of adjusted) {
      const torn = frames.with(i, splice(frame, before, stale))
      expect(judge(torn)).toEqual([i])
    }
  })

  it('do not hide the adjustment that they belong to, nor count it twice', () => {
    for (const { i, before, frame } of adjusted.filter((adjustment) => adjustment.i + 1 < frames.length)) {
      const derive = createDeriver('x')
      const seen = frames
        .with(i, splice(frame, before, ['smoothed', 'target']))
        .map((each) => derive(each))
        .slice(i, i + 2)
      const at = Date.parse(frame.at)
      expect(seen.map(({ lastAdjustmentAt }) => lastAdjustmentAt)).toEqual(seen.map(() => at))
      expect(seen[0]?.levels.every(({ envelope }) => envelope === undefined)).toBe(true)
      expect(seen[1]?.levels.every(({ envelope }) => envelope !== undefined)).toBe(true)
    }
  })
})

describe('a page', () => {
  const page = (seconds: number, demand: Partial<Demand>, name = 'low') =>
    serverFrame(seconds, [
      levelFrame(name, [], {
        limits: { nominal: 10, lower: 5, upper: 40, current: 10 },
        demand: { highWatermark: 7, average: 4, stdev: 2, smoothed: 8, target: 8, ...demand },
      }),
    ])

  it('is torn by itself when smoothed demand lies below its envelope', () => {
    expect(judge([page(0, { average: 12 })])).toEqual([0])
  })

  it('is torn by itself when the target does not follow from what stands beside it', () => {
    expect(judge([page(0, { target: 9 })])).toEqual([0])
    expect(judge([page(0, { smoothed: 6, target: 7 })])).toEqual([])
  })

  it('may have any target at the exempt level, which shows that of another', () => {
    expect(judge([page(0, { target: 99 }, 'exempt')])).toEqual([])
  })

  it('is whole when it stays as it is, whatever it says', () => {
    expect(judge([page(0, { target: 9 }), page(1, { target: 9 }), page(2, { target: 9 })])).toEqual([0])
  })

  it('is not compared with one before the last recomputations', () => {
    expect(judge([page(0, {}), page(60, { smoothed: 7.5, target: 7.5 })])).toEqual([])
  })

  it('is whole when statistics are missing', () => {
    expect(judge([page(0, { average: undefined }), page(1, { average: undefined, smoothed: 9 })])).toEqual([])
    expect(judge([page(0, { target: undefined, average: undefined }), page(1, { target: undefined })])).toEqual([])
  })
})
