import { expect, test } from 'vitest'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { exponential } from '../simulate/random.ts'
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
