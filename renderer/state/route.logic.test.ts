import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHash, parseHash, SCREENS, type Route } from './route.logic.ts'

describe('addresses', () => {
  it('name screen, level, server and range', () => {
    expect(parseHash('#/level/workload-low?server=a%3A6443&range=last+300+s')).toEqual({
      screen: 'level',
      level: 'workload-low',
      server: 'a:6443',
      range: { kind: 'relative', seconds: 300 },
    })
  })

  it.each(['', '#', '#/', '#/nonsense', '#/../../etc', '#main'])('lead to the overview from %j', (hash) => {
    expect(parseHash(hash)).toEqual({ screen: 'overview' })
  })

  it('ignore what is broken', () => {
    expect(parseHash('#/level/%E0%A4%A?range=soon')).toEqual({ screen: 'level', level: '%E0%A4%A' })
  })

  it('survive being written and read', () => {
    const route: fc.Arbitrary<Route> = fc
      .record({
        screen: fc.constantFrom(...SCREENS),
        level: fc.string({ minLength: 1 }),
        server: fc.string({ minLength: 1 }),
      })
      .map(({ screen, level, server }) => (screen === 'level' ? { screen, level, server } : { screen, server }))
    fc.assert(
      fc.property(route, (value) => {
        expect(parseHash(formatHash(value))).toEqual(value)
      }),
    )
  })
})
