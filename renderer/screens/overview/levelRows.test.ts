import { describe, expect, test } from 'vitest'
import type { Recent } from '../../../core/frame/derived.ts'
import type { DumpRequest } from '../../../core/frame/dump.ts'
import { levelOrder } from '../../../core/text/levelSlots.ts'
import {
  derivedLevel,
  derivedServer,
  level,
  rejected,
  scannerFlood,
  server,
} from '../../../core/verdict/levels.fixture.ts'
import {
  keepPlaces,
  levelRows,
  needAttention,
  totalsOf,
  recentRejections,
  type RejectionRow,
  busiestInDump,
} from '../../../core/verdict/levelRows.ts'

const order = levelOrder({})

describe('rows of levels', () => {
  test('fixed order: built-in levels as the server ranks them, then the others', () => {
    const names = ['zeta', 'catch-all', 'system', 'alpha', 'exempt'].map((name) => level({ name }))
    const rows = levelRows(server({ levels: names }), undefined, order)
    expect(rows.map((row) => row.name)).toEqual(['exempt', 'system', 'catch-all', 'alpha', 'zeta'])
  })

  test('states: rejecting before queueing; idle only without traffic; exempt has no limit', () => {
    const frame = scannerFlood()
    const derived = derivedServer(frame, [
      derivedLevel('workload-low', { rejectedPerSecond: rejected({ 'queue-full': 11.7, 'time-out': 0.1 }) }),
    ])
    const rows = levelRows(frame, derived, order)
    const states = Object.fromEntries(rows.map((row) => [row.name, row.states]))
    expect(states).toMatchObject({
      exempt: ['no-limit'],
      system: ['flowing'],
      'workload-low': ['rejecting', 'queueing'],
      'global-default': ['queueing'],
      'catch-all': ['idle'],
    })
    expect(rows.find((row) => row.name === 'workload-low')?.rejectedPerSecond).toBeCloseTo(11.8)
    expect(needAttention(rows).map((row) => row.name)).toEqual(['workload-low', 'global-default'])
  })

  test('the window of the present decides, not the flickering rate of two samples', () => {
    const frame = server({ levels: [level({ name: 'a' })] })
    const recent = { seconds: 10, dispatched: 0, rejected: rejected({ 'time-out': 5 }) }
    const [first] = levelRows(frame, derivedServer(frame, [derivedLevel('a', { recent })]), order)
    expect(first).toMatchObject({ rejectedPerSecond: 0.5, states: ['rejecting'] })
  })

  test('unknown is not zero and not "not applicable"', () => {
    const blind = { ...level({ name: 'a' }), seats: { executing: undefined, queued: undefined } }
    const unknownQueue = { ...blind, requests: { executing: undefined, queued: undefined } }
    const frame = server({ levels: [unknownQueue] })
    const derived = { ...derivedServer(frame, [derivedLevel('a', { rejectedPerSecond: undefined })]) }
    const rows = levelRows(frame, derived, order)
    expect(rows[0]).toMatchObject({ states: ['unknown'], waitP99: 'n/a' })
    expect(rows[0]?.rejectedPerSecond).toBeUndefined()
    expect(totalsOf(rows)).toMatchObject({
      executing: undefined,
      queuedRequests: undefined,
      rejectedPerSecond: undefined,
    })
    const early = levelRows(frame, { ...derived, noRates: 'first-sample' }, order)
    expect(early[0]?.waitP99).toBeUndefined()
    const missing = [
      { family: 'apiserver_flowcontrol_request_wait_duration_seconds', reason: 'not-exposed' as const, note: '' },
    ]
    expect(levelRows({ ...frame, missing }, derived, order)[0]?.waitP99).toBeUndefined()
  })

  test('totals of the scanner flood', () => {
    const frame = scannerFlood()
    const derived = derivedServer(frame, [derivedLevel('workload-low', { waitP99: 14.2 })])
    expect(totalsOf(levelRows(frame, derived, order))).toMatchObject({
      executing: 491,
      nominal: 602,
      lent: 72,
      borrowed: 72,
      queuedRequests: 399,
      queuedSeats: 699,
      rejectedPerSecond: 0,
      longestWait: { seconds: 14.2, level: 'workload-low' },
    })
    expect(totalsOf([]).executing).toBeUndefined()
  })
})

