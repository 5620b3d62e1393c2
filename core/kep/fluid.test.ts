import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UPSTREAM_QUEUING } from '../engine/algorithms.ts'
import { msToNs, secondsToNs } from '../units.ts'
import { divergences, fluidIdeal, realExecutions, type FluidRequest } from './fluid.ts'

const request = (queue: number, arriveMs: number, width: number, ms: number): FluidRequest => ({
  queue,
  arriveNs: msToNs(arriveMs),
  width,
  lengthNs: msToNs(ms),
})

describe('the fluid ideal', () => {
  const { executions, instants } = fluidIdeal(
    [request(0, 0, 1, 100), request(0, 0, 1, 100), request(1, 0, 2, 100), request(1, 50, 1, 100)],
    2,
  )

  it('has the terms of the proposal at each instant', () => {
    // Two queues share both seats equally, each running one request at a time: the wide one at half its rate.
    expect(instants[0]).toMatchObject({ atNs: 0, wanted: [0, 0], nonEmpty: 0, share: 0 })
    expect(instants[1]).toMatchObject({ wanted: [2, 2], nonEmpty: 2, share: 1, occupied: [1, 2], progress: 0 })
    expect(instants[2]).toMatchObject({ atNs: msToNs(50), wanted: [2, 3], served: [5e7, 5e7] })
  })

  it('finishes a request when its queue has been allocated its work', () => {
    expect(executions.map(({ dispatchNs, finishNs }) => [dispatchNs / 1e6, finishNs / 1e6])).toEqual([
      [0, 100],
      [100, 200],
      [0, 200],
      // Alone it wants one seat of the two.
      [200, 300],
    ])
  })

  it('serves no more than the seats allow, and everything in the end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(3), fc.nat(500), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 }))),
        fc.integer({ min: 1, max: 6 }),
        (sent, seats) => {
          const given = sent.map((one) => request(...one)).toSorted((a, b) => a.arriveNs - b.arriveNs)
          const ideal = fluidIdeal(given, seats)
          const work = given.reduce((sum, { width, lengthNs }) => sum + width * lengthNs, 0)
          const total = (served: readonly number[]): number => served.reduce((sum, one) => sum + one, 0)
          for (const { atNs, served } of ideal.instants)
            expect(total(served)).toBeLessThanOrEqual(seats * atNs * (1 + 1e-9))
          expect(total(ideal.instants.at(-1)?.served ?? [])).toBeCloseTo(work, -3)
          for (const [at, { dispatchNs, finishNs }] of ideal.executions.entries()) {
            expect(dispatchNs).toBeGreaterThanOrEqual(given[at]?.arriveNs ?? 0)
            expect(finishNs).toBeGreaterThan(dispatchNs)
          }
        },
      ),
    )
  })
})

const clients = fc.array(
  fc.record({
    inFlight: fc.integer({ min: 8, max: 20 }),
    width: fc.constant(1),
    lengthsNs: fc.array(fc.integer({ min: 1, max: 100 }).map(msToNs), { minLength: 1, maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 6 },
)

describe('the real queue set beside it', () => {
  it('stays within as many requests as there are seats, where every queue always wants them all', () => {
    fc.assert(
      fc.property(clients, fc.integer({ min: 1, max: 8 }), (given, seats) => {
        const untilNs = secondsToNs(1)
        const real = realExecutions(given, seats, { untilNs })
        for (const { ahead, behind } of divergences(real, fluidIdeal(real, seats).instants, untilNs)) {
          expect(Math.max(ahead, behind)).toBeLessThanOrEqual(seats)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('dispatches in the order of the ideal’s finishes where it guesses every length right', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 8, max: 20 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 8 }),
        (inFlight, seats) => {
          const lengthNs = msToNs(10)
          const given = inFlight.map((count) => ({ inFlight: count, width: 1, lengthsNs: [lengthNs] }))
          const rules = { ...UPSTREAM_QUEUING, assumedServiceNs: lengthNs }
          const real = realExecutions(given, seats, { untilNs: secondsToNs(0.5), rules })
          const { executions } = fluidIdeal(real, seats)
          const order = real
            .map(({ startNs, arriveNs }, at) => ({ startNs, arriveNs, finishNs: executions[at]?.finishNs ?? 0 }))
            .filter(({ startNs }) => startNs < Infinity)
            .toSorted((a, b) => a.startNs - b.startNs)
          for (const [at, one] of order.entries()) {
            const later = order
              .slice(at + 1)
              .filter(({ arriveNs, startNs }) => arriveNs < one.startNs && startNs > one.startNs)
            for (const other of later) expect(one.finishNs).toBeLessThanOrEqual(other.finishNs * (1 + 1e-9))
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('gives a queue with requests that last longer as many fewer of them (KEP-1040, concurrency against QPS)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 10 }), fc.integer({ min: 2, max: 10 }), (times, seats) => {
        const given = [1, times].map((factor) => ({ inFlight: 50, width: 1, lengthsNs: [msToNs(10 * factor)] }))
        const untilNs = secondsToNs(20)
        const ended = realExecutions(given, seats, { untilNs }).filter(
          ({ startNs, lengthNs }) => startNs + lengthNs <= untilNs,
        )
        const [short = 0, long = 0] = [0, 1].map((queue) => ended.filter((one) => one.queue === queue).length)
        expect(Math.abs(short / long / times - 1)).toBeLessThan(0.03)
      }),
      { numRuns: 20 },
    )
  })
})
