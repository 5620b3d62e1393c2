import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { msToNs, type Nanoseconds, nsToSeconds, secondsToNs } from '../units.ts'
import type { Limiter } from './configuration.ts'
import { disciplineOf, type LimiterState, WINDOW_PARTS } from './discipline.ts'
import { aLimiter } from './qos.fixture.ts'

const tbf = (qps: number, burst: number): Limiter => ({ qdisc: 'tbf', qps, burst })
const lbf = (qps: number): Limiter => ({ qdisc: 'lbf', qps })
const maxinflight = (num: number): Limiter => ({ qdisc: 'maxinflight', num })
const window = (limit: number, windowMs: number): Limiter => ({ qdisc: 'window', limit, windowMs })

/** Times at which one unit was admitted, for attempts at these times. */
function admissions(limiter: Limiter, times: Iterable<Nanoseconds>): readonly Nanoseconds[] {
  const discipline = disciplineOf(limiter)
  const state = discipline.start()
  return [...times].filter((at) => {
    const passes = discipline.admissibleAt(state, 1, at) === at
    if (passes) discipline.charge(state, 1, at)
    return passes
  })
}

const every = (ms: number, untilMs: number): readonly Nanoseconds[] =>
  Array.from({ length: untilMs / ms + 1 }, (_, index) => msToNs(index * ms))

describe('load figures (QoS specification 11), attempts every 10 ms over [0, 10 s]', () => {
  it('tbf 10/12 admits 112', () => expect(admissions(tbf(10, 12), every(10, 10_000))).toHaveLength(112))

  it('lbf 2 admits 21, half a second apart', () => {
    expect(admissions(lbf(2), every(10, 10_000))).toEqual(every(500, 10_000))
  })

  it('maxinflight 5 admits 5 requests of 1 s a second', () => {
    const discipline = disciplineOf(maxinflight(5))
    const state = discipline.start()
    const running: Nanoseconds[] = []
    const perSecond = Array<number>(10).fill(0)
    for (const at of every(10, 9_990)) {
      while (running[0] !== undefined && running[0] <= at) discipline.refund(state, 1, running.shift() ?? 0)
      if (discipline.admissibleAt(state, 1, at) > at) continue
      discipline.charge(state, 1, at)
      running.push(at + secondsToNs(1))
      perSecond[Math.floor(nsToSeconds(at))]! += 1
    }
    expect(perSecond).toEqual(Array<number>(10).fill(5))
  })

  it('a window admits its whole limit at once, and a rate does not', () => {
    const burst = Array<Nanoseconds>(10_000).fill(0)
    expect(admissions(window(10_000, 100_000), burst)).toHaveLength(10_000)
    expect(admissions(tbf(100, 100), burst)).toHaveLength(100)
    expect(admissions(window(10, 1_000), every(10, 10_000))).toHaveLength(101)
  })
})

describe('a token bucket', () => {
  const discipline = disciplineOf(tbf(10, 12))
  const tokens = (state: LimiterState, at: Nanoseconds): number => {
    const level = discipline.level(state, at)
    return level.qdisc === 'tbf' ? level.tokens : Number.NaN
  }

  it('admits what is larger than it against a full one alone, and is in debt then', () => {
    const state = discipline.start()
    expect(discipline.admissibleAt(state, 20, 0)).toBe(0)
    discipline.charge(state, 20, 0)
    expect(tokens(state, 0)).toBe(-8)
    expect(discipline.admissibleAt(state, 1, 0)).toBe(msToNs(900))
    expect(discipline.admissibleAt(state, 20, msToNs(1_990))).toBe(msToNs(2_000))
    expect(discipline.admissibleAt(state, 20, msToNs(2_000))).toBe(msToNs(2_000))
  })

  it('is never above full', () => {
    const state = discipline.start()
    discipline.charge(state, 3, 0)
    discipline.refund(state, 100, 0)
    expect(tokens(state, 0)).toBe(12)
    expect(tokens(state, secondsToNs(1_000))).toBe(12)
    discipline.charge(state, 1, secondsToNs(1_000))
    expect(tokens(state, secondsToNs(1_000))).toBe(11)
  })
})

