import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { DumpFrame, DumpRequest } from '../frame/dump.ts'
import type { LiveRequest } from '../contract/live.ts'
import { createLedger, shareRange } from './ledger.ts'

const AT = Date.UTC(2026, 10, 28)
const row = (user: string, more: Partial<DumpRequest> = {}): DumpRequest => ({
  level: 'global-default',
  schema: 'global-default',
  queue: 4,
  position: -1,
  flow: user,
  arrivedAt: AT - 2_000,
  startedAt: AT - 2_000,
  initialSeats: 1,
  finalSeats: 0,
  additionalLatencyMs: 0,
  user,
  verb: 'get',
  path: '/api/v1/namespaces/default/pods',
  ...more,
})
const waits = (user: string, flow = user): DumpRequest => {
  const { startedAt: _, ...one } = row(user, { flow })
  return one
}
const dumpOf = (requests: readonly DumpRequest[]): DumpFrame => ({
  server: 's',
  at: new Date(AT).toISOString(),
  costMs: 1,
  bytes: 1,
  errors: [],
  requests: [...requests],
})
const ledgerOf = (...dumps: readonly (readonly DumpRequest[])[]) => {
  const ledger = createLedger()
  for (const requests of dumps) ledger.dump(dumpOf(requests))
  return ledger.finish(60)
}
const sent = (user: string, at: number, more: Partial<LiveRequest> = {}): LiveRequest => ({
  seq: at,
  at,
  user,
  groups: [],
  verb: 'list',
  url: '/api/v1/pods?limit=500&timeout=4s',
  resource: 'pods',
  namespace: '',
  name: '',
  state: 'served',
  level: 'l',
  schema: 's',
  flow: user,
  seats: { initial: 2, final: 0 },
  waitMs: 100,
  runMs: 300,
  ...more,
})

test('the request that asks for a dump is no client of the server', () => {
  const { flows } = ledgerOf([
    row('apf-viewer', { path: '/debug/api_priority_and_fairness/dump_requests' }),
    // Another reader, or another dump of the same reading.
    row('apf-editor', { path: '/debug/api_priority_and_fairness/dump_queues' }),
    row('alice'),
  ])
  expect(flows.map(({ flow, partOfLevel }) => [flow, partOfLevel])).toEqual([['alice', 1]])
})

describe('a ledger', () => {
  it('splits a flow by sender, and means are over all dumps', () => {
    const { clients, flows } = ledgerOf(
      [waits('sync', 'team-a'), waits('sync', 'team-a'), waits('web', 'team-a')],
      [waits('sync', 'team-a')],
    )
    expect(clients.map(({ user, waiting, seenWaiting, waited }) => [user, waiting, seenWaiting, waited])).toEqual([
      ['sync', 1.5, 3, 2],
      ['web', 0.5, 1, 2],
    ])
    expect(flows).toMatchObject([
      { flow: 'team-a', waiting: 2, users: [{ name: 'sync', part: 0.75 }, { name: 'web' }] },
    ])
  })

  it('tells one request that several dumps show from several requests', () => {
    const { clients } = ledgerOf([waits('one'), waits('two'), waits('two')], [waits('one')], [waits('one')])
    expect(
      clients.map(({ user, seenWaiting, fewWaiting, fewSeen }) => [user, seenWaiting, fewWaiting, fewSeen]),
    ).toEqual([
      ['one', 3, 1, 1],
      ['two', 2, 2, 2],
    ])
  })

  it('has rates, waits, rejections, page size and timeout of single requests', () => {
    const ledger = createLedger()
    const rejected = sent('b', 4_000, { state: 'rejected', reason: 'time-out', url: '/api/v1/pods' })
    ledger.requests([sent('a', 1_000), sent('a', 2_000), sent('a', 3_000, { url: '/api/v1/pods' }), rejected])
    const { clients } = ledger.finish(2)
    expect(clients.map((one) => one.sent)).toMatchObject([
      { perSecond: 1.5, rejected: 0, waited: 0.1, executed: 0.3, width: 2, limit: 500, timeout: 4 },
      { perSecond: 0.5, rejected: 1, timedOutEarly: 1, limit: 0, timeout: undefined },
    ])
  })

  it('counts as early the time-outs of clients with a deadline of their own, and no others', () => {
    const ledger = createLedger()
    const late = (user: string, waitMs: number | undefined, url: string): LiveRequest => {
      const { waitMs: _, ...request } = sent(user, 4_000, { state: 'rejected', reason: 'time-out', url })
      return { ...request, ...(waitMs !== undefined && { waitMs }) }
    }
    ledger.requests([
      late('flood', 15_000, '/api/v1/pods'),
      late('hasty', 1_000, '/api/v1/pods'),
      late('told', undefined, '/api/v1/pods?timeout=4s'),
      late('untold', undefined, '/api/v1/pods'),
    ])
    const early = ledger.finish(2).clients.map((one) => [one.user, one.sent?.timedOutEarly])
    expect(Object.fromEntries(early)).toEqual({ flood: 0, hasty: 1, told: 1, untold: 0 })
  })

  it.each([
    { what: 'limits itself', distance: () => 50, even: true },
    {
      what: 'sends at random',
      distance: (i: number) => -50 * Math.log(((i * 7_919) % 997) / 997 + 0.001),
      even: false,
    },
    { what: 'sends in bursts', distance: (i: number) => (i % 20 === 0 ? 5_000 : 10), even: false },
  ])('knows a client that $what', ({ distance, even }) => {
    const ledger = createLedger()
    let at = 0
    ledger.requests(Array.from({ length: 200 }, (_, i) => sent('a', (at += distance(i)))))
    expect(ledger.finish(10).clients[0]?.sent?.isEven).toBe(even)
  })
})

test('the range of a share contains it, and is narrower the more requests were seen', () => {
  expect([shareRange(36, 49).low, shareRange(36, 49).high].map((part) => Math.round(part * 100))).toEqual([60, 84])
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), (a, b) => {
      const [k, n] = [Math.min(a, b), Math.max(a, b)]
      const { low, high } = shareRange(k, n)
      const more = shareRange(4 * k, 4 * n)
      expect(low).toBeLessThanOrEqual(n === 0 ? 1 : k / n + 1e-9)
      expect(high).toBeGreaterThanOrEqual(n === 0 ? 0 : k / n - 1e-9)
      expect(more.high - more.low).toBeLessThanOrEqual(high - low + 1e-9)
    }),
  )
})
