import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { KEPT_REQUESTS } from '../../../core/bounds.ts'
import { liveRows } from '../../state/live.ts'
import { LiveRows } from '../../state/live.logic.ts'
import { LiveStream } from './LiveStream.tsx'
import { LiveNow } from './LiveNow.tsx'
import { setFilter } from './query.ts'

/** Rows are drawn after this long, however many arrived. */
const DRAWN_MS = 200
/** Existing rows are summed up after this long; the next sum is due a second after the start. */
const SETTLED_MS = 300
/** Rows that are summed up together. */
const CHUNK = 1_024

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.restoreAllMocks()
  liveRows.clear()
  setFilter('')
})

const put = (seq: number): void =>
  liveRows.put(liveRequest({ seq, at: seq, state: seq % 1_000 === 0 ? 'rejected' : 'served' }))

/** Number of rows read and of rows drawn, for each event on a list of `count` rows. */
function work(count: number): readonly (readonly [string, number, number])[] {
  vi.useFakeTimers()
  liveRows.clear()
  setFilter('status:200')
  setFilter('')
  for (let seq = 0; seq < count; seq++) put(seq)
  render(
    <>
      <LiveNow state={undefined} source="live" />
      <LiveStream
        room={{ narrow: false, server: false }}
        opened={undefined}
        pinned={[]}
        stale={false}
        onOpen={() => undefined}
        onPin={() => undefined}
      />
    </>,
  )
  act(() => void vi.advanceTimersByTime(SETTLED_MS))
  const grid = screen.getByRole('grid', { name: 'Live requests' })
  const list = grid.parentElement ?? grid
  const visits = vi.spyOn(LiveRows.prototype, 'at')
  const costOf = (what: string, happens: () => void): readonly [string, number, number] => {
    visits.mockClear()
    act(happens)
    return [what, visits.mock.calls.length, grid.querySelectorAll('tbody tr:not([aria-hidden])').length]
  }
  let next = count
  const more = (): void => {
    for (let left = 50; left > 0; left--) put(next++)
    vi.advanceTimersByTime(DRAWN_MS)
  }
  const costs = [
    costOf('requests come', more),
    costOf('the pointer comes', () => void fireEvent.pointerEnter(list)),
    costOf('requests come meanwhile', more),
    costOf('the list is scrolled', () => {
      Object.defineProperty(list, 'scrollTop', { configurable: true, value: 25 * 500 })
      fireEvent.scroll(list)
    }),
    costOf('the list follows again', () => void fireEvent.pointerLeave(list)),
    costOf('a second passes', () => void vi.advanceTimersByTime(1_000)),
  ]
  cleanup()
  vi.restoreAllMocks()
  return costs
}

it('looks at as many of 200,000 rows as of 2,000, and draws as many', () => {
  const few = work(2_000)
  const many = work(KEPT_REQUESTS)
  expect(many.slice(0, -1)).toEqual(few.slice(0, -1))
  for (const [what, looked, drawn] of few.slice(0, -1)) {
    expect(drawn, what).toBeLessThan(100)
    expect(looked, what).toBeLessThanOrEqual(4 * drawn)
  }
  // Sums over the last seconds and minutes begin within a chunk, and their newest chunks have changed.
  for (const [, looked] of [...few, ...many].slice(-1)) expect(looked).toBeLessThan(8 * CHUNK)
})
