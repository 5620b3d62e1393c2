import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requestInfo } from '../request/requestInfo.ts'
import {
  answered,
  type ClientTask,
  drawBackoffNs,
  FIRST_BACKOFF,
  firstArrival,
  makeCall,
  nextActiveMs,
  nextArrivalNs,
} from './clients.ts'
import { constant, seededRandom, seededState } from './random.ts'
import type { Arrivals, BackOff, OnRejection, PreparedCall } from './workload.ts'
import type { Flight, Outcome } from './server.ts'

const SECOND = 1e9

/** All arrivals for as long as the condition holds. */
function timesWhile(
  arrivals: Arrivals,
  seed: number,
  goesOn: (ns: number, count: number) => boolean,
): readonly number[] {
  const times: number[] = []
  const random = seededRandom(seed)
  const state = firstArrival()
  for (;;) {
    const ns = nextArrivalNs(arrivals, state, random)
    if (ns === undefined || !goesOn(ns, times.length)) return times
    times.push(ns)
  }
}

const timesUntil = (arrivals: Arrivals, endSeconds: number, seed = 5): readonly number[] =>
  timesWhile(arrivals, seed, (ns) => ns < endSeconds * SECOND)
const firstTimes = (arrivals: Arrivals, seed: number, count: number): readonly number[] =>
  timesWhile(arrivals, seed, (_, known) => known < count)

describe('arrivals', () => {
  test('of every kind ascend in whole nanoseconds', () => {
    const positive = fc.integer({ min: 1, max: 60_000 })
    const arrivals: fc.Arbitrary<Arrivals> = fc.oneof(
      fc.record({ kind: fc.constant('poisson' as const), perSecond: fc.double({ min: 0.1, max: 100, noNaN: true }) }),
      fc.record({
        kind: fc.constant('regular' as const),
        periodMs: positive,
        jitter: fc.double({ min: 0, max: 2, noNaN: true }),
      }),
      fc.record({
        kind: fc.constant('bursts' as const),
        waves: fc.record({ firstMs: positive, periodMs: positive }),
        count: fc.integer({ min: 1, max: 30 }),
        spreadMs: positive,
      }),
      fc.record({ kind: fc.constant('schedule' as const), atMs: fc.array(positive) }),
      fc.record({
        kind: fc.constant('steps' as const),
        perSecond: fc.record({
          stepMs: positive,
          values: fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0.1, max: 100, noNaN: true })), { minLength: 1 }),
        }),
      }),
    )
    fc.assert(
      fc.property(arrivals, fc.integer(), (kind, seed) => {
        const times = firstTimes(kind, seed, 200)
        expect(times.every(Number.isSafeInteger)).toBe(true)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
      }),
    )
  })

  test('of a Poisson process have the expected rate', () => {
    const count = timesUntil({ kind: 'poisson', perSecond: 50 }, 400).length
    // Three deviations of 20,000.
    expect(Math.abs(count - 20_000)).toBeLessThan(430)
  })

  test('in steps have the rate of each step, and repeat from the first after the last', () => {
    const times = timesUntil({ kind: 'steps', perSecond: { stepMs: 2_000, values: [100, 0, 300] } }, 600)
    const counts = [0, 0, 0]
    for (const ns of times) {
      const step = Math.floor(ns / 1e6 / 2_000) % 3
      counts[step] = (counts[step] ?? 0) + 1
    }
    expect(counts[1]).toBe(0)
    // Five deviations of 20,000 and of 60,000.
    expect(Math.abs((counts[0] ?? 0) - 20_000)).toBeLessThan(710)
    expect(Math.abs((counts[2] ?? 0) - 60_000)).toBeLessThan(1_230)
    expect(timesUntil({ kind: 'steps', perSecond: { stepMs: 1, values: [0, 0] } }, 1)).toEqual([])
  })

  test('in waves occur only in them', () => {
    const waves = { firstMs: 2_000, activeMs: 1_000, periodMs: 5_000 }
    const times = timesUntil({ kind: 'poisson', perSecond: 100, waves }, 100)
    expect(times.length).toBeGreaterThan(1_500)
    for (const ns of times) expect((ns / 1e6 - 2_000) % 5_000).toBeLessThanOrEqual(1_000)
  })

  test('at regular times stay within half of the jitter', () => {
    const times = timesUntil({ kind: 'regular', periodMs: 10_000, jitter: 0.2 }, 1_000)
    expect(times.length).toBeGreaterThanOrEqual(99)
    times.slice(1).forEach((ns, i) => {
      expect(Math.abs(ns - (times[i] ?? 0) - 10 * SECOND)).toBeLessThanOrEqual(2 * SECOND)
    })
  })

  test('in bursts come together', () => {
    const times = timesUntil(
      { kind: 'bursts', waves: { firstMs: 1_000, periodMs: 10_000 }, count: 20, spreadMs: 500 },
      35,
    )
    expect(times).toHaveLength(80)
    for (const ns of times) expect((ns / 1e6 - 1_000) % 10_000).toBeLessThan(500)
  })

  test('of a schedule occur at its times and then no more', () => {
    expect(timesUntil({ kind: 'schedule', atMs: [30, 10, 20] }, 1)).toEqual([10e6, 20e6, 30e6])
  })
})

