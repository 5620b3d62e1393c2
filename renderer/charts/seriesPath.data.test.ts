import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areaPath, linePath, type PathPoint } from './seriesPath.data.ts'

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
