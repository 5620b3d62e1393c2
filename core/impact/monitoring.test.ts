import { describe, expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { configuredLimits } from '../engine/allocation.ts'
import { takeLevels } from '../engine/levelPlan.ts'
import { defaultLevel } from '../config/objects.ts'
import type { LevelFrame, ServerFrame } from '../frame/frame.ts'
import { syntheticStory } from '../../test/fixtures/synthetic.ts'
import { plain } from '../text/format.ts'
import { monitoringChecks } from './monitoring.ts'

const objects = builtInObjects('v1.37.2')
const { plans } = takeLevels(objects.levels.map(defaultLevel))
const limits = configuredLimits(600, plans)
const [event] = syntheticStory({ seconds: 1, servers: 1 })
const example = event?.frame.servers[0] ?? expect.fail('a story has a server')
const [first] = example.levels
const levelOf = (name: string, nominal: number, more: Partial<LevelFrame> = {}): LevelFrame => ({
  ...(first ?? expect.fail('a server has levels')),
  name,
  limits: { nominal, lower: nominal, upper: nominal, current: nominal },
  seats: { executing: 0, queued: 0 },
  requests: { executing: 0, queued: 0 },
  dispatched: 10,
  ...more,
})
const server = (change: (level: LevelFrame) => Partial<LevelFrame> = () => ({})): ServerFrame => {
  const levels = plans.map(({ name }, at) => levelOf(name, limits[at]?.nominal ?? 0))
  return { ...example, levels: levels.map((level) => ({ ...level, ...change(level) })) }
}
const found = (given: ServerFrame, known = true) =>
  monitoringChecks(given, known ? objects : undefined, plain).map(({ value, tone }) => [tone, value])

describe('monitoring', () => {
  it('finds a server as its objects describe it', () => {
    expect(found(server())).toEqual([
      [undefined, `${plans.length * 10} requests dispatched`],
      [undefined, expect.stringMatching(/^as the shares give of .*600 seats$/)],
      [undefined, 'none with free seats'],
    ])
  })

  it('names what is otherwise', () => {
    const odd = server(({ name, limits: { nominal = 0, ...others } }) => ({
      dispatched: 0,
      ...(name === 'workload-low' && {
        limits: { ...others, nominal: nominal + 7, current: 20 },
        seats: { executing: 10, queued: 1 },
        requests: { executing: 10, queued: 1 },
      }),
    }))
    expect(found(odd)).toEqual([
      ['warn', 'no request dispatched'],
      ['warn', 'not what the shares of the objects give'],
      [undefined, '1 level with free seats'],
    ])
  })

  it('says what is unknown', () => {
    const empty = server(() => ({ dispatched: undefined, limits: {}, requests: {} }))
    expect(found(empty, false)).toEqual(Array.from({ length: 3 }, () => [undefined, '-']))
  })
})
