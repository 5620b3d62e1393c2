import type { UnixMs } from '../units.ts'

/** So many samples of a window are kept; what lies between two of them cannot be asked for. */
const SAMPLES = 30

/** The sample that a window begins with. */
export interface Past<T> {
  readonly at: UnixMs
  readonly value: T
  /** Whether it is as old as the window is long. */
  readonly whole: boolean
}

/** Samples of a sliding window, of which the oldest is compared with the present. */
export interface Lookback<T> {
  /** Adds a sample, and returns the one that the window ending with it begins with. */
  push(at: UnixMs, value: T): Past<T>
  clear(): void
}

/** Keeps a bounded number of samples, however many are pushed. Instants must not go back; `clear` comes first then. */
export function createLookback<T>(windowMs: number): Lookback<T> {
  let kept: { readonly at: UnixMs; readonly value: T }[] = []
  return {
    push(at, value) {
      const newest = kept.at(-1)
      if (newest === undefined || at - newest.at >= windowMs / SAMPLES) kept.push({ at, value })
      const start = kept.findLastIndex((sample) => sample.at <= at - windowMs)
      if (start > 0) kept = kept.slice(start)
      const first = kept[0] ?? { at, value }
      return { ...first, whole: start >= 0 }
    },
    clear() {
      kept = []
    },
  }
}
