import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FAIR_ALGORITHMS, type QueuingRules } from '../engine/algorithms.ts'
import { levelOf, SECOND_NS } from '../engine/level.fixture.ts'
import { SeatRequest } from '../engine/queue.ts'
import { msToNs, secondsToNs } from '../units.ts'
import { realExecutions, type FluidClient } from './fluid.ts'

const client = fc.record({
  inFlight: fc.integer({ min: 1, max: 20 }),
  width: fc.integer({ min: 3, max: 4 }),
  lengthsNs: fc.array(fc.integer({ min: 10, max: 100 }).map(msToNs), { minLength: 1, maxLength: 5 }),
})
const starts = (given: readonly FluidClient[], rules: QueuingRules): readonly number[] =>
  realExecutions(given, 4, { untilNs: secondsToNs(0.5), rules }).map(({ startNs }) => startNs)

describe('a constant guess of the work', () => {
  it('dispatches as a guess of 0 does where one request executes at a time', () => {
    fc.assert(
      fc.property(fc.array(client, { minLength: 2, maxLength: 6 }), (given) => {
        // The bound that came later looks at S, which contains the guess while a request executes.
        const of = (name: 'kep-work' | 'kep-width-0') =>
          starts(given, { ...FAIR_ALGORITHMS[name].queuing, bounded: false })
        expect(of('kep-work')).toEqual(of('kep-width-0'))
      }),
      { numRuns: 50 },
    )
  })

  it('counts what executes, which a guess of 0 does not: then their orders differ', () => {
    const given = [
      { inFlight: 8, width: 1, lengthsNs: [msToNs(1), msToNs(50)] },
      { inFlight: 3, width: 2, lengthsNs: [msToNs(20)] },
      { inFlight: 1, width: 1, lengthsNs: [msToNs(7)] },
    ]
    expect(starts(given, FAIR_ALGORITHMS['kep-work'].queuing)).not.toEqual(
      starts(given, FAIR_ALGORITHMS['kep-width-0'].queuing),
    )
  })
})

describe('the extra latency', () => {
  /** S after the dispatch of a request with 2 seats for 5 ms after its answer, and after its end. */
  const chargesOf = (rules: QueuingRules): readonly number[] => {
    const level = levelOf(rules, { queues: 1, limit: 4 })
    const request = new SeatRequest('a', { initialSeats: 1, finalSeats: 2, additionalLatency: msToNs(5) })
    level.queueSet.arrive(request, { hi: 0, lo: 0 })
    // Keeps the queue active, so that S stays.
    level.arrive('b', 0)
    const dispatched = level.state().S[0] ?? 0
    level.at(1)
    level.queueSet.finish(request)
    return [dispatched, level.state().S[0] ?? 0]
  }

  it('is charged at dispatch by upstream, and at the end without a guess of it: the same in all', () => {
    const upstream = chargesOf(FAIR_ALGORITHMS['kep-width-3ms'].queuing)
    const without = chargesOf(FAIR_ALGORITHMS['kep-no-linger'].queuing)
    expect((upstream[0] ?? 0) - (without[0] ?? 0)).toBeCloseTo((2 * msToNs(5)) / SECOND_NS, 6)
    expect(without[1]).toBeCloseTo(upstream[1] ?? 0, 6)
  })
})
