import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chargeEvents, eventMs, writeWidth } from './writeWidth.ts'

const PRICE = { logicMs: 4, msPerKilobyte: 0.1 }

test('an event costs its logic and its size', () => {
  expect(eventMs(0, PRICE)).toBe(4)
  expect(eventMs(10_000, PRICE)).toBe(5)
  expect(eventMs(1_000_000, PRICE)).toBe(104)
})

test('the width of a write is min(floor(events / A), seats of the level)', () => {
  expect(writeWidth(9, 10, 40, 5)).toEqual({ seats: 0, additionalMs: 0 })
  expect(writeWidth(10, 10, 40, 5)).toEqual({ seats: 1, additionalMs: 5 })
  expect(writeWidth(250, 10, 40, 5)).toEqual({ seats: 25, additionalMs: 5 })
  expect(writeWidth(250, 10, 10, 5)).toEqual({ seats: 10, additionalMs: 12.5 })
  expect(writeWidth(29, 10, 40, 5).seats).toBe(2)
})

test('seats × additional latency is the work of the events, whatever the level has', () => {
  const seats = fc.integer({ min: 1, max: 100 })
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), seats, seats, (events, perSeat, levelSeats) => {
      const width = writeWidth(events, perSeat, levelSeats, 5)
      expect(width.seats).toBeLessThanOrEqual(levelSeats)
      const work = events < perSeat ? 0 : (events / perSeat) * 5
      expect(width.seats * width.additionalMs).toBeCloseTo(work, 6)
    }),
  )
})

test('each event is charged by the mean of those before it in its bucket', () => {
  const pods = [1_000, 3_000, 2_000].map((bytes) => ({ bucket: 'pods 4', bytes }))
  const price = { logicMs: 1, msPerKilobyte: 1 }
  expect(chargeEvents([...pods, { bucket: 'leases 0', bytes: 500 }], price)).toEqual([
    // 1 + 0, 1 + 1, 1 + 2
    { bucket: 'pods 4', events: 3, meanBytes: 2_000, chargedMs: 6, realMs: 9 },
    { bucket: 'leases 0', events: 1, meanBytes: 500, chargedMs: 1, realMs: 1.5 },
  ])
})

test('of equal sizes only the first event is charged wrongly', () => {
  const sizes = fc.integer({ min: 0, max: 1_500_000 })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 50 }), (bytes, count) => {
      const [cost] = chargeEvents(
        Array.from({ length: count }, () => ({ bucket: 'b', bytes })),
        PRICE,
      )
      expect(cost?.meanBytes).toBeCloseTo(bytes, 6)
      expect((cost?.realMs ?? 0) - (cost?.chargedMs ?? 0)).toBeCloseTo(eventMs(bytes, PRICE) - PRICE.logicMs, 4)
    }),
  )
})
