import { msToNs, type Nanoseconds } from '../units.ts'

/** When a queue drops what has waited too long, as CoDel does for packets. */
export interface CodelRules {
  /** A wait that is acceptable. */
  readonly targetNs: Nanoseconds
  /** How long waits may be longer than that before anything is dropped. */
  readonly intervalNs: Nanoseconds
}

/** The published figures. */
export const CODEL: CodelRules = { targetNs: msToNs(5), intervalNs: msToNs(100) }

/** What one queue remembers: plain data. */
export interface CodelState {
  /** When a head that was to leave had waited longer than the target for the first time; −1 while that is not so. */
  aboveSinceNs: number
  /** Drops since it began to drop; 0 while it does not. */
  drops: number
  nextDropNs: number
}

export const freshCodel = (): CodelState => ({ aboveSinceNs: -1, drops: 0, nextDropNs: 0 })

/**
 * Whether the head that is to leave the queue now is dropped instead: once waits have been above the target for an interval, and
 * then again after ever shorter times, the interval over the root of the number of drops.
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
