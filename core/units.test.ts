import fc from 'fast-check'
import { expect, expectTypeOf, test } from 'vitest'
import {
  msToNs,
  nsToMs,
  nsToSeconds,
  secondsToNs,
  unixMsAfter,
  unixMsOf,
  type Nanoseconds,
  type Seats,
  type SeatSeconds,
  type UnixMs,
} from './units.ts'

const upTo = (bits: number): fc.Arbitrary<number> => fc.integer({ min: -(2 ** bits - 1), max: 2 ** bits - 1 })

test('nanoseconds survive the way through milliseconds and seconds', () => {
  fc.assert(
    fc.property(upTo(51), (ns) => {
      expect(msToNs(nsToMs(ns)) - ns).toBe(0)
      expect(secondsToNs(nsToSeconds(ns)) - ns).toBe(0)
    }),
  )
  fc.assert(
    fc.property(upTo(53), (ns) => {
      expect(Math.abs(msToNs(nsToMs(ns)) - ns)).toBeLessThanOrEqual(1)
      expect(Math.abs(secondsToNs(nsToSeconds(ns)) - ns)).toBeLessThanOrEqual(1)
    }),
  )
})

test('a conversion to nanoseconds rounds to the nearest whole one, halves up', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (ms) => {
      const ns = msToNs(ms)
      expect(Number.isInteger(ns)).toBe(true)
      expect(Math.abs(ns - ms * 1e6)).toBeLessThanOrEqual(0.5)
    }),
  )
  expect([0.000_000_5, -0.000_000_5, 0.000_001_5].map(msToNs)).toEqual([1, -0, 2])
  expect([1.4e-9, 1.6e-9, 60].map(secondsToNs)).toEqual([1, 2, 60e9])
})

test('a time of a text is what Date reads', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      expect(unixMsOf(date.toISOString())).toBe(date.getTime())
    }),
  )
  expect(unixMsOf('2026-11-21T07:30:23.451999Z')).toBe(1_795_246_223_451)
  expect(unixMsOf('2026-11-21T08:30:23.451+01:00')).toBe(1_795_246_223_451)
  expect(unixMsOf('Sat, 21 Nov 2026 07:30:23 GMT')).toBe(1_795_246_223_000)
  expect(unixMsOf('2026-11-21')).toBe(Date.UTC(2026, 10, 21))
  for (const text of ['2026-11-21T07:30', '2026-11-21 07:30', '2026-11-21T07:30:00', '2026-11-21 07:30:00.000'])
    expect(unixMsOf(text)).toBe(Date.UTC(2026, 10, 21, 7, 30))
  for (const text of ['', 'never', '2026-13-01T00:00:00Z']) expect(unixMsOf(text)).toBeNaN()
})

test('a time after a start keeps what is below a millisecond', () => {
  expect(unixMsAfter(1_000, 2_500_000)).toBe(1_002.5)
})

test('a number without a unit is accepted, one of another unit is not', () => {
  expectTypeOf<number>().toExtend<Nanoseconds>()
  expectTypeOf<Nanoseconds>().toExtend<number>()
  expectTypeOf<Nanoseconds>().not.toExtend<UnixMs>()
  expectTypeOf<UnixMs>().not.toExtend<Nanoseconds>()
  expectTypeOf<Seats>().not.toExtend<SeatSeconds>()
  expectTypeOf<Nanoseconds>().not.toExtend<Seats>()
})
