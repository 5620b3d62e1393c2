import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { standingClock } from '../../test/harness/standingClock.ts'
import type { LiveRequest } from '../../core/contract/live.ts'
import type { RecordingState } from '../../core/contract/recording.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { openChapter } from './chapter.ts'
import { listRecordings, removeOld } from './library.ts'
import { startRecorder, type Recorder, type RecorderOptions } from './recorder.ts'

const START = Date.UTC(2026, 10, 21, 3)
const source = { kind: 'scrape', name: 'prod', via: '/metrics' } as const
const HOUR = 3_600_000
const PAGE = 4_096

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apf-recordings-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))

const objects: SourceEvent = {
  kind: 'objects',
  origin: 'cluster',
  reading: { state: 'current', version: 'v1.36.3', objects: { levels: [], schemas: [] } },
}
const aRequest: LiveRequest = {
  seq: 0,
  at: START,
  user: 'anna',
  groups: [],
  verb: 'get',
  url: '/api/v1/pods',
  resource: 'pods',
  namespace: '',
  name: '',
  state: 'served',
  level: 'workload-low',
  schema: 'service-accounts',
  flow: '',
  seats: { initial: 1, final: 0 },
}
const requestsOf = (count: number, state: LiveRequest['state']): LiveRequest[] =>
  Array.from({ length: count }, (_, seq) => ({ ...aRequest, seq, state }))
/** The events of a source in each second of the story. */
const story = [...syntheticStory({ seconds: 130, startAt: START })].map(({ frame, dump }, second): SourceEvent[] =>
  frame.servers.flatMap((server): SourceEvent[] => [
    ...(second === 0 ? [objects] : []),
    { kind: 'frame', frame: server },
    ...(second % 5 === 0 ? [{ kind: 'dump', dump: dump(server.id) } as const] : []),
  ]),
)
const eventsAt = (second: number): SourceEvent[] => story[second] ?? []

interface Running {
  readonly recorder: Recorder
  readonly state: () => RecordingState | undefined
  /** Plays this many seconds of the story. */
  readonly play: (from: number, to: number) => Promise<void>
}

