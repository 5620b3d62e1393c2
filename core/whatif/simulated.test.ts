import { expect, it } from 'vitest'
import { builtInObjects } from '../config/builtIn.ts'
import { CLUSTER } from '../simulate/cluster.ts'
import { secondsToNs } from '../units.ts'
import { simulatedArrivals } from './simulated.ts'
import { defaultVariant } from './variant.ts'
import { whatIf, whatIfClosed } from './whatif.ts'

const baseline = defaultVariant('baseline', builtInObjects('v1.36.2'))
const traffic = { workload: CLUSTER, seed: 1, startUnixMs: 0, fromNs: 0, untilNs: secondsToNs(20) }

it('replays a simulation as it went, but for the times at which objects are counted', () => {
  const arrivals = simulatedArrivals(traffic, baseline) ?? expect.fail()
  const open = whatIf(arrivals, baseline, []) ?? expect.fail()
  const closed = whatIfClosed(traffic, baseline, []) ?? expect.fail()
  expect(open.clients).toBe('open')
  expect(closed.clients).toBe('closed')
  expect(open.baseline.total.offered).toBe(closed.baseline.total.offered)
  expect(open.baseline.total.served).toBe(closed.baseline.total.served)
  expect(open.baseline.total.seats).toBeCloseTo(closed.baseline.total.seats, 1)
})

it('gives clients that react fewer requests where the server is slower', () => {
  const slower = { ...baseline, name: 'slower', executionFactor: 3 }
  const result = whatIfClosed(traffic, baseline, [slower]) ?? expect.fail()
  const [candidate] = result.candidates
  expect(candidate?.decisions).toBeUndefined()
  expect(candidate?.result.total.offered).toBeLessThan(result.baseline.total.offered)
  expect(whatIfClosed(traffic, baseline, [slower])).toEqual(result)
})

it('ends when it is told to', () => {
  expect(simulatedArrivals(traffic, baseline, () => false)).toBeUndefined()
  expect(whatIfClosed(traffic, baseline, [], () => false)).toBeUndefined()
})
