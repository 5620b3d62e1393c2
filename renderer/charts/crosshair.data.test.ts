import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dragRange, nearestIndex, readCursor, stepCursor, summariseRange } from './crosshair.data.ts'
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

describe('readCursor', () => {
  const series = seriesOf(
    {
      idle: { executing: [1, null, 1], queuedSeats: [0, null, 0], current: [50, null, 50] },
      busy: { executing: [30, null, 30], queuedSeats: [12, null, 12], current: [30, null, 30] },
    },
    3,
  )
  it('sorts by executing seats and adds demand', () => {
    expect(readCursor(series, 400)?.rows).toEqual([
      { level: 'busy', executing: 30, limit: 30, demand: 42, queued: 12 },
      { level: 'idle', executing: 1, limit: 50, demand: 1, queued: 0 },
    ])
  })
  it('says that there is no sample, and invents no zero', () => {
    const empty = readCursor(series, 1_000)
    expect(empty?.rows.map((row) => row.demand)).toEqual([undefined, undefined])
    const silent = { ...series, samples: [1, 0, 1] }
    const gap = { from: 0, to: 2_000 }
    expect(readCursor(silent, 1_000)).toEqual({ at: 1_000, rows: [], gap })
    // The end of the gap is closer, but its sample is still not the one of this instant.
    expect(readCursor(silent, 1_900)).toMatchObject({ rows: [], gap })
    expect(readCursor(silent, 2_000)?.gap).toBeUndefined()
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
