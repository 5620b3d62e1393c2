import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fits,
  placeLabels,
  type Plot,
  timeOfX,
  timeTicks,
  valueAxis,
  xOfTime,
  yOfValue,
  areaPath,
  linePath,
  type PathPoint,
} from './plot.data.ts'

const plot: Plot = { width: 500, height: 200, left: 40, right: 60, top: 10, bottom: 20 }
const utc = { time: (at: number) => new Date(at).toISOString().slice(11, 19), offsetMs: 0 }

describe('axis labels', () => {
  it('are left out where any part of them would be cut', () => {
    const half = '12:34:56'.length * 3.4
    expect(fits(plot, half, '12:34:56')).toBe(true)
    expect(fits(plot, half - 1, '12:34:56')).toBe(false)
    expect(fits(plot, plot.width - half, '12:34:56')).toBe(true)
    expect(fits(plot, plot.width - half + 1, '12:34:56')).toBe(false)
    expect(fits(plot, half - 1, '12:34')).toBe(true)
  })
})

describe('plot arithmetic', () => {
  it('places the edges of the domain on the edges of the plot area', () => {
    const domain = { from: 1_000, to: 3_000 }
    expect(xOfTime(plot, domain, 1_000)).toBe(40)
    expect(xOfTime(plot, domain, 3_000)).toBe(440)
    expect(yOfValue(plot, 100, 0)).toBe(180)
    expect(yOfValue(plot, 100, 100)).toBe(10)
  })

  it('finds the instant under every pixel that shows it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 1_000, max: 1e8 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (from, span, share) => {
          const domain = { from, to: from + span }
          const at = from + share * span
          expect(timeOfX(plot, domain, xOfTime(plot, domain, at))).toBeCloseTo(at, 3)
        },
      ),
    )
  })

  it('keeps instants left and right of the plot inside the domain', () => {
    const domain = { from: 1_000, to: 3_000 }
    expect(timeOfX(plot, domain, -50)).toBe(1_000)
    expect(timeOfX(plot, domain, 9_999)).toBe(3_000)
  })
})

describe('timeTicks', () => {
  it('stands on round clock times and leaves room for their labels', () => {
    const from = Date.UTC(2026, 10, 21, 3, 2, 43)
    const ticks = timeTicks({ from, to: from + 600_000 }, 500, utc)
    expect(ticks.map((tick) => tick.label)).toEqual(['03:04', '03:06', '03:08', '03:10', '03:12'])
  })

  it('names seconds when ticks are closer than a minute', () => {
    const from = Date.UTC(2026, 10, 21, 3, 0, 1)
    expect(timeTicks({ from, to: from + 60_000 }, 400, utc)[0]?.label).toBe('03:00:15')
  })

  it('is round in the zone of the clock', () => {
    const offsetMs = 5.5 * 3_600_000
    const india = { time: (at: number) => utc.time(at + offsetMs), offsetMs }
    const from = Date.UTC(2026, 10, 21, 3, 2, 0)
    for (const { label } of timeTicks({ from, to: from + 21_600_000 }, 500, india)) expect(label).toMatch(/:00$/)
  })

  it('never crowds and never leaves the domain', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2e12 }),
        fc.integer({ min: 2_000, max: 86_400_000 * 40 }),
        fc.integer({ min: 50, max: 2_000 }),
        (from, span, width) => {
          const domain = { from, to: from + span }
          const ticks = timeTicks(domain, width, utc)
          for (const [i, tick] of ticks.entries()) {
            expect(tick.at).toBeGreaterThanOrEqual(domain.from)
            expect(tick.at).toBeLessThanOrEqual(domain.to)
            const before = ticks[i - 1]
            if (before !== undefined) expect(((tick.at - before.at) / span) * width).toBeGreaterThanOrEqual(75.9)
          }
        },
      ),
    )
  })

  it('has no ticks without room', () => {
    expect(timeTicks({ from: 5, to: 5 }, 100, utc)).toEqual([])
    expect(timeTicks({ from: 0, to: 5_000 }, 0, utc)).toEqual([])
  })
})

