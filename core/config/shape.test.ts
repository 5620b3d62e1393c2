import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLegalDealer, isLegalShape, largestHand, mostQueues, shapeProblem } from './shape.ts'

const queuesAndHand = fc.record({
  queues: fc.integer({ min: 1, max: 20_000 }),
  handSize: fc.integer({ min: 1, max: 20 }),
})

describe('legal shapes', () => {
  it('are those that the dealer takes, with at most ten million queues', () => {
    fc.assert(
      fc.property(queuesAndHand, ({ queues, handSize }) => {
        expect(isLegalShape({ queues, handSize })).toBe(isLegalDealer(queues, handSize))
        expect(shapeProblem({ queues, handSize }) === undefined).toBe(isLegalDealer(queues, handSize))
      }),
    )
    expect(isLegalShape({ queues: 10_000_000, handSize: 2 })).toBe(true)
    expect(isLegalShape({ queues: 10_000_001, handSize: 2 })).toBe(false)
    expect(isLegalShape({ queues: 4.5, handSize: 2 })).toBe(false)
  })

  it('are bounded by the largest hand and by the most queues', () => {
    fc.assert(
      fc.property(queuesAndHand, ({ queues, handSize }) => {
        expect(isLegalShape({ queues, handSize })).toBe(handSize <= largestHand(queues))
        expect(isLegalShape({ queues, handSize })).toBe(queues >= handSize && queues <= mostQueues(handSize))
      }),
    )
    expect([1, 4, 16, 64, 128, 512, 1_024].map(largestHand)).toEqual([1, 4, 15, 10, 8, 6, 6])
    expect([1, 2, 6, 15, 16].map(mostQueues)).toEqual([10_000_000, 10_000_000, 1_024, 16, 15])
  })
})
