import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { QUANTITIES } from '../bounds.ts'
import type { Band } from '../contract/forecast.ts'
import { seededRandom } from '../simulate/random.ts'
import { bandOrDirection, type Evidence, foresee, ownHalf, scaled } from './bands.ts'

const value = fc.double({ min: 0, max: 10, noNaN: true })
const quantity = fc.constantFrom(...QUANTITIES)
const STEADY = { values: [1, 1, 1, 1, 1], partSeconds: 60 }

const evidence = (more: Partial<Evidence>): Evidence => ({
  quantity: 'waitP99',
  now: 1,
  foreseen: [foresee('waitP99', 1, 1, 1)],
  longestWait: 1,
  past: STEADY,
  seconds: 300,
  restarts: false,
  earlier: undefined,
  ...more,
})

const bandIn = (found: ReturnType<typeof bandOrDirection>): Band | undefined =>
  found !== undefined && 'band' in found ? found.band : undefined

describe('a band', () => {
  test('contains its point, within the bounds of the quantity', () => {
    fc.assert(
      fc.property(
        quantity,
        fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 8 }),
        fc.array(value, { maxLength: 10 }),
        (of, runs, values) => {
          const foreseen = runs.map(([now, after, shown]) => foresee(of, now, after, shown))
          const now = runs[0]?.[0]
          const found = bandOrDirection(evidence({ quantity: of, now, foreseen, past: { values, partSeconds: 30 } }))
          const { low, point, high } = bandIn(found) ?? { low: 0, point: 0, high: 0 }
          expect(low).toBeLessThanOrEqual(point)
          expect(point).toBeLessThanOrEqual(high)
          expect(low).toBeGreaterThanOrEqual(0)
        },
      ),
    )
  })

  test('is the past where the edit changes nothing, whatever the twin shows', () => {
    fc.assert(
      fc.property(quantity, value, value, (of, now, shown) => {
        expect(foresee(of, now, shown, shown).value).toBeCloseTo(scaled(of, now))
      }),
    )
  })

  test('says that waits come in waves, of which the runs show a part', () => {
    const wave = { seconds: 140.3, part: 30 }
    const why = 'its requests come in waves of about 140 s, and this is 30 s of one'
    expect(bandOrDirection(evidence({ wave }))).toEqual({ unsure: { why } })
    expect(bandOrDirection(evidence({ wave, quantity: 'rejectedPerSecond' }))).toEqual({ unsure: { why } })
    expect(bandIn(bandOrDirection(evidence({ wave, quantity: 'seats' })))).toBeDefined()
  })

  test('widens with what the server did on its own, and narrows with more parts', () => {
    const half = (values: readonly number[]): number => ownHalf('waitP99', { values, partSeconds: 60 }, 300)
    expect(half([1, 2, 1, 2, 1])).toBeGreaterThan(half([1, 1.1, 1, 1.1, 1]))
    expect(half(Array.from({ length: 10 }, () => 1))).toBeLessThan(half([1, 1]))
  })

  test('holds nine in ten times for a server that changes by chance', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        // Values of independent parts around 1: the mean of the next ones, against the band from five.
        const random = seededRandom(seed)
        const normal = (): number => Array.from({ length: 12 }, random).reduce((sum, one) => sum + one, -6)
        const part = (): number => Math.exp(0.3 * normal())
        let inside = 0
        for (let turn = 0; turn < 200; turn++) {
          const values = Array.from({ length: 5 }, part)
          const mean = values.reduce((sum, one) => sum + Math.log(one), 0) / 5
          const next = Array.from({ length: 3 }, () => Math.log(part())).reduce((sum, one) => sum + one, 0) / 3
          if (Math.abs(next - mean) <= ownHalf('waitP99', { values, partSeconds: 60 }, 180)) inside++
        }
        expect(inside / 200).toBeGreaterThan(0.85)
      }),
      { numRuns: 20 },
    )
  })

  test('is left out where it would be useless: the direction is stated if it is certain', () => {
    const wild = { values: [0.1, 3, 0.2, 5, 0.1], partSeconds: 60 }
    const unknown = bandOrDirection(evidence({ past: wild }))
    expect(unknown).toMatchObject({ unsure: { why: expect.stringContaining('would exceed ±100 %') } })
    expect(unknown).not.toHaveProperty('unsure.to')
    const falls = bandOrDirection(evidence({ foreseen: [foresee('waitP99', 5, 0, 5)], now: 5 }))
    expect(falls).toMatchObject({ unsure: { to: 'falls' } })
  })

  test('of rejections is left out where little decides about whether there are any', () => {
    const rejections = (now: number, ...after: readonly number[]) => rejectionsAt(1, now, ...after)
    const rejectionsAt = (longestWait: number, now: number, ...after: readonly number[]) =>
      bandOrDirection(
        evidence({
          longestWait,
          quantity: 'rejectedPerSecond',
          now,
          foreseen: after.map((one) => foresee('rejectedPerSecond', now, one, now)),
          past: { values: Array.from({ length: 10 }, () => now), partSeconds: 60 },
        }),
      )
    expect(rejections(0, 0, 0, 0.1, 0)).toMatchObject({ unsure: { why: expect.stringContaining('runs differ') } })
    expect(bandIn(rejections(0, 0, 0, 0, 0))).toMatchObject({ low: 0, point: 0 })
    expect(rejectionsAt(10, 0, 0, 0)).toMatchObject({ unsure: { why: expect.stringContaining('as long as they may') } })
    expect(rejections(0, 3, 3.2, 3.1, 3)).toMatchObject({ unsure: { to: 'rises' } })
    expect(bandIn(rejections(4, 4, 4.1, 4, 3.9))?.point).toBeCloseTo(4, 0)
  })

  test('is as wide as earlier forecasts here required, and left out where they did not hold', () => {
    const width = (widening: number): number => {
      const { low = 1, high = 1 } =
        bandIn(bandOrDirection(evidence({ earlier: { numbers: 15, inside: 12, widening } }))) ?? {}
      return Math.log(high / low)
    }
    expect(width(1.5) / width(1)).toBeCloseTo(1.5, 1)
    expect(bandOrDirection(evidence({ earlier: { numbers: 15, inside: 4, widening: 8 } }))).toEqual({
      unsure: { why: 'it held in 4 of 15 forecasts here' },
    })
  })
})
