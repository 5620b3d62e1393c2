import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HeatMap } from '../../core/history/series.ts'
import { bucketLabel, heatGrid, heatLegend, heatRowAt, heatStep, HEAT_STEPS, heatTable, heatWords } from './HeatMap.tsx'

const map: HeatMap = {
  stepSeconds: 10,
  times: [10_000, 20_000, 30_000, 40_000],
  bounds: [0, 0.1, 1],
  cells: [[1, 2, 0, 0], null, [0, 5, 1, 0], [0, 0, 0, 7]],
}

describe('heatGrid', () => {
  it('adds neighbouring columns and knows an empty one from a gap', () => {
    const grid = heatGrid(map, 2)
    expect(grid.cells).toEqual([
      [1, 2, 0, 0],
      [0, 5, 1, 7],
    ])
    expect(grid).toMatchObject({ total: 16, largest: 7, stepMs: 20_000, times: [20_000, 40_000] })
    expect(heatGrid(map, 100).cells[1]).toBeNull()
  })

  it('loses no event, however narrow it becomes', () => {
    const cells = fc.array(fc.option(fc.array(fc.nat(1_000), { minLength: 4, maxLength: 4 })), { maxLength: 60 })
    fc.assert(
      fc.property(cells, fc.integer({ min: 1, max: 80 }), (columns, width) => {
        const many: HeatMap = { ...map, times: columns.map((_, i) => i * 10_000), cells: columns }
        const sum = columns.flat().reduce<number>((total, count) => total + (count ?? 0), 0)
        expect(heatGrid(many, width).total).toBe(sum)
      }),
    )
  })
})

describe('colour steps', () => {
  it('show one event, and give the largest cell the strongest step', () => {
    expect(heatStep(0, 100)).toBe(0)
    expect(heatStep(1, 100)).toBe(1)
    expect(heatStep(100, 100)).toBe(HEAT_STEPS)
    expect(heatStep(1, 1)).toBe(HEAT_STEPS)
  })
  it('never fall while counts rise', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.nat(1e6), fc.nat(1e6), (largest, a, b) => {
        const [less, more] = [Math.min(a, b, largest), Math.min(Math.max(a, b), largest)]
        expect(heatStep(less, largest)).toBeLessThanOrEqual(heatStep(more, largest))
      }),
    )
  })
  it('have a legend whose starts rise', () => {
    expect(heatLegend(0)).toEqual([])
    expect(heatLegend(1)).toEqual([1])
    const starts = heatLegend(400)
    expect(starts[0]).toBe(1)
    expect(starts.every((start, i) => i === 0 || start > (starts[i - 1] ?? 0))).toBe(true)
  })
})

describe('cells', () => {
  const grid = heatGrid(map, 4)
  it.each([
    [1, 0, 'no wait: 1 of 3 requests'],
    [10_000, undefined, '3 requests'],
    [10_001, 1, 'no sample'],
    [40_000, 3, 'over 1.00 s: 7 of 7 requests'],
    [40_001, 3, 'no sample'],
  ])('at %i ms and in row %s are read', (at, row, words) => {
    expect(heatWords(grid, at, row)).toBe(words)
  })
  it('are found under the pointer, the slowest bucket on top', () => {
    const plot = { width: 100, height: 50, left: 0, right: 0, top: 0, bottom: 10 }
    expect([0, 39, 40, -1].map((y) => heatRowAt(grid, plot, y))).toEqual([3, 0, undefined, undefined])
  })
  it('are named by their bounds', () => {
    const seconds = (value: number): string => `${value} s`
    expect([0, 1, 2, 3].map((row) => bucketLabel(map.bounds, row, seconds))).toEqual([
      'no wait',
      'up to 0.1 s',
      '0.1 s to 1 s',
      'over 1 s',
    ])
  })
  it('stand in a table, newest first, without the gaps', () => {
    expect(heatTable(map).map((row) => [row.at, row.total])).toEqual([
      [40_000, 7],
      [30_000, 6],
      [10_000, 3],
    ])
  })
})
