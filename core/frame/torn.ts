import { isExempt, type LevelFrame, type ServerFrame } from './frame.ts'

/**
 * Detection of torn pages. The server gathers families one after the other, so about one page in twenty that follows a
 * recomputation of the limits mixes numbers from before and after it (specification 8). The rules of the
 * recomputation (6.3, 6.4) show most of that, as they tie together numbers of one page and of two.
 *
 * Every doubt is resolved towards "whole": a torn page lasts for one scrape, a false alarm takes numbers away.
 */

/** Share of the old smoothed demand that one recomputation keeps, and its complement (specification 0.3, 6.3). */
const KEPT = 0.977
const NEW = 0.023
/** The reported numbers are exact doubles; only the order of additions may differ. */
const TOLERANCE = 1e-9
/** Within less than one adjustment period there is at most one recomputation, unless the configuration changes. */
const ONE_RECOMPUTATION_MS = 9_500

interface Statistics {
  readonly average: number
  readonly stdev: number
  readonly smoothed: number
}

/** What the next page of the server is compared with: its last page that was whole. */
export interface Settled {
  readonly atMs: number
  readonly levels: ReadonlyMap<string, Statistics>
}

/** Whether the page of `frame` is torn. `settled` is absent for the first page and after a restart. */
export function isTorn(
  frame: ServerFrame,
  atMs: number,
  previous: ServerFrame | undefined,
  settled: Settled | undefined,
): boolean {
  // Numbers that stood still since the page before are at rest: a tear never lasts for two pages.
  if (previous !== undefined && sameAdjustment(frame, previous)) return false
  if (frame.levels.some((level) => contradictsItself(level))) return true
  if (settled === undefined || atMs - settled.atMs > ONE_RECOMPUTATION_MS) return false
  return frame.levels.some((level) => {
    const before = settled.levels.get(level.name)
    const now = statistics(level)
    return before !== undefined && now !== undefined && contradicts(before, now)
  })
}

export function settle(frame: ServerFrame, atMs: number): Settled {
  const levels = new Map<string, Statistics>()
  for (const level of frame.levels) {
    const found = statistics(level)
    if (found !== undefined) levels.set(level.name, found)
  }
  return { atMs, levels }
}

/** Whether two pages show the same recomputation: nothing that it sets differs. */
export function sameAdjustment(a: ServerFrame, b: ServerFrame): boolean {
  if (a.seatFairFrac !== b.seatFairFrac || a.levels.length !== b.levels.length) return false
  return a.levels.every((level, i) => {
    const other = b.levels[i]
    return (
      other !== undefined &&
      other.name === level.name &&
      other.limits.current === level.limits.current &&
      other.demand.highWatermark === level.demand.highWatermark &&
      other.demand.average === level.demand.average &&
      other.demand.stdev === level.demand.stdev &&
      other.demand.smoothed === level.demand.smoothed &&
      other.demand.target === level.demand.target
    )
  })
}

/**
 * One page alone is enough where smoothed demand lies below the envelope, which it never does, or where the target of
 * a limited level is not the greatest of lower limit, capped high watermark and smoothed demand, which it always is.
 */
function contradictsItself(level: LevelFrame): boolean {
  const now = statistics(level)
  if (now === undefined) return false
  if (exceeds(now.average + now.stdev, now.smoothed)) return true
  const { nominal, lower } = level.limits
  const { highWatermark, target } = level.demand
  if (isExempt(level) || nominal === undefined || lower === undefined) return false
  if (highWatermark === undefined || target === undefined) return false
  return differs(target, Math.max(lower, Math.min(nominal, highWatermark), now.smoothed))
}

/** Whether the smoothed demand of `now` follows from that of `before` by one recomputation (specification 6.3). */
export function followsFrom(before: LevelFrame, now: LevelFrame): boolean {
  const [earlier, later] = [statistics(before), statistics(now)]
  return earlier !== undefined && later !== undefined && follows(earlier, later)
}

/** Whether `now` neither equals `before` nor follows from it by one recomputation. */
function contradicts(before: Statistics, now: Statistics): boolean {
  const sameEnvelope = before.average === now.average && before.stdev === now.stdev
  return !(sameEnvelope && before.smoothed === now.smoothed) && !follows(before, now)
}

function follows(before: Statistics, now: Statistics): boolean {
  const envelope = now.average + now.stdev
  return !differs(now.smoothed, Math.max(envelope, KEPT * before.smoothed + NEW * envelope))
}

function statistics({ demand: { average, stdev, smoothed } }: LevelFrame): Statistics | undefined {
  if (average === undefined || stdev === undefined || smoothed === undefined) return undefined
  return { average, stdev, smoothed }
}

const exceeds = (a: number, b: number): boolean => a - b > TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b))
const differs = (a: number, b: number): boolean => exceeds(a, b) || exceeds(b, a)
