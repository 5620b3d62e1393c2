import type { UnixMs } from '../units.ts'

/** A level begins to queue or reject after this long without, and no longer does so after this long without. */
const QUIET_MS = 60_000

/** A state begins, or has ended. */
export interface Turn {
  readonly at: UnixMs
  readonly begins: boolean
}

/**
 * Follows an amount sample by sample, in chronological order. Returns a turn where it rises above zero after being
 * known to be zero, and quiet for this long; and where it has been quiet for this long, the instant at which that
 * began.
 */
export function createSpells(): (at: UnixMs, amount: number) => Turn | undefined {
  let lastActive: UnixMs | undefined
  let knownQuiet = false
  let quietSince: UnixMs | undefined
  let ended = false
  return (at, amount) => {
    if (amount === 0) {
      knownQuiet = true
      quietSince ??= at
      if (lastActive === undefined || at - lastActive < QUIET_MS || ended) return undefined
      ended = true
      return { at: quietSince, begins: false }
    }
    const quiet = lastActive === undefined ? knownQuiet : at - lastActive >= QUIET_MS
    lastActive = at
    quietSince = undefined
    if (!quiet) return undefined
    ended = false
    return { at, begins: true }
  }
}
