import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capturedFrames, capturedSeries } from '../../test/fixtures/captured.ts'
import { histogramOf, levelFrame, schemaFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import { captureVersions, metricsPages, readFixture } from '../../test/fixtures/load.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { createDeriver } from '../frame/derive.ts'
import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { NS_PER_SECOND } from '../units.ts'
import { createFrameBuilder } from '../metrics/buildFrame.ts'
import { createParser } from '../metrics/parse.ts'
import type { AlertChange, Silence } from '../contract/alerts.ts'
import { isCritical, RULES } from './rules.ts'
import { createAlertWatch, type AlertWatch } from './watch.ts'
import { evidenceText } from './words.ts'

/** Feeds frames like a source does, each with what is derived from it. */
function watched(frames: readonly ServerFrame[], options: { readonly silences?: readonly Silence[] } = {}) {
  const watch = createAlertWatch(options)
  const changes = feed(watch, frames)
  return { watch, changes }
}

function feed(watch: AlertWatch, frames: readonly ServerFrame[]): AlertChange[] {
  const derivers = new Map<string, ReturnType<typeof createDeriver>>()
  return frames.flatMap((frame) => {
    const derive = derivers.get(frame.id) ?? createDeriver(frame.id)
    derivers.set(frame.id, derive)
    return watch.take(frame, derive(frame))
  })
}

const told = (changes: readonly AlertChange[]): string[] =>
  changes.map(({ kind, at, alert }) => `${(at - START_MS) / 1_000} ${kind} ${alert.rule} ${alert.level ?? ''}`.trim())

const rejecting = (name: string, total: number): LevelFrame =>
  levelFrame(name, [
    schemaFrame('a', { dispatched: total, rejected: { 'queue-full': total, 'concurrency-limit': 0, 'time-out': 0 } }),
  ])

/** A frame every 10 s; the value of a step is the state of the level. */
const everyTenSeconds = (count: number, level: (step: number) => LevelFrame): ServerFrame[] =>
  Array.from({ length: count }, (_, step) => serverFrame(step * 10, [level(step)]))

describe('rejections', () => {
  it('fires after two minutes, and at once in a critical level', () => {
    const slow = watched(everyTenSeconds(40, (step) => rejecting('workload-low', step * 20)))
    expect(told(slow.changes)).toEqual(['130 fired R1 workload-low'])
    expect(slow.changes[0]?.alert).toMatchObject({ severity: 'warning', subject: 'queue-full' })
    // Which remedy helps is for a diagnosis: no reason of a 429 tells it.
    expect(slow.changes[0]?.alert.remedy).toContain('what fills workload-low')
    const critical = watched(everyTenSeconds(5, (step) => rejecting('system', step * 20)))
    expect(told(critical.changes)).toEqual(['10 fired R1 system'])
    expect(critical.changes[0]?.alert.severity).toBe('critical')
  })
  it('resolves a minute after the rate of two minutes is low again', () => {
    const { changes, watch } = watched(
      everyTenSeconds(60, (step) => rejecting('workload-low', Math.min(step, 20) * 20)),
    )
    expect(told(changes)).toEqual(['130 fired R1 workload-low', '380 resolved R1 workload-low'])
    expect(watch.alerts).toEqual([])
  })
  it('never fires for one burst, however samples fall', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 40, maxLength: 200 }), (gaps) => {
        let second = 0
        const frames = [0, ...gaps].map((gap, i) =>
          serverFrame((second += gap), [rejecting('workload-low', i > 9 ? 60 : 0)]),
        )
        expect(told(watched(frames).changes)).toEqual([])
      }),
    )
  })
  it('does not fire for a few rejections', () => {
    expect(watched(everyTenSeconds(60, (step) => rejecting('system', Math.min(step, 3) * 3))).changes).toEqual([])
  })
  it('marks what is silenced', () => {
    const frames = everyTenSeconds(5, (step) => rejecting('system', step * 20))
    expect(watched(frames, { silences: [{ rule: 'R1', level: 'system' }] }).watch.alerts[0]?.silenced).toBe(true)
    expect(watched(frames, { silences: [{ rule: 'R2' }] }).watch.alerts[0]?.silenced).toBe(false)
    expect(watched(frames, { silences: [{ until: START_MS }] }).watch.alerts[0]?.silenced).toBe(false)
  })
  it('begins anew after a restart', () => {
    const before = everyTenSeconds(12, (step) => rejecting('workload-low', step * 20))
    const after = Array.from({ length: 12 }, (_, step) =>
      serverFrame(120 + step * 10, [rejecting('workload-low', step * 20)], { startedAt: START_MS / 1_000 + 115 }),
    )
    expect(watched([...before, ...after]).changes).toEqual([])
  })
  it('ends with its level', () => {
    const frames = everyTenSeconds(5, (step) => rejecting('system', step * 20))
    expect(told(watched([...frames, serverFrame(50, [])]).changes)).toEqual([
      '10 fired R1 system',
      '50 resolved R1 system',
    ])
  })
})

