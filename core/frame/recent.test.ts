import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { createDeriver } from './derive.ts'
import type { ServerFrame } from './frame.ts'
import { flowKey, flowOf, indexFrame } from './rates.ts'
import { emptyWindow, levelStates, pushRecent, RECENT_MS, recentOf, rejectedByGone, troubleOf } from './recent.ts'
import { plain } from '../text/format.ts'
import { byCodeUnits } from '../text/text.ts'
import { headline } from '../verdict/headline.ts'
import { levelRows, recentRejections, totalsOf } from '../verdict/levelRows.ts'

/** States of a level over samples with these total rejections and dispatches, one per second. */
function statesOver(samples: readonly (readonly [at: number, rejected: number, dispatched: number])[]) {
  const derive = createDeriver('api')
  return samples.map(([at, rejected, dispatched]) => {
    const counts = { 'queue-full': rejected, 'concurrency-limit': 0, 'time-out': 0 }
    const level = levelFrame('low', [schemaFrame('s', { rejected: counts, dispatched })])
    return levelStates(level, derive(serverFrame(at, [level])).levels[0])
  })
}

it('counts what a level rejected within the window after it was deleted', () => {
  const derive = createDeriver('api')
  const page = (at: number, count: number | undefined): ServerFrame => {
    const rejected = { 'queue-full': count ?? 0, 'concurrency-limit': 0, 'time-out': 0 }
    return serverFrame(at, [
      levelFrame('low', []),
      ...(count === undefined ? [] : [levelFrame('hog', [schemaFrame('s', { rejected })])]),
    ])
  }
  const seen = [page(0, 7), page(5, 242), page(6, undefined), page(12, undefined), page(17, undefined)].map((frame) => {
    const derived = derive(frame)
    const rows = levelRows(frame, derived, byCodeUnits)
    const recent = recentRejections(derived)
    const said = headline([{ id: 'api', rows, recent }], plain)
    return [totalsOf(rows, recent?.rows).rejectedPerSecond, said.evidence]
  })
  const deleted = 'hog, which was deleted, rejected 235 requests in the last'
  expect(seen.slice(2)).toEqual([
    [235 / 6, `${deleted} 6 s.`],
    [235 / 12, `${deleted} 12 s.`],
    [0, 'No request was rejected in the last 11 s.'],
  ])
})

it('counts what a level rejected of which somebody summed the flow schemas', () => {
  const derive = createDeriver('api')
  const rejected = (count: number) => ({ 'queue-full': count, 'concurrency-limit': 0, 'time-out': 0 })
  const page = (at: number, count: number): ServerFrame =>
    serverFrame(at, [{ ...levelFrame('hog', []), rejected: rejected(count), dispatched: count }])
  derive(page(0, 5))
  expect(derive(page(60, 65)).levels[0]?.recent).toEqual({ seconds: 60, dispatched: 60, rejected: rejected(60) })
})

describe('the state of a level', () => {
  it('is rejecting for ten seconds after the last rejection, not for one sample', () => {
    const samples = [0, 1, 2, 5, 10, 11, 12].map((at) => [at, at >= 1 ? 5 : 0, 0] as const)
    expect(statesOver(samples).map(([first]) => first)).toEqual([
      'idle',
      'rejecting',
      'rejecting',
      'rejecting',
      'rejecting',
      'idle',
      'idle',
    ])
  })

  it('covers at least one interval, however far apart samples are', () => {
    expect(
      statesOver([
        [0, 0, 0],
        [60, 3, 0],
        [120, 3, 0],
      ]).map(([first]) => first),
    ).toEqual(['idle', 'rejecting', 'idle'])
  })

  it('flows when requests were dispatched, though none executes in the sample', () => {
    expect(
      statesOver([
        [0, 0, 5],
        [1, 0, 9],
      ]).at(-1),
    ).toEqual(['flowing'])
  })

  it('is unknown where seats or what waits is not reported, and queueing beside rejecting', () => {
    const state = (seats: object, requests: object) =>
      levelStates(levelFrame('low', [], { seats, requests }), undefined)
    expect(state({}, {})).toEqual(['unknown'])
    expect(state({ executing: 3 }, {})).toEqual(['unknown'])
    expect(state({}, { queued: 0 })).toEqual(['unknown'])
    expect(state({ executing: 3, queued: 0 }, {})).toEqual(['flowing'])
    expect(state({ executing: 3 }, { queued: 2 })).toEqual(['queueing'])
    const recent = { seconds: 10, rejected: { 'queue-full': 1, 'concurrency-limit': 0, 'time-out': 0 } }
    const both = levelStates(levelFrame('low', [], { requests: { executing: 1, queued: 2 } }), { recent })
    expect(both).toEqual(['rejecting', 'queueing'])
    expect(troubleOf(both)).toBe('rejecting')
    expect(troubleOf(['no-limit'])).toBeUndefined()
  })
})

it('contains the same however many samples are within it', () => {
  const flow = fc.option(fc.nat(50), { nil: undefined })
  const sample = fc.record({ stepMs: fc.integer({ min: 1, max: 6_000 }), flows: fc.tuple(flow, flow, flow) })
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 60 }), (samples) => {
      const window = emptyWindow()
      let atMs = 0
      const seen = samples.map(({ stepMs, flows }) => {
        atMs += stepMs
        const found = flows.flatMap((count, at) =>
          count === undefined ? [] : [[flowKey('low', `${at}`), count] as const],
        )
        const index = indexFrame(
          serverFrame(atMs / 1_000, [
            levelFrame(
              'low',
              found.map(([where, count]) =>
                schemaFrame(flowOf(where).schema, {
                  rejected: { 'queue-full': count, 'concurrency-limit': 0, 'time-out': 0 },
                  dispatched: count,
                }),
              ),
            ),
          ]),
        )
        pushRecent(window, atMs, index)
        return { atMs, flows: new Map(found) }
      })
      const begin = Math.max(
        0,
        seen.findLastIndex((one) => one.atMs <= atMs - RECENT_MS),
      )
      const inside = seen.slice(begin)
      const [oldest, newest] = [inside[0]?.flows, inside.at(-1)?.flows]
      const last = new Map(inside.flatMap(({ flows }) => [...flows]).filter(([where]) => newest?.has(where) !== true))
      const gone = [...last].flatMap(([where, count]) => {
        const rejected = count - (oldest?.get(where) ?? 0)
        return rejected > 0 ? [[flowOf(where).schema, rejected]] : []
      })
      const told = rejectedByGone(window).map(({ schema, rejected }) => [schema, rejected['queue-full']])
      expect(new Set(told)).toEqual(new Set(gone))
      for (const [where, count] of newest ?? [])
        expect(recentOf(window, where)?.dispatched).toBe(
          inside.length > 1 ? count - (oldest?.get(where) ?? 0) : undefined,
        )
    }),
  )
})
