import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ObjectSet } from '../config/objects.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import { type ArrivalListener, Candidate, type Compared, type Lengths } from './candidate.ts'
import { type Call, type Length, Run, type RunRequest } from './run.ts'
import { ENGINE, shaped as shapedLevel } from './run.fixture.ts'

const MS = 1e6
const USUAL_NS = 7 * MS

/** A few seats, two queues with a few places. */
const shaped = (shares: number, places: number): ObjectSet => shapedLevel(shares, places, 2)

type Mode = Extract<Lengths<unknown>, { kind: 'measured' }>['from']

/** A request as it proceeds at the baseline, and the candidate's outcome. */
interface Row extends Compared {
  readonly request: RunRequest
  readonly isWatch: boolean
  readonly lastsNs: number
  call: Call<Row> | undefined
  over: boolean
  /** The inputs of a run that has everything in advance. */
  length: Length | undefined
}

const TARGETS = {
  get: ['GET', '/api/v1/namespaces/default/pods/one'],
  // Ten watches of pods make a change of pods one seat wider.
  patch: ['PATCH', '/api/v1/namespaces/default/pods/one'],
  watch: ['GET', '/api/v1/pods?watch=true'],
} as const

interface Sent {
  readonly kind: keyof typeof TARGETS
  readonly user: number
  readonly atMs: number
  readonly lastsMs: number
  readonly leavesAfterMs: number | undefined
}

function rowOf({ kind, user, lastsMs }: Sent): Row {
  const read = readRequestLine(TARGETS[kind][0], TARGETS[kind][1])
  if (!read.ok) throw new Error(read.problem)
  return {
    request: { user: { name: `user-${user}`, groups: ['system:authenticated'] }, info: read.info, query: read.query },
    isWatch: kind === 'watch',
    lastsNs: lastsMs * MS,
    state: 'bypassed',
    level: '',
    schema: '',
    call: undefined,
    over: false,
    length: undefined,
  }
}

type Outside = { readonly atNs: number } & (
  | { readonly kind: 'arrives' | 'leaves' | 'watch ends'; readonly row: Row }
  | { readonly kind: 'configuration'; readonly configuration: ObjectSet }
)

/** A baseline with a candidate beside it: a proxy that enforces, one that observes, a feed. */
class Beside implements ArrivalListener<Row> {
  readonly outside: Outside[] = []
  private readonly mode: Mode
  readonly baseline: Run<Row>
  readonly candidate: Candidate<Row>

  constructor(mode: Mode, base: ObjectSet, draft: ObjectSet) {
    this.mode = mode
    this.baseline = new Run<Row>(ENGINE, { onDecision: (call) => this.changed(call) })
    this.baseline.configure(base)
    this.candidate = new Candidate<Row>({
      engine: ENGINE,
      configuration: draft,
      baseline: this.baseline.engine,
      lengths: { kind: 'measured', from: mode, usual: { note: () => undefined, of: () => USUAL_NS } },
      touch: () => undefined,
    })
  }

  moveTo(ms: number): void {
    this.baseline.moveTo(ms * MS)
    this.candidate.settle()
  }

  send(row: Row): void {
    const call = this.baseline.arrive(row.request, row)
    row.call = call
    this.show(call)
    this.arrived(row)
    if (this.mode === 'dispatch') this.baseline.lasted(call, { durationNs: row.lastsNs, watchNs: 0 })
    if (this.mode === 'record') this.ran(row)
  }

  /** For requests that run whatever the engine decides. */
  ends(row: Row): void {
    if (this.mode === 'dispatch' || row.over) return
    row.over = true
    if (this.mode === 'arrival') this.ran(row)
    if (row.isWatch) this.watchEnded(row)
  }

  leaves(row: Row): void {
    const ended = this.mode === 'dispatch' ? row.state !== 'waiting' && row.state !== 'executing' : row.over
    // A feed does not report that.
    if (ended || this.mode === 'record' || row.call === undefined) return
    row.over = true
    this.abandoned(row)
    this.baseline.abandon(row.call)
  }

  arrived(row: Row): void {
    this.outside.push({ atNs: this.baseline.engine.nowNs, kind: 'arrives', row })
    if (this.mode === 'dispatch' && row.state === 'rejected') row.length ??= { durationNs: USUAL_NS, watchNs: 0 }
    this.candidate.arrived(row, row.request)
  }

  decided(row: Row): void {
    if (this.mode === 'dispatch' && row.state === 'rejected') row.length ??= { durationNs: USUAL_NS, watchNs: 0 }
    this.candidate.decided(row)
  }

  lasted(row: Row, durationNs: number): void {
    row.length ??= { durationNs }
    this.candidate.lasted(row, durationNs)
  }

  abandoned(row: Row): void {
    const never = this.mode === 'dispatch' && row.state === 'waiting'
    row.length ??= never ? { durationNs: USUAL_NS, watchNs: 0 } : { durationNs: Number.POSITIVE_INFINITY }
    this.outside.push({ atNs: this.baseline.engine.nowNs, kind: 'leaves', row })
    this.candidate.abandoned(row)
  }

  watchEnded(row: Row): void {
    this.outside.push({ atNs: this.baseline.engine.nowNs, kind: 'watch ends', row })
    this.candidate.watchEnded(row)
  }

