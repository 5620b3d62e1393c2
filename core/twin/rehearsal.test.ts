import { expect, it } from 'vitest'
import { constant } from '../simulate/random.ts'
import { comparableFrames, observe } from './observe.ts'
import { createRehearsal } from './rehearsal.ts'
import { clients, OBJECTS, pagesOf, SERVER, withLow, workloadOf } from './twin.fixture.ts'

it.each([50, 300])(
  'reproduces a level that receives %i requests a second, and knows what an edit does to it',
  (rate) => {
    const call = { method: 'GET', target: '/api/v1/namespaces/a/pods/x', weight: 1, execution: constant(20_000 / rate) }
    const behaviour = {
      kind: 'open',
      arrivals: { kind: 'poisson', perSecond: rate / 10 },
      calls: [call],
      onRejection: 'next',
    } as const
    const pages = pagesOf(workloadOf(clients('one', 10, behaviour)), { from: 40, until: 100 })
    const observation = observe(comparableFrames(pages)) ?? expect.fail()
    const rehearsal = createRehearsal({ observation, flows: [], variant: SERVER })
    const requests = (met: ReturnType<typeof rehearsal.now>): number =>
      met?.reduce((sum, one) => (one.level === 'workload-low' ? sum + one.requests : sum), 0) ?? 0
    expect(requests(rehearsal.now('workload-low'))).toBeGreaterThan(10 * rate)
    const less = withLow({ nominalConcurrencyShares: 5, borrowingLimitPercent: 0 })
    const waited = (met: ReturnType<typeof rehearsal.now>): number =>
      met?.reduce((sum, one) => sum + one.waited, 0) ?? 0
    expect(waited(rehearsal.after('workload-low', less))).toBeGreaterThan(
      10 * waited(rehearsal.after('workload-low', OBJECTS)),
    )
  },
)
