import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { halves, planChunks, pointsPerChunk, resolutionFor, type Chunk } from './chunks.ts'

const HOUR = 3_600_000

describe('the resolution of a range', () => {
  test('is that of the scrapes where a screen can show them all, else a step of the clock', () => {
    expect(resolutionFor(HOUR, 15_000, 500)).toEqual({ stepMs: 15_000, raw: true })
    expect(resolutionFor(6 * HOUR, 30_000, 500)).toEqual({ stepMs: 30_000, raw: true })
    expect(resolutionFor(6 * HOUR, 5_000, 500)).toEqual({ stepMs: 30_000, raw: false })
    expect(resolutionFor(24 * HOUR, 30_000, 500)).toEqual({ stepMs: 120_000, raw: false })
  })

  test('is coarser where there are very many series, so that a few answers hold the range', () => {
    expect(resolutionFor(HOUR, 5_000, 4_000)).toEqual({ stepMs: 30_000, raw: false })
    expect(resolutionFor(HOUR, 5_000, 1_000_000)).toEqual({ stepMs: 60_000, raw: false })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_000 }), fc.integer({ min: 60_000, max: 24 * HOUR }), (series, range) => {
        const resolution = resolutionFor(range, 5_000, series)
        const chunks = planChunks({ from: 1, to: 1 + range }, resolution, pointsPerChunk(series))
        // Two groups of families and the clock for each chunk, plus the eight queries for the current state.
        expect(8 + 3 * chunks.length).toBeLessThanOrEqual(20)
      }),
    )
  })
})

const arbitrary = fc
  .record({
    from: fc.integer({ min: 1, max: 2e12 }),
    length: fc.integer({ min: 1, max: 7 * 24 * HOUR }),
    stepMs: fc.constantFrom(1_000, 5_000, 30_000, 120_000, 600_000),
    raw: fc.boolean(),
    points: fc.integer({ min: 1, max: 4_000 }),
  })
  .filter(({ length, stepMs, points }) => length / stepMs / points < 2_000)

/** Number of instants of a chunk that a query with steps reads. */
const steps = ({ from, to }: Chunk, stepMs: number): number => Math.floor(to / stepMs) - Math.floor(from / stepMs)

describe('chunks', () => {
  test('cover the range without gap or overlap, the newest first, and none has more points than wanted', () => {
    fc.assert(
      fc.property(arbitrary, ({ from, length, stepMs, raw, points }) => {
        const range = { from, to: from + length }
        const chunks = planChunks(range, { stepMs, raw }, points)
        expect(chunks[0]?.to).toBe(range.to)
        for (const [i, chunk] of chunks.entries()) {
          expect(chunk.from).toBeLessThan(chunk.to)
          if (i > 0) expect(chunk.to).toBe(chunks[i - 1]?.from)
          // The newest chunk ends between two steps.
          expect(steps(chunk, stepMs)).toBeLessThanOrEqual(points + 1)
          if (!raw) expect(chunk.from % stepMs).toBe(0)
        }
        const oldest = chunks.at(-1)?.from ?? Number.NaN
        expect(oldest).toBeLessThanOrEqual(from)
        expect(from - oldest).toBeLessThan(raw ? 1 : stepMs)
      }),
    )
  })

  test('are halved down to one step, and the halves cover them', () => {
    fc.assert(
      fc.property(arbitrary, ({ from, length, stepMs, raw }) => {
        const whole = { from: Math.floor(from / stepMs) * stepMs, to: from + length }
        const both = halves(whole, { stepMs, raw })
        expect(both === undefined).toBe(whole.to - whole.from < 2 * stepMs)
        const [newer, older] = both ?? []
        fc.pre(newer !== undefined && older !== undefined)
        expect([older.from, older.to, newer.to]).toEqual([whole.from, newer.from, whole.to])
        expect(newer.from % stepMs).toBe(0)
        expect(newer.from).toBeGreaterThan(whole.from)
        expect(newer.from).toBeLessThan(whole.to)
      }),
    )
  })
})
