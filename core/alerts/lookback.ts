import type { UnixMs } from '../units.ts'

/** This many samples of a window are kept; nothing is available between two of them. */
const SAMPLES = 30

/** The first sample of a window; the last one before it where the window has no other than the current one. */
export interface Past<T> {
  readonly at: UnixMs
  readonly value: T
  /** Whether the samples cover the window. */
  readonly whole: boolean
}

/** Samples of a sliding window, the oldest of which is compared with the current one. */
export interface Lookback<T> {
  /** Adds a sample, and returns the first one of the window that ends with it. */
  push(at: UnixMs, value: T): Past<T>
  clear(): void
}

/**
 * Keeps a bounded number of samples, however many are pushed. Instants must not go back; call `clear` before they do.
 */
export function createLookback<T>(windowMs: number): Lookback<T> {
  let kept: { readonly at: UnixMs; readonly value: T }[] = []
  return {
    push(at, value) {
      const newest = kept.at(-1)
      if (newest === undefined || at - newest.at >= windowMs / SAMPLES) kept.push({ at, value })
      const start = kept.findLastIndex((sample) => sample.at <= at - windowMs)
      if (start > 0) kept = kept.slice(start)
      const first = kept.find((sample) => sample.at >= at - windowMs && sample.at < at) ?? kept[0] ?? { at, value }
      return { ...first, whole: start >= 0 }
    },
    clear() {
      kept = []
    },
  }
}