describe('limits', () => {
  const shortOf = (current: number, executing = current) =>
    levelFrame('a', [schemaFrame('s', { seats: { executing, queued: 0 } })], {
      limits: { nominal: 10, lower: 5, upper: 20, current },
      demand: { highWatermark: 30, average: 30, stdev: 0, smoothed: 30, target: 30 },
    })
  it('fires where a level is at its maximum and still short', () => {
    expect(told(watched(everyTenSeconds(40, () => shortOf(20))).changes)).toContain('300 fired R4 a')
    expect(told(watched(everyTenSeconds(40, () => shortOf(19))).changes)).not.toContain('300 fired R4 a')
  })
  it('does not fire for the last values of a level that was deleted', () => {
    expect(told(watched(everyTenSeconds(40, () => shortOf(20, 0))).changes)).not.toContain('300 fired R4 a')
  })
  it('fires where a lender waits', () => {
    const lender = levelFrame('a', [schemaFrame('s', { requests: { executing: 0, queued: 3 } })], {
      limits: { nominal: 10, lower: 5, upper: 20, current: 5 },
    })
    expect(told(watched(everyTenSeconds(10, () => lender)).changes)).toContain('60 fired R5 a')
  })
})

describe('use of seats', () => {
  const minutes = (count: number, levels: (step: number) => readonly LevelFrame[]) =>
    Array.from({ length: count * 6 }, (_, step) => serverFrame(step * 10, levels(step)))
  /** The share of each second in which all seats are in use; in the rest they are idle. */
  const used = (step: number, share: number) => {
    const ns = step * 10 * NS_PER_SECOND
    return histogramOf([0, 0.5, 0.95, 0.99, 1], [ns * (1 - share), 0, 0, 0, ns * share, 0])
  }
  const full = (share: number, current: number) => (step: number) => [
    levelFrame('a', [], {
      limits: { nominal: current, lower: current, upper: 40, current },
      seatUtilization: used(step, share),
    }),
  ]
  it('fires for a level that is full, and not for one that a single request fills', () => {
    expect(told(watched(minutes(13, full(0.9, 10))).changes)).toEqual(['660 fired R2 a'])
    expect(watched(minutes(13, full(0.005, 10))).changes).toEqual([])
    expect(watched(minutes(13, full(0.9, 1))).changes).toEqual([])
  })
  it('fires for a critical level whose requests wait', () => {
    const waiting = (name: string, bucket: readonly number[]) => (step: number) => [
      levelFrame(name, [
        schemaFrame('s', {
          dispatched: step,
          wait: histogramOf(
            [0.1, 1, 5],
            bucket.map((count) => count * step),
          ),
        }),
      ]),
    ]
    const { changes } = watched(minutes(3, waiting('system', [1, 0, 1, 0])))
    expect(told(changes)).toEqual(['70 fired R3 system'])
    // Of a histogram, only the bucket is known.
    expect(changes[0]?.alert.evidence.map(evidenceText)).toEqual(['wait, p99 1–5 s'])
    expect(watched(minutes(3, waiting('system', [1, 0, 0, 0]))).changes).toEqual([])
    expect(watched(minutes(3, waiting('workload-low', [1, 0, 1, 0]))).changes).toEqual([])
  })
  it('fires for traffic of catch-all, and for a server that exempt requests fill', () => {
    const received = (step: number) => [levelFrame('catch-all', [schemaFrame('catch-all', { dispatched: step })])]
    expect(told(watched(minutes(7, received)).changes)).toEqual(['310 fired R9 catch-all'])
    const exempt = (seats: number) => () => [
      levelFrame('exempt', [schemaFrame('e', { seats: { executing: seats, queued: 0 } })]),
      levelFrame('a', [schemaFrame('s', { seats: { executing: 20, queued: 0 } })]),
    ]
    expect(told(watched(minutes(12, exempt(10))).changes)).toEqual(['600 fired R10'])
    expect(watched(minutes(12, exempt(4))).changes).toEqual([])
  })
  it('fires where limits cannot add up', () => {
    const off = (current: number) => () => [
      levelFrame('a', [], { limits: { nominal: 10, lower: 5, upper: 40, current } }),
      levelFrame('b', [], { limits: { nominal: 10, lower: 5, upper: 40, current: 10 } }),
    ]
    expect(told(watched(minutes(3, off(12))).changes)).toEqual(['120 fired R6'])
    expect(watched(minutes(3, off(11))).changes).toEqual([])
    // Limited levels share all nominal seats, with those that the exempt level uses in addition, or what it leaves of
    // them.
    const beside = (current: number, exempt: number) => () => [
      levelFrame('exempt', [], { limits: { nominal: 0, lower: 0, upper: 40, current: exempt } }),
      ...off(current)(),
    ]
    for (const [current, exempt] of [
      [10, 40],
      [1, 9],
      [0, 30],
    ] as const) {
      expect(watched(minutes(3, beside(current, exempt))).changes.filter(({ alert }) => alert.rule === 'R6')).toEqual(
        [],
      )
    }
    expect(told(watched(minutes(3, beside(13, 40))).changes)).toContain('120 fired R6')
    expect(told(watched(minutes(3, beside(0, 1))).changes)).toContain('120 fired R6')
  })
})

