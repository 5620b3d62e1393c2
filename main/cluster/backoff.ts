/** Pauses between failed tries, milliseconds; the last one repeats. */
const STEPS_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000] as const
/** A server may ask for a longer pause by Retry-After, up to this. */
const LONGEST_WISH_MS = 300_000

/**
 * The pause before the next try, milliseconds, after `failures` (≥ 1) tries have failed in a row. Up to a fifth more or
 * less by chance, so that consoles that lost the same server do not return together. `wishMs` is the server's own wish
 * and is honoured when it is longer.
 */
export function backoffMs(failures: number, random: () => number, wishMs = 0): number {
  const step = STEPS_MS[Math.min(failures, STEPS_MS.length) - 1] ?? STEPS_MS[0]
  const jittered = step * (0.8 + 0.4 * random())
  return Math.round(Math.max(jittered, Math.min(wishMs, LONGEST_WISH_MS)))
}
