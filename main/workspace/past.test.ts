import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ProblemError } from '../../core/errors.ts'
import type { RunEvent } from '../../core/contract/whatif.ts'
import { CadenceSchema, type Connected, type ServerHealth, type SourceSpec } from '../../core/contract/source.ts'
import type { RecorderState } from '../../core/contract/recording.ts'
import type { TimedEvent } from '../../core/source/recording.ts'
import { rfc3339 } from '../../core/units.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { allNamed } from '../../test/harness/consent.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import { sendRecording } from '../../test/harness/upload.ts'
import type { Archive } from '../ports/archive.ts'
import type { SourceResult } from '../ports/source.ts'
import { shelf } from '../recordings/shelf.ts'
import { createEtcdSource } from '../sources/etcd.ts'
import { createRecordingSource } from '../sources/recording.ts'
import { openStore } from '../store/store.ts'
import { openSource } from './connectedSource.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const START = Date.UTC(2026, 10, 21, 3)
const story = [...syntheticStory({ seconds: 30, startAt: START })]
const CLUSTER: SourceSpec = {
  kind: 'scrape',
  target: { kind: 'urls', urls: ['https://a/metrics'] },
  cadence: CadenceSchema.parse({}),
}

let stateDir = ''
let workspace: Workspace
let clock: ReturnType<typeof standingClock>
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'apf-past-'))
  workspace = open(START)
  rangesRead = 0
  eventsRead = 0
  readingMs = 0
})
afterEach(async () => {
  await workspace.close()
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
})

let rangesRead = 0
let eventsRead = 0
/** How long the reading of each event takes, milliseconds. */
let readingMs = 0
/** Counts the ranges that are read of an archive, and the events in them. */
function counted(made: SourceResult): SourceResult {
  const archive = made.ok ? made.archive : undefined
  if (!made.ok || archive === undefined) return made
  const events = function* (...range: Parameters<Archive['events']>): Generator<TimedEvent> {
    rangesRead++
    for (const one of archive.events(...range)) {
      const until = performance.now() + readingMs
      while (performance.now() < until) continue
      eventsRead++
      yield one
    }
  }
  return { ...made, archive: { ...archive, events } }
}

/** What a stream ends with. */
const made = <P, T>(
  stream: (params: P, emit: (event: RunEvent<T>) => void, signal: AbortSignal) => void,
  params: P,
  { onPart, signal }: { readonly onPart: (part: number) => void; readonly signal: AbortSignal } = {
    onPart: () => undefined,
    signal: new AbortController().signal,
  },
) =>
  new Promise<T>((resolve, reject) => {
    const hear = (event: RunEvent<T>): void => {
      if (event.kind === 'done') resolve(event.report)
      else if (event.kind === 'failed') reject(ProblemError.of(event.problem))
      else onPart(event.part)
    }
    stream(params, hear, signal)
  })

const notAsked = (): Promise<never> => Promise.reject(new Error('not part of this test'))

const FAILS_AT = 11
const FAILING: ServerHealth = {
  id: 'apiserver-a:6443',
  status: 'failing',
  failures: [{ at: rfc3339(START), problem: { code: 'unreachable', message: 'Nothing listens at apiserver-a:6443.' } }],
  nextTryAt: rfc3339(START),
}

/** A cluster that emits the story, one second at a time. */
const teller = (name: string): SourceResult => ({
  ok: true,
  source: {
    info: { kind: 'scrape', name, via: '/metrics' },
    still: false,
    start(signal, emit) {
      const tell = (second: number): void => {
        if (second === FAILS_AT) emit({ kind: 'health', health: FAILING })
        for (const frame of story[second]?.frame.servers ?? []) emit({ kind: 'frame', frame })
        if (second + 1 < story.length && !signal.aborted) clock.environment.after(1_000, () => tell(second + 1))
      }
      tell(0)
    },
    tryNow: () => undefined,
    setCadence: () => undefined,
  },
})

function open(at: number): Workspace {
  clock = standingClock(at)
  const { environment } = clock
  const store = openStore(stateDir)
  const makeSource = async (spec: SourceSpec): Promise<SourceResult> =>
    spec.kind === 'recording'
      ? counted(createRecordingSource(spec, { environment, stateDir }))
      : spec.kind === 'etcd'
        ? createEtcdSource(spec, { environment, stateDir })
        : teller('prod')
  return createWorkspace({
    stateDir,
    environment,
    access: {
      makeSource,
      consent: allNamed,
      recordings: async () => shelf(stateDir),
      listContexts: async () => [],
      permissionReports: async () => [],
      prometheusServers: notAsked,
      clusterServices: notAsked,
      readClusterObjects: notAsked,
      readManifestFiles: notAsked,
    },
    open: (request) => openSource(request, { environment, store, makeSource, stateDir }),
    version: '1.2.3',
    mode: 'memory',
    platform: 'test',
    warn: (sentence) => {
      throw new Error(sentence)
    },
  })
}

