import { expect, test, vi } from 'vitest'
import { standingClock } from '../../test/harness/standingClock.ts'
import { createPause } from './pause.ts'

test('a pause ends by itself, once', () => {
  const clock = standingClock(0)
  const pause = createPause(clock.environment)
  const go = vi.fn<() => void>()
  pause.begin(100, go)
  clock.advance(99)
  expect([go.mock.calls.length, pause.present]).toEqual([0, true])
  clock.advance(1)
  pause.end()
  expect([go.mock.calls.length, pause.present, clock.timers()]).toEqual([1, false, 0])
})

test('is ended early, and what it calls may begin the next one', () => {
  const clock = standingClock(0)
  const pause = createPause(clock.environment)
  const second = vi.fn<() => void>()
  pause.begin(100, () => pause.begin(50, second))
  pause.end()
  expect([second.mock.calls.length, pause.present, clock.timers()]).toEqual([0, true, 1])
  clock.advance(50)
  expect(second).toHaveBeenCalledOnce()
})

test('one that is forgotten calls nothing', () => {
  const clock = standingClock(0)
  const pause = createPause(clock.environment)
  const go = vi.fn<() => void>()
  pause.begin(100, go)
  pause.forget()
  pause.end()
  clock.advance(100)
  expect([go.mock.calls.length, clock.timers()]).toEqual([0, 0])
})

test('a wait settles when its signal aborts, and leaves nothing behind', async () => {
  const clock = standingClock(0)
  const pause = createPause(clock.environment)
  const abort = new AbortController()
  const waited = pause.wait(100, abort.signal)
  abort.abort()
  await waited
  expect([pause.present, clock.timers()]).toEqual([false, 0])
  await pause.wait(100, abort.signal)
  expect([pause.present, clock.timers()]).toEqual([false, 0])
})