  configure(configuration: ObjectSet): void {
    this.outside.push({ atNs: this.baseline.engine.nowNs, kind: 'configuration', configuration })
    this.candidate.configure(configuration)
  }

  private ran(row: Row): void {
    this.lasted(row, row.lastsNs)
    if (row.call !== undefined) this.baseline.lasted(row.call, { durationNs: row.lastsNs, watchNs: 0 })
  }

  private changed(call: Call<Row>): void {
    const row = call.owner
    const waited = row.state === 'waiting'
    this.show(call)
    if (waited && !row.over) this.decided(row)
    if (this.mode !== 'dispatch' || call.decision.kind !== 'done' || row.over) return
    this.lasted(row, row.lastsNs)
    if (row.isWatch) this.watchEnded(row)
  }

  private show({ owner, decision }: Call<Row>): void {
    owner.state = decision.kind === 'done' ? 'served' : decision.kind
  }
}

/** The draft as a baseline of its own, which receives all durations in advance. */
function alone(draft: ObjectSet, outside: readonly Outside[], endNs: number): ReadonlyMap<Row, Call<Row>> {
  const run = new Run<Row>(ENGINE)
  const calls = new Map<Row, Call<Row>>()
  run.configure(draft)
  run.configure(draft)
  for (const one of outside) {
    run.moveTo(one.atNs)
    if (one.kind === 'configuration') run.configure(one.configuration)
    else if (one.kind === 'arrives') {
      const call = run.arrive(one.row.request, one.row)
      calls.set(one.row, call)
      if (one.row.length !== undefined) run.lasted(call, one.row.length)
    } else {
      const call = calls.get(one.row)
      if (call === undefined) continue
      if (one.kind === 'leaves') run.abandon(call)
      else run.endWatch(call)
    }
  }
  run.moveTo(endNs)
  return calls
}

const configuration = fc
  .record({ shares: fc.integer({ min: 0, max: 12 }), places: fc.integer({ min: 1, max: 6 }) })
  .map(({ shares, places }) => shaped(shares, places))
/** Small numbers, so that many things happen at one instant. */
const requests = fc.array(
  fc.record({
    kind: fc.constantFrom('get', 'get', 'patch', 'watch'),
    user: fc.nat(3),
    atMs: fc.nat(60),
    lastsMs: fc.nat(40),
    leavesAfterMs: fc.option(fc.nat(60), { nil: undefined }),
  }),
  { maxLength: 80 },
)
const modes = fc.constantFrom<Mode>('dispatch', 'arrival', 'record')
const change = fc.option(fc.record({ atMs: fc.nat(80), to: configuration }), { nil: undefined })
const END_MS = 200_000

it('a candidate decides as a baseline of its own would on the same arrivals and durations', () => {
  fc.assert(
    fc.property(modes, configuration, configuration, requests, change, (mode, base, draft, list, other) => {
      const beside = new Beside(mode, base, draft)
      const rows = list.map((one) => ({ one, row: rowOf(one) }))
      const happenings = [
        ...rows.flatMap(({ one: { atMs, lastsMs, leavesAfterMs }, row }) => [
          { atMs, happen: () => beside.send(row) },
          { atMs: atMs + lastsMs, happen: () => beside.ends(row) },
          ...(leavesAfterMs === undefined ? [] : [{ atMs: atMs + leavesAfterMs, happen: () => beside.leaves(row) }]),
        ]),
        ...(other === undefined ? [] : [{ atMs: other.atMs, happen: () => beside.configure(other.to) }]),
      ].toSorted((a, b) => a.atMs - b.atMs)
      for (const { atMs, happen } of happenings) {
        beside.moveTo(atMs)
        happen()
      }
      beside.moveTo(END_MS)
      expect(beside.candidate.report().behindMs).toBeUndefined()
      const calls = alone(draft, beside.outside, END_MS * MS)
      const decided = ({ decision, waitNs }: Call<Row>) => ({
        state: decision.kind === 'done' ? 'served' : decision.kind,
        waitMs: waitNs === undefined ? undefined : waitNs / MS,
        reason: decision.kind === 'rejected' ? decision.reason : undefined,
      })
      expect(
        rows.map(({ row: { candidate } }) => ({
          state: candidate?.state,
          waitMs: candidate?.waitMs,
          reason: candidate?.reason,
        })),
      ).toEqual(rows.map(({ row }) => decided(calls.get(row) ?? expect.fail())))
    }),
    { numRuns: 300 },
  )
})

it('with seats for all requests a draft makes none wait, however long they wait at the baseline', () => {
  // 40 requests a second of 60 ms each, at one seat and at eight.
  const seats = (count: number): ObjectSet => shaped(Math.round((count * 245) / 226), 500)
  const beside = new Beside('dispatch', seats(1), seats(8))
  const rows = Array.from({ length: 400 }, (_, i) => {
    const row = rowOf({ kind: 'get', user: 1, atMs: i * 25, lastsMs: 60, leavesAfterMs: undefined })
    beside.moveTo(i * 25)
    beside.send(row)
    return row
  })
  beside.moveTo(END_MS)
  const waited = rows.map(({ call }) => (call?.waitNs ?? 0) / MS)
  expect(Math.max(...waited)).toBeGreaterThan(10_000)
  expect(new Set(rows.map(({ candidate }) => candidate?.waitMs))).toEqual(new Set([0]))
})
