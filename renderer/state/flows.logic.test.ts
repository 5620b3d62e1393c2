import { AT, queueOf, requestOf } from '../screens/level/level.fixture.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dumpOfLevel, flowRows } from './flows.logic.ts'

describe('flowRows', () => {
  const requests = [
    requestOf({ queue: 45, arrivedAt: AT - 14_000, initialSeats: 1, finalSeats: 2 }),
    requestOf({ queue: 14, arrivedAt: AT - 3_000 }),
    requestOf({ queue: 45, startedAt: AT - 500, initialSeats: 3 }),
    requestOf({ flow: 'alice', queue: 7, startedAt: AT - 100, initialSeats: 1 }),
    requestOf({ flow: 'alice', schema: 'global-default', queue: 9, startedAt: AT - 100, initialSeats: 1 }),
  ]
  it('separates flows by schema and distinguisher, most queued first', () => {
    const rows = flowRows(requests, AT)
    expect(rows.map((row) => [row.name, row.schema, row.queued, row.queuedSeats, row.executingSeats])).toEqual([
      ['inventory:scanner', 'service-accounts', 2, 3, 3],
      ['alice', 'service-accounts', 0, 0, 1],
      ['alice', 'global-default', 0, 0, 1],
    ])
  })
  it('takes the longest wait from waiting requests only, and the queues from all', () => {
    const [scanner, alice] = flowRows(requests, AT)
    expect(scanner).toMatchObject({ longestWait: 14, queues: [14, 45], share: 0.6 })
    expect(alice?.longestWait).toBeUndefined()
  })
  it('divides the limit fairly among what the flows want, and knows no fairness without a limit', () => {
    // They need 6, 1 and 1 seats; 4 seats leave 2 to the one with the highest demand.
    expect(flowRows(requests, AT, 4).map((row) => row.fair)).toEqual([2, 1, 1])
    expect(flowRows(requests, AT).map((row) => row.fair)).toEqual([undefined, undefined, undefined])
  })
  it('loses no request and shares add to one', () => {
    const request = fc.record({
      flow: fc.constantFrom('a', 'b', 'c'),
      running: fc.boolean(),
      initialSeats: fc.integer({ min: 1, max: 9 }),
    })
    fc.assert(
      fc.property(fc.array(request), (many) => {
        const rows = flowRows(
          many.map(({ running, ...change }) => requestOf({ ...change, ...(running ? { startedAt: AT } : {}) })),
          AT,
        )
        expect(rows.reduce((sum, row) => sum + row.queued + row.executing, 0)).toBe(many.length)
        const shares = rows.reduce((sum, row) => sum + (row.share ?? 0), 0)
        expect(shares).toBeCloseTo(many.some(({ running }) => running) ? 1 : 0)
      }),
    )
  })
})

it('takes one level out of a dump, absent parts stay absent', () => {
  const dump = {
    server: 'a',
    at: '2026-11-21T03:00:00.000Z',
    costMs: 1,
    bytes: 1,
    errors: [],
    queues: [queueOf(1), { ...queueOf(2), level: 'y' }],
  }
  expect(dumpOfLevel(dump, 'y').queues?.map((queue) => queue.index)).toEqual([2])
  expect(dumpOfLevel(dump, 'y').requests).toBeUndefined()
})