const derived = (recent: Recent | undefined) => ({
  id: 'apiserver-a',
  torn: false,
  levels: [derivedLevel('a', { recent, schemas: [{ name: 's', recent }] })],
})

describe('rejections of the window of the present', () => {
  test('are counts and rates, in an order that does not change with them', () => {
    const counts = rejected({ 'queue-full': 118, 'time-out': 200 })
    expect(recentRejections(derived({ seconds: 10, dispatched: 3, rejected: counts }))).toEqual({
      seconds: 10,
      rows: [
        { server: 'apiserver-a', level: 'a', schema: 's', reason: 'queue-full', count: 118, perSecond: 11.8 },
        { server: 'apiserver-a', level: 'a', schema: 's', reason: 'time-out', count: 200, perSecond: 20 },
      ],
    })
  })

  test('are unknown before two samples and where the family is missing', () => {
    expect(recentRejections(undefined)).toBeUndefined()
    expect(recentRejections(derived(undefined))).toBeUndefined()
    expect(recentRejections(derived({ seconds: 10, dispatched: 3 }))).toBeUndefined()
    expect(recentRejections(derived({ seconds: 10, rejected: rejected() }))).toEqual({ seconds: 10, rows: [] })
  })
})

describe('rejections that come and go', () => {
  const row = (schema: string, count: number): RejectionRow => ({
    server: 'apiserver-a',
    level: 'a',
    schema,
    reason: 'queue-full',
    count,
    perSecond: count / 10,
  })

  test('keep their places: new ones come last, old ones go to zero', () => {
    const first = keepPlaces([], [row('m', 3)])
    const second = keepPlaces(first, [row('b', 1), row('m', 4)])
    expect(second).toEqual([row('m', 4), row('b', 1)])
    expect(keepPlaces(second, [row('b', 2)])).toEqual([row('m', 0), row('b', 2)])
  })

  test('start afresh after a calm window', () => {
    expect(keepPlaces([row('m', 3)], [])).toEqual([])
  })
})

const some = (count: number, change: Partial<DumpRequest>): readonly DumpRequest[] =>
  Array.from({ length: count }, (_, position) => ({
    level: 'workload-low',
    schema: 'service-accounts',
    flow: 'system:serviceaccount:inventory:scanner',
    queue: 1,
    position,
    arrivedAt: 0,
    initialSeats: 1,
    finalSeats: 0,
    additionalLatencyMs: 0,
    ...change,
  }))
const EXECUTES = { startedAt: 1 }
const busiest = (...requests: readonly DumpRequest[]) =>
  busiestInDump(
    { server: 'a', at: '1970-01-01T00:16:40Z', costMs: 0, bytes: 0, errors: [], requests: [...requests] },
    'workload-low',
  )

test('names the flow with most of the waiting requests of the level', () => {
  const found = busiest(
    ...some(8, {}),
    ...some(2, { flow: 'system:serviceaccount:shop:web' }),
    ...some(30, { ...EXECUTES, flow: 'system:serviceaccount:shop:web' }),
    ...some(30, { level: 'workload-high', flow: 'another' }),
  )
  const counts = { count: 8, of: 10, waits: true }
  expect(found).toEqual({ level: 'workload-low', name: 'inventory:scanner', ...counts, at: 1_000_000 })
})

test('counts executing requests where none waits, and names nobody who has little', () => {
  expect(busiest(...some(4, EXECUTES))).toMatchObject({ count: 4, of: 4, waits: false })
  expect(busiest(...some(4, {}).map((one, i) => ({ ...one, flow: `flow-${i}` })))).toBeUndefined()
  // A schema without distinguisher is one flow, which its name already identifies.
  expect(busiest(...some(5, { flow: '' }))).toBeUndefined()
  expect(busiest()).toBeUndefined()
})
