import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ObjectSet } from '../config/objects.ts'
import { EMPTY_REQUEST } from '../live/live.fixture.ts'
import { type LiveRow, RequestLog } from '../live/requestLog.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import { Candidate, sameDecision } from './candidate.ts'
import { type Call, Run } from './run.ts'
import { ENGINE, LEVEL, OBJECTS, shaped } from './run.fixture.ts'
import { UsualDurations } from './usualDurations.ts'

const MS = 1e6
function lineOf(method: string, target: string) {
  const line = readRequestLine(method, target)
  if (!line.ok) throw new Error(line.problem)
  return line
}
const ONE_POD = lineOf('GET', '/api/v1/namespaces/default/pods/one')

/** Two engines on the same arrivals; the requests of the first one have the given durations. */
function both(first: ObjectSet, draft: ObjectSet, holdsBack: boolean) {
  const log = new RequestLog(10_000, 10_000)
  const show = (row: LiveRow, { decision }: Call): void => {
    row.state = decision.kind === 'done' ? 'served' : decision.kind
  }
  const lastsMs = new Map<LiveRow, number>()
  const run = new Run<LiveRow>(ENGINE, {
    onDecision(changed) {
      const row = changed.owner
      const before = row.state
      show(row, changed)
      if (before === 'waiting') candidate.decided(row)
      if (changed.decision.kind === 'done') candidate.lasted(row, (lastsMs.get(row) ?? 0) * MS)
    },
  })
  run.configure(first)
  const candidate = new Candidate<LiveRow>({
    engine: ENGINE,
    configuration: draft,
    baseline: run.engine,
    lengths: { kind: 'measured', from: holdsBack ? 'dispatch' : 'record', usual: new UsualDurations() },
    touch: (row) => log.touch(row),
  })
  return {
    candidate,
    engine: run.engine,
    moveTo: (ms: number): void => {
      run.moveTo(ms * MS)
      candidate.settle()
    },
    arrive: (ms: number, target = '/api/v1/namespaces/default/pods/one', method = 'GET'): LiveRow => {
      const request = { user: { name: 'alice', groups: ['system:authenticated'] }, ...lineOf(method, target) }
      const row = log.begin(EMPTY_REQUEST)
      lastsMs.set(row, ms)
      const call = run.arrive(request, row)
      row.level = call.ticket?.lane.level.plan.name ?? ''
      row.schema = call.ticket?.lane.schema ?? ''
      show(row, call)
      candidate.arrived(row, request)
      run.lasted(call, { durationNs: ms * MS })
      if (!holdsBack) candidate.lasted(row, ms * MS)
      return row
    },
  }
}

