import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { histogramOf, levelFrame, schemaFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import { createDeriver } from './derive.ts'
import { DerivedServerSchema, type DerivedServer } from './derived.ts'
import type { SchemaFrame, ServerFrame } from './frame.ts'

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
