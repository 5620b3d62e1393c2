import fc from 'fast-check'
import { expect, test } from 'vitest'
import { levelFrame, schemaFrame, serverFrame } from '../../test/fixtures/frames.ts'
import type { Suggestion } from '../contract/advice.ts'
import type { LiveRequest } from '../contract/live.ts'
import { advise } from './advise.ts'
import { createUsageTally } from './usage.ts'

const START = Date.parse('2026-11-21T07:30:00Z')
const CONTROLLER = 'system:serviceaccount:shop:operator'

let seq = 0
const row = (user: string, address: string | undefined, over: Partial<LiveRequest> = {}): LiveRequest => ({
  seq: (seq += 1),
  at: START + seq * 100,
  user,
  groups: [],
  ...(address !== undefined && { address }),
  verb: 'get',
  url: '/api/v1/pods',
  resource: 'pods',
  namespace: '',
  name: '',
  state: 'served',
  level: 'workload-low',
  schema: 'service-accounts',
  flow: user,
  seats: { initial: 1, final: 0 },
  ...over,
})

const many = (count: number, make: (index: number) => LiveRequest): readonly LiveRequest[] =>
  Array.from({ length: count }, (_, index) => make(index))

/**
 * The advice about user names when these rows arrived within 400 s, during which the level rejected this many requests.
 */
function advised(rows: readonly LiveRequest[], rejected = 0): readonly Suggestion[] {
  const tally = createUsageTally()
  for (let second = 0; second <= 400; second += 5) {
    const counts = { 'queue-full': second === 0 ? 0 : rejected, 'concurrency-limit': 0, 'time-out': 0 }
    const level = levelFrame(
      'workload-low',
      [schemaFrame('service-accounts', { dispatched: second, rejected: counts })],
      {
        limits: { nominal: 245, lower: 24, upper: 600, current: 245 },
        demand: { highWatermark: 9, average: 3, stdev: 0, smoothed: 3, target: 3 },
      },
    )
    tally.take({ kind: 'frame', frame: serverFrame(second, [level]) })
  }
  const changes = { event: 1, from: 0, dropped: 0 }
  for (const one of rows) tally.take({ kind: 'requests', changes: { ...changes, requests: [one] } })
  return advise(tally.read()).suggestions.filter(({ kind }) => kind === 'users')
}

const instances = (count: number, addresses: number, over: Partial<LiveRequest> = {}) =>
  many(count, (index) => row(CONTROLLER, `10.0.0.${index % addresses}`, over))

test('one user from many addresses that sends most of a level should use a name for each instance', () => {
  const others = many(40, (index) => row(`user-${index}`, `10.1.0.${index}`))
  const [suggestion, ...more] = advised([...instances(160, 4), ...others])
  expect(more).toEqual([])
  expect(suggestion).toMatchObject({
    kind: 'users',
    verdict: 'precaution',
    level: 'workload-low',
    title: `Give each instance of ${CONTROLLER} a user name of its own`,
    changes: [],
  })
  expect(suggestion?.evidence[0]).toContain('sent 80 % of 200 requests of workload-low')
  expect(suggestion?.evidence[0]).toContain('from 4 addresses with 5 requests or more: 10.0.0.0 (40)')
})

test('it is an edit while the level rejects requests', () => {
  expect(advised(instances(160, 4), 20)[0]?.verdict).toBe('edit')
})

test('no advice where one address sends, or another user dominates, or too few requests are known', () => {
  expect(advised(instances(160, 2))).toEqual([])
  expect(advised(instances(99, 4))).toEqual([])
  expect(advised([...instances(100, 4), ...many(101, () => row('other', '10.1.0.1'))])).toEqual([])
  // A few requests from an address do not make it an instance.
  expect(advised([...instances(160, 2), ...many(4, () => row(CONTROLLER, '10.0.0.9'))])).toEqual([])
})

test('no advice where the flow is not the user, the address is unknown, or the name is not the reader’s to choose', () => {
  expect(advised(instances(160, 4, { flow: 'shop' }))).toEqual([])
  expect(advised(many(160, () => row(CONTROLLER, undefined)))).toEqual([])
  expect(advised(many(160, (index) => row('system:kube-scheduler', `10.0.0.${index % 4}`)))).toEqual([])
})

test('a request that changes counts once', () => {
  const rows = instances(60, 3)
  expect(advised([...rows, ...rows.map((one): LiveRequest => ({ ...one, state: 'executing' })), ...rows])).toEqual([])
})

test('users and addresses that clients choose do not let it grow', () => {
  const tally = createUsageTally()
  const requests = many(3_000, (index) => row(`user-${index}`, `10.${index >> 8}.0.${index & 255}`))
  const one = many(3_000, (index) => row('user-0', `11.${index >> 8}.0.${index & 255}`))
  tally.take({ kind: 'requests', changes: { event: 1, from: 0, dropped: 0, requests: [...requests, ...one] } })
  const [level] = tally.read().callers
  expect(level?.requests).toBe(6_000)
  expect(level?.users.size).toBe(1_000)
  expect(level?.users.get('user-0')?.size).toBe(256)
})

test('whatever is advised, the user sends half or more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 200 }), (own, other) => {
      const rows = [...instances(own, 3), ...many(other, (index) => row(`u${index}`, '10.9.0.1'))]
      expect(advised(rows).length > 0).toBe(own >= other && own + other >= 100 && own >= 15)
    }),
    { numRuns: 30 },
  )
})
