import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { addWaits, countWait, noWaits, waitP99, type FlowWaits } from './flowWaits.ts'
import { liveRequest } from '../../../core/live/live.fixture.ts'

const waitsOf = (...rows: readonly Partial<LiveRequest>[]): FlowWaits => {
  const waits = noWaits()
  for (const row of rows) countWait(waits, liveRequest(row))
  return waits
}
const NOW = 1_000_000

it('is the wait that 99 of 100 requests did not exceed, those without a wait among them', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => ({ waitMs: i < 97 ? 0 : i * 1_000 }))
  expect(waitP99(waitsOf(...hundred), NOW)).toEqual({ ms: 98_000, requests: 100, atLeast: false })
  expect(waitP99(waitsOf({ waitMs: 0 }), NOW)).toEqual({ ms: 0, requests: 1, atLeast: false })
  expect(waitP99(waitsOf(), NOW)).toBeUndefined()
})

it('counts what was rejected after a wait, and not what never waited or left', () => {
  const rows = [
    { state: 'rejected', reason: 'time-out', waitMs: 15_000 },
    { state: 'rejected', reason: 'queue-full', waitMs: 0 },
    { state: 'cancelled' as const },
  ] as const
  const [timedOut, full, { state }] = rows
  const { waitMs: _, ...left } = liveRequest({ state })
  expect(waitP99(waitsOf(timedOut, full), NOW)).toMatchObject({ ms: 15_000, requests: 1 })
  const waits = noWaits()
  countWait(waits, left)
  expect(waitP99(waits, NOW)).toBeUndefined()
})

it('takes the wait that the server reports for that of the engine', () => {
  const waits = waitsOf({ waitMs: 3, server: { waitMs: 700 } }, { waitMs: 2 })
  expect(waits).toMatchObject({ waits: [700, 2], reported: 1 })
})

it('is a lower bound that nothing which still waits can undercut, and exact where it says so', () => {
  const ms = fc.integer({ min: 0, max: 20_000 })
  fc.assert(
    fc.property(
      fc.array(ms, { maxLength: 150 }),
      fc.array(fc.tuple(ms, ms), { minLength: 1, maxLength: 20 }),
      (ended, stillWaiting) => {
        const over = ended.map((waitMs) => ({ waitMs }))
        const now = waitP99(
          waitsOf(
            ...over,
            ...stillWaiting.map(([soFar]) => ({ state: 'waiting' as const, at: NOW - soFar, waitMs: 0 })),
          ),
          NOW,
        )
        const then = waitP99(waitsOf(...over, ...stillWaiting.map(([soFar, more]) => ({ waitMs: soFar + more }))), NOW)
        expect(then?.ms).toBeGreaterThanOrEqual(now?.ms ?? Number.NaN)
        expect(now?.atLeast === true || then?.ms === now?.ms).toBe(true)
      },
    ),
  )
})

it('is what sorting all of them gives', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 2_000 }), (waits) => {
      const sorted = waits.toSorted((a, b) => a - b)
      expect(waitP99(waitsOf(...waits.map((waitMs) => ({ waitMs }))), NOW)).toEqual({
        ms: sorted[Math.ceil(0.99 * waits.length) - 1],
        requests: waits.length,
        atLeast: false,
      })
    }),
  )
})

it('sums of sums are those of all', () => {
  const rows = [{}, { waitMs: 0 }, { state: 'waiting' }, { server: { waitMs: 5 } }] as const
  const total = noWaits()
  for (const row of rows) addWaits(total, waitsOf(row))
  const sum = noWaits()
  addWaits(sum, total)
  expect(waitP99(sum, 1_000_500)).toEqual(waitP99(waitsOf(...rows), 1_000_500))
  expect(sum).toMatchObject({ waiting: 1, reported: 1, ended: 3 })
})
