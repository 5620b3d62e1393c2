import type { LiveRequest } from '../../../core/contract/live.ts'

/** How long the requests of a flow waited; milliseconds. */
export interface FlowWaits {
  /** Waits above 0, in no order. */
  readonly waits: readonly number[]
  /** Requests that were dispatched without a wait. */
  readonly atOnce: number
  /** Of those two, waits that the server itself reported. */
  readonly reported: number
  /** Arrivals of the requests that wait now, Unix milliseconds. */
  readonly waitingSince: readonly number[]
  /** Others that belong to it: copied only when a percentile is asked for. */
  readonly sums: readonly FlowWaits[]
}

/** While requests are added. */
export interface CountingWaits extends FlowWaits {
  readonly waits: number[]
  atOnce: number
  reported: number
  readonly waitingSince: number[]
  readonly sums: FlowWaits[]
}

export const noWaits = (): CountingWaits => ({ waits: [], atOnce: 0, reported: 0, waitingSince: [], sums: [] })

/**
 * Adds the wait of one request. What was rejected on arrival did not wait, and how long a client waited that left is not
 * known: neither counts.
 */
export function countWait(into: CountingWaits, { state, reason, at, waitMs, server }: LiveRequest): void {
  if (state === 'waiting') {
    into.waitingSince.push(at)
    return
  }
  const ms = server?.waitMs ?? (state === 'rejected' && reason !== 'time-out' ? undefined : waitMs)
  if (ms === undefined) return
  if (server?.waitMs !== undefined) into.reported += 1
  if (ms > 0) into.waits.push(ms)
  else into.atOnce += 1
}

/** Requests that wait now. */
export const waitingNow = ({ waitingSince, sums }: FlowWaits): number =>
  sums.reduce((total, one) => total + waitingNow(one), waitingSince.length)

/** Waits that the server itself reported. */
export const reportedWaits = ({ reported, sums }: FlowWaits): number =>
  sums.reduce((total, one) => total + reportedWaits(one), reported)

export interface WaitP99 {
  readonly ms: number
  /** Requests that it is of; the longest wait of fewer than 100. */
  readonly requests: number
  /** Requests that still wait may raise it. */
  readonly atLeast: boolean
}

/** The 99th percentile, with what waits at `now` (Unix milliseconds) for as long as it has; `undefined` without any. */
export function waitP99(of: FlowWaits, now: number): WaitP99 | undefined {
  const all: number[] = []
  const soFar: number[] = []
  let atOnce = 0
  const collect = (part: FlowWaits): void => {
    for (const ms of part.waits) all.push(ms)
    for (const since of part.waitingSince) soFar.push(Math.max(0, now - since))
    atOnce += part.atOnce
    part.sums.forEach(collect)
  }
  collect(of)
  const requests = all.length + soFar.length + atOnce
  if (requests === 0) return undefined
  for (const ms of soFar) all.push(ms)
  const sorted = Float64Array.from(all).toSorted()
  const ms = sorted[Math.ceil(0.99 * requests) - 1 - atOnce] ?? 0
  // One that has waited longer already is above the percentile, whenever its wait ends.
  return { ms, requests, atLeast: soFar.some((wait) => wait <= ms) }
}
