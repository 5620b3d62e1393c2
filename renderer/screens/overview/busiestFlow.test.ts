import { expect, test } from 'vitest'
import { liveRequest } from '../../../core/live/live.fixture.ts'
import { busiestInRequests } from './busiestFlow.ts'

const AT = 1_000_000
const some = (count: number, change: Parameters<typeof liveRequest>[0]) =>
  Array.from({ length: count }, (_, seq) => liveRequest({ seq, ...change }))

test('names the flow with most of the waiting requests of the level, by rows alone', () => {
  const rows = [
    ...some(8, { state: 'waiting' }),
    ...some(2, { state: 'waiting', flow: 'system:serviceaccount:shop:web' }),
    ...some(30, { state: 'executing', flow: 'system:serviceaccount:shop:web' }),
    ...some(30, { state: 'waiting', level: 'workload-high', flow: 'another' }),
  ]
  expect(busiestInRequests(rows, 'workload-low', AT)).toEqual({
    level: 'workload-low',
    name: 'inventory:scanner',
    count: 8,
    of: 10,
    waits: true,
    at: AT,
    from: 'requests',
  })
})

test('counts executing requests where none waits, and names nobody who has little', () => {
  const executing = some(4, { state: 'executing' })
  expect(busiestInRequests(executing, 'workload-low', AT)).toMatchObject({ count: 4, of: 4, waits: false })
  const spread = Array.from({ length: 4 }, (_, i) => liveRequest({ seq: i, state: 'waiting', flow: `flow-${i}` }))
  expect(busiestInRequests(spread, 'workload-low', AT)).toBeUndefined()
  // A schema without distinguisher is one flow: its name says it already.
  expect(busiestInRequests(some(5, { state: 'waiting', flow: '' }), 'workload-low', AT)).toBeUndefined()
  expect(busiestInRequests(some(5, { state: 'served' }), 'workload-low', AT)).toBeUndefined()
})
