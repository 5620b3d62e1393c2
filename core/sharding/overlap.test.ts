import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { largestHand } from '../config/shape.ts'
import { sharedQueues } from './hand.ts'
import { overlapOf } from './overlap.ts'

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
  it('is what comparing every hand with every other gives', () => {
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

  it('knows the hash and the hand of the specification', () => {
    // Specification 2.7, 3.2.
    const { flows, pairs, holders } = overlapOf([{ schema: 'global-default', distinguisher: 'alice' }], {
      queues: 128,
      handSize: 6,
    })
    expect(flows[0]).toMatchObject({ hash: 17_644_606_172_554_983_095n, hand: [55, 62, 126, 125, 105, 1] })
    expect({ pairs, holders: holders.size }).toEqual({ pairs: [], holders: 6 })
  })

  it('has nothing to meet where no hand can be dealt', () => {
    const { flows, pairs } = overlapOf([{ schema: 's', distinguisher: 'f' }], { queues: 512, handSize: 8 })
    expect({ hand: flows[0]?.hand, pairs }).toEqual({ hand: [], pairs: [] })
  })
})