test.each([
  [0, 2_000],
  [2_000, 2_000],
  [2_999, 2_999],
  [3_000, 7_000],
  [6_999, 7_000],
  [7_500, 7_500],
])('a wave of one second every five that begins at two: from %d ms on, it is next on at %d ms', (ms, active) => {
  expect(nextActiveMs({ firstMs: 2_000, activeMs: 1_000, periodMs: 5_000 }, ms)).toBe(active)
})

const target = { path: '/api/v1/pods', query: new Map<string, string>() }
const call: PreparedCall = {
  user: { name: 'somebody', groups: [] },
  info: requestInfo('GET', target).info,
  query: target.query,
  execution: constant(0),
  transferNs: 0,
}

/** Lets a thread call once, until it is served or gives up; the answers come from the list, then it is served. */
function retryAgainst(answers: readonly Outcome[], onRejection: OnRejection | BackOff = 'retry') {
  const pauses: number[] = []
  const flights: Flight[] = []
  let again: ClientTask | undefined
  const client = {
    number: 3,
    plan: {
      kind: 'closed',
      thread: 0,
      think: constant(250),
      onRejection,
      mix: { calls: [call], kinds: [{ weight: 1, from: 0, count: 1 }] },
    },
    state: { random: seededState(1) },
    random: () => 0.5,
    failureRandom: () => 0.5,
  } as const
  const world = {
    nowNs: () => 0,
    later: (ns: number, task: ClientTask) => {
      pauses.push(ns / SECOND)
      again = task
    },
    send: (flight: Flight) => void flights.push(flight),
    isWanted: () => true,
    done: () => undefined,
    free: () => undefined,
  }
  makeCall(client, world)
  let outcome: Outcome = { kind: 'served' }
  for (let attempt = 0; ; attempt++) {
    outcome = answers[attempt] ?? { kind: 'served' }
    answered(client, flights[attempt] ?? { client: 3, call: 0, watchNs: undefined, retries: 0 }, outcome, world)
    if (again?.kind !== 'retry') break
    flights.push(again.flight)
  }
  // The last pause is its think time before its next call.
  return { pauses: pauses.slice(0, -1), thoughtS: pauses.at(-1), attempts: flights.length, ended: outcome, again }
}

describe('a client that is rejected', () => {
  test('waits for Retry-After each time, at most ten times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 32 }), { maxLength: 20 }), (seconds) => {
        const { pauses, attempts, ended } = retryAgainst(
          seconds.map((retryAfter) => ({ kind: 'rejected', retryAfter })),
        )
        expect(pauses).toEqual(seconds.slice(0, 10))
        expect(attempts).toBe(Math.min(seconds.length, 10) + 1)
        expect(ended?.kind).toBe(seconds.length > 10 ? 'rejected' : 'served')
      }),
    )
  })

  test('does not retry a request that took too long', () => {
    // It thinks for a quarter of a second, and for a second more after a failure.
    expect(retryAgainst([{ kind: 'expired' }])).toEqual({
      pauses: [],
      thoughtS: 1.25,
      attempts: 1,
      ended: { kind: 'expired' },
      again: { kind: 'call', client: 3 },
    })
    expect(retryAgainst([]).thoughtS).toBe(0.25)
  })
})

test('a client that backs off waits longer after each failure of any kind, until it is served', () => {
  const answers: Outcome[] = Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0 ? { kind: 'rejected', retryAfter: 32 } : { kind: 'expired' },
  )
  // The random number of the test is a half, so that jitter moves nothing.
  const { pauses, ended } = retryAgainst(answers, { firstMs: 800, factor: 2, mostMs: 30_000, jitter: 0.5 })
  expect(pauses).toEqual([0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30, 30, 30, 30])
  expect(ended.kind).toBe('served')
})

describe('the backoff of a reflector', () => {
  test('doubles from 0.8 s to 30 s, each up to twice as long', () => {
    const [least, most] = [{ ...FIRST_BACKOFF }, { ...FIRST_BACKOFF }]
    const expected = [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]
    expect(expected.map(() => drawBackoffNs(least, 0, () => 0) / SECOND)).toEqual(expected)
    expect(expected.map(() => drawBackoffNs(most, 0, () => 1) / SECOND)).toEqual(expected.map((one) => 2 * one))
  })

  test('restarts after two quiet minutes', () => {
    const backoff = { ...FIRST_BACKOFF }
    drawBackoffNs(backoff, 0, () => 0)
    expect(drawBackoffNs(backoff, 120 * SECOND, () => 0)).toBe(1.6 * SECOND)
    expect(drawBackoffNs(backoff, 241 * SECOND, () => 0)).toBe(0.8 * SECOND)
  })
})
