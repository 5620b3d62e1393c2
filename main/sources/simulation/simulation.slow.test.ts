import { describe, expect, test } from 'vitest'
import type { SourceEvent } from '../../../core/source/sourceEvent.ts'
import { manifestOf } from '../../../core/config/content.ts'
import type { PriorityLevelConfiguration } from '../../../core/config/objects.ts'
import { SimulationSpecSchema, SimulationStateSchema } from '../../../core/contract/simulation.ts'
import { STRIDES } from '../../../core/bounds.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import { CLUSTER } from '../../../core/simulate/cluster.ts'
import { standingClock } from '../../../test/harness/standingClock.ts'
import { createSimulationSource } from '../simulation.ts'
import { heard } from '../../../test/harness/heard.ts'

const unannounced = async (): Promise<void> => undefined

const START = 1_700_000_000_000

interface Options {
  readonly backfillSeconds?: number
  /** How far the machine's own clock advances with each reading. */
  readonly slowMs?: number
}

function run({ backfillSeconds = 0, slowMs = 0 }: Options = {}) {
  const clock = standingClock(START)
  let looks = 0
  const source = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), clock.environment, {
    backfillSeconds,
    stopwatch: () => slowMs * looks++,
    // The quiet part of the cluster is enough here.
    workload: { ...CLUSTER, groups: CLUSTER.groups.filter(({ name }) => name === 'node leases' || name === 'people') },
  })
  const { emit, frames, dumps } = heard()
  const end = new AbortController()
  source.start(end.signal, emit)
  const last = (): number => Date.parse(frames.at(-1)?.at ?? '') - START
  return { ...clock, source, frames, dumps, end, last }
}