describe('servers', () => {
  const busy = (seats: number) => [levelFrame('a', [schemaFrame('s', { seats: { executing: seats, queued: 0 } })])]
  const three = (seats: readonly number[]) =>
    Array.from({ length: 70 }, (_, step) =>
      seats.map((count, i) => serverFrame(step * 10 + i, busy(count), { id: `s${i}` })),
    ).flat()
  it('fires for the one that does most of the work', () => {
    expect(watched(three([30, 1, 1])).watch.alerts).toMatchObject([{ rule: 'R7', server: 's0' }])
    expect(watched(three([8, 0, 0])).watch.alerts).toEqual([])
    expect(watched(three([30, 30, 1])).watch.alerts).toEqual([])
  })
  it('says why rules are off', () => {
    const { watch } = watched([serverFrame(0, [], { version: 'v1.25.0' })])
    const off = new Map(watch.rules.map(({ rule, why }) => [rule, why]))
    expect(off.get('R4')).toBe('Kubernetes v1.25.0 has no metric apiserver_flowcontrol_upper_limit_seats.')
    expect(off.get('R7')).toContain('three servers')
    expect(off.get('R8')).toContain('objects')
    expect(off.get('R1')).toBeUndefined()
  })
})

describe('objects', () => {
  it('fires for a dangling schema until it is mended', () => {
    const watch = createAlertWatch()
    const derive = createDeriver('api-1:6443')
    const take = (second: number) => {
      const frame = serverFrame(second, [])
      return watch.take(frame, derive(frame))
    }
    const { schemas, levels } = builtInObjects('v1.36.3')
    watch.takeObjects({ schemas, levels: levels.filter(({ metadata }) => metadata.name !== 'workload-low') })
    const fired = [0, 60, 120].flatMap(take)
    expect(fired.map(({ alert }) => alert.subject)).toEqual([
      'FlowSchema service-accounts',
      'PriorityLevelConfiguration workload-low',
    ])
    watch.takeObjects({ schemas, levels })
    expect([130, 160].flatMap(take).map(({ kind }) => kind)).toEqual(['resolved', 'resolved'])
  })
})

