import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../../core/config/builtIn.ts'
import { AS_UPSTREAM } from '../../../core/engine/corrections.ts'
import { profileFor } from '../../../core/engine/profiles.ts'
import { CLUSTER } from '../../../core/simulate/cluster.ts'
import { dumpFrame } from '../../../core/simulate/dumpFrame.ts'
import { createSimulation } from '../../../core/simulate/simulation.ts'
import { coverOdds, dealtHand, sharedQueues } from './hands.data.ts'

const deck = fc.record({
  queues: fc.integer({ min: 2, max: 512 }),
  handSize: fc.integer({ min: 1, max: 6 }),
})

describe('dealtHand', () => {
  it('deals distinct queues that exist, always the same to the same flow', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), deck, (schema, flow, { queues, handSize }) => {
        fc.pre(handSize <= queues)
        const hand = dealtHand({ schema, flow }, { queues, handSize })
        expect(new Set(hand).size).toBe(handSize)
        for (const queue of hand ?? []) expect(queue >= 0 && queue < queues).toBe(true)
        expect(dealtHand({ schema, flow }, { queues, handSize })).toEqual(hand)
      }),
    )
  })
  it('is the one of the specification', () => {
    // Specification 3.2, the row of catch-all without a distinguisher.
    const flow = { schema: 'catch-all', flow: '' }
    expect(dealtHand(flow, { queues: 128, handSize: 6 })).toEqual([45, 47, 41, 49, 38, 80])
    expect(dealtHand(flow, { queues: 64, handSize: 6 })).toEqual([45, 49, 60, 44, 14, 16])
    expect(dealtHand(flow, { queues: 16, handSize: 4 })).toEqual([13, 2, 11, 7])
  })
  it('deals none where there is nothing to choose, or no legal hand', () => {
    const flow = { schema: 's', flow: 'f' }
    expect(dealtHand(flow, { queues: 1, handSize: 1 })).toBeUndefined()
    expect(dealtHand(flow, { queues: 4, handSize: 5 })).toBeUndefined()
    expect(dealtHand(flow, { queues: 10_000, handSize: 8 })).toBeUndefined()
  })
  it('is the hand that a server deals: every request of a simulated one is in a queue of its flow’s hand', () => {
    const levels = [...mandatoryLevels, ...suggestedLevels]
    const simulation = createSimulation({
      seed: 1,
      startUnixMs: 0,
      mode: 'priority-and-fairness',
      maxRequestsInFlight: 30,
      maxMutatingRequestsInFlight: 10,
      profile: profileFor('v1.37.2'),
      corrections: AS_UPSTREAM,
      configuration: { levels, schemas: [...mandatorySchemas, ...suggestedSchemas] },
      workload: CLUSTER,
    })
    let checked = 0
    for (let second = 1; second <= 40; second++) {
      simulation.runTo(second * 1e9, () => true)
      for (const request of dumpFrame('a', simulation.engine).requests ?? []) {
        const queuing = levels.find(({ metadata }) => metadata.name === request.level)?.spec.limited?.limitResponse
          .queuing
        if (queuing === undefined || request.queue < 0) continue
        expect(dealtHand(request, queuing)).toContain(request.queue)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(500)
  })
})

describe('sharedQueues', () => {
  it('are those of both hands', () => {
    expect(sharedQueues([5, 1, 9], [9, 2, 5])).toEqual([5, 9])
    expect(sharedQueues([1], [])).toEqual([])
  })
})

describe('coverOdds', () => {
  it('is what counting all hands gives', () => {
    // One other hand of 2 out of 6: 1 of 15. Two: by inclusion and exclusion.
    expect(coverOdds(1, 6, 2)).toBeCloseTo(1 / 15, 12)
    expect(coverOdds(2, 6, 2)).toBeCloseTo(1 - 2 * (10 / 15) ** 2 + (6 / 15) ** 2, 12)
  })
  it('stays exact where hands hardly ever meet', () => {
    expect(coverOdds(1, 512, 6) / 4.116e-14).toBeCloseTo(1, 2)
    expect(coverOdds(4, 512, 6).toExponential(1)).toBe('5.0e-9')
    expect(coverOdds(16, 512, 6).toExponential(1)).toBe('2.3e-5')
  })
  it('is a probability that grows with every elephant, and certain when a hand is everything', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), deck, (elephants, { queues, handSize }) => {
        fc.pre(handSize <= queues)
        const odds = coverOdds(elephants, queues, handSize)
        expect(odds).toBeGreaterThanOrEqual(0)
        expect(odds).toBeLessThanOrEqual(1 + 1e-9)
        expect(coverOdds(elephants + 1, queues, handSize)).toBeGreaterThanOrEqual(odds - 1e-12)
      }),
    )
    expect(coverOdds(1, 4, 4)).toBeCloseTo(1, 12)
    expect(coverOdds(0, 4, 2)).toBe(0)
  })
})
