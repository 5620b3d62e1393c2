import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ObjectSet } from '../config/objects.ts'
import { ALGORITHMS } from '../engine/profiles.ts'
import { Candidate, type Compared } from '../run/candidate.ts'
import { ENGINE, shaped } from '../run/run.fixture.ts'
import { Run } from '../run/run.ts'
import { msToNs, nsToMs } from '../units.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import { Replay } from './replay.ts'
import { whatIf } from './whatif.ts'
import { arrivalsOf, variantOf } from './whatif.fixture.ts'

const END_MS = 20_000

const configurationsFrom = (min: number) =>
  fc
    .record({ shares: fc.integer({ min, max: 12 }), places: fc.integer({ min: 1, max: 6 }) })
    .map(({ shares, places }) => shaped(shares, places, 2))
const configurations = configurationsFrom(0)
/** Without seats, a request of the first designs waits until another arrives. */
const withSeats = configurationsFrom(1)
const arrivals = fc
  .array(
    fc.record({
      user: fc.constantFrom('ann', 'bob', 'cleo', 'dan'),
      atMs: fc.nat(60),
      lastsMs: fc.nat(40),
      leavesAfterMs: fc.option(fc.nat(60), { nil: undefined }),
    }),
    { maxLength: 80 },
  )
  .map((sent) => arrivalsOf(sent, END_MS))

interface Row extends Compared {
  readonly arrival: Arrival
}

/** The draft that runs alongside a baseline on the Live screen, with the same requests. */
function beside({ list, endNs }: Arrivals, base: ObjectSet, draft: ObjectSet) {
  const run = new Run<Row>(ENGINE)
  run.configure(base)
  const candidate = new Candidate<Row>({
    engine: ENGINE,
    configuration: draft,
    baseline: run.engine,
    lengths: { kind: 'measured', from: 'record', usual: { note: () => undefined, of: () => 0 } },
    touch: () => undefined,
  })
  const rows = list.map((arrival): Row => ({ arrival, state: 'waiting', level: '', schema: '' }))
  for (const row of rows) {
    run.moveTo(row.arrival.atNs)
    candidate.settle()
    run.arrive(row.arrival.request, row)
    candidate.arrived(row, row.arrival.request)
    candidate.lasted(row, row.arrival.executionNs)
  }
  run.moveTo(endNs)
  candidate.settle()
  return rows.map((row) => row.candidate)
}

it('decides as the draft beside a baseline does on the same requests', () => {
  fc.assert(
    fc.property(configurations, configurations, arrivals, (base, draft, given) => {
      const list = given.list.map((arrival): Arrival => ({ ...arrival, leavesAfterNs: undefined }))
      const stayed = { ...given, list }
      const replay = new Replay(variantOf('draft', { objects: draft }), stayed)
      replay.runToEnd()
      const decided = list.map(({ atNs }, index) => {
        const { outcome, atNs: decidedNs } = replay.decisions.of(index)
        const rejected = outcome !== 'dispatched' && outcome !== 'bypassed'
        return { waitMs: nsToMs(decidedNs - atNs), reason: rejected ? outcome : undefined }
      })
      const drafted = beside(stayed, base, draft).map((row) => ({ waitMs: row?.waitMs, reason: row?.reason }))
      expect(decided).toEqual(drafted)
    }),
    { numRuns: 100 },
  )
})

it('decides for a candidate as for a baseline of its own', () => {
  fc.assert(
    fc.property(configurations, configurations, arrivals, (base, draft, given) => {
      const candidate = variantOf('draft', { objects: draft })
      const together = whatIf(given, variantOf('baseline', { objects: base }), [candidate])
      const alone = whatIf(given, candidate, [])
      expect(together?.candidates[0]?.result).toEqual(alone?.baseline)
    }),
    { numRuns: 100 },
  )
})

it.each(ALGORITHMS)('loses no request under %s: offered is served or rejected', (algorithm) => {
  fc.assert(
    fc.property(withSeats, arrivals, fc.integer({ min: 1, max: 3 }), (base, given, servers) => {
      const variant = variantOf('baseline', { objects: base, servers, algorithm, maxRequestsInFlight: 40 })
      const { baseline } = whatIf(given, variant, []) ?? expect.fail()
      const { offered, served, rejected, waitMs } = baseline.total
      expect(offered).toBe(given.list.length)
      expect(served + rejected['queue-full'] + rejected['concurrency-limit'] + rejected['time-out']).toBe(offered)
      expect(waitMs.p50).toBeLessThanOrEqual(waitMs.p99)
    }),
    { numRuns: 30 },
  )
})

it('refuses the oldest of a full queue with head-drop, and says so', () => {
  const given = arrivalsOf(
    Array.from({ length: 4 }, (_, i) => ({ atMs: i, lastsMs: 100 })),
    10_000,
  )
  const replay = new Replay(variantOf('head-drop', { objects: shaped(1, 2), algorithm: 'head-drop' }), given)
  replay.runToEnd()
  expect([0, 1, 2, 3].map((index) => replay.decisions.of(index).outcome)).toEqual([
    'dispatched',
    'queue-full',
    'dispatched',
    'dispatched',
  ])
  expect(replay.decisions.of(1)).toMatchObject({ atOnce: false, atNs: msToNs(3) })
})

it('multiplies execution times, and each server has the limits', () => {
  const given = arrivalsOf(
    Array.from({ length: 40 }, (_, i) => ({ user: `user-${i}`, atMs: 0, lastsMs: 100 })),
    10_000,
  )
  const objects = shaped(5, 100, 2)
  const one = variantOf('one', { objects })
  const result = whatIf(given, one, [
    variantOf('twice', { objects, executionFactor: 2 }),
    variantOf('four servers', { objects, servers: 4 }),
  ])
  const [twice, four] = result?.candidates ?? []
  const slowest = result?.baseline.total.waitMs.max ?? 0
  expect(twice?.result.total.waitMs.max).toBe(2 * slowest)
  expect(four?.result.total.waitMs.max).toBeLessThan(slowest)
  // Seats in use are the same work over the same time.
  expect(twice?.result.total.seats).toBeCloseTo(2 * (result?.baseline.total.seats ?? 0), 9)
  expect(four?.result.levels.find(({ level }) => level === 'global-default')?.limits?.nominal).toBe(20)
})

it('tells when it is to stop', () => {
  const given = arrivalsOf([{ atMs: 0, lastsMs: 1 }], 10)
  expect(whatIf(given, variantOf('baseline'), [], () => false)).toBeUndefined()
})

it('ends waits when clients go away', () => {
  const given = arrivalsOf(
    [
      { atMs: 0, lastsMs: 5_000 },
      { atMs: 1, lastsMs: 10, leavesAfterMs: 100 },
    ],
    10_000,
  )
  const replay = new Replay(variantOf('one seat', { objects: shaped(1, 10) }), given)
  replay.runToEnd()
  expect(replay.decisions.of(1)).toMatchObject({ outcome: 'time-out', atNs: msToNs(101) })
})