/** A page of a real server, repeated for half an hour: no total changes. */
function standing(path: string, version: string): ServerFrame[] {
  const page = createParser().parse(readFixture(path))
  const frame = createFrameBuilder({ id: 'captured' })(page, { at: new Date(START_MS).toISOString(), version })
  return Array.from({ length: 60 }, (_, step) => ({ ...frame, at: new Date(START_MS + step * 30_000).toISOString() }))
}

describe('captures', () => {
  it.each(captureVersions)('%s: nothing fires on a server at rest', (version) => {
    const { changes, watch } = watched(standing(`captures/${version}/idle/metrics.txt.gz`, version))
    expect(changes).toEqual([])
    const off = watch.rules.flatMap(({ rule, state }) => (state === 'off' ? [rule] : []))
    expect(off).toEqual(['R7', 'R8', 'R11', 'R12'])
  })
  it.each(metricsPages)('%s: its limits add up', (path) => {
    const version = captureVersions.find((one) => path.includes(one)) ?? ''
    expect(watched(standing(path, version)).changes.filter(({ alert }) => alert.rule === 'R6')).toEqual([])
  })
  it.each(capturedSeries)('$path: rules wait for as long as they say', ({ version, path }) => {
    const { changes, watch } = watched(capturedFrames({ version, path }))
    expect(changes.filter(({ alert }) => !isCritical(alert.level))).toEqual([])
    expect(watch.rules.find(({ rule }) => rule === 'R6')?.state).not.toBe('firing')
  })
})

describe('long windows', () => {
  const quarter = (count: number, level: (step: number) => LevelFrame) =>
    Array.from({ length: count }, (_, step) => serverFrame(step * 150, [level(step)]))
  it('fires where the error budget burns, once an hour was seen', () => {
    const level = (step: number) =>
      levelFrame('workload-low', [
        schemaFrame('s', {
          dispatched: step * 3,
          rejected: { 'queue-full': step, 'concurrency-limit': 0, 'time-out': 0 },
        }),
      ])
    const { changes } = watched(quarter(200, level))
    expect(changes.map(({ at, alert }) => [(at - START_MS) / 60_000, alert.subject, alert.severity])).toEqual([
      [60, 'fast', 'critical'],
      [360, 'slow', 'warning'],
    ])
  })
  it('fires where too many requests wait, and not where their histogram cannot tell', () => {
    const waits = (bounds: readonly number[]) => (step: number) =>
      levelFrame('workload-low', [
        schemaFrame('s', { dispatched: step * 10, wait: histogramOf(bounds, [step * 7, step * 3, 0]) }),
      ])
    const { changes } = watched(quarter(200, waits([0.1, 1])))
    expect(changes.map(({ at, alert }) => [(at - START_MS) / 60_000, alert.subject, alert.severity])).toEqual([
      [60, 'wait-fast', 'warning'],
      [360, 'wait-slow', 'info'],
    ])
    expect(changes[0]?.alert.evidence).toMatchObject([{ value: expect.closeTo(0.3) }, { value: expect.closeTo(0.3) }])
    expect(changes[0]?.alert.cause).toContain('delays')
    expect(watched(quarter(60, waits([0.09, 1]))).changes).toEqual([])
    expect(watched(quarter(60, waits([1, 2]))).changes).toEqual([])
  })
  it('fires for a level that needs few of its seats in seven days', () => {
    const level = levelFrame('a', [], { demand: { highWatermark: 2, average: 0, stdev: 0, smoothed: 0, target: 5 } })
    const week = Array.from({ length: 8 * 24 }, (_, hour) => serverFrame(hour * 3_600, [level]))
    const { changes } = watched(week)
    expect(changes.map(({ alert }) => [alert.rule, alert.subject])).toEqual([['R11', 'large']])
    expect((changes[0]?.at ?? 0) - START_MS).toBeGreaterThanOrEqual(7 * 86_400_000 - 3_600_000)
  })
})

