import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { ObjectSetSchema } from '../config/schema.ts'
import { requestHere } from '../live/live.fixture.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import {
  createReader,
  createRecorder,
  createSegmentWriter,
  firstWords,
  lastWords,
  openingOf,
  readSegment,
  threadOf,
  type EventKind,
  type TimedEvent,
} from './recording.ts'
import type { SourceEvent } from './sourceEvent.ts'

const story = [...syntheticStory({ seconds: 40, servers: 2 })]
const objects = ObjectSetSchema.parse(builtInObjects('v1.36.3'))
const FACTS = { watches: [{ apiGroup: '', resource: 'pods', total: 3 }], startedMs: 5 }

/** Events of every kind, one of each per second. */
const EVENTS: readonly SourceEvent[] = story.flatMap((moment, second): SourceEvent[] => [
  ...moment.frame.servers.map((server): SourceEvent => ({
    kind: 'frame',
    frame: server,
    ...(second < 3 && { past: true }),
  })),
  { kind: 'dump', dump: moment.dump('apiserver-a:6443') },
  {
    kind: 'facts',
    server: 'apiserver-a:6443',
    facts: { ...FACTS, objects: new Map([['pods', { count: second, averageSize: 0.5 }]]) },
  },
  { kind: 'health', health: { id: 'apiserver-a:6443', status: 'ok', failures: [], bytes: second } },
  { kind: 'objects', origin: 'cluster', reading: { state: 'current', version: 'v1.36.3', objects } },
  {
    kind: 'requests',
    changes: { event: second + 1, from: second, requests: [requestHere(second, 'served')], dropped: 0 },
  },
  {
    kind: 'requests',
    state: {
      title: 'a',
      mode: 'feed',
      limits: [],
      arrived: second,
      unreadable: 0,
      agreement: { compared: second, schemaAndLevel: 1, widthCompared: 1, width: 1, differences: [] },
    },
  },
])

const record = (timed: readonly TimedEvent[]): string[] => timed.map(createRecorder())
const at = (events: readonly SourceEvent[]): TimedEvent[] =>
  events.map((event, i) => ({ at: 1_000_000 + 250.5 * i, event }))

describe('a recording', () => {
  test('is read as it was timed', () => {
    const timed = at(EVENTS)
    expect(record(timed).map(createReader())).toEqual(timed)
  })

  test('is read with one page of a server per interval, and everything else', () => {
    const timed = at(EVENTS)
    const seen = new Set<string>()
    const expected = timed.filter(({ event }) => {
      if (event.kind !== 'frame') return true
      const interval = `${event.frame.id} ${Math.floor(Date.parse(event.frame.at) / 5_000)}`
      const isFirst = !seen.has(interval)
      seen.add(interval)
      return isFirst
    })
    expect(expected.length).toBeLessThan(timed.length)
    expect(readSegment(record(timed), 0, undefined, 5_000).events).toEqual(expected)
  })

  test('has the first and the last words of its segments as when all is read', () => {
    const wanted: ReadonlySet<EventKind> = new Set(['frame', 'objects', 'health'])
    fc.assert(
      fc.property(fc.array(fc.nat(EVENTS.length - 1), { minLength: 2, maxLength: 30 }), fc.nat(29), (places, cut) => {
        const writer = createSegmentWriter()
        const timed = at(places.flatMap((place) => EVENTS[place] ?? []))
        timed.slice(0, cut).forEach((one) => writer.write(one))
        writer.cut()
        const written = timed.slice(cut).flatMap((one) => writer.write(one))
        const lines = written.map(({ text }) => text)
        const restated = written.filter((line) => line.restated).length
        const { before, events } = readSegment(lines, restated, wanted)
        const all = Map.groupBy([...before, ...events], ({ event }) => threadOf(event))
        const last = lastWords(lines, wanted)
        expect(last).toEqual([...all.values()].flatMap((one) => one.slice(-1)))
        const threads = new Set(last.map(({ event }) => threadOf(event)))
        const own = Map.groupBy(events, ({ event }) => threadOf(event))
        const first = [...own].flatMap(([, one]) => one.slice(0, 1))
        expect(firstWords(lines, restated, wanted, threads)).toEqual(first)
        const opening = lines.slice(0, openingOf(written, wanted))
        expect(firstWords(opening, restated, wanted, threads)).toEqual(first)
        // Events about the past are no current state.
        const isPresent = ({ event }: TimedEvent): boolean => event.kind !== 'frame' || event.past !== true
        const present = Map.groupBy([...before, ...events].filter(isPresent), ({ event }) => threadOf(event))
        const again = writer.restate(wanted).map(({ text }) => text)
        const latest = new Set([...present.values()].flatMap((one) => one.slice(-1)))
        if (written.length > 0) expect(new Set(lastWords(again, wanted))).toEqual(latest)
      }),
    )
  })

  test('takes what repeats itself only once', () => {
    const [first, ...later] = record(at(EVENTS.filter(({ kind }) => kind === 'objects')))
    expect(first?.length).toBeGreaterThan(5_000)
    expect(new Set(later)).toEqual(new Set(['[250.5,"objects",{}]']))
  })

  test('that is damaged is refused in words, at the line that is', () => {
    const lines = record(at(EVENTS.slice(0, 20)))
    const damage = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .tuple(fc.integer(), fc.constantFrom('frame apiserver-a:6443', 'objects'), fc.jsonValue())
        .map((line) => JSON.stringify(line)),
    )
    fc.assert(
      fc.property(fc.nat(19), damage, (place, text) => {
        const read = createReader()
        for (const line of lines.slice(0, place)) read(line)
        try {
          read(text)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
    )
  })
})
