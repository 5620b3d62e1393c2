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
}

export interface CountingWaits extends FlowWaits {
  readonly waits: number[]
  atOnce: number
  reported: number
  readonly waitingSince: number[]
}

export const noWaits = (): CountingWaits => ({ waits: [], atOnce: 0, reported: 0, waitingSince: [] })

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

export function addWaits(into: CountingWaits, other: FlowWaits): void {
  for (const ms of other.waits) into.waits.push(ms)
  for (const since of other.waitingSince) into.waitingSince.push(since)
  into.atOnce += other.atOnce
  into.reported += other.reported
}

export interface WaitP99 {
  readonly ms: number
  /** Requests that it is of; the longest wait of fewer than 100. */
  readonly requests: number
  /** Requests that still wait may raise it. */
  readonly atLeast: boolean
}

/** The 99th percentile, with what waits at `now` (Unix milliseconds) for as long as it has; `undefined` without any. */
export function waitP99({ waits, atOnce, waitingSince }: FlowWaits, now: number): WaitP99 | undefined {
  const soFar = waitingSince.map((since) => Math.max(0, now - since))
  const requests = waits.length + atOnce + soFar.length
  if (requests === 0) return undefined
  const sorted = Float64Array.from([...waits, ...soFar]).toSorted()
  const ms = sorted[Math.ceil(0.99 * requests) - 1 - atOnce] ?? 0
  // One that has waited longer already is above the percentile, whenever its wait ends.
  return { ms, requests, atLeast: soFar.some((wait) => wait <= ms) }
}
