import { describe, expect, test } from 'vitest'
import { levelFrame, serverFrame, START_MS } from '../../test/fixtures/frames.ts'
import type { DumpFrame } from '../frame/dump.ts'
import { createPicture, type Picture } from './picture.ts'
import type { SourceEvent } from './sourceEvent.ts'

const DUMP: DumpFrame = { server: 'a', at: new Date(START_MS).toISOString(), costMs: 1, bytes: 2, errors: [] }
const EVENTS: readonly SourceEvent[] = [
  { kind: 'health', health: { id: 'b', status: 'connecting', failures: [] } },
  { kind: 'health', health: { id: 'a', status: 'connecting', failures: [] } },
  { kind: 'facts', server: 'a', facts: { objects: new Map([['pods', { count: 3, averageSize: 100 }]]), watches: [] } },
  ...Array.from({ length: 30 }, (_, second): SourceEvent => ({
    kind: 'frame',
    frame: serverFrame(second, [levelFrame('system', [], { limits: { current: 10 + (second > 9 ? 2 : 0) } })], {
      id: 'a',
    }),
    ...(second < 20 && { past: true }),
  })),
  { kind: 'dump', dump: DUMP },
  { kind: 'objects', origin: 'cluster', reading: { state: 'loading', objects: { levels: [], schemas: [] } } },
  { kind: 'health', health: { id: 'a', status: 'ok', failures: [] } },
  { kind: 'note', note: 'ended' },
]

const timed = (events: readonly SourceEvent[]): Picture => {
  const picture = createPicture()
  for (const event of events) picture.take(event)
  return picture
}
/** Everything that a screen may read from a picture. */
const asked = (picture: Picture) => ({
  series: picture.server('a')?.history.series({ from: START_MS, to: START_MS + 60_000, maxPoints: 100 }),
  steps: picture.server('a')?.adjustments.steps(0, Number.MAX_SAFE_INTEGER),
  latest: picture.servers.map(({ latest }) => latest),
  health: picture.health,
  facts: picture.facts('a'),
  dump: picture.dump('a'),
  objects: picture.objects,
  ended: picture.ended,
})

describe('what the events of a source add up to', () => {
  test('is the history of its servers, their newest frames, and what else was timed last', () => {
    const picture = timed(EVENTS)
    expect(asked(picture).series?.times).toHaveLength(30)
    expect(asked(picture).steps).toHaveLength(2)
    expect(picture.servers.map(({ latest }) => latest.frame.levels[0]?.limits.current)).toEqual([12])
    expect(picture.health.map(({ id, status }) => `${id} ${status}`)).toEqual(['a ok', 'b connecting'])
    expect(picture.facts('a')?.objects.get('pods')?.count).toBe(3)
    expect([picture.dump('a'), picture.dump('b'), picture.ended]).toEqual([DUMP, undefined, true])
    expect(picture.server('b')).toBeUndefined()
  })

  test('is the present, whatever range of the past is timed after it', () => {
    const frames = EVENTS.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))
    const [early, late] = [frames.slice(0, 12), frames.slice(12)]
    const picture = timed([
      ...late.map((frame): SourceEvent => ({ kind: 'frame', frame })),
      ...early.map((frame): SourceEvent => ({ kind: 'frame', frame, past: true })),
    ])
    expect(picture.servers.map(({ latest }) => latest.frame)).toEqual(frames.slice(-1))
    expect(asked(picture).series?.times).toEqual(asked(timed(EVENTS)).series?.times)
    expect(asked(picture).steps).toEqual(asked(timed(late.map((frame) => ({ kind: 'frame', frame })))).steps)
  })

  test('is the same history when ranges are timed the newest first, each after the frame that leads it', () => {
    const frames = EVENTS.flatMap((event) => (event.kind === 'frame' ? [event.frame] : []))
    const range = (from: number, to: number): SourceEvent[] =>
      frames.slice(Math.max(0, from - 1), to).map((frame, i) => ({
        kind: 'frame',
        frame,
        past: true,
        ...(i === 0 && from > 0 && { lead: true }),
      }))
    const present = frames
      .slice(20)
      .map((frame, i): SourceEvent => ({ kind: 'frame', frame, ...(i === 0 && { past: true, lead: true }) }))
    const inOrder = frames.map((frame): SourceEvent => ({ kind: 'frame', frame }))
    const picture = timed([...present, ...range(10, 21), ...range(0, 10)])
    expect(asked(picture).series).toEqual(asked(timed(inOrder)).series)
  })

  test('is the same when they were stored or sent to another thread before', () => {
    expect(asked(timed(structuredClone(EVENTS)))).toEqual(asked(timed(EVENTS)))
  })
})
