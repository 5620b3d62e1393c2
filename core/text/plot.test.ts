import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fits, placeLabels, type Plot, timeOfX, xOfTime, yOfValue, areaPath, linePath, type PathPoint } from './plot.ts'

const plot: Plot = { width: 500, height: 200, left: 40, right: 60, top: 10, bottom: 20 }

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
