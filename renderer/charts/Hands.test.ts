import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hands } from '../../core/sharding/collision.ts'
import { depthOf, oddsAxis, tickLabel } from './Hands.tsx'

const line = (queues: number, elephants: number) => ({ elephants, points: hands(queues, elephants) })

describe('the axis of chances', () => {
  it('holds every point and the target, from certainty down', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 1e-12, max: 1, noNaN: true }),
        (queues, elephants, target) => {
          const lines = [line(queues, 1), line(queues, elephants)]
          const axis = oddsAxis(lines, target)
          for (const odds of [target, ...lines.flatMap(({ points }) => points.map(({ covered }) => covered))]) {
            expect(odds).toBeGreaterThanOrEqual(10 ** axis.lowest * 0.999)
            expect(depthOf(axis, odds)).toBeLessThanOrEqual(1)
          }
          expect(axis.ticks[0]).toBe(0)
          expect(axis.ticks.length).toBeLessThanOrEqual(7)
          expect(axis.ticks.at(-1)).toBeGreaterThanOrEqual(axis.lowest)
        },
      ),
    )
  })
  it('puts smaller chances lower, none below the bottom', () => {
    const axis = oddsAxis([line(128, 1)], undefined)
    expect([1, 1e-3, 1e-12, 0].map((odds) => depthOf(axis, odds))).toEqual(
      [1, 1e-3, 1e-12, 0].map((odds) => depthOf(axis, odds)).toSorted((a, b) => a - b),
    )
    expect(depthOf(axis, 1)).toBeCloseTo(0, 12)
    expect(depthOf(axis, 0)).toBe(1)
  })
  it('names percents, then powers of ten', () => {
    expect([0, -1, -2, -3, -4, -12].map(tickLabel)).toEqual(['100 %', '10 %', '1 %', '0.1 %', '1e−4', '1e−12'])
  })
})
