import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createPicture, stretchesBetween, type Picture } from '../../core/source/picture.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { Note } from '../../core/contract/recording.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import { createSourceNoter } from '../../core/alerts/notes.ts'
import { liveRequest } from '../../core/live/live.fixture.ts'
import type { AdjustmentStep, DerivedServer } from '../../core/frame/derived.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { unixMsOf } from '../../core/units.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import type { Archive } from '../ports/archive.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { createSimulationSource } from '../sources/simulation.ts'
import { createArchive } from './archive.ts'
import { chaptersIn, listRecordings, RECORDINGS } from './library.ts'
import { startRecorder } from './recorder.ts'
import { shelf } from './shelf.ts'

const START = Date.UTC(2026, 10, 21, 3)
const SECONDS = 200
/** The console was off in between. */
const OFF_MS = 600_000
const SERVERS = ['apiserver-a:6443', 'apiserver-b:6443']
const source = { kind: 'scrape', name: 'prod', via: '/metrics' } as const

const story = [...syntheticStory({ seconds: SECONDS, servers: 2, startAt: START })]
const later = [...syntheticStory({ seconds: 90, servers: 2, startAt: START + SECONDS * 1_000 + OFF_MS })]
const objects = (version: string): SourceEvent => ({
  kind: 'objects',
  origin: 'cluster',
  reading: { state: 'current', version, objects: { levels: [], schemas: [] } },
})

const pods = (count: number): SourceEvent => ({
  kind: 'facts',
  server: SERVERS[0] ?? '',
  facts: { objects: new Map([['pods', { count, averageSize: 100 }]]), watches: [] },
})

/** What was read after each second of the first recording. */
interface Seen {
  readonly servers: readonly { readonly frame: ServerFrame; readonly derived: DerivedServer }[]
  readonly dump: DumpFrame | undefined
}
const talkative = (second: number): ServerHealth => ({
  id: SERVERS[0] ?? '',
  status: 'ok',
  failures: [],
  notes: [String(second).repeat(300_000)],
})

/** A recorder without stretches. */
const recorderIn = (own: string, { environment }: ReturnType<typeof standingClock>) =>
  startRecorder({ folder: own, source, writer: 'this', environment, stretches: () => [] })

/** All recordings of a folder. */
const archiveIn = (own: string): Archive =>
  createArchive({
    folder: own,
    ids: new Set(listRecordings(own, () => false).map(({ id }) => id)),
    source,
    now: () => 0,
  })

let folder: string
let archive: Archive
const seen: Seen[] = []
let whole: Picture

