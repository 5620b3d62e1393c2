import type { Extent } from '../../core/contract/recording.ts'
import { xOfTime, type Plot, type TimeDomain } from '../../core/text/plot.ts'
import { SHORTEST } from '../state/time.logic.ts'

/** The parts of the stretches that lie in a domain: the first sample covers time before it. */
export const clipped = <T extends TimeDomain>(stretches: readonly T[], { from, to }: TimeDomain): readonly T[] =>
  stretches
    .filter((stretch) => stretch.to >= from && stretch.from <= to)
    .map((stretch) => ({ ...stretch, from: Math.max(from, stretch.from), to: Math.min(to, stretch.to) }))

const HOUR_MS = 3_600_000

/** `lengthMs` of recorded time around an instant: the last such stretch, where the instant lies in it. */
export function stripDomain(
  extent: Extent | undefined,
  instant: number,
  lengthMs: number,
  grainMs: number,
): TimeDomain {
  const { first = instant - lengthMs, last = instant } = extent ?? {}
  // In grains: a recorded extent grows, and the strip must not be read again every second.
  const end = Math.ceil(last / grainMs) * grainMs
  // A day around the instant in whole hours: an instant that moves by seconds keeps the same day.
  const around = Math.ceil((instant + lengthMs / 2) / HOUR_MS) * HOUR_MS
  const to = instant >= end - lengthMs ? Math.max(end, instant) : Math.min(end, around)
  return { from: Math.min(instant, Math.max(first, to - lengthMs)), to }
}

/** Milliseconds of a range that are known not to be recorded; the future does not count. */
export function unrecordedMs({ first, last, gaps }: Extent, { from, to }: TimeDomain, now: number): number {
  if (first === undefined || last === undefined) return 0
  const missing = [{ from: Number.NEGATIVE_INFINITY, to: first }, ...gaps, { from: last + LATE_MS, to: now }]
  return missing.reduce((sum, gap) => sum + Math.max(0, Math.min(gap.to, to, now) - Math.max(gap.from, from)), 0)
}

/** Maximum age of the newest sample while a source is recorded, including the second between two reports. */
const LATE_MS = 60_000

/** The part of a range that a pointer grips. */
export type Grip = 'from' | 'to' | 'body'

/** Pixels on either side of an edge. */
const GRIP = 5

/**
 * What lies under a pixel of the strip; `undefined` for a range that covers all of it, where every pixel is an instant.
 */
export function gripAt(plot: Plot, domain: TimeDomain, range: TimeDomain, x: number): Grip | undefined {
  if (range.from <= domain.from && range.to >= domain.to) return undefined
  const [left, right] = [xOfTime(plot, domain, range.from), xOfTime(plot, domain, range.to)]
  // A range of a few pixels is gripped at its edges from outside, otherwise it could not be moved.
  const inside = Math.min(GRIP, (right - left) / 4)
  if (x >= left - GRIP && x < left + inside) return 'from'
  if (x > right - inside && x <= right + GRIP) return 'to'
  return x >= left && x <= right ? 'body' : undefined
}

/** The range after its grip was moved; part of it stays on the strip. */
export function draggedRange({ from, to }: TimeDomain, grip: Grip, ms: number, domain: TimeDomain): TimeDomain {
  if (grip === 'from') return { from: Math.max(domain.from, Math.min(from + ms, to - SHORTEST)), to }
  if (grip === 'to') return { from, to: Math.min(domain.to, Math.max(to + ms, from + SHORTEST)) }
  const moved = Math.max(domain.from - to, Math.min(ms, domain.to - from))
  return { from: from + moved, to: to + moved }
}
