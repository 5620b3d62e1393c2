import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pointAt, pointCount, pointsOfShard, runPoint, withValues } from './points.ts'
import { readSweep } from './read.ts'
import { headerOf, lineOf, readRows } from './rows.ts'
import { crowdedBase, SWEEP } from './sweep.fixture.ts'
import type { SweepPlan } from './sweep.ts'

const planOf = (text: string): SweepPlan => {
  const { value } = readSweep(text, 's.yaml')
  if (value === undefined) throw new Error('not a sweep')
  return value.plan
}
const GRID = planOf(SWEEP)
const RANDOM = planOf(`${SWEEP}random: { count: 50, seed: 7 }\n`)

describe('points', () => {
  it('of a grid are all combinations, the last parameter first', () => {
    expect(Array.from({ length: pointCount(GRID) }, (_, point) => pointAt(GRID, point))).toEqual([
      [20, 8],
      [20, 16],
      [100, 8],
      [100, 16],
      [300, 8],
      [300, 16],
    ])
  })

  it('of a random search depend on seed and number alone, and reach every value', () => {
    const all = Array.from({ length: 50 }, (_, point) => pointAt(RANDOM, point))
    expect(pointAt(RANDOM, 31)).toEqual(all[31])
    expect(new Set(all.map(String)).size).toBe(6)
    const other = { ...RANDOM, search: { kind: 'random', count: 50, seed: 8 } as const }
    expect(Array.from({ length: 50 }, (_, point) => pointAt(other, point))).not.toEqual(all)
  })

  it('fall into exactly one shard each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (shards) => {
        const all = Array.from({ length: shards }, (_, shard) => pointsOfShard(RANDOM, shard, shards)).flat()
        expect(all).toEqual(Array.from({ length: 50 }, (_, point) => point))
      }),
    )
  })
})

describe('a point', () => {
  const point = (values: readonly number[], plan = GRID) => runPoint(crowdedBase(), plan, { point: 0, values })

  it('is run with its values', () => {
    const [few = 0] = point([100, 16])?.results ?? []
    const [many = 0] = point([300, 16])?.results ?? []
    expect(few).toBeGreaterThan(0)
    expect(many).toBeLessThan(few)
    expect(point([20, 16])).toEqual(point([20, 16]))
  })

  it('that no server would take has the reason in the place of results', () => {
    const hands = planOf(SWEEP.replace('field: queues, from: 8, to: 16, step: 8', 'field: handSize, values: [15]'))
    expect(point([20, 15], hands)).toMatchObject({ problem: expect.stringContaining('workload-low: ') })
    expect(point([20, 15], hands)?.results).toBeUndefined()
  })

  it('can be ended on the way', () => {
    expect(runPoint(crowdedBase(), GRID, { point: 0, values: [20, 16] }, () => false)).toBeUndefined()
  })

  it('multiplies the execution times of phases too, and sets threads, rates and seeds', () => {
    const changed = withValues(
      crowdedBase(),
      [
        { of: undefined, field: 'executionFactor' },
        { of: { kind: 'clients', name: 'flood' }, field: 'threads' },
        { of: { kind: 'clients', name: 'leases' }, field: 'perSecond' },
        { of: undefined, field: 'seed' },
        { of: undefined, field: 'maxRequestsInFlight' },
      ],
      [3, 2, 0.5, 9, 77],
    )
    expect(changed).toMatchObject({
      scenario: {
        seed: 9,
        phases: [{ at: 0, executionFactor: 3 }],
        clients: [{ behaviour: { threads: 2 } }, { behaviour: { arrivals: { perSecond: 0.5 } } }],
      },
      variant: { maxRequestsInFlight: 77 },
    })
  })
})

describe('lines of results', () => {
  const header = headerOf(GRID, crowdedBase())
  const row = (number: number) => ({ point: number, values: pointAt(GRID, number), results: [number, 0] })
  const text = lineOf(header) + lineOf(row(3)) + lineOf(row(1))

  it('come back in order, however often a point stands there', () => {
    const told = 'apf-console: 3 of 6 points, about 2 s left.\n'
    const read = readRows(text + told + lineOf(header) + lineOf(row(3)), 'r.ndjson')
    expect(read).toMatchObject({ header, rows: [row(1), row(3)] })
  })

  it('end with the last whole line', () => {
    const torn = readRows(`${text}{"point":2,"val`, 'r.ndjson')
    expect(torn).toMatchObject({ rows: [row(1), row(3)], whole: text.length })
  })

  it('of another sweep, and other lines, are named', () => {
    const other = headerOf({ ...GRID, results: GRID.results.slice(1) }, crowdedBase())
    expect(readRows(text + lineOf(other), 'r.ndjson')).toContain('r.ndjson:4: these results belong to another sweep')
    expect(readRows(`${text}{"point":"x"}\n`, 'r.ndjson')).toContain('r.ndjson:4: not a line of sweep results')
    expect(readRows(lineOf(row(1)), 'r.ndjson')).toContain('r.ndjson:1: a point precedes the header')
    expect(readRows(text + lineOf(row(99)), 'r.ndjson')).toContain('r.ndjson:4: the point does not fit')
  })

  it('never throw, whatever a file holds', () => {
    fc.assert(fc.property(fc.string(), (junk) => void readRows(`${text}${junk}\n`, 'r.ndjson')))
  })
})