async function record(moments: typeof story, clock: ReturnType<typeof standingClock>): Promise<Picture> {
  const picture = createPicture()
  const noter = createSourceNoter()
  const recorder = startRecorder({
    folder,
    source,
    writer: 'this',
    environment: clock.environment,
    stretches: (from, to) => stretchesBetween(picture, from, to),
  })
  let kept = 0
  let taken = 0
  recorder.state.subscribe(({ events = 0 }) => (kept = events), new AbortController().signal)
  for (const [second, { frame, dump }] of moments.entries()) {
    const events: SourceEvent[] = [
      ...(second % 70 === 0 ? [objects(`v1.36.${second / 70}`), pods(second)] : []),
      ...frame.servers.map((server): SourceEvent => ({ kind: 'frame', frame: server })),
      ...(second % 5 === 0 ? [{ kind: 'dump', dump: dump(SERVERS[1] ?? '') } as const] : []),
      // Enough text in these seconds that some segments are far shorter than a minute.
      ...(second >= 100 && second < 150 ? [{ kind: 'health', health: talkative(second) } as const] : []),
    ]
    for (const event of events) {
      picture.take(event)
      recorder.take(event, noter.take(event, picture, clock.environment.now()).notes)
    }
    if (moments === story) {
      seen.push({ servers: picture.servers.map(({ latest }) => latest), dump: picture.dump(SERVERS[1] ?? '') })
    }
    taken += events.length
    clock.advance(1_000)
    await vi.waitFor(() => expect(kept).toBe(taken), { interval: 1 })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await recorder.end()
  return picture
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  whole = await record(story, standingClock(START))
  await record(later, standingClock(START + SECONDS * 1_000 + OFF_MS))
  archive = archiveIn(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('what was recorded', () => {
  test('is at any instant what was seen then', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: SECONDS * 1_000 - 1 }), (afterMs) => {
        const then = seen[Math.floor(afterMs / 1_000)]
        const { frame, derived, gap } = archive.moment(START + afterMs)
        expect(gap).toBeUndefined()
        expect(plain(frame?.servers)).toEqual(plain(then?.servers.map((server) => server.frame)))
        expect(plain(derived)).toEqual(plain(then?.servers.map((server) => server.derived)))
        const dump = archive.dump(SERVERS[1] ?? '', START + afterMs)
        expect(plain(dump)).toEqual(plain(then?.dump))
      }),
      { numRuns: 60 },
    )
  })

  test('names the objects of the instant', () => {
    const versions = [0, 69, 70, 139, 140, 199].map((second) => archive.moment(START + second * 1_000).objects?.version)
    expect(versions).toEqual(['v1.36.0', 'v1.36.0', 'v1.36.1', 'v1.36.1', 'v1.36.2', 'v1.36.2'])
  })

  test('has the object counts of the instant', () => {
    const podsAt = (second: number, server = SERVERS[0] ?? ''): number | undefined =>
      archive.facts(server, START + second * 1_000)?.objects.get('pods')?.count
    expect([0, 69, 70, 139, 141].map((second) => podsAt(second))).toEqual([0, 0, 70, 70, 140])
    expect(podsAt(141, SERVERS[1])).toBeUndefined()
  })

  test('draws the series that were drawn then, in every resolution', () => {
    const end = START + SECONDS * 1_000
    for (const maxPoints of [1_000, 20, 4]) {
      const query = { from: START, to: end, maxPoints }
      const expected = whole.server(SERVERS[0] ?? '')?.history.series(query)
      const found = archive.series(SERVERS[0] ?? '', query)
      expect(found.levels.map(({ name }) => name)).toEqual(expected?.levels.map(({ name }) => name))
      if (maxPoints === 1_000) expect(plain(found)).toEqual(plain(expected))
      const most = (series: typeof found | undefined): unknown =>
        series?.levels.map(({ columns }) => Math.max(...columns.executingMax.map((value) => value ?? 0)))
      expect(most(found)).toEqual(most(expected))
    }
  })

  test('reads of a range no more than is needed, and each minute when it is asked for', () => {
    const range = [START + 20_000, START + 180_000] as const
    const fresh = archiveIn(folder)
    const pages = [...fresh.events(...range, { dumps: true })]
    const sparse = [...fresh.events(...range, { dumps: true, pages: { until: range[1], pageMs: 5_000 } })]
    expect(sparse.length).toBeLessThan(pages.length / 2)
    expect([...pages, ...sparse].some(({ event }) => event.kind === 'dump')).toBe(false)
    const all = [...fresh.events(...range)]
    expect(all.filter(({ event }) => event.kind !== 'dump')).toEqual(pages)
    // What was read as a whole is not read again.
    expect([...fresh.events(...range, { dumps: true })]).toEqual(all)
    const [first] = archiveIn(folder).events(...range)
    expect(first).toEqual(all[0])
  })

  test('has the reallocations and the histograms of a range', () => {
    const [from, to] = [START + 60_000, START + 150_000]
    const server = whole.server(SERVERS[0] ?? '')
    const steps = archive.steps(SERVERS[0] ?? '', from, to).map(({ at }) => at)
    expect(steps).toEqual(server?.adjustments.steps(from, to).map(({ at }) => at))
    expect(steps.length).toBeGreaterThan(3)
    const query = { level: 'workload-low', kind: 'wait', from, to } as const
    const sum = (cells: readonly (readonly number[] | null)[] | undefined): number =>
      (cells ?? []).flatMap((cell) => cell ?? []).reduce((a, b) => a + b, 0)
    const found = archive.heatMap(SERVERS[0] ?? '', query)
    expect(sum(found.cells)).toBe(sum(server?.history.heatMap(query).cells))
    expect(sum(found.cells)).toBeGreaterThan(0)
    expect(plain(found)).toEqual(plain(server?.history.heatMap(query)))
  })

  test('has the histograms as they were drawn at the end of a range, wherever it lies in a cell', () => {
    const [server = ''] = SERVERS
    fc.assert(
      fc.property(fc.integer({ min: 65, max: SECONDS - 1 }), fc.nat(999), (second, ms) => {
        const to = START + second * 1_000 + ms
        const then = createPicture()
        for (const { frame } of story.slice(0, second + 1)) {
          for (const one of frame.servers) then.take({ kind: 'frame', frame: one })
        }
        const query = { level: 'workload-low', kind: 'wait', from: to - 50_000, to } as const
        expect(plain(archive.heatMap(server, query))).toEqual(plain(then.server(server)?.history.heatMap(query)))
      }),
      { numRuns: 20 },
    )
  })

  test('has them and the marks of recordings of versions that kept neither, read from the samples', async () => {
    const old = join(folder, '..', `${basename(folder)}-old`)
    await cp(folder, old, { recursive: true })
    for (const { path } of chaptersIn(old)) {
      const database = new DatabaseSync(path)
      database.exec('DROP TABLE stretch; DROP TABLE note')
      database.close()
    }
    const before = createArchive({
      folder: old,
      ids: new Set(chaptersIn(old).map(({ recording }) => recording)),
      source,
      now: () => 0,
    })
    const [from, to] = [START + 60_000, START + 150_000]
    const [server = ''] = SERVERS
    const query = { level: 'workload-low', kind: 'wait', from, to } as const
    expect(plain(before.heatMap(server, query))).toEqual(plain(archive.heatMap(server, query)))
    expect(before.steps(server, from, to).map(({ at }) => at)).toEqual(
      archive.steps(server, from, to).map(({ at }) => at),
    )
    expect(before.notes(from, to)).toEqual(archive.notes(from, to))
    expect(before.notes(START, to)).not.toEqual([])
    await rm(old, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  })

  test('draws a day from digests, and knows from the ends of recordings what changed between them', async () => {
    const old = join(folder, '..', `${basename(folder)}-undigested`)
    await cp(folder, old, { recursive: true })
    for (const { path } of chaptersIn(old)) {
      const database = new DatabaseSync(path)
      expect(database.prepare('SELECT count(*) AS rows FROM digest').get()).toEqual({ rows: SERVERS.length })
      expect(database.prepare('SELECT count(*) AS rows FROM edge').get()).toEqual({ rows: 2 })
      database.exec('DROP TABLE digest; DROP TABLE edge')
      database.close()
    }
    const [server = ''] = SERVERS
    const [from, to] = [START - 6 * 3_600_000, START + 6 * 3_600_000]
    const undigested = archiveIn(old)
    const series = archive.series(server, { from, to, maxPoints: 1_000 })
    expect(series.samples.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(SECONDS)
    expect(plain(undigested.series(server, { from, to, maxPoints: 1_000 }))).toEqual(plain(series))
    expect(undigested.notes(from, to)).toEqual(archive.notes(from, to))
    await rm(old, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  })

  test('the strip of a recording names its latest alert', async () => {
    const state = join(folder, '..', `${basename(folder)}-state`)
    await cp(folder, join(state, RECORDINGS), { recursive: true })
    const own = shelf(state)
    const [id = ''] = own
      .list({ runs: () => false })
      .map((one) => one.id)
      .toReversed()
    const end = START + SECONDS * 1_000
    const alerts = archive.notes(START, end).filter(({ kind }) => kind === 'alert')
    expect(await own.strip(id, end)).toMatchObject({ lastAlert: alerts.at(-1)?.at })
    await rm(state, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  })

  test('notes what happened in a range, alerts as they were evaluated then', () => {
    const noter = createSourceNoter()
    noter.take(objects('v1.36.0'), createPicture(), START)
    const expected = seen.flatMap(({ servers }) => servers.flatMap((server) => noter.takeServer(server).notes))
    const end = START + SECONDS * 1_000
    expect(archive.notes(START, end)).toEqual(expected)
    expect(expected.map(({ kind }) => kind)).toContain('alert')
    const [first] = expected
    expect(archive.notes(START, (first?.at ?? 0) - 1)).toEqual([])
    // An alert begins at the same instant, whichever part of the time is read.
    for (const from of [START + 30_000, START + 150_000, START + 185_000]) {
      expect(archive.notes(from, end)).toEqual(expected.filter(({ at }) => at >= from))
    }
    expect(archive.notes(end + 1, end + OFF_MS - 1)).toEqual([])
    // Two starts that were not recorded: the console was off.
    const next = end + OFF_MS
    const starts = archive.notes(START - 86_400_000, next).filter(({ kind }) => kind === 'restarted')
    expect(starts.map(({ at, server }) => [at, server])).toEqual(SERVERS.map((id) => [next - 86_400_000, id]))
  })

  test('says where nothing was recorded, and what is nearest', () => {
    const end = START + (SECONDS - 1) * 1_000
    const next = START + SECONDS * 1_000 + OFF_MS
    expect(archive.extent()).toEqual({
      first: START,
      last: next + 89_000,
      gaps: [{ from: end, to: next }],
      problems: [],
    })
    expect(archive.moment(end + 300_000)).toMatchObject({ gap: { before: end, after: next }, derived: [] })
    expect(archive.moment(end + 300_000).frame).toBeUndefined()
    expect(archive.moment(START - 1)).toMatchObject({ gap: { after: START }, derived: [] })
    expect(archive.moment(next + 1_000_000)).toMatchObject({ gap: { before: next + 89_000 }, derived: [] })
    expect(archive.moment(next + 10_000).frame?.servers).toHaveLength(2)
    expect(archive.dump(SERVERS[1] ?? '', end + 301_000)).toBeUndefined()
  })
})

test('a server that does not answer leaves a gap or the end, although its failures are recorded', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const clock = standingClock(START)
  const picture = createPicture()
  const recorder = startRecorder({
    folder: own,
    source,
    writer: 'this',
    environment: clock.environment,
    stretches: (from, to) => stretchesBetween(picture, from, to),
  })
  let kept = 0
  recorder.state.subscribe(({ events = 0 }) => (kept = events), new AbortController().signal)
  for (const [second, { frame }] of [...syntheticStory({ seconds: 440, startAt: START })].entries()) {
    const [server] = frame.servers
    if (server === undefined) throw new Error('A story has servers.')
    const event: SourceEvent =
      (second >= 130 && second < 310) || second >= 420
        ? { kind: 'health', health: { id: server.id, status: 'failing', failures: [], notes: [String(second)] } }
        : { kind: 'frame', frame: server }
    picture.take(event)
    recorder.take(event, [])
    clock.advance(1_000)
    await vi.waitFor(() => expect(kept).toBe(second + 1), { interval: 1 })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await recorder.end()
  expect(archiveIn(own).extent()).toMatchObject({
    first: START,
    last: START + 419_000,
    gaps: [{ from: START + 129_000, to: START + 310_000 }],
  })
  await rm(own, { recursive: true, force: true })
})

test('ends with its last sample, also where the clock of the source is behind', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const clock = standingClock(START)
  const recorder = recorderIn(own, clock)
  for (const [second, { frame }] of [...syntheticStory({ seconds: 90, startAt: START })].entries()) {
    const [server] = frame.servers
    if (server === undefined) throw new Error('A story has servers.')
    recorder.take({ kind: 'health', health: { id: server.id, status: 'ok', failures: [], notes: [String(second)] } })
    // The simulated server of a busy machine.
    const late = { ...server, at: new Date(START + second * 500).toISOString() }
    recorder.take({ kind: 'frame', frame: late })
    clock.advance(1_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await recorder.end()
  const { last = 0 } = archiveIn(own).extent()
  expect(last).toBe(START + 89 * 500)
  expect(archiveIn(own).moment(last).frame?.servers).toHaveLength(1)
  await rm(own, { recursive: true, force: true })
})

test('the first sample is derived from what the source timed of its past', async () => {
  const clock = standingClock(START)
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const simulation = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), clock.environment, {
    backfillSeconds: 50,
    stopwatch: () => 0,
  })
  const picture = createPicture()
  const first: DerivedServer[] = []
  const recorder = recorderIn(own, clock)
  const end = new AbortController()
  simulation.start(end.signal, (event) => {
    picture.take(event)
    recorder.take(event)
    if (event.kind !== 'frame' || event.past === true) return
    first.push(...picture.servers.map(({ latest }) => latest.derived))
  })
  while (first.length === 0) {
    clock.advance(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  end.abort()
  await recorder.end()
  const { derived } = archiveIn(own).moment(START)
  expect(first).toHaveLength(1)
  expect(plain(derived)).toEqual(plain(first))
  await rm(own, { recursive: true, force: true })
})

test('evaluates alerts from the first present sample on, as was done then, whatever the recording has before it', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  // The console's clock, a little behind that of the servers.
  const clock = standingClock(START - 1_500)
  const recorder = recorderIn(own, clock)
  const picture = createPicture()
  const noter = createSourceNoter()
  const notes: Note[] = []
  const present = START + 30_000
  for (const { frame } of syntheticStory({ seconds: 260, servers: 2, startAt: START })) {
    clock.advance(1_000)
    for (const server of frame.servers) {
      const event: SourceEvent = { kind: 'frame', frame: server, ...(unixMsOf(server.at) < present && { past: true }) }
      picture.take(event)
      const found = noter.take(event, picture, unixMsOf(server.at)).notes
      recorder.take(event, found)
      notes.push(...found)
    }
  }
  await recorder.end()
  const recorded = archiveIn(own)
  expect(recorded.notes(START, START + 260_000)).toEqual(notes)
  expect(notes.map(({ kind }) => kind)).toContain('alert')
  expect(recorded.extent().first).toBe(present)
  expect(recorded.moment(present).gap).toBeUndefined()
  await rm(own, { recursive: true, force: true })
})

test('lists the requests that had come by an instant, as they ended, whatever was timed of them in between', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const clock = standingClock(START)
  const recorder = recorderIn(own, clock)
  const requests = Array.from({ length: 300 }, (_, seq) =>
    liveRequest({ seq, at: START + seq * 250, state: 'served', waitMs: 10, runMs: (seq % 7) * 700 }),
  )
  const changed = (now: number): LiveRequest[] =>
    requests.flatMap((request): LiveRequest[] => {
      const over = request.at + (request.runMs ?? 0)
      if (request.at > now || request.at <= now - 10_000) return []
      if (over > now) return [{ ...request, state: 'executing' }]
      // Emitted once more, when the server's own status is known.
      return over > now - 1_000 ? [{ ...request, status: 200 }] : []
    })
  for (const [second, { frame }] of story.slice(0, 90).entries()) {
    for (const server of frame.servers) recorder.take({ kind: 'frame', frame: server })
    const timed = changed(START + second * 1_000)
    recorder.take({ kind: 'requests', changes: { event: second + 1, from: second, requests: timed, dropped: 0 } })
    clock.advance(1_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await recorder.end()
  const found = archiveIn(own)
  // The oldest that is shown began as something that was written together ended, wherever that is.
  const examples = Array.from({ length: 120 }, (_, n): [number, number] => [60_001 + 1_000 * (n >> 2), 241 + (n % 4)])
  fc.assert(
    fc.property(fc.integer({ min: -1_000, max: 90_000 }), fc.integer({ min: 1, max: 400 }), (afterMs, count) => {
      const come = requests.filter(({ at }) => at <= START + afterMs)
      const read = found.requests(START + afterMs, count)
      expect(read.requests.map(({ at }) => at)).toEqual(come.slice(-count).map(({ at }) => at))
      expect(read.requests.map(({ seq }) => seq)).toEqual(come.slice(-count).map((_, place) => place))
      expect(read.requests.every(({ state, status }) => state === 'served' && status === 200)).toBe(true)
      expect(read.complete).toBe(come.length <= count)
    }),
    { numRuns: 60 + examples.length, examples },
  )
  await rm(own, { recursive: true, force: true })
})

test('notes what happened in a range of any length', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const clock = standingClock(START)
  const recorder = recorderIn(own, clock)
  let timed = 0
  recorder.state.subscribe(({ events = 0 }) => (timed = events), new AbortController().signal)
  const [moment] = story
  const notes = Array.from({ length: 180 }, (_, minute): Note => {
    const [at, server] = [START + minute * 60_000, SERVERS[minute % 2] ?? '']
    return { at, kind: minute % 3 === 0 ? 'alert' : 'resolved', text: `R1 of minute ${minute}`, server }
  })
  for (const [minute, one] of notes.entries()) {
    const [frame] = moment?.frame.servers ?? []
    if (frame === undefined) throw new Error('A story has servers.')
    recorder.take({ kind: 'frame', frame: { ...frame, at: new Date(one.at).toISOString() } }, [one])
    clock.advance(60_000)
    await vi.waitFor(() => expect(timed).toBe(minute + 1), { interval: 1 })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await recorder.end()
  const read = archiveIn(own)
  expect(read.notes(START, START + 3 * 3_600_000)).toEqual(notes)
  fc.assert(
    fc.property(fc.integer({ min: -10, max: 190 }), fc.nat(190), (first, length) => {
      const [from, to] = [START + first * 60_000, START + (first + length) * 60_000]
      expect(read.notes(from, to)).toEqual(notes.filter(({ at }) => at >= from && at <= to))
    }),
  )
  await rm(own, { recursive: true, force: true })
})

test('tells the last reallocations of a range, however long it is', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const clock = standingClock(START)
  const picture = createPicture()
  const all = Array.from({ length: 900 }, (_, number): AdjustmentStep => {
    return { number: number + 1, at: START + number * 10_000, follows: true, levels: [] }
  })
  const recorder = startRecorder({
    folder: own,
    source,
    writer: 'this',
    environment: clock.environment,
    stretches: (from, to) =>
      stretchesBetween(picture, from, to).map((stretch) => ({
        ...stretch,
        steps: all.filter(({ at }) => at >= from - 30_000 && at <= to),
      })),
  })
  let timed = 0
  recorder.state.subscribe(({ events = 0 }) => (timed = events), new AbortController().signal)
  const [frame] = story[0]?.frame.servers ?? []
  if (frame === undefined) throw new Error('A story has servers.')
  for (let second = 0; second <= 9_000; second += 30) {
    const event: SourceEvent = {
      kind: 'frame',
      frame: { ...frame, at: new Date(START + second * 1_000).toISOString() },
    }
    picture.take(event)
    recorder.take(event, [])
    clock.advance(30_000)
    await vi.waitFor(() => expect(timed).toBe(second / 30 + 1), { interval: 1 })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await recorder.end()
  const read = archiveIn(own)
  const instants = (from: number, to: number): readonly number[] =>
    read.steps(frame.id, from, to).map(({ at }) => at - START)
  const expected = (from: number, to: number): readonly number[] =>
    all.flatMap(({ at }) => (at >= from && at <= to ? [at - START] : [])).slice(-360)
  expect(instants(0, Number.MAX_SAFE_INTEGER)).toEqual(expected(0, Number.MAX_SAFE_INTEGER))
  // A range ends with a sample: events since the previous sample are noted with the next one.
  fc.assert(
    fc.property(fc.integer({ min: -600_000, max: 9_600_000 }), fc.integer({ min: 0, max: 300 }), (first, samples) => {
      const [from, to] = [START + first, START + samples * 30_000]
      expect(instants(from, to)).toEqual(expected(from, to))
    }),
    { numRuns: 30 },
  )
  await rm(own, { recursive: true, force: true })
})
