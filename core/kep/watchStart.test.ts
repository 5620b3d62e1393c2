import fc from 'fast-check'
import { expect, test } from 'vitest'
import { watchSignal } from './watchStart.ts'

const WATCH = { from: 'cache', startMs: 2, events: 1_000, queueMs: 0.01, sendMs: 0.5, waitForSending: false } as const

test('from the cache: when all initial events are in the result channel, sent or not', () => {
  expect(watchSignal(WATCH).signalMs).toBeCloseTo(12, 9)
  expect(watchSignal(WATCH).caughtUpMs).toBeCloseTo(2 + 0.01 + 0.5 * 1_000, 9)
})

test('from storage: as soon as the watch of etcd is started', () => {
  expect(watchSignal({ ...WATCH, from: 'storage' }).signalMs).toBe(2)
  expect(watchSignal({ ...WATCH, from: 'storage', waitForSending: true }).signalMs).toBe(2)
})

test('the proposed delay adds the time of sending each event', () => {
  expect(watchSignal({ ...WATCH, waitForSending: true }).signalMs).toBeCloseTo(512, 9)
})

test('the signal of storage is never later than that of the cache; with the delay none is too early', () => {
  const time = fc.double({ min: 0, max: 1_000, noNaN: true })
  fc.assert(
    fc.property(fc.nat({ max: 10_000 }), time, time, time, (events, startMs, queueMs, sendMs) => {
      const start = { startMs, events, queueMs, sendMs, waitForSending: false }
      const cache = watchSignal({ ...start, from: 'cache' })
      const storage = watchSignal({ ...start, from: 'storage' })
      const delayed = watchSignal({ ...start, from: 'cache', waitForSending: true })
      expect(storage.signalMs).toBeLessThanOrEqual(cache.signalMs)
      expect(delayed.signalMs).toBeGreaterThanOrEqual(delayed.caughtUpMs * (1 - 1e-9))
    }),
  )
})
