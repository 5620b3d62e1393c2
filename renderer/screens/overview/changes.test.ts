import { describe, expect, test } from 'vitest'
import type { Series } from '../../../core/history/series.ts'
import type { LevelColumn } from '../../../core/history/columns.ts'
import { history } from '../../../core/verdict/levels.fixture.ts'
import { changesOf } from './changes.ts'

type Column = (number | null)[]

function series(levels: Record<string, Partial<Record<LevelColumn, Column>>>, stepSeconds = 10): Series {
  const length = Math.max(
    0,
    ...Object.values(levels).flatMap((level) => Object.values(level).map((column) => column.length)),
  )
  const times = Array.from({ length }, (_, i) => i * stepSeconds * 1_000)
  const all = Object.values(levels).flatMap((level) => Object.values(level))
  return {
    server: 'apiserver-a',
    stepSeconds,
    mergedSeconds: 0,
    times,
    // A point without any value represents a missing sample.
    samples: times.map((_, i) => (all.some((column) => (column[i] ?? null) !== null) ? 1 : 0)),
    fairFrac: times.map(() => null),
    levels: Object.entries(levels).map(([name, columns]) => history(name, length, columns)),
  }
}
const texts = (shown: Series, startedAt?: number) => changesOf(shown, { startedAt }).map(({ text }) => text)
const present = (values: Column): Partial<Record<LevelColumn, Column>> => ({ executing: values })

describe('what changed', () => {
  test('a reallocation names its largest moves, newest first', () => {
    const shown = series({
      'workload-low': { current: [299, 307, 330], nominal: [245, 245, 245], executing: [1, 1, 1] },
      'global-default': { current: [58, 59, 59], nominal: [49, 49, 49], executing: [1, 1, 1] },
      'workload-high': { current: [84, 75, 52], nominal: [98, 98, 98], executing: [1, 1, 1] },
    })
    expect(texts(shown)).toEqual([
      'reallocated: workload-low 307 → 330, workload-high 75 → 52',
      'reallocated: workload-high 84 → 75, workload-low 299 → 307, global-default 58 → 59',
    ])
  })

  test('small reallocations in a row become one line', () => {
    const shown = series({
      a: { current: [300, 301, 300, 302, 200], nominal: [300, 300, 300, 300, 300] },
      b: { current: [300, 299, 300, 298, 400], nominal: [300, 300, 300, 300, 300] },
    })
    expect(texts(shown)).toEqual([
      'reallocated: a 302 → 200, b 298 → 400',
      '3 small reallocations, at most 2 seats each',
    ])
  })

  test('a reallocation that a scrape caught in the middle is one', () => {
    const shown = series({ a: { current: [100, 60, 60] }, b: { current: [100, 100, 140] } }, 1)
    expect(texts(shown)).toEqual(['reallocated: a 100 → 60, b 100 → 140'])
  })

  test('queueing and rejecting begin after a quiet minute, and only from a known zero', () => {
    const queued = [0, 3, 0, 4, 0, 0, 0, 0, 0, 0, 0, 2]
    const shown = series({ a: { queuedRequestsMax: queued, executing: queued.map(() => 1) } })
    expect(changesOf(shown, { startedAt: undefined }).map(({ at, text }) => [at, text])).toEqual([
      [110_000, 'a began to queue'],
      [40_000, 'a no longer queues'],
      [10_000, 'a began to queue'],
    ])
    const ended = series({ a: { queueFullRate: queued, executing: queued.map(() => 1) } })
    expect(texts(ended)).toEqual([
      'a began to reject, queue-full',
      'a no longer rejects, queue-full',
      'a began to reject, queue-full',
    ])
    const already = series({ a: { queueFullRate: [null, 5, 5], executing: [1, 1, 1] } })
    expect(texts(already)).toEqual([])
    const late = series({ a: { timeOutRate: [0, 0, 5], executing: [1, 1, 1] } })
    expect(texts(late)).toEqual(['a began to reject, time-out'])
  })

  test('levels appear and go; a gap of everything is a gap, not a departure', () => {
    const shown = series({ a: present([1, 1, 1, 1]), b: present([null, null, 1, 1]), c: present([1, 1, null, null]) })
    expect(texts(shown)).toEqual(['b appeared', 'c is gone'])
    const silent = series({ a: present([1, null, null, 1]), b: present([1, null, null, 1]) })
    expect(texts(silent)).toEqual(['no samples from 0 s to 30 s (30 s)'])
  })

  test('a sample without the level is neither a gap nor does it hide a reallocation', () => {
    const shown = series({ a: { current: [100, null, 50], executing: [1, null, 1] }, b: present([1, 1, 1]) }, 1)
    const found = changesOf(shown, { startedAt: undefined })
    expect(found.map(({ text }) => text)).toEqual(['reallocated: a 100 → 50'])
  })

  test('a limit that differs after a gap is not dated', () => {
    expect(texts(series({ a: { current: [100, null, 50], executing: [1, null, 1] } }))).toEqual([
      'no samples from 0 s to 20 s (20 s)',
    ])
  })

  test('each gap is named at its end; many are one line', () => {
    const values = [1, null, null, 1, null, null, null, 1]
    const shown = series({ a: present(values) })
    expect(changesOf(shown, { startedAt: undefined }).map(({ at, text }) => [at, text])).toEqual([
      [70_000, 'no samples from 30 s to 70 s (40 s)'],
      [30_000, 'no samples from 0 s to 30 s (30 s)'],
    ])
    const many = Array.from({ length: 8 }, () => values).flat()
    expect(texts(series({ a: present(many) }))).toEqual(['no samples in 16 gaps, the longest from 30 s to 70 s (40 s)'])
  })

  test('points of merged samples are no gaps', () => {
    const shown = series({ a: { current: [100, 100, 50], executing: [1, 1, 1] } }, 60)
    expect(texts({ ...shown, mergedSeconds: 60 })).toEqual(['reallocated: a 100 → 50'])
  })

  test('what was notes of objects and processes stands among them, within the range and of this server', () => {
    const shown = series({ a: present([1, 1, 1]) })
    const notes = [
      {
        at: 5_000,
        kind: 'object' as const,
        text: 'PriorityLevelConfiguration a changed by kubectl-edit: shares 1 → 2',
      },
      {
        at: 15_000,
        kind: 'restarted' as const,
        text: 'apiserver-a started; its counters began at 0',
        server: shown.server,
      },
      { at: 15_000, kind: 'version' as const, text: 'apiserver-b changed', server: 'apiserver-b' },
      { at: 99_000, kind: 'object' as const, text: 'later' },
    ]
    expect(changesOf(shown, { startedAt: 15, notes }).map(({ text }) => text)).toEqual([
      'apiserver-a started; its counters began at 0',
      'PriorityLevelConfiguration a changed by kubectl-edit: shares 1 → 2',
    ])
  })

  test('a start within the range is a restart', () => {
    const shown = series({ a: present([1, 1, 1]) })
    expect(texts(shown, 15)).toEqual(['apiserver-a started; its counters began at 0'])
    expect(texts(shown, -5)).toEqual([])
  })

  test('nothing in, nothing out', () => {
    expect(texts(series({}), 5)).toEqual([])
  })
})
