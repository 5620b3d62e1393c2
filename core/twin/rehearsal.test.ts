import { expect, it } from 'vitest'
import { constant } from '../simulate/random.ts'
import { comparableFrames, observe } from './observe.ts'
import { createRehearsal, type Rehearsal } from './rehearsal.ts'
import { clients, OBJECTS, pagesOf, SERVER, withLow, workloadOf } from './twin.fixture.ts'

const callsOf = (ms: number) => [
  { method: 'GET', target: '/api/v1/namespaces/a/pods/x', weight: 1, execution: constant(ms) },
]

it.each([50, 300])(
  'reproduces a level that receives %i requests a second, and knows what an edit does to it',
  (rate) => {
    const behaviour = {
      kind: 'open',
      arrivals: { kind: 'poisson', perSecond: rate / 10 },
      calls: callsOf(20_000 / rate),
      onRejection: 'next',
    } as const
    const pages = pagesOf(workloadOf(clients('one', 10, behaviour)), { from: 40, until: 100 })
    const observation = observe(comparableFrames(pages)) ?? expect.fail()
    const rehearsal = createRehearsal({ observation, flows: [], variant: SERVER }) ?? expect.fail()
    const requests = (met: ReturnType<Rehearsal['now']>): number =>
      met?.reduce((sum, one) => (one.level === 'workload-low' ? sum + one.requests : sum), 0) ?? 0
    expect(requests(rehearsal.now('workload-low'))).toBeGreaterThan(10 * rate)
    const less = withLow({ nominalConcurrencyShares: 5, borrowingLimitPercent: 0 })
    const waited = (met: ReturnType<Rehearsal['now']>): number => met?.reduce((sum, one) => sum + one.waited, 0) ?? 0
    expect(waited(rehearsal.after('workload-low', less))).toBeGreaterThan(
      10 * waited(rehearsal.after('workload-low', OBJECTS)),
    )
  },
)

it('runs nothing where more requests come than a run can have', () => {
  const behaviour = { kind: 'open', arrivals: { kind: 'poisson', perSecond: 5 }, calls: callsOf(400) } as const
  const pages = pagesOf(workloadOf(clients('one', 10, behaviour)), { from: 40, until: 100 })
  const observation = observe(comparableFrames(pages)) ?? expect.fail()
  const quantities = { arrivalsPerSecond: 2_500, rejectedPerSecond: 0 }
  const busy = { ...observation, levels: observation.levels.map((one, i) => (i === 0 ? { ...one, quantities } : one)) }
  expect(createRehearsal({ observation: busy, flows: [], variant: SERVER })).toBeUndefined()
})