describe('a draft beside the first engine', () => {
  it('decides the same with the same objects, and nothing differs', () => {
    const calls = fc.array(fc.record({ afterMs: fc.nat(50), lastsMs: fc.nat(200) }), { maxLength: 60 })
    fc.assert(
      fc.property(calls, (list) => {
        // Requests that the first engine runs at once: for the others, the duration is only an estimate.
        const { arrive, moveTo, candidate } = both(shaped(100, 50), shaped(100, 50), true)
        let ms = 0
        const rows = list.map(({ afterMs, lastsMs }) => {
          ms += afterMs
          moveTo(ms)
          return arrive(lastsMs)
        })
        moveTo(ms + 10_000)
        expect(rows.map(({ state }) => state)).toEqual(rows.map(({ candidate: other }) => other?.state))
        const { a, b, different } = candidate.report()
        expect(b).toEqual(a)
        expect(different).toBe(0)
        expect(a).toMatchObject({ arrived: list.length, rejected: 0, executingSeats: 0, queued: 0 })
      }),
      { numRuns: 30 },
    )
  })

  it('does not count the wait at the first engine as work', () => {
    // One seat: ten requests of 100 ms wait for each other. With ten seats none would wait.
    const { arrive, moveTo, candidate } = both(shaped(1, 50), shaped(40, 50), true)
    const learn = arrive(100)
    moveTo(1_000)
    expect(learn.state).toBe('served')
    const rows = Array.from({ length: 10 }, () => arrive(100))
    expect(rows.map(({ state }) => state)).toEqual(['executing', ...Array.from({ length: 9 }, () => 'waiting')])
    moveTo(1_150)
    // The duration of the second one is known when it has run at the baseline.
    expect(candidate.report().behindMs).toBe(150)
    moveTo(5_000)
    expect(rows.every(({ candidate: other }) => other?.state === 'served' && other.waitMs === 0)).toBe(true)
    const { a, b, different } = candidate.report()
    expect(b.waitP99[LEVEL]).toBe(0)
    expect(a.waitP99[LEVEL]).toBeGreaterThan(800)
    expect(a.waitP99[LEVEL]).toBeLessThan(1_000)
    expect(different).toBe(0)
  })

  it('counts requests that it rejects and the first one executes', () => {
    const { arrive, moveTo, candidate } = both(shaped(40, 50), shaped(1, 1), false)
    const rows = Array.from({ length: 5 }, () => arrive(100))
    expect(rows.map(({ candidate: other }) => other?.state)).toEqual([
      'executing',
      'waiting',
      'rejected',
      'rejected',
      'rejected',
    ])
    expect(candidate.report()).toMatchObject({ b: { executingSeats: 1, queued: 1, rejected: 3 }, different: 3 })
    moveTo(1_000)
    expect(rows[1]?.candidate).toMatchObject({ state: 'served', waitMs: 100 })
    expect(candidate.report()).toMatchObject({ a: { rejected: 0 }, b: { executingSeats: 0, queued: 0 }, different: 3 })
    moveTo(400_000)
    expect(candidate.report()).toMatchObject({ a: { arrived: 0 }, b: { arrived: 0, rejected: 0 }, different: 0 })
  })

  it('reports how long it has counted, and restarts with another draft', () => {
    const { moveTo, candidate } = both(shaped(40, 50), shaped(1, 1), false)
    expect(candidate.report().seconds).toBe(0)
    moveTo(2_500)
    expect(candidate.report().seconds).toBe(2.5)
    moveTo(400_000)
    expect(candidate.report().seconds).toBe(300)
    candidate.configure(shaped(2, 1))
    moveTo(401_000)
    expect(candidate.report().seconds).toBe(1)
  })

  it('counts requests of both engines that arrived since it began', () => {
    const first = new Run<undefined>(ENGINE)
    first.configure(shaped(1, 50))
    const request = { user: { name: 'alice', groups: ['system:authenticated'] }, ...ONE_POD }
    first.lasted(first.arrive(request, undefined), { durationNs: 100 * MS })
    first.lasted(first.arrive(request, undefined), { durationNs: 100 * MS })
    first.moveTo(50 * MS)
    const candidate = new Candidate<LiveRow>({
      engine: ENGINE,
      configuration: shaped(1, 50),
      baseline: first.engine,
      lengths: { kind: 'measured', from: 'record', usual: new UsualDurations() },
      touch: () => undefined,
    })
    first.moveTo(1_000 * MS)
    const { a, b } = candidate.report()
    expect([a.arrived, a.waitP99, b.arrived]).toEqual([0, {}, 0])
  })

  it('begins with the requests under way, at its own limits, and does not count them', () => {
    const log = new RequestLog(100, 100)
    const first = new Run<undefined>(ENGINE)
    first.configure(OBJECTS)
    first.moveTo(4_321 * MS)
    const rows = Array.from({ length: 60 }, () => log.begin({ ...EMPTY_REQUEST, state: 'executing' }))
    const request = { user: { name: 'alice', groups: ['system:authenticated'] }, ...ONE_POD }
    const candidate = new Candidate<LiveRow>({
      engine: ENGINE,
      configuration: OBJECTS,
      baseline: first.engine,
      lengths: { kind: 'modelled', begun: () => ({ durationNs: 100 * MS }), ended: () => undefined },
      touch: () => undefined,
      underWay: rows.map((row) => ({ row, request })),
    })
    // The level's nominal limit is 19 of 226 seats; it borrows at once what the others do not need.
    expect(rows.filter(({ candidate: beside }) => beside?.state === 'executing').length).toBeGreaterThan(40)
    expect(candidate.report()).toMatchObject({ seconds: 0, b: { arrived: 0, queued: 0 }, different: 0 })
    first.moveTo(5_000 * MS)
    expect(candidate.report().b).toEqual({ arrived: 0, rejected: 0, executingSeats: 0, queued: 0, waitP99: {} })
    expect(rows.map(({ candidate: beside }) => beside?.state)).toEqual(rows.map(() => 'served'))
  })

  it('ends a watch that only it admits, because no client is there to watch', () => {
    // Changes of pods cost a tenth of a seat for each watch of them.
    const { arrive, moveTo, candidate } = both(shaped(1, 1), shaped(100, 50), true)
    const busy = arrive(60_000)
    const waits = arrive(10)
    expect([busy.state, waits.state]).toEqual(['executing', 'waiting'])
    const watches = Array.from({ length: 50 }, () => arrive(10, '/api/v1/namespaces/default/pods?watch=true'))
    expect(watches.map(({ state }) => state)).toEqual(watches.map(() => 'rejected'))
    moveTo(100_000)
    expect(watches.every(({ candidate: beside }) => beside?.state === 'served')).toBe(true)
    const { executingSeats } = candidate.report().b
    arrive(10, '/api/v1/namespaces/default/pods/one', 'PATCH')
    moveTo(100_001)
    expect(candidate.report().b.executingSeats - executingSeats).toBe(1)
  })

  it('ends a watch that waits at the first engine until it is rejected', () => {
    const { arrive, moveTo, candidate } = both(shaped(1, 50), shaped(100, 50), true)
    arrive(60_000)
    const watches = Array.from({ length: 50 }, () => arrive(10, '/api/v1/namespaces/default/pods?watch=true'))
    const states = () => new Set(watches.map(({ state, candidate: beside }) => `${state} ${beside?.state}`))
    expect(new Set(watches.map(({ state }) => state))).toEqual(new Set(['waiting']))
    moveTo(30_000)
    expect(states()).toEqual(new Set(['rejected served']))
    const { executingSeats } = candidate.report().b
    arrive(10, '/api/v1/namespaces/default/pods/one', 'PATCH')
    moveTo(30_001)
    expect(candidate.report().b.executingSeats - executingSeats).toBe(1)
  })

  it('restarts counting with another draft, and ends', () => {
    const { arrive, moveTo, candidate } = both(shaped(40, 50), shaped(1, 1), false)
    for (let i = 0; i < 5; i++) arrive(100)
    candidate.configure(shaped(40, 50))
    expect(candidate.report()).toMatchObject({ a: { arrived: 0 }, different: 0 })
    moveTo(1_000)
    expect(arrive(10).candidate?.state).toBe('executing')
    candidate.close()
    const late = arrive(10)
    expect(late.candidate).toBeUndefined()
  })
})

describe('two decisions', () => {
  const candidate = { level: 'low', schema: 'low', state: 'rejected', reason: 'queue-full' } as const

  it('are the same when both rejected, even if the client left before the server answered', () => {
    const left = { level: 'low', schema: 'low', state: 'cancelled' } as const
    expect(sameDecision({ ...left, reason: 'queue-full' }, candidate)).toBe(true)
    expect(sameDecision(left, candidate)).toBe(false)
    expect(sameDecision({ ...left, reason: 'queue-full' }, { level: 'low', schema: 'low', state: 'served' })).toBe(
      false,
    )
  })
})
