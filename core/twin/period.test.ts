import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../simulate/random.ts'
import { periodOf, type Sample } from './period.ts'

/** Ten minutes, one value every so many seconds. */
const sampled = (valueAt: (second: number) => number, everySeconds = 1, seconds = 600): readonly Sample[] =>
  Array.from({ length: Math.floor(seconds / everySeconds) + 1 }, (_, i) => ({
    at: 1_700_000_000_000 + 1_000 * i * everySeconds,
    value: valueAt(i * everySeconds),
  }))

const wave =
  (period: number, active: number, first = 0) =>
  (second: number): number =>
    (((second - first) % period) + period) % period < active ? 1 : 0

const seed = fc.integer({ min: 1, max: 1e6 })

describe('the period of a load', () => {
  test('is found whatever its phase, its height and the noise on it', () => {
    fc.assert(
      fc.property(
        fc.record({
          period: fc.integer({ min: 60, max: 180 }),
          duty: fc.double({ min: 0.2, max: 0.7, noNaN: true }),
          phase: fc.double({ min: 0, max: 1, noNaN: true }),
          height: fc.double({ min: 1, max: 1_000, noNaN: true }),
          every: fc.constantFrom(1, 2, 5),
          seed,
        }),
        ({ period, duty, phase, height, every, seed: of }) => {
          const random = seededRandom(of)
          const value = wave(period, duty * period, phase * period)
          const found = periodOf(sampled((second) => height * (3 + value(second) + 0.4 * (random() - 0.5)), every))
          expect(Math.abs((found ?? 0) / 1_000 - period)).toBeLessThan(Math.max(2.5, 0.04 * period))
        },
      ),
      // Short waves that begin between bins were taken for waves of twice the period.
      {
        examples: [
          [{ period: 72, duty: 0.2, phase: 0, height: 1, every: 5, seed: 3 }],
          [{ period: 62, duty: 0.2, phase: 0, height: 1, every: 5, seed: 206_169 }],
          [{ period: 62, duty: 0.2, phase: 0, height: 1, every: 5, seed: 10 }],
        ],
      },
    )
  })

  test('does not depend on the unit and the origin of the values, or on when they were read', () => {
    const value = wave(140, 55, 25)
    const usual = periodOf(sampled(value))
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1e4, noNaN: true }),
        fc.double({ min: -1e3, max: 1e3, noNaN: true }),
        (factor, origin) => {
          expect(periodOf(sampled((second) => factor * (value(second) + origin)))).toBeCloseTo(usual ?? 0, -1)
        },
      ),
      { numRuns: 20 },
    )
    expect((usual ?? 0) / 1_000).toBeCloseTo(140, -0.5)
  })

  test('is that of the largest of several waves', () => {
    const [crawl, deploy] = [wave(140, 55, 25), wave(45, 5, 10)]
    const found = periodOf(sampled((second) => 300 * crawl(second) + 100 * deploy(second)))
    expect(Math.abs((found ?? 0) / 1_000 - 140)).toBeLessThan(3)
  })

  test('is found across gaps, and in pages that are 15 s apart', () => {
    const value = wave(140, 55)
    const gappy = sampled(value).filter((_, second) => second < 200 || second > 260)
    expect(Math.abs((periodOf(gappy) ?? 0) / 1_000 - 140)).toBeLessThan(5)
    expect(Math.abs((periodOf(sampled(value, 15)) ?? 0) / 1_000 - 140)).toBeLessThan(10)
  })

  test('is not found in noise', () => {
    fc.assert(
      fc.property(seed, fc.constantFrom(1, 5, 15), fc.integer({ min: 30, max: 600 }), (of, every, seconds) => {
        const random = seededRandom(of)
        expect(periodOf(sampled(() => random(), every, seconds))).toBeUndefined()
      }),
    )
  })

  test('is not found in what happens once or twice', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 560 }), { minLength: 0, maxLength: 2 }),
        fc.integer({ min: 1, max: 60 }),
        seed,
        (starts, length, of) => {
          const random = seededRandom(of)
          const value = (second: number): number =>
            starts.filter((start) => second >= start && second < start + length).length + 0.05 * random()
          expect(periodOf(sampled(value))).toBeUndefined()
        },
      ),
    )
  })

  test('is not found in a step or a trend, and nowhere in too little', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: -5, max: 5 }), (step, slope) => {
        expect(periodOf(sampled((second) => (second < step ? 0 : 7) + slope))).toBeUndefined()
        expect(periodOf(sampled((second) => slope * second))).toBeUndefined()
      }),
    )
    expect(periodOf([])).toBeUndefined()
    expect(periodOf([{ at: 0, value: 1 }])).toBeUndefined()
    expect(periodOf(sampled(wave(140, 55), 1, 300))).toBeUndefined()
  })
})
