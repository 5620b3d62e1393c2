import type { LiveRequest } from '../../../core/contract/live.ts'

/** How long the requests of a flow waited; milliseconds. */
export interface FlowWaits {
  /** Waits above 0, in no order. */
  readonly waits: readonly number[]
  /** Requests whose wait has ended, those without a wait among them. */
  readonly ended: number
  /** Of these, waits that the server itself reported. */
  readonly reported: number
  /** Requests that wait now. */
  readonly waiting: number
  /** Their arrivals, Unix milliseconds, and the first and the last of all. */
  readonly waitingSince: readonly number[]
  readonly firstWaiting: number
  readonly lastWaiting: number
  /** Longest wait that has ended, milliseconds. */
  readonly longest: number
  /** Others that belong to it and are counted in it; their waits are read only when a percentile is asked for. */
  readonly sums: readonly FlowWaits[]
}

/** While requests are added. */
export interface CountingWaits extends FlowWaits {
  readonly waits: number[]
  ended: number
  reported: number
  waiting: number
  readonly waitingSince: number[]
  firstWaiting: number
  lastWaiting: number
  longest: number
  readonly sums: FlowWaits[]
}

export const noWaits = (): CountingWaits => ({
  waits: [],
  ended: 0,
  reported: 0,
  waiting: 0,
  waitingSince: [],
  firstWaiting: Number.POSITIVE_INFINITY,
  lastWaiting: Number.NEGATIVE_INFINITY,
  longest: 0,
  sums: [],
})

/**
 * Adds the wait of one request. What was rejected on arrival did not wait, and how long a client waited that left is not
 * known: neither counts.
 */
export function countWait(into: CountingWaits, { state, reason, at, waitMs, server }: LiveRequest): void {
  if (state === 'waiting') {
    into.waiting += 1
    into.waitingSince.push(at)
    into.firstWaiting = Math.min(into.firstWaiting, at)
    into.lastWaiting = Math.max(into.lastWaiting, at)
    return
  }
  const ms = server?.waitMs ?? (state === 'rejected' && reason !== 'time-out' ? undefined : waitMs)
  if (ms === undefined) return
  if (server?.waitMs !== undefined) into.reported += 1
  into.ended += 1
  if (ms > 0) into.waits.push(ms)
  into.longest = Math.max(into.longest, ms)
}

/** Adds the waits of others. */
export function addWaits(into: CountingWaits, waits: FlowWaits): void {
  into.ended += waits.ended
  into.reported += waits.reported
  into.waiting += waits.waiting
  into.firstWaiting = Math.min(into.firstWaiting, waits.firstWaiting)
  into.lastWaiting = Math.max(into.lastWaiting, waits.lastWaiting)
  into.longest = Math.max(into.longest, waits.longest)
  if (waits.waits.length + waits.waitingSince.length + waits.sums.length > 0) into.sums.push(waits)
}

export interface WaitP99 {
  readonly ms: number
  /** Requests that it is of; the longest wait of fewer than 100. */
  readonly requests: number
  /** Requests that still wait may raise it. */
  readonly atLeast: boolean
}

/** The 99th percentile, with what waits at `now` (Unix milliseconds) for as long as it has; `undefined` without any. */
export function waitP99(of: FlowWaits, now: number): WaitP99 | undefined {
  const requests = of.ended + of.waiting
  if (requests === 0) return undefined
  const greatest = new Greatest(requests - Math.ceil(0.99 * requests) + 1)
  const collect = (part: FlowWaits): void => {
    // Most of many sums have none among the longest.
    if (!greatest.mayTake(Math.max(part.longest, now - part.firstWaiting))) return
    for (const ms of part.waits) greatest.take(ms)
    for (const since of part.waitingSince) greatest.take(Math.max(0, now - since))
    for (const one of part.sums) collect(one)
  }
  collect(of)
  const ms = greatest.least() ?? 0
  // One that has waited longer already is above the percentile, whenever its wait ends.
  return { ms, requests, atLeast: of.waiting > 0 && Math.max(0, now - of.lastWaiting) <= ms }
}

/** The few greatest of many numbers, without sorting the many. */
class Greatest {
  private readonly count: number
  private kept: number[] = []
  /** What is not above it is not among them. */
  private bar = Number.NEGATIVE_INFINITY

  constructor(count: number) {
    this.count = count
  }

  mayTake(value: number): boolean {
    return value > this.bar
  }

  take(value: number): void {
    if (!this.mayTake(value)) return
    this.kept.push(value)
    if (this.kept.length > 2 * this.count) this.bar = this.least() ?? this.bar
  }

  /** The least of them; `undefined` where fewer came. */
  least(): number | undefined {
    this.kept = this.kept.toSorted((a, b) => b - a).slice(0, this.count)
    return this.kept[this.count - 1]
  }
}