const connect = (spec: SourceSpec): Promise<Connected> =>
  workspace.handlers.procedures['sources.connect']({ spec, inPlaceOf: null })

/** Emits and records this many seconds. */
async function record(connection: number, seconds: number): Promise<void> {
  let latest: RecorderState | undefined
  const heard = new AbortController()
  workspace.handlers.streams.recorder({ connection }, (state) => (latest = state), heard.signal)
  for (let second = 1; second <= seconds; second++) {
    clock.advance(1_000)
    const until = new Date(START + second * 1_000).toISOString()
    await vi.waitFor(() => expect(latest?.keptUntil).toBe(until), { interval: 1 })
    await new Promise((resolve) => setImmediate(resolve))
  }
  heard.abort()
}

const listed = (): readonly Connected[] => {
  let all: readonly Connected[] = []
  workspace.handlers.streams.connections(null, (connections) => (all = connections), new AbortController().signal)
  return all
}

test('the past of a source is asked of a connection that is in no list, and ends with it', async () => {
  const { id } = await connect(CLUSTER)
  await record(id, 20)
  const { procedures } = workspace.handlers
  const past = await procedures['past.open']({ connection: id })
  expect(past).not.toBe(id)
  expect(await procedures['past.open']({ connection: id })).toBe(past)
  expect(listed().map((one) => one.id)).toEqual([id])
  const extent = await procedures['past.extent']({ connection: past })
  expect(extent).toMatchObject({ first: START, gaps: [], problems: [] })
  const moment = await procedures['past.moment']({ connection: past, at: START + 7_400 })
  expect(moment.frame?.servers[0]?.at).toBe(new Date(START + 7_000).toISOString())
  expect(moment.derived[0]?.noRates).toBeUndefined()
  await procedures['sources.disconnect']({ connection: id })
  await expect(procedures['past.extent']({ connection: past })).rejects.toThrow('no longer connected')
})

test('what an earlier console recorded of a cluster belongs to its past; a recording is a source of its own', async () => {
  const first = await connect(CLUSTER)
  await record(first.id, 12)
  await workspace.close()
  workspace = open(START + 3_600_000)
  const { procedures } = workspace.handlers
  const [recording] = await procedures['recordings.list'](null)
  expect(recording).toMatchObject({ source: { kind: 'scrape', name: 'prod' }, running: false, problems: [] })

  const strip = await procedures['recordings.strip']({ id: recording?.id ?? '' })
  expect(strip.coverage).toBe(1)
  expect(strip.bars.every(({ from, to }) => from >= START && to <= START + 12_000)).toBe(true)
  await expect(procedures['recordings.strip']({ id: '../../etc' })).rejects.toThrow('There is no recording')

  const again = await connect(CLUSTER)
  const past = await procedures['past.open']({ connection: again.id })
  const moment = await procedures['past.moment']({ connection: past, at: START + 5_000 })
  expect(moment.frame?.servers[0]?.at).toBe(new Date(START + 5_000).toISOString())

  const opened = await connect({ kind: 'recording', ids: [recording?.id ?? ''] })
  expect(opened).toMatchObject({ still: true, source: { kind: 'recording', name: 'prod' } })
  // Nothing of a recording is tried again.
  expect(opened.servers).toEqual([{ id: FAILING.id, status: 'ok', failures: [], lastGoodAt: rfc3339(START + 12_000) }])
  expect(await procedures['past.open']({ connection: opened.id })).toBe(opened.id)
  const range = { from: START, to: START + 60_000, maxPoints: 100 }
  const series = await procedures['history.series']({ connection: opened.id, server: 'apiserver-a:6443', ...range })
  expect(series.times).toHaveLength(13)
})

test('advice and verdict of one instant of the past read the recording once', async () => {
  const { id } = await connect(CLUSTER)
  await record(id, 25)
  const { procedures, streams } = workspace.handlers
  const connection = await procedures['past.open']({ connection: id })
  const asked = { connection, at: START + 24_000 }
  const advice = [
    await made(streams.advice, asked),
    await made(streams.advice, { ...asked, nodes: 500 }),
    await made(streams.advice, { ...asked, nodes: 5_000 }),
  ]
  expect(advice.every(({ to }) => to === START + 24_000)).toBe(true)
  await made(streams.diagnosis, asked)
  // The pages of the verdict, and those of the advice.
  expect(rangesRead).toBe(2)
  await made(streams.diagnosis, { connection, at: START + 23_000 })
  expect(rangesRead).toBe(3)
})

