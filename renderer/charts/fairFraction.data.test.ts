import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { solve } from '../../core/engine/solver.ts'
import { fractionData, shareAt, type FractionItem } from './fairFraction.data.ts'

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
          // At a flat stretch any p does; the solver names one.
          expect(top?.high).toBeCloseTo(total, 4)
        },
      ),
    )
  })
})
