import { describe, expect, it } from 'vitest'
import { mandatoryLevels, suggestedLevels } from '../../../core/config/builtIn.ts'
import { SimulationObjectsSchema } from '../../../core/contract/simulation.ts'
import { handOf, simulatedFacts } from './simulated.data.ts'

const objects = SimulationObjectsSchema.parse({ levels: [...mandatoryLevels, ...suggestedLevels], schemas: [] })

describe('the hand of a flow', () => {
  const flow = { schema: 'service-accounts', flow: 'system:serviceaccount:inventory:crawler-1' }

  it('is as many different queues as the level deals, the same each time', () => {
    const hand = handOf(objects, 'workload-low', flow, 128) ?? []
    expect(new Set(hand).size).toBe(6)
    expect(hand).toEqual(hand.toSorted((a, b) => a - b))
    expect(hand.every((queue) => queue >= 0 && queue < 128)).toBe(true)
    expect(handOf(objects, 'workload-low', flow, 128)).toEqual(hand)
  })

  it('is the one of the specification', () => {
    const sorted = (...hand: number[]): number[] => hand.toSorted((a, b) => a - b)
    // Specification 3.2, the row of catch-all without a distinguisher.
    const flow = { schema: 'catch-all', flow: '' }
    expect(handOf(objects, 'workload-low', flow, 128)).toEqual(sorted(45, 47, 41, 49, 38, 80))
    expect(handOf(objects, 'system', flow, 64)).toEqual(sorted(45, 49, 60, 44, 14, 16))
    expect(handOf(objects, 'leader-election', flow, 16)).toEqual(sorted(13, 2, 11, 7))
  })

  it('is not known for other queues than those of the objects, or without queues', () => {
    expect(handOf(objects, 'workload-low', flow, 64)).toBeUndefined()
    expect(handOf(objects, 'catch-all', flow, 0)).toBeUndefined()
    expect(handOf(undefined, 'workload-low', flow, 128)).toBeUndefined()
  })
})

describe('what a simulated server adds to the header', () => {
  const level = { name: 'workload-low', limits: { nominal: 245 }, seats: {}, requests: {}, demand: {}, schemas: [] }

  it('is the widest request by rule and what 429 says now', () => {
    expect(simulatedFacts(level, objects, 4).map(({ term, value }) => [term, value])).toEqual([
      ['a request takes at most', '37 seats'],
      ['Retry-After', '4 s'],
    ])
    expect(simulatedFacts(level, undefined, undefined)).toEqual([])
  })
})
