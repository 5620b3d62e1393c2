import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { createFormat, UNKNOWN, type Clock } from './format.ts'

let clock: Clock = 'utc'
const format = createFormat('screen', () => clock)

const thin = (text: string): string => text.replaceAll('_', '\u202f')

describe('numbers for people', () => {
  it.each([
    [format.seats(307), '307'],
    [format.seats(10_087), thin('10_087')],
    [format.seats(-1_234_567), thin('−1_234_567')],
    [format.digits(3_905_000_064_000n), thin('3_905_000_064_000')],
    [format.seatsAverage(911.46), '911.5'],
    [format.seatSeconds(48_211.402), thin('48_211.402')],
    [format.rate(11.84), '11.8 /s'],
    [format.counted(1, 'seat'), '1 seat'],
    [format.counted(1.002, 'seat'), '1 seat'],
    [format.counted(1_204, 'request'), '1\u202f204 requests'],
    [format.counted(undefined, 'seat'), '– seats'],
    [format.rate(0), '0 /s'],
    [format.rate(99.96), '100 /s'],
    [format.rate(1_203.7), thin('1_204 /s')],
    [format.rate(0.1234), '0.123 /s'],
    [format.rate(0.000_01), '<0.001 /s'],
    [format.seconds(0.0006), '0.6 ms'],
    [format.seconds(0.212), '212 ms'],
    [format.seconds(6.42), '6.42 s'],
    [format.seconds(14.2), '14.2 s'],
    [format.seconds(0.999_6), '1.00 s'],
    [format.seconds(0), '0 ms'],
    [format.bytes(163_000), '163 kB'],
    [format.bytes(1_800_000), '1.8 MB'],
    [format.bytes(999), '999 B'],
    [format.percent(0.9), '90 %'],
    [format.percent(0), '0 %'],
    [format.percent(0.0002), '<1 %'],
    [format.percent(0.0002, 1), '<0.1 %'],
    [format.fairFraction(0.322_91), '0.3229'],
    [format.probability(0.023), '2.3 %'],
    [format.probability(0.000_028), '2.8e−5'],
    [format.change(62), '+62'],
    [format.change(-25), '−25'],
    [format.change(0), '0'],
    [format.change(0.2), '0'],
    [format.age(800), '0.8 s'],
    [format.age(14_000), '14 s'],
    [format.age(7_440_000), '2 h 4 min'],
    [format.seconds(94_929), '26 h 22 min'],
    [format.seconds(-125), '−2 min 5 s'],
    [format.said('drop 1,176 of 12,345,678, or 1,2'), thin('drop 1_176 of 12_345_678, or 1,2')],
    [format.span(600), '10 min'],
    [format.span(21_600), '6 h'],
    [format.span(9_000), '2 h 30 min'],
  ])('writes %s', (written, expected) => {
    expect(written).toBe(expected)
  })

  it('never writes 0 for what is not known', () => {
    for (const write of [
      format.seats,
      format.rate,
      format.seconds,
      format.bytes,
      format.percent,
      format.age,
      format.time,
    ]) {
      expect(write(undefined)).toBe(UNKNOWN)
      expect(write(Number.NaN)).toBe(UNKNOWN)
    }
  })

  it('keeps the value of every whole number', () => {
    fc.assert(
      fc.property(fc.integer(), (value) => {
        expect(Number(format.fixed(value).replaceAll('\u202f', '').replace('−', '-'))).toBe(value)
      }),
    )
  })

  it('has no negative zero', () => {
    expect(format.fixed(-0.2)).toBe('0')
    expect(format.fixed(-0.26, 1)).toBe('−0.3')
  })
})

describe('quantiles of a histogram', () => {
  it.each([
    [0.004_95, { above: 0, upTo: 0.005 }, '≤ 5 ms'],
    [0.03, { above: 0.02, upTo: 0.05 }, '20–50 ms'],
    [0.7, { above: 0.5, upTo: 1 }, '500 ms–1 s'],
    [1.5, { above: 1, upTo: 1.731 }, '1–1.8 s'],
    [28.9, { above: 15, upTo: 30 }, '> 15 s'],
    [28.9, { above: 15, upTo: 15.2 }, '≈ 15.2 s'],
    [30, { above: 30 }, '> 30 s'],
    [0, { above: 0, upTo: 0 }, '0 ms'],
    [6.42, undefined, '≈ 6.42 s'],
    // The estimate of what timed out, where only the number is known.
    [15, undefined, '> 15 s'],
    [undefined, undefined, UNKNOWN],
  ])('%s in %o reads %s', (estimate, range, text) => {
    expect(format.quantile(estimate, range)).toBe(text)
  })
})

describe('clock times', () => {
  afterEach(() => {
    clock = 'utc'
  })
  const at = Date.UTC(2026, 10, 21, 3, 12, 43, 7)

  it('are in UTC, with milliseconds only when asked for', () => {
    expect(format.time(at)).toBe('03:12:43')
    expect(format.time(at, { millis: true })).toBe('03:12:43.007')
    // An instant of a run, which began at 0.
    expect([format.time(12_345), format.time(12_345, { millis: true })]).toEqual(['12 s', '12.345 s'])
    expect([format.dateTime(0), format.instant(90_000)]).toEqual(['0 s', '90 s'])
    expect(format.dateTime(at)).toBe('2026-11-21 03:12:43')
    expect(format.zone()).toBe('UTC')
  })

  it('follow the zone of the machine when set so', () => {
    clock = 'local'
    const local = new Date(at)
    expect(format.time(at).slice(0, 2)).toBe(String(local.getHours()).padStart(2, '0'))
    expect(format.zone()).toBe('local time')
  })
})
