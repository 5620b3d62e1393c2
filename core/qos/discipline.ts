import type { EtcdLevel } from '../contract/etcd.ts'
import { msToNs, type Nanoseconds, NS_PER_SECOND, nsToMs } from '../units.ts'
import type { Limiter } from './configuration.ts'

/** The state of a discipline: plain numbers, in an order that the discipline defines. */
export type LimiterState = number[]

/** A queue discipline with its parameters; the caller stores its state (QoS specification 2). Time never decreases. */
export interface Discipline {
  readonly start: () => LimiterState
  /**
   * When a request that needs this many units is admitted if none arrives in between: `now` if at once; `Infinity` if
   * no amount of time admits it, because it costs more than a window holds or has to wait for calls in flight to end.
   */
  readonly admissibleAt: (state: LimiterState, need: number, now: Nanoseconds) => Nanoseconds
  /** Charges an admitted request, or adds the cost that it had beyond the charge. */
  readonly charge: (state: LimiterState, units: number, now: Nanoseconds) => void
  /** Refunds what a request admitted at `since` was overcharged, or no longer occupies. */
  readonly refund: (state: LimiterState, units: number, since: Nanoseconds) => void
  readonly level: (state: LimiterState, now: Nanoseconds) => EtcdLevel
}

export function disciplineOf(limiter: Limiter): Discipline {
  switch (limiter.qdisc) {
    case 'tbf':
      return tokenBucket(limiter.qps, limiter.burst)
    case 'lbf':
      return leakyBucket(limiter.qps)
    case 'maxinflight':
      return maxInFlight(limiter.num)
    case 'window':
      return slidingWindow(limiter.limit, limiter.windowMs)
  }
}

/** A whole nanosecond after now: a fraction earlier, the test would fail once more. */
const later = (now: Nanoseconds, at: Nanoseconds): Nanoseconds => Math.max(now + 1, Math.ceil(at))

/**
 * The state of both buckets is one time: for the token bucket, when it is full again; for the leaky bucket, when it
 * admits again. A refill adds nothing up, so no rounding errors accumulate.
 */
const timed = (qps: number): Pick<Discipline, 'start' | 'charge' | 'refund'> => ({
  start: () => [0],
  charge(state, units, now) {
    state[0] = Math.max(now, state[0] ?? 0) + (units / qps) * NS_PER_SECOND
  },
  refund(state, units) {
    state[0] = Math.max(0, (state[0] ?? 0) - (units / qps) * NS_PER_SECOND)
  },
})

function tokenBucket(qps: number, burst: number): Discipline {
  const tokens = ([full = 0]: LimiterState, now: Nanoseconds): number =>
    burst - (Math.max(0, full - now) * qps) / NS_PER_SECOND
  return {
    ...timed(qps),
    admissibleAt(state, need, now) {
      // A request that needs more than the bucket holds passes if the bucket is full; otherwise it could never run.
      const wanted = Math.min(need, burst)
      if (tokens(state, now) >= wanted) return now
      return later(now, (state[0] ?? 0) - ((burst - wanted) / qps) * NS_PER_SECOND)
    },
    level: (state, now) => ({ qdisc: 'tbf', tokens: tokens(state, now), burst, qps }),
  }
}

const leakyBucket = (qps: number): Discipline => ({
  ...timed(qps),
  admissibleAt: ([free = 0], _need, now) => (free <= now ? now : later(now, free)),
  level: ([free = 0], now) => ({ qdisc: 'lbf', freeInMs: nsToMs(Math.max(0, free - now)), qps }),
})

const maxInFlight = (num: number): Discipline => ({
  start: () => [0],
  admissibleAt: ([inFlight = 0], need, now) =>
    // A request larger than the limit runs alone; otherwise it could never run.
    inFlight + need <= num || (inFlight === 0 && need > num) ? now : Number.POSITIVE_INFINITY,
  charge(state, units) {
    state[0] = (state[0] ?? 0) + units
  },
  refund(state, units) {
    state[0] = Math.max(0, (state[0] ?? 0) - units)
  },
  level: ([inFlight = 0]) => ({ qdisc: 'maxinflight', inFlight, num }),
})

/** Parts of a sliding window: charges leave it one part at a time. */
export const WINDOW_PARTS = 10

/** The state is the number of the newest part since time 0, followed by the charges of the parts, oldest first. */
function slidingWindow(limit: number, windowMs: number): Discipline {
  const partNs = msToNs(windowMs) / WINDOW_PARTS
  const partOf = (at: Nanoseconds): number => Math.floor(at / partNs)
  /** Charges of the parts that are in the window when `newest` is its last. */
  const charges = ([known = 0, ...parts]: LimiterState, newest: number): readonly number[] =>
    parts.slice(Math.min(WINDOW_PARTS, Math.max(0, newest - known)))
  const sum = (parts: readonly number[]): number => parts.reduce((total, each) => total + each, 0)
  return {
    start: () => [0, ...Array<number>(WINDOW_PARTS).fill(0)],
    admissibleAt(state, need, now) {
      const newest = Math.max(partOf(now), state[0] ?? 0)
      if (need > limit) return Number.POSITIVE_INFINITY
      for (let passed = 0; passed <= WINDOW_PARTS; passed++) {
        if (sum(charges(state, newest + passed)) + need > limit) continue
        return passed === 0 ? now : later(now, (newest + passed) * partNs)
      }
      return Number.POSITIVE_INFINITY
    },
    charge(state, units, now) {
      const newest = Math.max(partOf(now), state[0] ?? 0)
      const kept = charges(state, newest)
      const parts = [...kept, ...Array<number>(WINDOW_PARTS - kept.length).fill(0)]
      parts.push((parts.pop() ?? 0) + units)
      state.splice(0, state.length, newest, ...parts)
    },
    refund(state, units, since) {
      // A charge that has left the window is not refunded; that would refund later charges.
      const index = WINDOW_PARTS - ((state[0] ?? 0) - partOf(since))
      const charged = index >= 1 ? state[index] : undefined
      if (charged !== undefined) state[index] = Math.max(0, charged - units)
    },
    level: (state, now) => ({ qdisc: 'window', used: sum(charges(state, partOf(now))), limit, windowMs }),
  }
}