describe('a simulated cluster as a source', () => {
  test('gives ten minutes of history at once and then goes with the clock', () => {
    const { advance, frames, last, source } = run({ backfillSeconds: 600 })
    advance(1_000)
    expect(frames.length).toBeGreaterThanOrEqual(601)
    expect(frames[0]?.at).toBe(new Date(START - 600_000).toISOString())
    advance(10_000)
    expect(frames).toHaveLength(612)
    expect(last()).toBe(11_000)
    expect(new Set(frames.map(({ startedAt }) => startedAt))).toEqual(new Set([(START - 600_000) / 1_000]))
    expect(SimulationStateSchema.parse(source.state())).toMatchObject({ speed: 1, paused: false, elapsedSeconds: 611 })
  })

  test('begins its present in the middle of a wave: what is shown first is worth seeing', () => {
    const { environment, advance } = standingClock(START)
    const spec = SimulationSpecSchema.parse({ kind: 'simulation' })
    const source = createSimulationSource(spec, environment, { stopwatch: () => 0 })
    const present: ServerFrame[] = []
    source.start(new AbortController().signal, (event) => {
      if (event.kind === 'frame' && event.past !== true) present.push(event.frame)
    })
    advance(2_000)
    const low = present[0]?.levels.find(({ name }) => name === 'workload-low')
    expect(low?.requests.queued).toBeGreaterThan(0)
    expect(low?.limits.current).toBeGreaterThan(low?.limits.nominal ?? Number.POSITIVE_INFINITY)
    expect(low?.rejected?.['queue-full']).toBeGreaterThan(0)
  })

  test('can follow another algorithm: without borrowing every limit is nominal', () => {
    const { environment, advance } = standingClock(START)
    const spec = SimulationSpecSchema.parse({ kind: 'simulation', algorithm: 'alpha-1.18' })
    const source = createSimulationSource(spec, environment, { backfillSeconds: 20, stopwatch: () => 0 })
    const frames: ServerFrame[] = []
    source.start(new AbortController().signal, (event) => {
      if (event.kind === 'frame') frames.push(event.frame)
    })
    advance(2_000)
    const limits = frames.at(-1)?.levels.flatMap(({ name, limits: one }) => (name === 'exempt' ? [] : [one])) ?? []
    expect(limits).toHaveLength(7)
    expect(limits.map(({ current }) => current)).toEqual(limits.map(({ nominal }) => nominal))
  })

  test.each([
    [0.1, 10, 1_000],
    [1, 10, 10_000],
    [20, 200, 200_000],
    [1_000, 200, 10_000_000],
  ])('at ×%d gives %d frames in ten seconds and comes %d ms far', (speed, count, farMs) => {
    const { advance, frames, source, last } = run()
    source.control({ speed })
    const before = frames.length
    advance(10_000)
    expect(Math.abs(frames.length - before - count)).toBeLessThanOrEqual(1)
    expect(source.state().elapsedSeconds * 1_000).toBeCloseTo(farMs, 0)
    expect(last()).toBeLessThanOrEqual(farMs)
    expect(source.state().reachedSpeed).toBeCloseTo(speed, 1)
  })

  test('dumps ten times a second while somebody looks at them, and never when they are off', () => {
    const { advance, dumps, source } = run()
    advance(10_000)
    expect(dumps.length).toBeLessThanOrEqual(3)
    source.watchDumps?.(true)
    const before = dumps.length
    advance(10_000)
    expect(Math.abs(dumps.length - before - 100)).toBeLessThanOrEqual(2)
    source.setCadence?.({ intervalMs: 1_000, dumpsEveryMs: null })
    const off = dumps.length
    advance(10_000)
    expect(dumps).toHaveLength(off)
    source.setCadence?.({ intervalMs: 1_000, dumpsEveryMs: 5_000 })
    source.watchDumps?.(false)
    advance(10_000)
    expect(dumps.length - off).toBeLessThanOrEqual(4)
  })

  test('stands still while paused, and goes on from there', () => {
    const { advance, frames, source, timers } = run()
    advance(5_000)
    source.control({ paused: true })
    const { elapsedSeconds } = source.state()
    const before = frames.length
    advance(60_000)
    expect(timers()).toBe(0)
    expect(source.state()).toMatchObject({ paused: true, elapsedSeconds, reachedSpeed: 0 })
    expect(frames).toHaveLength(before)
    source.control({ paused: false })
    advance(2_000)
    expect(source.state().elapsedSeconds).toBeCloseTo(elapsedSeconds + 2, 6)
  })

  test('paused while the history is still being computed: the rest of it is past', () => {
    const { environment, advance } = standingClock(START)
    let looks = 0
    const source = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), environment, {
      backfillSeconds: 600,
      stopwatch: () => 5 * looks++,
    })
    const told: SourceEvent[] = []
    source.start(new AbortController().signal, (event) => told.push(event))
    advance(20)
    source.control({ paused: true })
    advance(60_000)
    const frames = told.flatMap((event) => (event.kind === 'frame' ? [event] : []))
    const present = frames.filter(({ past }) => past !== true)
    expect(frames.length).toBeGreaterThan(600)
    expect(present.map(({ frame }) => Date.parse(frame.at) - START)).toEqual([0])
    expect(told.filter(({ kind }) => kind === 'health').length).toBeLessThan(5)
  })

  test('lets one event after the other happen, each shown', () => {
    const { advance, frames, dumps, source } = run()
    advance(1_000)
    const before = source.state().elapsedSeconds
    const [shown, dumped] = [frames.length, dumps.length]
    for (let step = 1; step <= 5; step++) {
      source.control({ step: 1 })
      expect(frames).toHaveLength(shown + step)
      expect(dumps).toHaveLength(dumped + step)
    }
    expect(source.state().paused).toBe(true)
    expect(source.state().elapsedSeconds).toBeGreaterThan(before)
    expect(source.state().elapsedSeconds).toBeLessThan(before + 2)
  })

  test.each(STRIDES)('goes on by one %s, and stands there', (stride) => {
    const { advance, source } = run()
    advance(1_000)
    const { elapsedSeconds: before } = source.state()
    source.control({ step: 1, stride })
    const { elapsedSeconds: after, paused } = source.state()
    expect(paused).toBe(true)
    if (stride === 'second') expect(after - before).toBeCloseTo(1, 9)
    else expect(after - before).toBeGreaterThanOrEqual(0)
    if (stride === 'recomputation') expect(after % 10).toBeCloseTo(0, 6)
  })

  test('can be stepped and let go while the history is still being computed', () => {
    const { advance, source, frames } = run({ backfillSeconds: 600, slowMs: 5 })
    advance(20)
    source.control({ step: 3 })
    const { elapsedSeconds } = source.state()
    expect(elapsedSeconds).toBeLessThan(600)
    const before = frames.length
    source.control({ paused: false })
    advance(3_000)
    expect(source.state().elapsedSeconds).toBeCloseTo(elapsedSeconds + 3, 1)
    expect(frames.length - before).toBe(3)
  })

  test('falls behind rather than keep the process busy, and does not run after what it missed', () => {
    // Each reading of the machine's clock costs 30 ms, so hardly anything can be done between two.
    const { advance, source, timers } = run({ slowMs: 30 })
    source.control({ speed: 1_000 })
    advance(2_000)
    const { elapsedSeconds, reachedSpeed } = source.state()
    expect(reachedSpeed).toBeLessThan(900)
    expect(elapsedSeconds).toBeLessThan(1_800)
    source.control({ speed: 1 })
    advance(1_000)
    expect(source.state().elapsedSeconds).toBeLessThan(elapsedSeconds + 2)
    expect(timers()).toBe(1)
  })

  test.each([-7_200_000, 7_200_000])('goes on when the clock is set by %d ms', (ms) => {
    const { advance, set, source, dumps } = run()
    advance(3_000)
    const before = dumps.length
    set(ms)
    advance(11_000)
    // What the step would make it miss is skipped, apart from a second of computing.
    expect(source.state().elapsedSeconds).toBeGreaterThan(13)
    expect(ms < 0 ? source.state().elapsedSeconds : 14).toBeLessThanOrEqual(14.1)
    expect(dumps.length).toBeGreaterThanOrEqual(before + 2)
  })

  test('adopts edits at once, also while it stands still', async () => {
    const { advance, frames, source } = run()
    advance(3_000)
    source.control({ paused: true })
    const editor = source.objects?.editor
    if (editor === undefined || 'impossible' in editor) throw new Error('the objects of a simulation can be edited')
    const { uid = '', resourceVersion = '' } =
      source.server.objects.objects.levels.find(({ metadata }) => metadata.name === 'global-default')?.metadata ?? {}
    const deletion = { kind: 'PriorityLevelConfiguration', name: 'global-default', object: null } as const
    const { verdict } = await editor.apply({ ...deletion, base: { uid, resourceVersion } }, false, unannounced)
    expect(verdict.outcome).toBe('accepted')
    const gone = frames.at(-1)?.levels.find(({ name }) => name === 'global-default')
    // The level without an object still serves its remaining requests, and its shares count until then.
    expect(gone?.limits.nominal).toBe(Math.ceil((600 * 20) / 245))
    const dangling = source.server.objects.objects.schemas.find(({ metadata }) => metadata.name === 'global-default')
    expect(dangling?.status?.conditions?.[0]).toMatchObject({ type: 'Dangling', status: 'True', reason: 'NotFound' })
  })

  test('an edit that arrives while the past is computed is of the present: no minute of the past takes it back', async () => {
    const { advance, source } = run({ backfillSeconds: 600, slowMs: 1 })
    const level = (): PriorityLevelConfiguration | undefined =>
      source.server.objects.objects.levels.find(({ metadata }) => metadata.name === 'workload-low')
    const sharesNow = (): number | undefined => level()?.spec.limited?.nominalConcurrencyShares
    const editor = source.objects?.editor
    const before = level()
    if (before === undefined || editor === undefined || 'impossible' in editor) throw new Error('nothing to edit')
    const { uid = '', resourceVersion = '' } = before.metadata
    const object = manifestOf('PriorityLevelConfiguration', { ...before })
    const spec = { ...before.spec, limited: { ...before.spec.limited, nominalConcurrencyShares: 150 } }
    const change = { kind: 'PriorityLevelConfiguration', name: 'workload-low', object: { ...object, spec } } as const
    const applied = editor.apply({ ...change, base: { uid, resourceVersion } }, false, unannounced)
    await new Promise((resolve) => setImmediate(resolve))
    advance(20_000)
    expect((await applied).verdict.outcome).toBe('accepted')
    expect(sharesNow()).toBe(150)
    // The reconciler of the simulated present still does, within a minute.
    advance(60_000)
    expect(sharesNow()).toBe(100)
  })

  test('keeps the single requests since the present, each at its own time', () => {
    const { advance, source } = run()
    expect(source.live?.log.count).toBe(0)
    for (let i = 0; i < 20; i++) {
      source.live?.settle()
      advance(100)
    }
    const rows = source.live?.log.before(1_000) ?? []
    expect(rows.length).toBeGreaterThan(10)
    const from = Date.parse(source.state().at) - 2_100
    for (const { at } of rows) expect(at).toBeGreaterThan(from)
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).toSorted((a, b) => a - b))
    expect(rows.some(({ state, runMs = 0 }) => state === 'served' && runMs > 0)).toBe(true)
    // Even without a listener.
    advance(1_000)
    expect(source.live?.log.count).toBeGreaterThan(rows.length)
  })

  test('keeps the cadence, and ends with its signal', () => {
    const { advance, frames, dumps, source, end, timers } = run()
    advance(1_000)
    source.setCadence?.({ intervalMs: 5_000, dumpsEveryMs: null })
    const [shown, dumped] = [frames.length, dumps.length]
    advance(20_000)
    expect(frames.length - shown).toBe(4)
    expect(dumps).toHaveLength(dumped)
    end.abort()
    expect(timers()).toBe(0)
    source.control({ speed: 10 })
    expect(timers()).toBe(0)
  })

  test('refuses a speed that it cannot have', () => {
    expect(() => run().source.control({ speed: 0 })).toThrow('×0.1 to ×1000')
  })
})