function record(
  writer = 'this',
  clock = standingClock(START),
  onChapter = (): void => undefined,
  of: RecorderOptions['source'] = source,
): Running {
  const recorder = startRecorder({
    folder,
    source: of,
    writer,
    environment: clock.environment,
    onChapter,
    stretches: () => [],
  })
  let latest: RecordingState | undefined
  let taken = 0
  recorder.state.subscribe((state) => (latest = state), new AbortController().signal)
  return {
    recorder,
    state: () => latest,
    async play(from, to) {
      for (let second = from; second < to; second++) {
        for (const event of eventsAt(second)) recorder.take(event)
        taken += eventsAt(second).length
        clock.advance(1_000)
        await vi.waitFor(() => expect((latest?.events ?? 0) + (latest?.lost ?? 0)).toBe(taken), { interval: 1 })
        // From here on it waits for the next second.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

/** Everything that can be read of all recordings, in its JSON form. */
function readAll(): { events: unknown[]; problems: number } {
  const events: unknown[] = []
  let problems = 0
  for (const { chapters, problems: found } of listRecordings(folder, () => false)) {
    problems += found.length
    for (const path of chapters) {
      const chapter = opened(path)
      if (chapter === undefined) continue
      for (const segment of chapter.segments) {
        try {
          events.push(...chapter.read(segment).events.map(({ event }) => JSON.parse(JSON.stringify(event))))
        } catch {
          problems++
        }
      }
      chapter.close()
    }
  }
  return { events, problems }
}
/** The list already contains the reason why it cannot be opened. */
function opened(path: string): ReturnType<typeof openChapter> | undefined {
  try {
    return openChapter(path)
  } catch {
    return undefined
  }
}
const timed = (from: number, to: number): unknown[] =>
  Array.from({ length: to - from }, (_, index) => eventsAt(from + index))
    .flat()
    .map((event) => JSON.parse(JSON.stringify(event)))

describe('the flight recorder', () => {
  it('keeps everything within a second, before its file is complete', async () => {
    const { play, state, recorder } = record()
    await play(0, 90)
    expect(readAll()).toEqual({ events: timed(0, 90), problems: 0 })
    expect(state()).toMatchObject({ status: 'recording', events: timed(0, 90).length, lost: 0 })
    await recorder.end()
    expect(readAll()).toEqual({ events: timed(0, 90), problems: 0 })
    const [entry] = listRecordings(folder, () => false)
    expect(entry).toMatchObject({ source, first: START, last: START + 89_000, running: false, problems: [] })
  })

  it('writes segments that are read alone: what was known before stands at their beginning', async () => {
    const { play, recorder } = record()
    await play(0, 130)
    await recorder.end()
    const [entry] = listRecordings(folder, () => false)
    const chapter = openChapter(entry?.chapters[0] ?? '')
    expect(chapter.segments.length).toBe(3)
    const kinds = chapter.segments.map((segment) => chapter.read(segment).before.map(({ event }) => event.kind))
    expect(kinds).toEqual([[], ['objects', 'frame', 'dump'], ['objects', 'frame', 'dump']])
    const last = chapter.segments.at(-1)
    const before = last === undefined ? [] : chapter.read(last).before
    expect(before.map(({ at }) => at)).toEqual([START, expect.any(Number), expect.any(Number)])
    chapter.close()
  })

  it('begins another chapter every hour, and tells who tidies up', async () => {
    const chapters = vi.fn<() => void>()
    const clock = standingClock(START)
    const { play, recorder } = record('this', clock, chapters)
    await play(0, 2)
    clock.sleep(HOUR)
    await play(2, 4)
    // The clock is set back.
    clock.set(-2 * HOUR)
    await play(4, 6)
    await recorder.end()
    expect(chapters).toHaveBeenCalledTimes(3)
    const [entry] = listRecordings(folder, () => false)
    expect(entry?.chapters.length).toBe(3)
    expect(readAll()).toEqual({ events: timed(0, 6), problems: 0 })
  })

  it('pauses where it cannot write, says why, and goes on in another file', async () => {
    const clock = standingClock(START)
    const { play, state, recorder } = record('this', clock)
    await play(0, 5)
    const [entry] = listRecordings(folder, () => false)
    await rm(join(folder, entry?.id ?? ''), { recursive: true })
    await writeFile(join(folder, entry?.id ?? ''), '')
    clock.sleep(HOUR)
    await play(5, 6)
    expect(state()).toMatchObject({
      status: 'paused',
      problem: { message: expect.stringMatching(/^Cannot open .*: a part of its path is a file\./) },
      lost: eventsAt(5).length,
    })
    await rm(join(folder, entry?.id ?? ''))
    clock.sleep(20_000)
    await play(6, 8)
    expect(state()).toMatchObject({ status: 'recording', lost: eventsAt(5).length })
    await recorder.end()
    expect(readAll().events).toEqual(timed(6, 8))
    const [after] = listRecordings(folder, () => false)
    const chapter = openChapter(after?.chapters[0] ?? '')
    const [first] = chapter.segments
    // Events from the time when it could not write are available all the same.
    expect(first && chapter.read(first).before.map(({ event }) => event.kind)).toEqual(['objects', 'frame', 'dump'])
    chapter.close()
  })

  it('keeps requests that are over, of very many a part, and counts the others', async () => {
    const clock = standingClock(START)
    const { recorder, state } = record('this', clock)
    const requests = [...requestsOf(300, 'waiting'), ...requestsOf(6_500, 'served')]
    recorder.take({ kind: 'requests', changes: { event: 1, from: 0, requests, dropped: 2 } })
    clock.advance(1_000)
    await vi.waitFor(() => expect(state()).toMatchObject({ leftOut: 1_502, lost: 0 }))
    // A second later as many fit as one second has room for.
    recorder.take({ kind: 'requests', changes: { event: 2, from: 0, requests, dropped: 0 } })
    await recorder.end()
    expect(readAll().events).toMatchObject([
      { changes: { requests: { length: 5_000 }, dropped: 1_502 } },
      { changes: { requests: { length: 1_000 }, dropped: 5_500 } },
    ])
  })

  it('dates what a simulation tells by its own time, which is not the present after a pause', async () => {
    const clock = standingClock(START + 600_000)
    const simulated = { kind: 'simulation', name: 'Simulated cluster', via: 'seed 1' } as const
    const { recorder } = record('this', clock, undefined, simulated)
    const [frame] = eventsAt(1)
    const requests: SourceEvent = {
      kind: 'requests',
      changes: { event: 1, from: 0, requests: requestsOf(1, 'served'), dropped: 0 },
    }
    if (frame === undefined) throw new Error('The story has no frame.')
    for (const event of [frame, objects, requests]) recorder.take(event)
    await recorder.end()
    const chapter = openChapter(listRecordings(folder, () => false)[0]?.chapters[0] ?? '')
    const told = chapter.segments.flatMap((segment) => chapter.read(segment).events)
    chapter.close()
    expect(told.map((one) => one.at - START)).toEqual([1_000, 1_000, 1_000])
  })

  it('leaves no request out because a busy machine or disk stores them late', async () => {
    const clock = standingClock(START)
    const { recorder, state } = record('this', clock)
    for (let second = 0; second < 8; second++) {
      recorder.take({
        kind: 'requests',
        changes: { event: 1, from: 0, requests: requestsOf(500, 'served'), dropped: 0 },
      })
      clock.sleep(1_000)
    }
    await recorder.end()
    expect(state()).toMatchObject({ leftOut: 0, lost: 0 })
    expect(readAll().events).toHaveLength(8)
  })

  it('lets a second console write beside it', async () => {
    const [one, other] = [record('one'), record('other')]
    await Promise.all([one.play(0, 10), other.play(0, 10)])
    const running = listRecordings(folder, (writer) => writer === 'other').map((entry) => entry.running)
    expect(new Set(running)).toEqual(new Set([true, false]))
    await Promise.all([one.recorder.end(), other.recorder.end()])
    expect(listRecordings(folder, () => true).map((entry) => entry.running)).toEqual([false, false])
    expect(readAll().events.length).toBe(2 * timed(0, 10).length)
  })

  it('keeps its files from other users', async () => {
    const { play, recorder } = record()
    await play(0, 2)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o077))
    await recorder.end()
    // Windows has no such modes; there the folder belongs to the user alone.
    expect(new Set(modes)).toEqual(new Set([process.platform === 'win32' ? 0o066 : 0]))
  })

  it('loses of a damaged file only what the damage hit', async () => {
    const { play, recorder } = record()
    await play(0, 130)
    await recorder.end()
    const [path = ''] = listRecordings(folder, () => false)[0]?.chapters ?? []
    const whole = readFileSync(path)
    const damages: number[] = []
    const pages = whole.length / PAGE
    for (let page = 1; page < pages; page += page < 3 ? 1 : Math.ceil(pages / 11)) {
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(PAGE, page), 0, PAGE, page * PAGE)
      closeSync(file)
      const { events, problems } = readAll()
      const lost = timed(0, 130).length - events.length
      if (lost > 0) expect(problems).toBeGreaterThan(0)
      damages.push(lost)
      await writeFile(path, whole)
    }
    // A damaged page of text costs its minute, and the others remain.
    expect(damages.filter((lost) => lost > 0 && lost < timed(0, 80).length).length).toBeGreaterThan(3)
    expect(readAll().events).toEqual(timed(0, 130))
  })
})

describe('retention', () => {
  const chaptersNow = (): number => listRecordings(folder, () => false).flatMap(({ chapters }) => chapters).length
  const recordings = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const { play, recorder } = record(`writer ${index}`, standingClock(START + index * HOUR))
      await play(0, 3)
      await recorder.end()
      const [latest] = listRecordings(folder, () => false)
      const at = (START + index * HOUR) / 1_000
      await utimes(latest?.chapters[0] ?? '', at, at)
    }
  }

  it('removes what is too old, and the oldest where it is too much', async () => {
    await recordings(4)
    const nobody = (): boolean => false
    const now = START + 4 * HOUR
    removeOld(folder, { ageMs: 10 * HOUR, bytes: Number.POSITIVE_INFINITY }, now, nobody)
    expect(chaptersNow()).toBe(4)
    removeOld(folder, { ageMs: 3.5 * HOUR, bytes: Number.POSITIVE_INFINITY }, now, nobody)
    expect(chaptersNow()).toBe(3)
    const bytes = listRecordings(folder, nobody).map((entry) => entry.bytes)
    removeOld(folder, { ageMs: 10 * HOUR, bytes: (bytes[0] ?? 0) + (bytes[1] ?? 0) }, now, nobody)
    expect(listRecordings(folder, nobody).map(({ id }) => id.slice(0, 11))).toEqual(['20261121T06', '20261121T05'])
    expect(readdirSync(folder).length).toBe(2)
  })

  it('never removes what is being written', async () => {
    await recordings(2)
    const { play, recorder } = record('writer 2', standingClock(START + 2 * HOUR))
    await play(0, 3)
    removeOld(folder, { ageMs: 0, bytes: 0 }, START + 9 * HOUR, (writer) => writer === 'writer 2')
    expect(listRecordings(folder, () => false).map(({ running }) => running)).toEqual([false])
    expect(listRecordings(folder, (writer) => writer === 'writer 2').map(({ running }) => running)).toEqual([true])
    await recorder.end()
  })
})
