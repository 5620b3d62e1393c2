import { expect, it } from 'vitest'
import { estimateWork, type EstimatorSources } from '../engine/workEstimator.ts'
import { shaped } from '../run/run.fixture.ts'
import { whatIf } from './whatif.ts'
import { arrivalOf, arrivalsOf, variantOf } from './whatif.fixture.ts'
import { engineOptions, type Variant } from './variant.ts'

const sources: EstimatorSources = {
  objectStatistics: () => ({ state: 'ok', count: 500, averageSize: 1_000 }),
  interestedWatches: () => 100,
}

it.each([
  ['by size', 'v1.36.3', undefined, 5],
  ['by size', 'v1.36.3', { bytesPerSeat: 250_000 }, 2],
  ['by number', 'v1.33.4', { objectsPerSeat: 250 }, 2],
  ['by number', 'v1.33.4', { bytesPerSeat: 1 }, 5],
])('a list costs %s in %s what a variant says of a seat: %j', (_, version, costs, seats) => {
  const { request } = arrivalOf({ atMs: 0, lastsMs: 1, target: '/api/v1/pods?resourceVersion=0' })
  const changes: Partial<Variant> = { version, ...costs }
  const { profile } = engineOptions(variantOf('a', changes), 0, 0)
  expect(estimateWork(request.info, request.query, 0, profile.estimator, sources).initialSeats).toBe(seats)
})

it('a change keeps what a variant says of a watch', () => {
  const { request } = arrivalOf({ atMs: 0, lastsMs: 1 })
  const { profile } = engineOptions(variantOf('a', { watchesPerSeat: 50 }), 0, 0)
  const work = estimateWork({ ...request.info, verb: 'update' }, request.query, 0, profile.estimator, sources)
  expect(work.finalSeats).toBe(2)
})

it('a variant whose clients send less is compared on what both were sent', () => {
  const sent = Array.from({ length: 1_000 }, (_, n) => ({ atMs: n, lastsMs: 20 }))
  const all = variantOf('all', { objects: shaped(10, 1_000) })
  const { baseline, candidates } =
    whatIf(arrivalsOf(sent, 4_000), all, [{ ...all, name: 'half', requestFactor: 0.5 }]) ?? {}
  const [half] = candidates ?? []
  expect(baseline?.total.offered).toBe(1_000)
  expect(half?.result.total.offered).toBeGreaterThan(450)
  expect(half?.result.total.offered).toBeLessThan(550)
  // Fewer before it: none that both were sent waits longer.
  expect(half?.decisions).toMatchObject({ longer: 0, rejected: 0 })
  expect(half?.decisions?.shorter).toBeGreaterThan(300)
})
