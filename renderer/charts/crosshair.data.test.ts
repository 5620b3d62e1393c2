import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dragRange, nearestIndex, stepCursor, summariseRange } from './crosshair.data.ts'
import { seriesOf } from './seatChart.fixture.ts'

describe('nearestIndex', () => {
  it('is the closest of ascending instants', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 1 }), fc.integer(), (raw, at) => {
        const times = raw.toSorted((a, b) => a - b)
        const index = nearestIndex(times, at)
        const distance = Math.abs((times[index] ?? Number.NaN) - at)
        expect(distance).toBe(Math.min(...times.map((time) => Math.abs(time - at))))
      }),
    )
  })
  it('is −1 without instants', () => expect(nearestIndex([], 5)).toBe(-1))
})

describe('stepCursor', () => {
  const times = [0, 1_000, 2_000]
  it('starts at the newest sample and stops at both ends', () => {
    expect(stepCursor(times, undefined, -1)).toBe(1_000)
    expect(stepCursor(times, 1_000, 1)).toBe(2_000)
    expect(stepCursor(times, 2_000, 10)).toBe(2_000)
    expect(stepCursor(times, 0, -10)).toBe(0)
    expect(stepCursor([], 0, 1)).toBeUndefined()
  })
})

describe('ranges', () => {
  it('orders the ends of a drag and ignores a click', () => {
    expect(dragRange(5_000, 1_000, 100)).toEqual({ from: 1_000, to: 5_000 })
    expect(dragRange(5_000, 5_050, 100)).toBeUndefined()
  })

  it('sums up the samples inside, without those that are missing', () => {
    const series = seriesOf(
      {
        x: {
          executing: [10, 20, null, 40],
          queuedSeatsMax: [0, 5, null, 0],
          queueFullRate: [0, 2, null, 3],
          dispatchedRate: [7, 7, null, 7],
        },
      },
      4,
    )
    expect(summariseRange(series, 'x', { from: 500, to: 3_000 })).toEqual({
      seconds: 2.5,
      samples: 2,
      executingMean: 30,
      demandMax: 40,
      rejected: 5,
      dispatched: 14,
    })
    expect(summariseRange(series, 'gone', { from: 0, to: 3_000 }).executingMean).toBeUndefined()
  })
})