describe('a leaky bucket', () => {
  const discipline = disciplineOf(lbf(2))

  it('is busy for as long as a request costs', () => {
    const state = discipline.start()
    discipline.charge(state, 3, 0)
    expect(discipline.admissibleAt(state, 1, 0)).toBe(msToNs(1_500))
    expect(discipline.admissibleAt(state, 1, msToNs(1_500))).toBe(msToNs(1_500))
  })

  it('counts a cost that is known late from when it is known', () => {
    const state = discipline.start()
    discipline.charge(state, 0, 0)
    discipline.charge(state, 1, secondsToNs(10))
    expect(discipline.admissibleAt(state, 1, secondsToNs(10))).toBe(secondsToNs(10.5))
  })
})

describe('a window', () => {
  const discipline = disciplineOf(window(10, 1_000))

  it('frees what leaves it, a tenth at a time', () => {
    const state = discipline.start()
    discipline.charge(state, 6, 0)
    discipline.charge(state, 4, msToNs(350))
    expect(discipline.admissibleAt(state, 1, msToNs(400))).toBe(msToNs(1_000))
    expect(discipline.admissibleAt(state, 7, msToNs(400))).toBe(msToNs(1_300))
    expect(discipline.admissibleAt(state, 11, msToNs(400))).toBe(Number.POSITIVE_INFINITY)
    expect(discipline.level(state, msToNs(1_000))).toMatchObject({ used: 4 })
    expect(discipline.level(state, msToNs(1_300))).toMatchObject({ used: 0 })
  })

  it('gives back only what is still in it', () => {
    const state = discipline.start()
    discipline.charge(state, 6, 0)
    discipline.charge(state, 2, msToNs(500))
    discipline.refund(state, 4, 0)
    expect(discipline.level(state, msToNs(500))).toMatchObject({ used: 4 })
    discipline.charge(state, 2, msToNs(1_200))
    discipline.refund(state, 100, 0)
    expect(discipline.level(state, msToNs(1_200))).toMatchObject({ used: 4 })
  })
})

describe('one that is larger than the limit in flight', () => {
  it('runs alone', () => {
    const discipline = disciplineOf(maxinflight(5))
    const state = discipline.start()
    expect(discipline.admissibleAt(state, 9, 0)).toBe(0)
    discipline.charge(state, 9, 0)
    expect(discipline.admissibleAt(state, 1, 0)).toBe(Number.POSITIVE_INFINITY)
    discipline.refund(state, 9, 0)
    discipline.charge(state, 1, 0)
    expect(discipline.admissibleAt(state, 9, 0)).toBe(Number.POSITIVE_INFINITY)
    expect(discipline.admissibleAt(state, 4, 0)).toBe(0)
  })
})

// Properties (QoS specification 12, property 4).

interface Attempt {
  readonly at: Nanoseconds
  readonly units: number
}
const attempts = fc
  .array(fc.record({ gap: fc.nat(400_000_000), units: fc.nat(3) }), { minLength: 1, maxLength: 60 })
  .map((steps): readonly Attempt[] => {
    let at = 0
    return steps.map(({ gap, units }) => ({ at: (at += gap), units }))
  })

function admitted(limiter: Limiter, all: readonly Attempt[]): readonly Attempt[] {
  const discipline = disciplineOf(limiter)
  const state = discipline.start()
  return all.filter(({ at, units }) => {
    const passes = discipline.admissibleAt(state, units, at) === at
    if (passes) discipline.charge(state, units, at)
    return passes
  })
}

const sum = (all: readonly Attempt[]): number => all.reduce((total, { units }) => total + units, 0)
/** All non-empty contiguous sublists of a list. */
const stretches = <T>(all: readonly T[]): (readonly T[])[] =>
  all.flatMap((_, from) => all.slice(from).map((_each, length) => all.slice(from, from + length + 1)))

const EXACT = 1e-6

