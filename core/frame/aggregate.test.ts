import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import { aggregate, imbalanceIndex } from './aggregate.ts'
import type { ServerFrame } from './frame.ts'

const server = (id: string, executing: number | undefined, current = 10): ServerFrame =>
  serverFrame(
    0,
    [
      levelFrame('low', [schemaFrame('s')], {
        seats: { executing, queued: 1 },
        limits: { nominal: 10, lower: 5, upper: 40, current },
      }),
    ],
    { id },
  )

describe('aggregate', () => {
  it('sums seats, requests and rates, and spreads limits', () => {
    const frames = [server('a', 2, 8), server('b', 4, 12), server('c', 6, 13)]
    const recent = {
      seconds: 10,
      dispatched: 50,
      rejected: { 'queue-full': 10, 'concurrency-limit': 0, 'time-out': 20 },
    }
    const derived = frames.map(({ id }) => ({
      id,
      torn: false,
      levels: [{ name: 'low', recent, schemas: [] }],
    }))
    const { servers, levels } = aggregate(frames, derived)
    expect(servers).toBe(3)
    expect(levels).toEqual([
      expect.objectContaining({
        name: 'low',
        seatSums: { executing: { sum: 12, servers: 3 }, queued: { sum: 3, servers: 3 } },
        dispatchedPerSecondSum: { sum: 15, servers: 3 },
        imbalance: 1.5,
      }),
    ])
    expect(levels[0]?.limitSpread.current).toEqual({ min: 8, mean: 11, max: 13, servers: 3 })
    expect(levels[0]?.rejectedPerSecondSums['time-out']).toEqual({ sum: 6, servers: 3 })
  })

  it('says over how many servers it summed when some do not report', () => {
    const [level] = aggregate([server('a', 2), server('b', undefined)]).levels
    expect(level?.seatSums.executing).toEqual({ sum: 2, servers: 1 })
    expect(level?.dispatchedPerSecondSum).toBeUndefined()
    expect(aggregate([server('a', undefined)]).levels[0]?.seatSums.executing).toBeUndefined()
  })

  it('names the busiest server, the first by id among equals', () => {
    expect(aggregate([server('a', 1), server('b', 5), server('c', 0)]).imbalance).toEqual({
      index: 2.5,
      busiest: 'b',
      seats: 5,
    })
    expect(aggregate([server('b', 3), server('a', 3)]).imbalance).toEqual({ index: 1, busiest: 'a', seats: 3 })
  })

  it('finds no imbalance where nothing executes', () => {
    const idle = aggregate([server('a', 0), server('b', 0)])
    expect(idle.imbalance).toBeUndefined()
    expect(idle.levels[0]?.imbalance).toBeUndefined()
    expect(aggregate([])).toEqual({ servers: 0, levels: [], imbalance: undefined })
  })
})

describe('imbalanceIndex', () => {
  it('lies between 1 and the number of servers', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 9 }), (values) => {
        const index = imbalanceIndex(values)
        if (values.every((value) => value === 0)) expect(index).toBeUndefined()
        else {
          expect(index).toBeGreaterThanOrEqual(1 - 1e-12)
          expect(index).toBeLessThanOrEqual(values.length + 1e-9)
        }
      }),
    )
  })
})
