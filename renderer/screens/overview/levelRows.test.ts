import { describe, expect, test } from 'vitest'
import { levelOrder } from '../../theme/levelSlots.ts'
import { derivedLevel, derivedServer, level, rejected, scannerFlood, server } from './levels.fixture.ts'
import { levelRows, needAttention, totalsOf } from './levelRows.ts'

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
