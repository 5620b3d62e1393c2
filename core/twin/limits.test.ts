import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { CATCH_ALL } from '../config/objects.ts'
import { exponential } from '../simulate/random.ts'
import { demandOfStart } from './forecast.ts'
import { meanLimits } from './limits.ts'
import { observe } from './observe.ts'
import { CALLS, clients, OBJECTS, pagesOf, SERVER, withLow, workloadOf } from './twin.fixture.ts'

const SEATS = 120
const FROM = 30
const busy = workloadOf(
  clients('crawler', 1, { kind: 'closed', threads: 150, think: exponential(100), calls: CALLS }),
  clients('worker', 4, { kind: 'closed', threads: 5, think: exponential(300), calls: CALLS }),
)

test.each([
  ['as it is', OBJECTS],
  ['of which one level has other shares', withLow({ nominalConcurrencyShares: 30 })],
  ['of which one level lends half', withLow({ lendablePercent: 50 })],
])('the limits of a server %s follow from its demand', (_, objects) => {
  const edit = { at: FROM, objects }
  const observation = observe(pagesOf(busy, { from: FROM, until: FROM + 100, edit }))
  const course = {
    levels: classifyingConfiguration(objects, SEATS).levels,
    version: SERVER.version,
    smoothed: new Map(observation?.levels.map(({ name, smoothed: { first } }) => [name, first ?? 0])),
    demands: new Map(observation?.levels.map(({ name, demands }) => [name, demands])),
    settling: 0,
    counted: observation?.levels[0]?.demands.length ?? 0,
  }
  expect(course.counted).toBe(11)
  const limits = meanLimits(course, 0)
  for (const { name, quantities } of observation?.levels ?? []) {
    // The pages show each limit for ten seconds, but the last one only briefly.
    expect(Math.abs((limits.get(name) ?? 0) - (quantities.current ?? 0)), name).toBeLessThanOrEqual(1)
  }
})

test('a level without demand keeps what it may not lend', () => {
  const { levels } = classifyingConfiguration(OBJECTS, SEATS)
  const none = { levels, version: SERVER.version, smoothed: new Map(), demands: new Map(), settling: 2, counted: 3 }
  const limits = meanLimits(none, 0)
  expect([...limits.keys()].toSorted()).toEqual([...levels.keys()].toSorted())
  for (const [name, { limits: configured }] of levels) {
    expect(limits.get(name)).toBeGreaterThanOrEqual(configured.min)
  }
})

test('the more clients come before a server has read its objects, the fewer seats every other level gets', () => {
  const observation = observe(pagesOf(busy, { from: FROM, until: FROM + 100 }))
  if (observation === undefined) throw new Error('nothing observed')
  const { levels } = classifyingConfiguration(OBJECTS, SEATS)
  const demands = new Map(observation.levels.map((level) => [level.name, level.demands]))
  const limitsFor = (part: number): ReadonlyMap<string, number> => {
    const smoothed = demandOfStart({ observation }, SEATS, part)
    return meanLimits({ levels, version: SERVER.version, smoothed, demands, settling: 2, counted: 10 }, 0)
  }
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(part, part, (a, b) => {
      const [few, many] = [Math.min(a, b), Math.max(a, b)].map(limitsFor)
      for (const [name, limit] of few ?? []) {
        const other = many?.get(name) ?? Number.NaN
        // Each limit is rounded.
        if (name === CATCH_ALL) expect(other).toBeGreaterThanOrEqual(limit - 1)
        else expect(other, name).toBeLessThanOrEqual(limit + 1)
      }
    }),
  )
  expect(demandOfStart({ observation }, SEATS, 0)).toEqual(new Map([[CATCH_ALL, 0]]))
  expect(demandOfStart({ observation }, SEATS, 1)).toEqual(new Map([[CATCH_ALL, SEATS]]))
  expect(limitsFor(1).get('workload-low')).toBeLessThan(0.9 * (limitsFor(0).get('workload-low') ?? 0))
})
