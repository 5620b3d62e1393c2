import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { solve } from '../../core/engine/solver.ts'
import { fractionData, shareAt, type FractionItem, floorNote, floorsData, shareBarsData } from './fairFraction.data.ts'

const FLOOD: readonly FractionItem[] = [
  { name: 'node-high', floor: 73, max: 698, target: 73 },
  { name: 'system', floor: 50, max: 674, target: 50.5 },
  { name: 'workload-low', floor: 245, max: 845, target: 900 },
  { name: 'global-default', floor: 49, max: 649, target: 182.7 },
]

/** Height of the whole stack at p. */
const topAt = (items: readonly FractionItem[], p: number): number =>
  items.reduce((sum, item) => sum + shareAt(item, p), 0)

describe('finding p', () => {
  it('draws levels at their floor below those that grow, the hungriest on top', () => {
    const { bands } = fractionData(FLOOD, 0.32, 460)
    expect(bands.map(({ names }) => names)).toEqual([['node-high'], ['system'], ['global-default'], ['workload-low']])
  })

  it('bends only where a level leaves its floor or meets its max', () => {
    const { bands, pAxis } = fractionData(FLOOD, 0.32, 460)
    const at = bands[0]?.points.map(({ p }) => p) ?? []
    expect(at[0]).toBe(0)
    expect(at.at(-1)).toBe(pAxis.max)
    expect(at).toContain(245 / 900)
    expect(at).toContain(0.32)
  })

  it('draws many levels as eight bands that still hold every seat', () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ name: `l${i}`, floor: i, max: 1_000, target: 2 * i }))
    const { bands } = fractionData(many, 0.6, 600)
    expect(bands).toHaveLength(8)
    expect(bands.flatMap(({ names }) => names)).toHaveLength(30)
  })

  it('meets the seats to divide at the fraction of the solver, whatever the levels', () => {
    const item = fc
      .tuple(
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 0, max: 500 }),
        fc.double({ min: 0, max: 900, noNaN: true }),
      )
      .map(([floor, more, above]): FractionItem => ({ name: '', floor, max: floor + more, target: floor + above }))
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 12 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (items, part) => {
          const [least, most] = [topAt(items, 0), items.reduce((sum, { max }) => sum + max, 0)]
          const total = Math.round(least + part * (most - least))
          const solution = solve(
            total,
            items.map(({ floor, max, target }) => ({ lower: floor, upper: max, target })),
          )
          fc.pre(solution.ok && total !== 0)
          const { bands } = fractionData(items, solution.fairFrac, total)
          const top = bands.at(-1)?.points.find(({ p }) => p === solution.fairFrac)
          // On a flat stretch any p is a solution; the solver returns one.
          expect(top?.high).toBeCloseTo(total, 4)
        },
      ),
    )
  })
})

describe('what each level got of what it asked', () => {
  const { bars, axis } = shareBarsData(
    [
      { name: 'workload-low', target: 950.9, limit: 307, decided: 'p', bound: 245 },
      { name: 'workload-high', target: 88.9, limit: 75, decided: 'floor', bound: 75 },
      { name: 'capped', target: 500, limit: 100, decided: 'max', bound: 100 },
      { name: 'nothing', target: 0, limit: 0, decided: 'floor', bound: 0 },
      { name: 'tiny', target: 0.01, limit: 4, decided: 'floor', bound: 4 },
    ],
    0.3229,
  )

  it('says it in words beside each bar', () => {
    expect(bars.map(({ note }) => note)).toEqual([
      'at p: 951 × p ≈ 307',
      '84 %, floor 75',
      '20 %, max 100',
      'target 0, limit 0',
      '40000 %, floor 4',
    ])
    expect(bars[3]?.ratio).toBeUndefined()
  })

  it('is not squeezed by a level that asked for next to nothing', () => {
    expect(axis.max).toBeLessThanOrEqual(4)
  })

  it('keeps all of what was asked in sight when everybody got little', () => {
    expect(shareBarsData([], undefined).axis.max).toBeGreaterThanOrEqual(1)
  })
})

describe('from min to floor', () => {
  const rows = [
    { name: 'a', min: 24, floor: 245, limit: 100 },
    { name: 'b', min: 13, floor: 13, limit: 13 },
    { name: 'c', min: 50, floor: 74, limit: 50 },
  ]
  it('says how far each limit came', () => {
    expect(rows.map(floorNote)).toEqual(['100, 34 % of 221 above min', '13, floor is min', '50, its min; floor 74'])
  })
  it('has an axis that holds all floors', () => {
    expect(floorsData(rows).axis.max).toBeGreaterThanOrEqual(245)
    expect(floorsData([]).axis.max).toBeGreaterThan(0)
  })
})
