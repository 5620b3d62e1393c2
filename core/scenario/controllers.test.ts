import { expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { secondsToNs } from '../units.ts'
import { Controllers } from './controllers.ts'
import type { Controller } from './scenario.ts'

const writer = (name: string, type: string, status: string): Controller => ({
  name,
  everySeconds: 1,
  kind: 'writes',
  schema: 'probes',
  type,
  status,
})

/** This number of passes of each, one a second. */
function rounds(controllers: readonly Controller[], seconds: number, seed = 1) {
  const all = new Controllers(controllers, seed)
  let objects = builtInObjects('v1.36.3')
  const writtenBy = new Map<string, number[]>(controllers.map(({ name }) => [name, []]))
  for (let second = 0; second < seconds; second++) {
    for (const [index, { name }] of controllers.entries()) {
      const after = all.pass(index, objects, secondsToNs(second))
      if (after !== objects) writtenBy.get(name)?.push(second)
      objects = after
    }
  }
  return { objects, writes: all.writes(), writtenBy }
}

it('keeps the conditions of all types', () => {
  const { objects, writes } = rounds([writer('a', 'Dangling', 'False'), writer('b', 'Audited', 'True')], 100)
  expect([...writes]).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  const probes = objects.schemas.find(({ metadata }) => metadata.name === 'probes')
  expect(probes?.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Dangling=False',
    'Audited=True',
  ])
})

it('writes at most six times in any minute, then pauses for 30 to 75 s', () => {
  const { writtenBy } = rounds([writer('a', 'Dangling', 'False'), writer('b', 'Dangling', 'True')], 1_200)
  for (const seconds of writtenBy.values()) {
    expect(seconds.length).toBeGreaterThan(40)
    for (const [i, second] of seconds.entries())
      expect((seconds[i + 6] ?? Infinity) - second).toBeGreaterThanOrEqual(60)
  }
})

it('puts the suggested objects of its version back, and counts what it writes', () => {
  const maintains = (version: string): Controller => ({ name: version, everySeconds: 1, kind: 'maintains', version })
  const { writes } = rounds([maintains('v1.33.0'), maintains('v1.34.0')], 3)
  expect([...writes.values()]).toEqual([6, 6])
})
