import { msToNs, type Nanoseconds } from '../units.ts'

/** When a queue drops requests that have waited too long, as CoDel does for packets. */
export interface CodelRules {
  /** A wait that is acceptable. */
  readonly targetNs: Nanoseconds
  /** How long waits may be longer than that before anything is dropped. */
  readonly intervalNs: Nanoseconds
}

/** The published figures. */
export const CODEL: CodelRules = { targetNs: msToNs(5), intervalNs: msToNs(100) }

/** The state of one queue: plain data. */
export interface CodelState {
  /** When a head whose turn came had first waited longer than the target; −1 while waits are at or below it. */
  aboveSinceNs: number
  /** Drops since dropping began; 0 while nothing is dropped. */
  drops: number
  nextDropNs: number
}

export const freshCodel = (): CodelState => ({ aboveSinceNs: -1, drops: 0, nextDropNs: 0 })

/**
 * Whether the head that is about to leave the queue is dropped instead: once waits have been above the target for an
 * interval, and then again after ever shorter times, the interval divided by the square root of the number of drops.
 */
export function drops(
  state: CodelState,
  head: { readonly waitedNs: Nanoseconds; readonly nowNs: Nanoseconds },
  { targetNs, intervalNs }: CodelRules,
): boolean {
  const { waitedNs, nowNs } = head
  if (waitedNs < targetNs) {
    Object.assign(state, freshCodel())
    return false
  }
  if (state.aboveSinceNs < 0) state.aboveSinceNs = nowNs
  if (state.drops === 0) {
    if (nowNs - state.aboveSinceNs < intervalNs) return false
    state.nextDropNs = nowNs
  }
  if (nowNs < state.nextDropNs) return false
  state.drops += 1
  state.nextDropNs += intervalNs / Math.sqrt(state.drops)
  return true
}
