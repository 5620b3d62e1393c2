import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mandatorySchemas, suggestedSchemas } from '../config/builtIn.ts'
import type { DumpRequest } from '../frame/dump.ts'
import type { SchemaFrame, ServerFrame } from '../frame/frame.ts'
import {
  type Coverage,
  MOST_FLOWS,
  MOST_USERS,
  NO_COVERAGE,
  withDump,
  withServers,
  type CoverageRow,
  QUIET_AFTER_MS,
  coverageRows,
} from './coverage.ts'

const START = Date.parse('2026-01-01T00:00:00Z')

function schemaFrame(name: string, dispatched: number | undefined, rejected = 0): SchemaFrame {
  return {
    name,
    dispatched,
    rejected: { 'queue-full': rejected, 'concurrency-limit': 0, 'time-out': 0 },
    seats: { executing: 0, queued: 0 },
    requests: { executing: 0, queued: 0 },
    noAccommodation: 0,
  }
}

/** A page `seconds` after the start with these totals. */
const page = (
  seconds: number,
  totals: Readonly<Record<string, number | undefined>>,
  more: Partial<ServerFrame> = {},
): ServerFrame => ({
  id: 'a',
  at: new Date(START + seconds * 1_000).toISOString(),
  startedAt: 1,
  seatFairFrac: 0,
  missing: [],
  levels: [
    {
      name: 'workload-low',
      limits: { nominal: 1, lower: 1, upper: 1, current: 1 },
      seats: { executing: 0, queued: 0 },
      requests: { executing: 0, queued: 0 },
      demand: { highWatermark: 0, average: 0, stdev: 0, smoothed: 0, target: 0 },
      dispatched: 0,
      noAccommodation: 0,
      schemas: Object.entries(totals).map(([name, total]) => schemaFrame(name, total)),
    },
  ],
  ...more,
})

const request = (more: Partial<DumpRequest> = {}): DumpRequest => ({
  level: 'workload-low',
  schema: 'service-accounts',
  queue: 3,
  position: 0,
  flow: 'system:serviceaccount:ci:runner',
  arrivedAt: START,
  initialSeats: 1,
  finalSeats: 0,
  additionalLatencyMs: 0,
  user: 'system:serviceaccount:ci:runner',
  verb: 'list',
  path: '/api/v1/pods',
  ...more,
})
const dump = (seconds: number, requests: readonly DumpRequest[]) => ({
  at: new Date(START + seconds * 1_000).toISOString(),
  requests: [...requests],
})

const objects = {
  order: [...mandatorySchemas, ...suggestedSchemas],
  dangling: [],
  shadowed: new Map<string, string[]>(),
}
const rowOf = (coverage: Coverage, schema: string, more: Partial<typeof objects> = {}): CoverageRow | undefined =>
  coverageRows(coverage, { ...objects, ...more }).find((row) => row.schema === schema)

describe('counters', () => {
  it('count what was gained since the first frame, rejected requests included', () => {
    const first = withServers(NO_COVERAGE, [page(0, { 'service-accounts': 100 })])
    expect(rowOf(first, 'service-accounts')).toMatchObject({ counted: 0, total: 100 })
    const [level] = page(5, {}).levels
    if (level === undefined) throw new Error('a page has a level')
    const rejecting = page(5, {}, { levels: [{ ...level, schemas: [schemaFrame('service-accounts', 103, 4)] }] })
    expect(rowOf(withServers(first, [rejecting]), 'service-accounts')).toMatchObject({
      counted: 7,
      total: 107,
      lastCountedAt: START + 5_000,
      standing: { kind: 'traffic' },
    })
  })

  it('take a schema that appears later as one that got its first requests, but not on a new server', () => {
    const first = withServers(NO_COVERAGE, [page(0, { probes: 1 })])
    expect(rowOf(withServers(first, [page(1, { probes: 1, exempt: 3 })]), 'exempt')?.counted).toBe(3)
    expect(rowOf(withServers(first, [page(1, { exempt: 3 }, { id: 'b' })]), 'exempt')?.counted).toBe(0)
  })

  it('go on where the clock of the server corrected its start time', () => {
    const first = withServers(NO_COVERAGE, [page(0, { probes: 500 })])
    const corrected = withServers(first, [page(9, { probes: 520 }, { startedAt: 1.01 })])
    expect(rowOf(corrected, 'probes')).toMatchObject({ counted: 20, total: 520 })
  })

  it('go on after a restart, which counts from 0', () => {
    const first = withServers(NO_COVERAGE, [page(0, { probes: 500 })])
    const again = withServers(first, [page(9, { probes: 20 }, { startedAt: 9 })])
    expect(rowOf(again, 'probes')).toMatchObject({ counted: 20, total: 20 })
    const beyond = withServers(first, [page(9, { probes: 700 }, { startedAt: 9 })])
    expect(rowOf(beyond, 'probes')).toMatchObject({ counted: 700, total: 700 })
  })

  it('are summed over servers', () => {
    const first = withServers(NO_COVERAGE, [page(0, { probes: 1 }), page(0, { probes: 10 }, { id: 'b' })])
    const next = withServers(first, [page(1, { probes: 2 }), page(1, { probes: 13 }, { id: 'b' })])
    expect(rowOf(next, 'probes')).toMatchObject({ counted: 4, total: 15 })
  })

  it('give the gain of any course of totals', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 20 }), (gains) => {
        let total = 50
        let coverage = withServers(NO_COVERAGE, [page(0, { probes: total })])
        gains.forEach((gain, index) => {
          total += gain
          coverage = withServers(coverage, [page(index + 1, { probes: total })])
        })
        expect(rowOf(coverage, 'probes')?.counted).toBe(total - 50)
      }),
    )
  })
})

