import type { LiveRequest } from '../../../core/contract/live.ts'

/** How long the requests of a flow waited; milliseconds. */
export interface FlowWaits {
  /** Waits above 0, unordered. */
  readonly waits: readonly number[]
  /** Requests whose wait has ended, including those without a wait. */
  readonly ended: number
  /** Of these, waits that the server itself reported. */
  readonly reported: number
  /** Requests that wait now. */
  readonly waiting: number
  /** Their arrivals in Unix milliseconds, and the earliest and the latest of them. */
  readonly waitingSince: readonly number[]
  readonly firstWaiting: number
  readonly lastWaiting: number
  /** Longest wait that has ended, milliseconds. */
  readonly longest: number
  /** Others that are part of it and are counted in it; their waits are only read for a percentile. */
  readonly sums: readonly FlowWaits[]
}

/** The same while requests are added. */
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
 * Adds the wait of one request. A request that was rejected on arrival did not wait, and the wait of a client that left
 * is not known: neither counts.
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
  /** Number of requests behind it; below 100, it is the longest wait. */
  readonly requests: number
  /** Requests that still wait may raise it. */
  readonly atLeast: boolean
}

/**
 * The 99th percentile, including waiting requests with their wait until `now` (Unix milliseconds); `undefined` without
 * any.
 */
export function waitP99(of: FlowWaits, now: number): WaitP99 | undefined {
  const requests = of.ended + of.waiting
  if (requests === 0) return undefined
  const greatest = new Greatest(requests - Math.ceil(0.99 * requests) + 1)
  const collect = (part: FlowWaits): void => {
    // Most parts contain none of the longest waits.
    if (!greatest.mayTake(Math.max(part.longest, now - part.firstWaiting))) return
    for (const ms of part.waits) greatest.take(ms)
    for (const since of part.waitingSince) greatest.take(Math.max(0, now - since))
    for (const one of part.sums) collect(one)
  }
  collect(of)
  const ms = greatest.least() ?? 0
  // A request that has already waited longer is above the percentile, whenever its wait ends.
  return { ms, requests, atLeast: of.waiting > 0 && Math.max(0, now - of.lastWaiting) <= ms }
}

/** The few greatest of many numbers, without sorting all of them. */
class Greatest {
  private readonly count: number
  private kept: number[] = []
  /** Values up to this one are not among them. */
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

  /** The least of them; `undefined` when there were fewer. */
  least(): number | undefined {
    this.kept = this.kept.toSorted((a, b) => b - a).slice(0, this.count)
    return this.kept[this.count - 1]
  }
}
