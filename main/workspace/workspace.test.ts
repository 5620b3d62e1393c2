import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StreamEvent } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import { CadenceSchema, type Connected, type SourceSpec } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import type { Emit } from '../../core/source/sourceEvent.ts'
import type { ServerFacts } from '../../core/engine/facts.ts'
import type { Source, SourceResult } from '../ports/source.ts'
import { oneSourceOf, type OneSource } from '../../test/harness/oneSource.ts'
import { shelf } from '../recordings/shelf.ts'
import { createWorkspace, type Workspace } from './workspace.ts'
import { allNamed } from '../../test/harness/consent.ts'

const START = Date.UTC(2026, 0, 1)

/** A source whose events a test emits. */
function fakeSource(name: string, still = false) {
  let emit: Emit = () => undefined
  let signal: AbortSignal | undefined
  const calls: string[] = []
  const source: Source = {
    info: { kind: 'scrape', name, via: 'test' },
    still,
    start(until, to) {
      signal = until
      emit = to
    },
    tryNow: (server) => void calls.push(`tryNow ${server ?? 'all'}`),
    setCadence: ({ intervalMs }) => void calls.push(`cadence ${intervalMs}`),
  }
  const frame = (second: number, executing = 1, id = 'a', version?: string, facts?: ServerFacts): void => {
    const level = { name: 'l', limits: {}, seats: { executing }, requests: {}, demand: {}, schemas: [] }
    const server: ServerFrame = {
      id,
      at: new Date(START + second * 1_000).toISOString(),
      levels: [level],
      missing: [],
      version,
    }
    if (facts !== undefined) emit({ kind: 'facts', server: id, facts })
    emit({ kind: 'frame', frame: server })
  }
  /** A page with a limit and nothing else. */
  const limit = (second: number, current: number): void => {
    const level = { name: 'l', limits: { current }, seats: {}, requests: {}, demand: {}, schemas: [] }
    const at = new Date(START + second * 1_000).toISOString()
    emit({ kind: 'frame', frame: { id: 'a', at, levels: [level], missing: [] } })
  }
  return {
    source,
    calls,
    frame,
    limit,
    dump: (dump: DumpFrame) => emit({ kind: 'dump', dump }),
    healthy: (id = 'a') => emit({ kind: 'health', health: { id, status: 'ok', failures: [] } }),
    failing: (id = 'a') =>
      emit({
        kind: 'health',
        health: {
          id,
          status: 'failing',
          failures: [{ at: new Date(START).toISOString(), problem: { code: 'unreachable', message: 'refused' } }],
        },
      }),
    ended: () => signal?.aborted ?? false,
  }
}

const urls = (name: string): SourceSpec => ({
  kind: 'scrape',
  target: { kind: 'urls', urls: [`https://${name}/metrics`] },
  cadence: CadenceSchema.parse({}),
})

const notAsked = async (): Promise<never> => {
  throw new Error('objects from elsewhere are not part of this test')
}

