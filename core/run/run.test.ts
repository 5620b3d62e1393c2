import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../config/builtIn.ts'
import { AS_UPSTREAM, profileFor } from '../engine/profiles.ts'
import { readRequestLine } from '../request/requestInfo.ts'
import { type Call, Run } from './run.ts'

const MS = 1e6

/** Global-default keeps to its nominal limit, which is one seat of eight. */
const levels = [...mandatoryLevels, ...suggestedLevels].map((level) =>
  level.metadata.name === 'global-default' && level.spec.limited !== undefined
    ? {
        ...level,
        spec: { ...level.spec, limited: { ...level.spec.limited, lendablePercent: 0, borrowingLimitPercent: 0 } },
      }
    : level,
)

function run(seats = 20): Run {
  const made = new Run({
    mode: 'priority-and-fairness',
    maxRequestsInFlight: seats,
    maxMutatingRequestsInFlight: 0,
    profile: profileFor('v1.36.3'),
    corrections: AS_UPSTREAM,
    startUnixMs: 0,
  })
  made.configure({ levels, schemas: [...mandatorySchemas, ...suggestedSchemas] })
  return made
}

function line(method: string, target: string) {
  const read = readRequestLine(method, target)
  if (!read.ok) throw new Error(read.problem)
  return read
}
const alice = { name: 'alice', groups: ['system:authenticated'] }
const get = line('GET', '/api/v1/namespaces/default/pods/one')
const watch = line('GET', '/api/v1/pods?watch=true')
const patch = line('PATCH', '/api/v1/namespaces/default/pods/one')
const exec = line('POST', '/api/v1/namespaces/default/pods/one/exec')
const ask = ({ info, query }: typeof get) => ({ user: alice, info, query })

const inUse = (made: Run): number =>
  made.engine.snapshot().levels.reduce((sum, level) => sum + level.seatsInUse + level.waitingRequests, 0)

describe('a run', () => {
  it('keeps the duration of requests, counted from its own dispatch', () => {
    const made = run(8)
    const first = made.arrive(ask(get), undefined)
    const second = made.arrive(ask(get), undefined)
    expect([first.decision.kind, second.decision.kind]).toEqual(['executing', 'waiting'])
    made.moveTo(3 * MS)
    made.lasted(second, { durationNs: 4 * MS })
    made.lasted(first, { durationNs: 10 * MS })
    made.moveTo(9 * MS)
    expect(second.decision.kind).toBe('waiting')
    made.moveTo(10 * MS)
    expect([first.decision.kind, second.decision.kind]).toEqual(['done', 'executing'])
    expect(second.waitNs).toBe(10 * MS)
    made.moveTo(14 * MS)
    expect(second.decision.kind).toBe('done')
    expect(inUse(made)).toBe(0)
  })

  it('ends a wait as the engine does', () => {
    const made = run(8)
    made.arrive(ask(get), undefined)
    const second = made.arrive(ask(get), undefined)
    made.moveTo(16_000 * MS)
    expect(second.decision).toMatchObject({ kind: 'rejected', reason: 'time-out' })
    expect(second.waitNs).toBe(15_000 * MS)
    // Later reports about it change nothing.
    made.lasted(second, { durationNs: 5 * MS })
    made.abandon(second)
    expect(second.decision.kind).toBe('rejected')
  })

  it('drops requests whose clients disconnected', () => {
    const made = run(8)
    const first = made.arrive(ask(get), undefined)
    const second = made.arrive(ask(get), undefined)
    made.abandon(second)
    expect(second.decision.kind).toBe('rejected')
    made.abandon(first)
    made.moveTo(0)
    expect(first.decision.kind).toBe('done')
    expect(inUse(made)).toBe(0)
  })

  it('counts a watch until it ends, and its seats until it is initialised', () => {
    const made = run()
    const one = made.arrive(ask(watch), undefined)
    made.lasted(one, { durationNs: 2 * MS })
    made.moveTo(2 * MS)
    expect(one.decision.kind).toBe('done')
    expect(inUse(made)).toBe(0)
    made.endWatch(one)
    const other = made.arrive(ask(watch), undefined)
    made.endWatch(other)
    made.moveTo(3 * MS)
    expect(other.decision.kind).toBe('done')
    expect(inUse(made)).toBe(0)
    expect(made.arrive(ask(exec), undefined).decision.kind).toBe('bypassed')
  })

  it('ends a watch by itself when its duration is given', () => {
    const made = run(2_000)
    // A change is sent to its watches: a seat for ten of them.
    const seatsOfChange = () => made.arrive(ask(patch), undefined).ticket?.finalSeats
    const watches = Array.from({ length: 20 }, () => made.arrive(ask(watch), undefined))
    for (const one of watches) made.lasted(one, { durationNs: 2 * MS, watchNs: 50 * MS })
    made.moveTo(40 * MS)
    // A watch that ended by itself does not end twice.
    for (const one of watches) made.endWatch(one)
    expect(seatsOfChange()).toBe(2)
    made.moveTo(53 * MS)
    for (const one of watches) made.endWatch(one)
    expect(seatsOfChange()).toBe(0)
  })

  it('is empty in the end, for any calls in any order', () => {
    const action = fc.record({
      kind: fc.constantFrom('get', 'watch', 'exec', 'lasted', 'lasted and goes on', 'abandon', 'endWatch', 'time'),
      pick: fc.nat(1_000),
      ms: fc.nat(400),
    })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 120 }), fc.integer({ min: 0, max: 30 }), (actions, seats) => {
        const made = run(seats)
        const all: { call: Call; isWatch: boolean }[] = []
        let now = 0
        for (const { kind, pick, ms } of actions) {
          const chosen = all[pick % Math.max(1, all.length)]
          if (kind === 'time') made.moveTo((now += ms * MS))
          else if (kind === 'get' || kind === 'exec' || kind === 'watch') {
            const call = made.arrive(ask({ get, exec, watch }[kind]), undefined)
            all.push({ call, isWatch: kind === 'watch' })
          } else if (chosen === undefined) continue
          else if (kind === 'lasted') made.lasted(chosen.call, { durationNs: ms * MS })
          else if (kind === 'lasted and goes on') made.lasted(chosen.call, { durationNs: ms * MS, watchNs: ms * MS })
          else if (kind === 'endWatch' && chosen.isWatch) made.endWatch(chosen.call)
          else if (kind === 'abandon') made.abandon(chosen.call)
        }
        for (const { call, isWatch } of all) {
          if (isWatch) made.endWatch(call)
          else made.lasted(call, { durationNs: 0 })
        }
        made.moveTo(now + 120_000 * MS)
        for (const { call } of all) expect(['done', 'rejected', 'bypassed']).toContain(call.decision.kind)
        expect(inUse(made)).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})