test('who waits for an instant of the past is told how much is read, and can end the reading', async () => {
  const { id } = await connect(CLUSTER)
  await record(id, 25)
  const { procedures, streams } = workspace.handlers
  const connection = await procedures['past.open']({ connection: id })
  readingMs = 5
  for (const stream of [streams.diagnosis, streams.advice, streams.pastAlerts]) {
    eventsRead = 0
    const parts: number[] = []
    const follow = { onPart: (part: number) => void parts.push(part), signal: new AbortController().signal }
    await made<{ connection: number; at: number }, unknown>(stream, { connection, at: START + 20_000 }, follow)
    const whole = eventsRead
    expect(parts.length).toBeGreaterThan(0)
    expect(parts).toEqual(parts.toSorted((a, b) => a - b))
    expect(parts.every((part) => part >= 0 && part <= 1)).toBe(true)

    eventsRead = 0
    const left = new AbortController()
    const leaving = { onPart: () => left.abort(), signal: left.signal }
    await expect(
      made<{ connection: number; at: number }, unknown>(stream, { connection, at: START + 19_000 }, leaving),
    ).rejects.toThrow('It was cancelled.')
    expect(eventsRead).toBeLessThan(whole)
  }
  await expect(made(streams.diagnosis, { connection: connection + 1 })).rejects.toThrow('no longer connected')
})

test('a period of the past has its samples and the state at its end', async () => {
  const { id } = await connect(CLUSTER)
  await record(id, 20)
  const { procedures, streams } = workspace.handlers
  const connection = await procedures['past.open']({ connection: id })
  const range = { from: START + 5_000, to: START + 15_000, maxPoints: 100 }
  const { series, moment } = await made(streams.pastPeriod, { connection, server: FAILING.id, ...range })
  expect(series.times).toHaveLength(11)
  expect(moment.frame?.at).toBe(new Date(range.to).toISOString())
  await expect(made(streams.pastPeriod, { connection: id, server: FAILING.id, ...range })).rejects.toThrow(
    'This is no recording',
  )
})

test('an etcd proxy is recorded: any instant of it, from a file as well', async () => {
  const { procedures, streams } = workspace.handlers
  const { id, etcd } = await connect({ kind: 'etcd', of: { kind: 'story', seed: 1 } })
  expect(etcd).toBe(true)
  await record(id, 20)
  const past = await procedures['past.open']({ connection: id })
  const [early, late] = await Promise.all(
    [4_500, 18_500].map((after) => procedures['past.moment']({ connection: past, at: START + after })),
  )
  expect(early?.gap).toBeUndefined()
  expect(early?.etcd?.at).toBe(START + 4_000)
  expect(late?.etcd?.counts.passed).toBeGreaterThan(early?.etcd?.counts.passed ?? Infinity)
  expect(late?.etcd?.rules.map(({ name }) => name)).toContain('rule-event')
  expect((await procedures['past.moment']({ connection: past, at: START - 5_000 })).etcd).toBeUndefined()

  const [recording] = await procedures['recordings.list'](null)
  const of = { id: recording?.id ?? '', from: START + 2_000, to: START + 9_000 }
  const named = await sendRecording(workspace.handlers, await made(streams.export, { ...of, anonymise: false }))
  const opened = await connect({ kind: 'recording', ids: [named] })
  expect(opened).toMatchObject({ still: true, etcd: true })
  const heard: number[] = []
  streams.etcd({ connection: opened.id }, (state) => heard.push(state.at), new AbortController().signal)
  expect(heard).toEqual([START + 9_000])
  await expect(procedures['etcd.advise']({ connection: opened.id })).rejects.toThrow('is no etcd proxy')
  await expect(made(streams.report, { ...of, anonymise: false })).rejects.toThrow('is of an etcd proxy')

  const nameless = await sendRecording(workspace.handlers, await made(streams.export, { ...of, anonymise: true }))
  const { id: shared } = await connect({ kind: 'recording', ids: [nameless] })
  const { etcd: state } = await procedures['past.moment']({ connection: shared, at: START + 8_000 })
  expect(state?.rates.map(({ keys }) => keys)).toContain('/registry/pods')
  expect(JSON.stringify(state)).not.toContain('127.0.0.1')
})

test('a recording is removed once nobody writes it', async () => {
  const { id } = await connect(CLUSTER)
  await record(id, 3)
  const { procedures } = workspace.handlers
  const [running] = await procedures['recordings.list'](null)
  await expect(procedures['recordings.remove']({ id: running?.id ?? '' })).rejects.toThrow('still being written')
  await procedures['sources.disconnect']({ connection: id })
  await vi
    .waitFor(async () => expect((await procedures['recordings.list'](null))[0]?.running).toBe(false))
    .catch(() => undefined)
  await expect(procedures['recordings.remove']({ id: '../../etc' })).rejects.toThrow('There is no recording')
})

test('a source without a recording says so', async () => {
  const { procedures } = workspace.handlers
  await procedures['settings.write']({ record: false })
  const { id } = await connect(CLUSTER)
  await expect(procedures['past.open']({ connection: id })).rejects.toThrow('Nothing of this source is recorded')
  await expect(procedures['past.extent']({ connection: id })).rejects.toThrow('no recording')
})