describe('the standing of a schema', () => {
  const counting = (seconds: number, totals: Readonly<Record<string, number>>): Coverage =>
    withServers(withServers(NO_COVERAGE, [page(0, totals)]), [page(seconds, totals)])

  it('is not known where no server counts requests by schema', () => {
    const coverage = withServers(NO_COVERAGE, [page(0, { probes: undefined })])
    expect(rowOf(coverage, 'probes')).toEqual(expect.objectContaining({ standing: { kind: 'unknown' } }))
    expect(rowOf(coverage, 'probes')).not.toHaveProperty('total')
    expect(rowOf(coverage, 'probes')).not.toHaveProperty('seen')
  })

  it('tells none since the start from none lately', () => {
    const coverage = counting(900, { probes: 7 })
    expect(rowOf(coverage, 'probes')?.standing).toEqual({ kind: 'quiet', forMs: 900_000 })
    expect(rowOf(coverage, 'exempt')).toMatchObject({ total: 0, standing: { kind: 'never' } })
  })

  it('becomes quiet ten minutes after the last request', () => {
    const busy = withServers(counting(1, { probes: 1 }), [page(2, { probes: 2 })])
    const later = (ms: number) => withServers(busy, [page(2 + ms / 1_000, { probes: 2 })])
    expect(rowOf(later(QUIET_AFTER_MS - 1_000), 'probes')?.standing).toEqual({ kind: 'traffic' })
    expect(rowOf(later(QUIET_AFTER_MS), 'probes')?.standing).toEqual({ kind: 'quiet', forMs: QUIET_AFTER_MS })
  })

  it('says who takes everything, unless there is traffic all the same', () => {
    const shadowed = new Map([['probes', ['exempt']]])
    expect(rowOf(counting(1, { exempt: 1 }), 'probes', { shadowed })?.standing).toEqual({
      kind: 'shadowed',
      by: ['exempt'],
    })
    const busy = withServers(counting(1, { probes: 1 }), [page(2, { probes: 2 })])
    expect(rowOf(busy, 'probes', { shadowed })?.standing).toEqual({ kind: 'traffic' })
  })

  it('does not call catch-all unreachable once it has had requests', () => {
    const shadowed = new Map([['catch-all', ['global-default']]])
    expect(rowOf(counting(1, { exempt: 1 }), 'catch-all', { shadowed })?.standing.kind).toBe('shadowed')
    expect(rowOf(counting(1, { 'catch-all': 8 }), 'catch-all', { shadowed })?.standing.kind).not.toBe('shadowed')
  })

  it('is dangling without a level, and removed without an object', () => {
    const coverage = counting(1, { mine: 3 })
    const [lost] = suggestedSchemas
    if (lost === undefined) throw new Error('there are suggested schemas')
    const rows = coverageRows(coverage, { ...objects, order: mandatorySchemas, dangling: [lost] })
    expect(rows.map(({ schema, standing }) => [schema, standing.kind])).toEqual([
      ['exempt', 'never'],
      ['catch-all', 'never'],
      [lost.metadata.name, 'dangling'],
      ['mine', 'removed'],
    ])
    expect(rows.at(-1)).not.toHaveProperty('matchingPrecedence')
  })
})

describe('dumps', () => {
  it('count a request once for as long as it stays', () => {
    const first = withDump(NO_COVERAGE, dump(0, [request()]))
    const second = withDump(first, dump(5, [request(), request({ arrivedAt: START + 1 })]))
    expect([...second.flows.values()]).toEqual([expect.objectContaining({ requests: 2, lastAt: START + 5_000 })])
    expect(second.dumps).toBe(2)
  })

  it('tell requests apart that are alike in everything', () => {
    const two = withDump(NO_COVERAGE, dump(0, [request(), request()]))
    const three = withDump(two, dump(1, [request(), request(), request()]))
    expect([...three.flows.values()][0]?.requests).toBe(3)
  })

  it('make a flow of a schema and a distinguisher, and count its users', () => {
    const coverage = withDump(
      NO_COVERAGE,
      dump(0, [
        request({ schema: 'global-default', flow: '', user: 'alice' }),
        request({ schema: 'global-default', flow: '', user: 'bob' }),
        request(),
      ]),
    )
    expect(rowOf(coverage, 'global-default')).toMatchObject({ seen: { flows: 1, requests: 2 } })
    expect(coverage.flows.get('global-default\n')?.users).toEqual(new Set(['alice', 'bob']))
    expect(rowOf(coverage, 'service-accounts')).toMatchObject({ seen: { flows: 1, requests: 1 } })
  })

  it('remember a bounded number of flows and users, and say how many requests that leaves out', () => {
    const many = Array.from({ length: MOST_FLOWS + 7 }, (_, index) => request({ flow: `flow-${index}` }))
    const coverage = withDump(NO_COVERAGE, dump(0, many))
    expect(coverage.flows.size).toBe(MOST_FLOWS)
    expect(coverage.left).toBe(7)
    expect(withDump(coverage, dump(1, many)).left).toBe(7)
    const users = Array.from({ length: MOST_USERS + 5 }, (_, index) => request({ user: `user-${index}` }))
    expect([...withDump(NO_COVERAGE, dump(0, users)).flows.values()][0]?.users.size).toBe(MOST_USERS)
  })

  it('change nothing when they could not be read', () => {
    expect(withDump(NO_COVERAGE, { at: new Date(START).toISOString() })).toBe(NO_COVERAGE)
  })

  it('count as traffic where metrics do not tell', () => {
    const seen = withDump(withServers(NO_COVERAGE, [page(1, {})]), dump(1, [request()]))
    expect(rowOf(seen, 'service-accounts')?.standing).toEqual({ kind: 'traffic' })
  })
})