describe('valueAxis', () => {
  it.each([
    [894, 1_000, 200],
    [3, 3, 1],
    [0, 1, 1],
    [0.2, 1, 1],
    [47, 50, 10],
  ])('holds %s with a top of %s', (largest, max, step) => {
    const axis = valueAxis(largest)
    expect(axis.max).toBe(max)
    expect(axis.ticks[1]).toBe(step)
  })

  it('has fractional ticks only for amounts that are divisible', () => {
    expect(valueAxis(0.4, 4, false).ticks).toEqual([0, 0.1, 0.2, 0.3, 0.4])
  })

  it('always holds the largest amount, from 0, in equal steps', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), fc.boolean(), (largest, integers) => {
        const { max, ticks } = valueAxis(largest, 4, integers)
        expect(max).toBeGreaterThanOrEqual(largest * (1 - 1e-6))
        expect(ticks[0]).toBe(0)
        expect(ticks.at(-1)).toBeCloseTo(max, 6)
        expect(ticks.length).toBeLessThanOrEqual(12)
        if (integers) for (const tick of ticks) expect(Number.isInteger(tick)).toBe(true)
      }),
    )
  })
})

describe('placeLabels', () => {
  it('leaves labels alone that do not touch', () => {
    expect(placeLabels([{ y: 10 }, { y: 60 }], 14, 0, 100).map((label) => label.at)).toEqual([10, 60])
  })

  it('keeps distance and order, and stays inside while there is room', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -50, max: 250, noNaN: true }), { maxLength: 12 }), (ys) => {
        const placed = placeLabels(
          ys.map((y) => ({ y })),
          14,
          0,
          200,
        )
        for (const [i, label] of placed.entries()) {
          expect(label.at).toBeGreaterThanOrEqual(-1e-9)
          expect(label.at).toBeLessThanOrEqual(200 + 1e-9)
          const before = placed[i - 1]
          if (before === undefined) continue
          expect(label.at - before.at).toBeGreaterThanOrEqual(14 - 1e-9)
          expect(label.y).toBeGreaterThanOrEqual(before.y)
        }
      }),
    )
  })
})

describe('linePath', () => {
  it('goes straight or in steps', () => {
    const points = [
      { x: 0, y: 10 },
      { x: 5, y: 20 },
    ]
    expect(linePath(points)).toBe('M0 10L5 20')
    expect(linePath(points, 'step')).toBe('M0 10H5V20')
  })
  it('breaks at a gap and shows a lonely sample', () => {
    const points = [
      { x: 0, y: 1 },
      { x: 1, y: 2 },
      { x: 2, y: undefined },
      { x: 3, y: 4 },
    ]
    expect(linePath(points)).toBe('M0 1L1 2M3 4h1')
    expect(linePath([])).toBe('')
  })
  it('moves exactly once for every stretch and visits every sample', () => {
    const point = fc.record({ x: fc.nat(1_000), y: fc.option(fc.nat(1_000), { nil: undefined }) })
    fc.assert(
      fc.property(fc.array(point), (points: PathPoint[]) => {
        const stretches = points.filter((p, i) => p.y !== undefined && points[i - 1]?.y === undefined).length
        const path = linePath(points)
        expect(path.split('M').length - 1).toBe(stretches)
        const lines = points.filter((p, i) => p.y !== undefined && i > 0 && points[i - 1]?.y !== undefined).length
        expect(path.split('L').length - 1).toBe(lines)
        expect(path).not.toMatch(/NaN|undefined/)
      }),
    )
  })
})

describe('areaPath', () => {
  it('comes back along its base', () => {
    const points = [
      { x: 0, y: 1, base: 9 },
      { x: 5, y: 2, base: 8 },
    ]
    expect(areaPath(points)).toBe('M0 1L5 2L5 8L0 9Z')
    expect(areaPath(points, 'step')).toBe('M0 1H5V2L5 8V9H0Z')
  })
  it('closes every stretch', () => {
    const points = [
      { x: 0, y: 1, base: 9 },
      { x: 1, y: undefined, base: 9 },
      { x: 2, y: 3, base: 9 },
      { x: 3, y: 3, base: 9 },
    ]
    expect(areaPath(points).match(/Z/g)).toHaveLength(2)
  })
})
