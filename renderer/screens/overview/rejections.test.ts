import { describe, expect, test } from 'vitest'
import type { Recent } from '../../../core/frame/derived.ts'
import { derivedLevel, rejected } from './levels.fixture.ts'
import { keepPlaces, recentRejections, type RejectionRow } from './rejections.ts'

const derived = (recent: Recent | undefined) => ({
  id: 'apiserver-a',
  torn: false,
  levels: [derivedLevel('a', { recent, schemas: [{ name: 's', recent }] })],
})

describe('rejections of the window of the present', () => {
  test('are counts and rates, in an order that does not change with them', () => {
    const counts = rejected({ 'queue-full': 118, 'time-out': 200 })
    expect(recentRejections(derived({ seconds: 10, dispatched: 3, rejected: counts }))).toEqual({
      seconds: 10,
      rows: [
        { server: 'apiserver-a', level: 'a', schema: 's', reason: 'queue-full', count: 118, perSecond: 11.8 },
        { server: 'apiserver-a', level: 'a', schema: 's', reason: 'time-out', count: 200, perSecond: 20 },
      ],
    })
  })

  test('are unknown before two samples and where the family is missing', () => {
    expect(recentRejections(undefined)).toBeUndefined()
    expect(recentRejections(derived(undefined))).toBeUndefined()
    expect(recentRejections(derived({ seconds: 10, dispatched: 3 }))).toBeUndefined()
    expect(recentRejections(derived({ seconds: 10, rejected: rejected() }))).toEqual({ seconds: 10, rows: [] })
  })
})

describe('rejections that come and go', () => {
  const row = (schema: string, count: number): RejectionRow => ({
    server: 'apiserver-a',
    level: 'a',
    schema,
    reason: 'queue-full',
    count,
    perSecond: count / 10,
  })

  test('keep their places: new ones come last, old ones go to zero', () => {
    const first = keepPlaces([], [row('m', 3)])
    const second = keepPlaces(first, [row('b', 1), row('m', 4)])
    expect(second).toEqual([row('m', 4), row('b', 1)])
    expect(keepPlaces(second, [row('b', 2)])).toEqual([row('m', 0), row('b', 2)])
  })

  test('start afresh after a calm window', () => {
    expect(keepPlaces([row('m', 3)], [])).toEqual([])
  })
})
