import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { largestHand } from '../config/shape.ts'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'
import { CLUSTER } from '../simulate/cluster.ts'
import { dumpFrame } from '../simulate/serverFrame.ts'
import { createSimulation } from '../simulate/simulation.ts'
import { sharedQueues, overlapOf, dealtHand } from './overlap.ts'

const shapes = fc
  .integer({ min: 2, max: 200 })
  .chain((queues) =>
    fc.record({ queues: fc.constant(queues), handSize: fc.integer({ min: 1, max: largestHand(queues) }) }),
  )
const names = fc.uniqueArray(fc.record({ schema: fc.constantFrom('a', 'b'), distinguisher: fc.string() }), {
  maxLength: 12,
  selector: ({ schema, distinguisher }) => `${schema}/${distinguisher}`,
})

describe('overlapOf', () => {
  it('equals the result of comparing every hand with every other', () => {
    fc.assert(
      fc.property(names, shapes, (flows, shape) => {
        const overlap = overlapOf(flows, shape)
        const every = overlap.flows.flatMap(({ hand }, first) =>
          overlap.flows.slice(first + 1).flatMap((other, i) => {
            const queues = sharedQueues(hand, other.hand)
            return queues.length === 0 ? [] : [{ first, second: first + 1 + i, queues }]
          }),
        )
        expect(overlap.pairs).toHaveLength(every.length)
        expect(overlap.pairs).toEqual(expect.arrayContaining(every))
        const counts = overlap.pairs.map(({ queues }) => queues.length)
        expect(counts).toEqual(counts.toSorted((a, b) => b - a))
        overlap.flows.forEach(({ hand, own }, index) => {
          const others = overlap.flows.filter((_, other) => other !== index).flatMap((other) => other.hand)
          expect(own).toEqual(hand.filter((queue) => !others.includes(queue)))
          for (const queue of hand) {
            expect(overlap.holders.get(queue)).toBe(1 + others.filter((other) => other === queue).length)
          }
        })
      }),
    )
  })

  it('has the hash and the hand of the specification', () => {
    // Specification 2.7, 3.2.
    const { flows, pairs, holders } = overlapOf([{ schema: 'global-default', distinguisher: 'alice' }], {
      queues: 128,
      handSize: 6,
    })
    expect(flows[0]).toMatchObject({ hash: 17_644_606_172_554_983_095n, hand: [55, 62, 126, 125, 105, 1] })
    expect({ pairs, holders: holders.size }).toEqual({ pairs: [], holders: 6 })
  })

  it('has no collisions where no hand can be dealt', () => {
    const { flows, pairs } = overlapOf([{ schema: 's', distinguisher: 'f' }], { queues: 512, handSize: 8 })
    expect({ hand: flows[0]?.hand, pairs }).toEqual({ hand: [], pairs: [] })
  })
})

const deck = fc.record({
  queues: fc.integer({ min: 2, max: 512 }),
  handSize: fc.integer({ min: 1, max: 6 }),
})

describe('dealtHand', () => {
  it('deals distinct queues that exist, always the same to the same flow', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), deck, (schema, distinguisher, { queues, handSize }) => {
        fc.pre(handSize <= queues)
        const hand = dealtHand({ schema, distinguisher }, { queues, handSize })
        expect(new Set(hand).size).toBe(handSize)
        for (const queue of hand ?? []) expect(queue >= 0 && queue < queues).toBe(true)
        expect(dealtHand({ schema, distinguisher }, { queues, handSize })).toEqual(hand)
      }),
    )
  })
  it('equals that of the specification', () => {
    // Specification 3.2, the row of catch-all without a distinguisher.
    const flow = { schema: 'catch-all', distinguisher: '' }
    expect(dealtHand(flow, { queues: 128, handSize: 6 })).toEqual([45, 47, 41, 49, 38, 80])
    expect(dealtHand(flow, { queues: 64, handSize: 6 })).toEqual([45, 49, 60, 44, 14, 16])
    expect(dealtHand(flow, { queues: 16, handSize: 4 })).toEqual([13, 2, 11, 7])
  })
  it('deals none where there is no choice of queues, or no legal hand', () => {
    const flow = { schema: 's', distinguisher: 'f' }
    expect(dealtHand(flow, { queues: 1, handSize: 1 })).toBeUndefined()
    expect(dealtHand(flow, { queues: 4, handSize: 5 })).toBeUndefined()
    expect(dealtHand(flow, { queues: 10_000, handSize: 8 })).toBeUndefined()
  })
  it('equals the hand that a server deals: every request of a simulated one is in a queue of its flow’s hand', () => {
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
        expect(dealtHand({ schema: request.schema, distinguisher: request.flow }, queuing)).toContain(request.queue)
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