describe('the workspace', () => {
  let stateDir = ''
  let timers: (() => void)[] = []
  let sources: Map<string, Promise<SourceResult>> = new Map()
  let workspace: Workspace

  const offer = (name: string, still = false) => {
    const fake = fakeSource(name, still)
    sources.set(name, Promise.resolve({ ok: true, source: fake.source }))
    return fake
  }
  const settle = (): void => timers.splice(0).forEach((call) => call())
  const open = (): Workspace =>
    createWorkspace({
      stateDir,
      environment: {
        now: () => START,
        random: () => 0.5,
        after(_ms, call) {
          timers.push(call)
          return () => void (timers = timers.filter((one) => one !== call))
        },
      },
      access: {
        makeSource: (spec) => {
          const name =
            spec.kind === 'scrape' && spec.target.kind === 'urls' ? new URL(spec.target.urls[0] ?? '').host : spec.kind
          return (
            sources.get(name) ??
            Promise.resolve({ ok: false, problem: { code: 'not-found', message: 'no such source' } })
          )
        },
        consent: allNamed,
        listContexts: () => Promise.resolve([]),
        permissionReports: () => Promise.resolve([]),
        recordings: async () => shelf(stateDir),
        prometheusServers: notAsked,
        clusterServices: notAsked,
        readClusterObjects: notAsked,
        readManifestFiles: notAsked,
      },
      version: '1.2.3',
      mode: 'memory',
      platform: 'test',
      warn: (sentence) => {
        throw new Error(sentence)
      },
    })
  let console: OneSource
  const frames = (): StreamEvent<'frames'>[] => {
    const events: StreamEvent<'frames'>[] = []
    console.subscribe('frames', null, (event) => events.push(event))
    return events
  }
  const executing = (event: StreamEvent<'frames'> | undefined): unknown =>
    event?.frame.servers.map(({ levels }) => levels[0]?.seats.executing)

  beforeEach(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'apf-state-'))
    timers = []
    sources = new Map()
    workspace = open()
    console = oneSourceOf(workspace.handlers)
  })
  afterEach(async () => {
    await workspace.close()
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  })

  it('tells frames of the connected source, those said at once as one', async () => {
    const a = offer('a')
    const events = frames()
    await console.call('sources.connect', { spec: urls('a') })
    a.frame(1, 10)
    a.frame(2, 20)
    settle()
    a.frame(3, 30)
    settle()
    // The frame that was never emitted by itself counts.
    expect(events.map(({ seq, connection }) => [seq, connection])).toEqual([
      [2, 1],
      [3, 1],
    ])
    expect(executing(events[0])).toEqual([20])
    expect(events[1]?.derived[0]?.intervalSeconds).toBe(1)
    const series = await console.call('history.series', {
      server: 'a',
      from: START,
      to: START + 10_000,
      maxPoints: 100,
    })
    expect(series.levels[0]?.columns.executing.filter((value) => value !== null)).toEqual([10, 20, 30])
  })

  it('summarizes each source at most once a second; one that fails or ends disturbs no other', async () => {
    const fakes = ['a', 'b', 'c'].map((name) => offer(name))
    const heard: string[] = []
    const ids: number[] = []
    for (const name of ['a', 'b', 'c']) {
      const { id: connection } = await workspace.handlers.procedures['sources.connect']({ spec: urls(name) })
      ids.push(connection)
      workspace.handlers.streams.summary(
        { connection },
        ({ servers }) => void heard.push(`${name} ${servers.flatMap((server) => server.executing).join(' ')}`),
        new AbortController().signal,
      )
    }
    const [a, b, c] = fakes
    for (const second of [1, 2, 3]) for (const fake of fakes) fake.frame(second, second)
    // The frames that were emitted at once, then the summaries of that second.
    settle()
    settle()
    b?.failing()
    await workspace.handlers.procedures['sources.disconnect']({ connection: ids[2] ?? 0 })
    for (const fake of [a, c]) fake?.frame(4, 4)
    settle()
    settle()
    expect(heard).toEqual(['a ', 'b ', 'c ', 'a 3', 'b 3', 'c 3', 'a 4'])
  })

  it('keeps the recomputations of the limits, also those that came at once', async () => {
    const a = offer('a')
    await console.call('sources.connect', { spec: urls('a') })
    a.limit(0, 10)
    a.limit(5, 10)
    a.limit(10, 12)
    a.limit(20, 9)
    const steps = await console.call('allocation.steps', { server: 'a', from: START, to: START + 60_000 })
    expect(steps.map(({ number, at, levels }) => [number, at - START, levels[0]?.limits.current])).toEqual([
      [1, 0, 10],
      [2, 10_000, 12],
      [3, 20_000, 9],
    ])
    expect(
      await console.call('allocation.steps', { server: 'a', from: START + 10_001, to: START + 60_000 }),
    ).toHaveLength(1)
    await expect(console.call('allocation.steps', { server: 'b', from: 0, to: 1 })).rejects.toThrow('has no server "b"')
  })

  it('answers what a server stores and who watches it, where the source reports that', async () => {
    const a = offer('a')
    await console.call('sources.connect', { spec: urls('a') })
    expect(await console.call('sources.facts', { server: 'a' })).toBeNull()
    a.frame(1, 1, 'a', undefined, {
      objects: new Map([
        ['pods', { count: 40, averageSize: 900 }],
        ['leases.coordination.k8s.io', { count: 9, averageSize: 0 }],
      ]),
      watches: [{ apiGroup: 'coordination.k8s.io', resource: 'leases', total: 3 }],
    })
    // A page without them keeps the known ones.
    a.frame(2)
    expect(await console.call('sources.facts', { server: 'a' })).toEqual({
      objects: { pods: { count: 40, averageSize: 900 }, 'leases.coordination.k8s.io': { count: 9 } },
      watches: { 'leases.coordination.k8s.io': 3 },
    })
    expect(await console.call('sources.facts', { server: 'b' })).toBeNull()
  })

  it('gives the objects of a source that reports no version that of its page', async () => {
    const a = offer('a')
    const versions: unknown[] = []
    console.subscribe('objects', null, ({ version }) => versions.push(version))
    await console.call('sources.connect', { spec: urls('a') })
    a.frame(1, 1, 'a', 'v1.36.3')
    settle()
    a.frame(2, 1, 'a', 'v1.36.3')
    settle()
    expect(versions.at(-1)).toBe('v1.36.3')
    expect(versions.filter((version) => version === 'v1.36.3')).toHaveLength(1)
  })

  it('sorts servers by id', async () => {
    const a = offer('a')
    const events = frames()
    await console.call('sources.connect', { spec: urls('a') })
    a.frame(1, 2, 'b')
    a.frame(2, 1, 'a')
    settle()
    expect(events.at(-1)?.frame.servers.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(events.at(-1)?.frame.at).toBe(new Date(START + 2_000).toISOString())
  })

  it('leads its readers from one source to the next', async () => {
    const [a, b] = [offer('a'), offer('b')]
    const events = frames()
    const told: (readonly Connected[])[] = []
    console.subscribe('connections', null, (connections) => told.push(connections))
    await console.call('sources.connect', { spec: urls('a') })
    await console.call('sources.connect', { spec: urls('b') })
    expect([a.ended(), b.ended()]).toEqual([true, false])
    a.frame(1)
    b.frame(1, 7)
    b.healthy()
    settle()
    expect(events.map((event) => [event.connection, executing(event)])).toEqual([[2, [7]]])
    expect(told.map((connections) => connections.map(({ source }) => source.name))).toEqual([[], ['a'], ['b'], ['b']])
    await console.call('sources.disconnect', null)
    expect(b.ended()).toBe(true)
    expect(told.at(-1)).toEqual([])
  })

  it('keeps two sources apart that are connected at once', async () => {
    const [a, b] = [offer('a'), offer('b')]
    const [left, right] = [oneSourceOf(workspace.handlers), oneSourceOf(workspace.handlers)]
    const seen: Record<'left' | 'right', unknown[]> = { left: [], right: [] }
    const told: (readonly Connected[])[] = []
    left.subscribe('connections', null, (connections) => told.push(connections))
    left.subscribe('frames', null, (event) => seen.left.push(executing(event)))
    right.subscribe('frames', null, (event) => seen.right.push(executing(event)))
    await left.call('sources.connect', { spec: urls('a') })
    const { procedures } = workspace.handlers
    const beside = await procedures['sources.connect']({ spec: urls('b') })
    workspace.handlers.streams.frames(
      { connection: beside.id },
      (event) => seen.right.push(executing(event)),
      new AbortController().signal,
    )
    a.frame(1, 10)
    b.frame(1, 20)
    settle()
    // Both servers are named `a`.
    expect(seen).toEqual({ left: [[10]], right: [[20]] })
    const range = { server: 'a', from: START, to: START + 10_000, maxPoints: 100 }
    const executed = async (connection: number): Promise<unknown> =>
      (await procedures['history.series']({ connection, ...range })).levels[0]?.columns.executing.at(-1)
    expect([await executed(left.connection), await executed(beside.id)]).toEqual([10, 20])
    expect(told.at(-1)?.map(({ source }) => source.name)).toEqual(['a', 'b'])

    // The disconnected source takes nothing with it, and its place is free.
    await left.call('sources.disconnect', null)
    expect([a.ended(), b.ended()]).toEqual([true, false])
    expect(told.at(-1)?.map(({ source }) => source.name)).toEqual(['b'])
    await expect(executed(left.connection)).rejects.toThrow('no longer connected')
    b.frame(2, 21)
    settle()
    expect(seen.right.at(-1)).toEqual([21])
    offer('c')
    await left.call('sources.connect', { spec: urls('c') })
    expect(told.at(-1)?.map(({ source }) => source.name)).toEqual(['b', 'c'])
    expect(b.ended()).toBe(false)
  })

  it('stays where it is when another source cannot be made', async () => {
    const a = offer('a')
    await console.call('sources.connect', { spec: urls('a') })
    await expect(console.call('sources.connect', { spec: urls('nowhere') })).rejects.toThrow('no such source')
    expect(a.ended()).toBe(false)
  })

  it('lets the later choice win, also when the earlier is slower', async () => {
    const slow = Promise.withResolvers<SourceResult>()
    sources.set('slow', slow.promise)
    const quick = offer('quick')
    const first = console.call('sources.connect', { spec: urls('slow') })
    await console.call('sources.connect', { spec: urls('quick') })
    slow.resolve({ ok: true, source: fakeSource('slow').source })
    await expect(first).rejects.toThrow(ProblemError)
    expect(quick.ended()).toBe(false)
  })

  it('tells dumps of the asked server, and of one level when asked', async () => {
    const a = offer('a')
    const whole: DumpFrame[] = []
    const ofLevel: DumpFrame[] = []
    console.subscribe('dumps', { server: 'a' }, (dump) => whole.push(dump))
    await console.call('sources.connect', { spec: urls('a') })
    const queue = {
      index: 0,
      pending: 0,
      executing: 0,
      seatsInUse: 0,
      nextDispatchR: 0,
      initialSeats: 0,
      maxSeats: 0,
      totalWork: 0,
    }
    const dump: DumpFrame = {
      server: 'a',
      at: new Date(START).toISOString(),
      costMs: 1,
      bytes: 2,
      queues: [
        { level: 'l', ...queue },
        { level: 'm', ...queue },
      ],
      errors: [],
    }
    a.dump(dump)
    a.dump({ ...dump, server: 'other' })
    console.subscribe('dumps', { server: 'a', level: 'm' }, (event) => ofLevel.push(event))
    expect(whole).toEqual([dump])
    expect(ofLevel.map(({ queues }) => queues?.map(({ level }) => level))).toEqual([['m']])
  })

  it('passes interval and impatience on, but not to files', async () => {
    const a = offer('a')
    await console.call('sources.connect', { spec: urls('a') })
    const connection = await console.call('sources.cadence', { intervalMs: 5_000, dumpsEveryMs: null })
    expect(connection).toMatchObject({ cadence: { intervalMs: 5_000 } })
    await console.call('sources.tryNow', { server: 'x' })
    expect(a.calls).toEqual(['cadence 5000', 'tryNow x'])
    offer('still', true)
    await console.call('sources.connect', { spec: urls('still') })
    await expect(console.call('sources.cadence', { intervalMs: 5_000, dumpsEveryMs: null })).rejects.toThrow(
      'no interval',
    )
  })

  it('answers not-found without a source or server', async () => {
    const query = { server: 'a', from: 0, to: 1, maxPoints: 10 }
    await expect(console.call('history.series', query)).rejects.toThrow('no longer connected')
    offer('a')
    await console.call('sources.connect', { spec: urls('a') })
    await expect(console.call('history.series', query)).rejects.toThrow('has no server "a"')
  })

  it('remembers sources and settings for the next start', async () => {
    offer('a')
    await console.call('sources.connect', { spec: urls('a') })
    await console.call('settings.write', { theme: 'dark' })
    await console.call('settings.write', { density: 'compact' })
    await workspace.close()
    workspace = open()
    console = oneSourceOf(workspace.handlers)
    expect(await console.call('settings.read', null)).toMatchObject({ theme: 'dark', density: 'compact', clock: 'utc' })
    const [recent, ...others] = await console.call('sources.recent', null)
    expect(others).toEqual([])
    expect(recent).toMatchObject({ name: 'a', spec: urls('a') })
    expect(await console.call('sources.forget', { at: recent?.at ?? '' })).toEqual([])
  })
})
