import { expect, it } from 'vitest'
import { heatMapOf, heatMapSvg, heatMapText } from './heatMap.ts'
import type { SweepHeader } from '../contract/sweep.ts'

const HEADER: SweepHeader = {
  sweep: 's',
  fingerprint: 'f',
  points: 6,
  parameters: ['a', 'b', 'seed'],
  results: ['workload-low.waitP99'],
}
const COLUMNS = { x: 'a', y: 'b', result: 'workload-low.waitP99' }
const point = (number: number, values: readonly number[], value: number) => ({
  point: number,
  values,
  results: [value],
})
const POINTS = [
  point(0, [1, 10, 1], 0),
  point(1, [1, 10, 2], 20),
  point(2, [2, 10, 1], 500.4),
  point(3, [1, 20, 1], 1_000),
  { point: 4, values: [2, 20, 1], problem: 'no' },
]

it('shows means over the other parameters, and nothing where nothing was measured', () => {
  const map = heatMapOf(HEADER, POINTS, COLUMNS)
  expect(map).toMatchObject({
    unit: 'ms',
    columns: [1, 2],
    rows: [10, 20],
    cells: [
      [10, 500.4],
      [1_000, undefined],
    ],
    least: 10,
    most: 1_000,
  })
  if (typeof map === 'string') return expect.fail(map)
  expect(heatMapText(map)).toEqual([
    'workload-low.waitP99 (ms) by a (across) and b (down)',
    '',
    '           1       2',
    '10        10  ▒▒ 500',
    '20  ██ 1,000       –',
  ])
  return undefined
})

it('draws each cell once, and no text of a file as markup', () => {
  const map = heatMapOf({ ...HEADER, parameters: ['<a>', 'b', 'seed'] }, POINTS, { ...COLUMNS, x: '<a>' })
  if (typeof map === 'string') return expect.fail(map)
  const svg = heatMapSvg(map)
  expect(svg.match(/<rect /g)).toHaveLength(4)
  expect(svg).toContain('by &lt;a&gt; (across)')
  expect(svg).toContain('fill="rgb(255,255,255)"')
  expect(svg).toContain('fill="rgb(12,52,110)"')
  return undefined
})

it('names a column that does not exist', () => {
  expect(heatMapOf(HEADER, POINTS, { ...COLUMNS, x: 'c' })).toBe(
    'There is no parameter c; the parameters are a, b, seed.',
  )
  expect(heatMapOf(HEADER, POINTS, { ...COLUMNS, result: 'c' })).toContain('There is no result c')
  const nothing = heatMapOf(HEADER, [], COLUMNS)
  expect(typeof nothing === 'string' ? nothing : heatMapText(nothing)).toContain('No point has results.')
})