describe('properties', () => {
  const steps = fc.array(
    fc.record({
      seconds: fc.integer({ min: 1, max: 30 }),
      rejected: fc.nat(30),
      queued: fc.nat(2),
      current: fc.constantFrom(5, 10, 20),
      smoothed: fc.constantFrom(0, 30),
      restart: fc.boolean(),
    }),
    { maxLength: 120 },
  )
  const framesOf = (given: typeof steps extends fc.Arbitrary<infer T> ? T : never): ServerFrame[] => {
    let [second, total, start] = [0, 0, 0]
    return given.map(({ seconds, rejected, queued, current, smoothed, restart }) => {
      second += seconds
      if (restart && second % 7 === 0) {
        start = second
        total = 0
      }
      total += rejected
      const schema = schemaFrame('s', {
        dispatched: total,
        rejected: { 'queue-full': total, 'concurrency-limit': 0, 'time-out': 0 },
        requests: { executing: 0, queued },
      })
      const level = levelFrame('workload-low', [schema], {
        limits: { nominal: 10, lower: 5, upper: 20, current },
        demand: { highWatermark: smoothed, average: 0, stdev: 0, smoothed, target: Math.max(5, smoothed) },
      })
      return serverFrame(second, [level], { startedAt: START_MS / 1_000 - 100 + start })
    })
  }
  it('alternates firing and resolved, holds first, and clears for as long as it says', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const open = new Map<string, number>()
        for (const { kind, at, alert } of watched(framesOf(given)).changes) {
          const key = `${alert.rule} ${alert.level} ${alert.subject}`
          if (kind === 'fired') {
            expect(open.has(key)).toBe(false)
            expect(at - alert.since).toBeGreaterThanOrEqual(RULES[alert.rule].holdMs)
            open.set(key, at)
          } else {
            expect(at - (open.get(key) ?? Number.NaN)).toBeGreaterThanOrEqual(RULES[alert.rule].clearMs)
            open.delete(key)
          }
        }
      }),
    )
  })
  it('does not depend on pages that are taken twice or late', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const frames = framesOf(given)
        const watch = createAlertWatch()
        const derive = createDeriver('api-1:6443')
        const changes = frames.flatMap((frame) => {
          const derived = derive(frame)
          return [...watch.take(frame, derived), ...watch.take(frame, derived)]
        })
        expect(changes).toEqual(watched(frames).changes)
      }),
    )
  })
  it('does not let a torn page change what is said of limits', () => {
    const frames = everyTenSeconds(60, () =>
      levelFrame('a', [schemaFrame('s', { seats: { executing: 20, queued: 0 } })], {
        limits: { nominal: 10, lower: 5, upper: 20, current: 20 },
        demand: { highWatermark: 30, average: 30, stdev: 0, smoothed: 30, target: 30 },
      }),
    )
    const torn = (frame: ServerFrame): ServerFrame => ({
      ...frame,
      levels: frame.levels.map((level) => ({
        ...level,
        limits: { ...level.limits, current: 5 },
        demand: { ...level.demand, smoothed: 0 },
      })),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 58 }), (at) => {
        const changed = frames.map((frame, i) => (i === at ? torn(frame) : frame))
        // A page that contains no limits cannot end the hold time either.
        expect(told(watched(changed).changes).filter((line) => line.includes('R4'))).toEqual([
          at === 30 ? '310 fired R4 a' : '300 fired R4 a',
        ])
      }),
    )
  })
})
