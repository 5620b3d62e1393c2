import { msToNs, type Nanoseconds, nsToMs } from '../units.ts'

/** Steps are eighths of octaves from a microsecond on. */
const STEPS_AN_OCTAVE = 8
const LEAST_NS = msToNs(0.001)
const STEPS = 27 * STEPS_AN_OCTAVE

/** Durations, counted by steps: memory is constant for any number of them, and a quantile is at most 9 % too large. */
export class Waits {
  private readonly counts = new Uint32Array(STEPS)

  note(ns: Nanoseconds): void {
    const step = ns <= LEAST_NS ? 0 : Math.ceil(Math.log2(ns / LEAST_NS) * STEPS_AN_OCTAVE)
    const at = Math.min(STEPS - 1, step)
    this.counts[at] = (this.counts[at] ?? 0) + 1
  }

  /** Adds the durations of the other one. */
  add({ counts }: Waits): void {
    counts.forEach((count, step) => (this.counts[step] = (this.counts[step] ?? 0) + count))
  }

  /** The upper edge of the step that contains the quantile; milliseconds. 0 for waits of at most a microsecond. */
  quantileMs(quantile: number): number {
    const rank = quantile * this.counts.reduce((sum, count) => sum + count, 0)
    let below = 0
    const step = this.counts.findIndex((count) => (below += count) >= rank)
    return step <= 0 ? 0 : nsToMs(LEAST_NS * 2 ** (step / STEPS_AN_OCTAVE))
  }
}

/** The 99th percentile of each; milliseconds. */
export const waitP99 = (byLevel: ReadonlyMap<string, Waits>): Record<string, number> =>
  Object.fromEntries([...byLevel].map(([level, waits]) => [level, waits.quantileMs(0.99)]))

/** The durations of a level, initially empty. */
export function waitsOf(byLevel: Map<string, Waits>, level: string): Waits {
  const waits = byLevel.get(level) ?? new Waits()
  byLevel.set(level, waits)
  return waits
}