describe('properties of the disciplines', () => {
  it('tbf: units of any interval are at most burst, the refill, and one oversize request', () => {
    fc.assert(
      fc.property(attempts, fc.constantFrom(0.5, 3, 40), fc.constantFrom(1, 2, 5), (all, qps, burst) => {
        for (const stretch of stretches(admitted(tbf(qps, burst), all))) {
          const seconds = nsToSeconds((stretch.at(-1)?.at ?? 0) - (stretch[0]?.at ?? 0))
          const oversize = Math.max(0, ...stretch.map(({ units }) => units - burst))
          expect(sum(stretch)).toBeLessThanOrEqual(burst + seconds * qps + oversize + EXACT)
        }
      }),
    )
  })

  it('lbf: requests are as far apart as the first of two costs', () => {
    fc.assert(
      fc.property(attempts, fc.constantFrom(0.5, 3, 40), (all, qps) => {
        const passed = admitted(lbf(qps), all)
        for (const [index, { at }] of passed.slice(1).entries()) {
          const before = passed[index]!
          expect(nsToSeconds(at - before.at)).toBeGreaterThanOrEqual(before.units / qps - EXACT)
        }
      }),
    )
  })

  it('window: all but one part of a window never holds more than the limit', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: 1, max: 6 }), fc.constantFrom(100, 1_000, 3_000), (all, limit, ms) => {
        const length = msToNs(ms - ms / WINDOW_PARTS)
        for (const stretch of stretches(admitted(window(limit, ms), all))) {
          const spans = (stretch.at(-1)?.at ?? 0) - (stretch[0]?.at ?? 0) <= length
          if (spans) expect(sum(stretch)).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })

  it('maxinflight: never more than the limit, but for one alone, and none in the end', () => {
    const steps = fc.array(fc.record({ end: fc.boolean(), units: fc.nat(6), pick: fc.nat(100) }), { maxLength: 60 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (all, num) => {
        const discipline = disciplineOf(maxinflight(num))
        const state = discipline.start()
        const running: number[] = []
        for (const { end, units, pick } of all) {
          if (end && running.length > 0) {
            const [ended = 0] = running.splice(pick % running.length, 1)
            discipline.refund(state, ended, 0)
          } else if (discipline.admissibleAt(state, units, 0) === 0) {
            discipline.charge(state, units, 0)
            running.push(units)
          }
          const inFlight = running.reduce((total, each) => total + each, 0)
          expect(discipline.level(state, 0)).toMatchObject({ inFlight })
          if (inFlight > num) expect(running.filter((each) => each > 0)).toHaveLength(1)
        }
        for (const each of running) discipline.refund(state, each, 0)
        expect(state).toEqual([0])
      }),
    )
  })

  it('each: the time that it gives is the first at which the request is admitted', () => {
    fc.assert(
      fc.property(aLimiter, attempts, fc.nat(12), (limiter, all, need) => {
        const discipline = disciplineOf(limiter)
        const state = discipline.start()
        for (const { at, units } of all)
          if (discipline.admissibleAt(state, units, at) === at) discipline.charge(state, units, at)
        const now = all.at(-1)?.at ?? 0
        const next = discipline.admissibleAt(state, need, now)
        fc.pre(Number.isFinite(next))
        expect(Number.isSafeInteger(next)).toBe(true)
        // Rounding may shift it by at most one nanosecond.
        const found = [next, next + 1].find((at) => discipline.admissibleAt(state, need, at) === at)
        expect(found).toBeDefined()
        if (next > now + 1) expect(discipline.admissibleAt(state, need, next - 2)).toBeGreaterThanOrEqual(next - 1)
      }),
    )
  })

  it('each: what was charged and given back leaves nothing, and nothing is below zero', () => {
    fc.assert(
      fc.property(aLimiter, attempts, (limiter, all) => {
        const discipline = disciplineOf(limiter)
        const state = discipline.start()
        for (const { at, units } of all) discipline.charge(state, units, at)
        for (const { at, units } of all) discipline.refund(state, units, at)
        for (const number of state) expect(number).toBeGreaterThanOrEqual(0)
        const now = (all.at(-1)?.at ?? 0) + secondsToNs(3_600)
        expect(discipline.admissibleAt(state, 1, now)).toBe(now)
      }),
    )
  })
})
