import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { createPicture, stretchesBetween, type Picture } from '../../core/source/picture.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { ServerHealth } from '../../core/contract/source.ts'
import { createSourceNoter } from '../../core/alerts/noted.ts'
import { liveRequest } from '../../core/live/live.fixture.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame } from '../../core/frame/frame.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import type { Archive } from '../ports/archive.ts'
import { SimulationSpecSchema } from '../../core/contract/simulation.ts'
import { createSimulationSource } from '../sources/simulation.ts'
import { createArchive } from './archive.ts'
import { chaptersIn, listRecordings } from './library.ts'
import { startRecorder } from './recorder.ts'

const START = Date.UTC(2026, 10, 21, 3)
const SECONDS = 200
/** The console was off meanwhile. */
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

/** What was seen after each second, of the first recording. */
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

let folder: string
let archive: Archive
const seen: Seen[] = []
let whole: Picture

async function record(moments: typeof story, clock: ReturnType<typeof standingClock>): Promise<Picture> {
  const picture = createPicture()
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
      ...(second % 70 === 0 ? [objects(`v1.36.${second / 70}`)] : []),
      ...frame.servers.map((server): SourceEvent => ({ kind: 'frame', frame: server })),
      ...(second % 5 === 0 ? [{ kind: 'dump', dump: dump(SERVERS[1] ?? '') } as const] : []),
      // So much is told in between that some segments are far shorter than a minute.
      ...(second >= 100 && second < 150 ? [{ kind: 'health', health: talkative(second) } as const] : []),
    ]
    for (const event of events) {
      picture.take(event)
      recorder.take(event)
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
  const ids = new Set(listRecordings(folder, () => false).map(({ id }) => id))
  archive = createArchive({ folder, ids, source, now: () => 0 })
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

  test('has them of recordings of versions that kept no stretches, read from the samples', async () => {
    const old = join(folder, '..', `${basename(folder)}-old`)
    await cp(folder, old, { recursive: true })
    for (const { path } of chaptersIn(old)) {
      const database = new DatabaseSync(path)
      database.exec('DROP TABLE stretch')
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
    await rm(old, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  })

  test('notes what happened in a range, alerts as they were evaluated then', () => {
    const noter = createSourceNoter()
    noter.take(objects('v1.36.0'), createPicture(), START)
    const expected = seen.flatMap(({ servers }) => servers.flatMap((server) => noter.takeServer(server).noted))
    const end = START + SECONDS * 1_000
    expect(archive.noted(START, end)).toEqual(expected)
    expect(expected.map(({ kind }) => kind)).toContain('alert')
    const [first] = expected
    expect(archive.noted(START, (first?.at ?? 0) - 1)).toEqual([])
    expect(archive.noted(end + 1, end + OFF_MS - 1)).toEqual([])
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

test('the first sample is derived from what the source told of its past', async () => {
  const clock = standingClock(START)
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const simulation = createSimulationSource(SimulationSpecSchema.parse({ kind: 'simulation' }), clock.environment, {
    backfillSeconds: 50,
    stopwatch: () => 0,
  })
  const picture = createPicture()
  const first: DerivedServer[] = []
  const recorder = startRecorder({
    folder: own,
    source,
    writer: 'this',
    environment: clock.environment,
    stretches: () => [],
  })
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
  const ids = new Set(listRecordings(own, () => false).map(({ id }) => id))
  const { derived } = createArchive({ folder: own, ids, source, now: () => 0 }).moment(START)
  expect(first).toHaveLength(1)
  expect(plain(derived)).toEqual(plain(first))
  await rm(own, { recursive: true, force: true })
})

test('lists the requests that had come by an instant, as they ended, whatever was told of them in between', async () => {
  const own = await mkdtemp(join(tmpdir(), 'apf-archive-'))
  const clock = standingClock(START)
  const recorder = startRecorder({
    folder: own,
    source,
    writer: 'this',
    environment: clock.environment,
    stretches: () => [],
  })
  const requests = Array.from({ length: 300 }, (_, seq) =>
    liveRequest({ seq, at: START + seq * 250, state: 'served', waitMs: 10, runMs: (seq % 7) * 700 }),
  )
  const changed = (now: number): LiveRequest[] =>
    requests.flatMap((request): LiveRequest[] => {
      const over = request.at + (request.runMs ?? 0)
      if (request.at > now || request.at <= now - 10_000) return []
      if (over > now) return [{ ...request, state: 'executing' }]
      // Once more, when the server's own words are known.
      return over > now - 1_000 ? [{ ...request, status: 200 }] : []
    })
  for (const [second, { frame }] of story.slice(0, 90).entries()) {
    for (const server of frame.servers) recorder.take({ kind: 'frame', frame: server })
    const told = changed(START + second * 1_000)
    recorder.take({ kind: 'requests', changes: { event: second + 1, from: second, requests: told, dropped: 0 } })
    clock.advance(1_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await recorder.end()
  const ids = new Set(listRecordings(own, () => false).map(({ id }) => id))
  const found = createArchive({ folder: own, ids, source, now: () => 0 })
  fc.assert(
    fc.property(fc.integer({ min: -1_000, max: 90_000 }), fc.integer({ min: 1, max: 400 }), (afterMs, count) => {
      const come = requests.filter(({ at }) => at <= START + afterMs)
      const read = found.requests(START + afterMs, count)
      expect(read.requests.map(({ at }) => at)).toEqual(come.slice(-count).map(({ at }) => at))
      expect(read.requests.map(({ seq }) => seq)).toEqual(come.slice(-count).map((_, place) => place))
      expect(read.requests.every(({ state, status }) => state === 'served' && status === 200)).toBe(true)
      expect(read.complete).toBe(come.length <= count)
    }),
    { numRuns: 60 },
  )
  await rm(own, { recursive: true, force: true })
})
