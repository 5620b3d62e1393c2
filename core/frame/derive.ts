import { MS_PER_SECOND, unixMsOf } from '../units.ts'
import type { DerivedLevel, DerivedServer } from './derived.ts'
import type { LevelFrame, RequestTimes, ServerFrame } from './frame.ts'
import { sumOfKnown, isExempt, movedSeats } from './reading.ts'
import { median } from './quantile.ts'
import {
  hasRestarted,
  flowIncrease,
  flowKey,
  indexFrame,
  meanBetween,
  quantiles,
  rates,
  type FrameIndex,
  type Observations,
  sumObservations,
} from './rates.ts'
import { deriveRequestTimes } from './requestTimes.ts'
import { emptyWindow, pushRecent, recentOf, rejectedByGone, sumRecent, type RecentWindow } from './recent.ts'
import { staleAfterMs } from './staleAfter.ts'

/** Milliseconds from one reallocation of seats to the next (specification 6.4). */
export const REALLOCATION_MS = 10_000
/** Wait and execution quantiles cover about the last 30 s, and never less than one interval. */
export const QUANTILE_WINDOW_MS = 30_000
/**
 * The start of that window is the first frame of a step of this width. Steps are aligned to the clock: what is derived
 * from a frame depends on the frames of the window, and not on which one of them arrived first.
 */
const SNAPSHOT_EVERY_MS = 2_500
/** The usual interval is the median of this many. */
export const USUAL_INTERVAL_OF = 5

/** A frame with the data that the next one is compared with. */
interface Sample {
  readonly frame: ServerFrame
  readonly atMs: number
  readonly index: FrameIndex
}

/** Possible start of the quantile window: only this part of a frame is kept, as the rest would rarely be read. */
interface Snapshot {
  readonly atMs: number
  readonly flows: ReadonlyMap<string, Observations>
  readonly requests: RequestTimes | undefined
}

/** The relation of a frame to the previous one. */
type Step = { readonly kind: 'first-sample' | 'restart' | 'clock-step' | 'duplicate' } | Interval
interface Interval {
  readonly kind: 'regular' | 'gap'
  readonly previous: Sample
  readonly seconds: number
}

/**
 * Derives rates, quantiles and judgements from the consecutive frames of one server.
 *
 * - First frame: no rates.
 * - Duplicate (same `at` as the frame before): no rates, and the frame is dropped at once.
 * - Clock step (`at` earlier than before): no rates; everything starts anew from this frame.
 * - Restart (start time moved, or a total fell): no rates; everything starts anew. The requests between the start and
 *   the first frame are not counted, as their time is unknown.
 * - Gap: rates are exact averages over the gap, marked `gap`.
 *
 * A flow that appears counts from 0, because the server creates series with their first event.
 */
export function createDeriver(id: string): (frame: ServerFrame) => DerivedServer {
  let last: Sample | undefined
  let intervals: readonly number[] = []
  let snapshots: readonly Snapshot[] = []
  let recent = emptyWindow()
  let settled: Settled | undefined
  let torn = false
  let lastAdjustmentAt: number | undefined

  return (frame) => {
    const sample: Sample = { frame, atMs: unixMsOf(frame.at), index: indexFrame(frame) }
    const step = relate(sample, last, intervals)
    if (step.kind === 'duplicate') {
      const levels = frame.levels.map((level) => deriveLevel(level, sample, step, { recent, torn }))
      return { id, noRates: step.kind, torn, lastAdjustmentAt, levels }
    }
    if (step.kind === 'regular' || step.kind === 'gap') {
      intervals = [...intervals, step.seconds].slice(-USUAL_INTERVAL_OF)
      // The page after a torn one only completes the adjustment that was already detected.
      if (!torn && !sameAdjustment(frame, step.previous.frame)) lastAdjustmentAt = sample.atMs
    } else {
      snapshots = []
      recent = emptyWindow()
      settled = undefined
      lastAdjustmentAt = undefined
    }
    torn = isTorn(frame, sample.atMs, 'previous' in step ? step.previous.frame : undefined, settled)
    if (!torn) settled = settle(frame, sample.atMs)

    snapshots = within(snapshots, sample.atMs)
    const windowStart = snapshots[0]
    pushRecent(recent, sample.atMs, sample.index)
    const levels = frame.levels.map((level) => deriveLevel(level, sample, step, { windowStart, recent, torn }))
    const gone = rejectedByGone(recent)
    const requests =
      windowStart &&
      deriveRequestTimes(frame.requests, windowStart.requests, (sample.atMs - windowStart.atMs) / MS_PER_SECOND)
    snapshots = remember(snapshots, sample)
    last = sample
    return {
      id,
      intervalSeconds: 'seconds' in step ? step.seconds : undefined,
      noRates: step.kind === 'regular' ? undefined : step.kind,
      torn,
      lastAdjustmentAt,
      ...(requests && { requests }),
      ...(gone.length > 0 && { gone }),
      levels,
    }
  }
}

function relate(sample: Sample, previous: Sample | undefined, intervals: readonly number[]): Step {
  if (previous === undefined) return { kind: 'first-sample' }
  const seconds = (sample.atMs - previous.atMs) / 1_000
  if (!(seconds >= 0)) return { kind: 'clock-step' }
  if (hasRestarted(previous.frame, sample.frame, previous.index, sample.index)) return { kind: 'restart' }
  if (seconds === 0) return { kind: 'duplicate' }
  const usual = median(intervals)
  return {
    kind: usual !== undefined && seconds * 1_000 > staleAfterMs(usual * 1_000) ? 'gap' : 'regular',
    previous,
    seconds,
  }
}

/** Snapshots within the window that ends at `atMs`; at least the newest of them, as a starting point. */
function within(snapshots: readonly Snapshot[], atMs: number): readonly Snapshot[] {
  const inside = snapshots.filter((snapshot) => atMs - snapshot.atMs <= QUANTILE_WINDOW_MS)
  return inside.length > 0 ? inside : snapshots.slice(-1)
}

const snapshotStep = ({ atMs }: { readonly atMs: number }): number => Math.floor(atMs / SNAPSHOT_EVERY_MS)

function remember(snapshots: readonly Snapshot[], sample: Sample): readonly Snapshot[] {
  const newest = snapshots.at(-1)
  if (newest !== undefined && snapshotStep(sample) === snapshotStep(newest)) return snapshots
  const flows = new Map<string, Observations>()
  for (const [where, { wait, execution }] of sample.index.schemas) flows.set(where, { wait, execution })
  return [...snapshots, { atMs: sample.atMs, flows, requests: sample.frame.requests }]
}

const NOTHING_YET = {
  dispatched: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
  noAccommodation: 0,
}

interface Windows {
  readonly windowStart?: Snapshot | undefined
  readonly recent: RecentWindow
  readonly torn: boolean
}

function deriveLevel(
  level: LevelFrame,
  sample: Sample,
  step: Step,
  { windowStart, recent, torn }: Windows,
): DerivedLevel {
  const { limits, demand } = level
  const own = {
    name: level.name,
    borrowed: movedSeats(sample.frame, limits),
    envelope: torn ? undefined : sumOfKnown([demand.average, demand.stdev]),
  }
  const counts = level.schemas.map(({ name }) => recentOf(recent, flowKey(level.name, name)))
  const known = {
    recent: sumRecent(recent, level, counts.length > 0 ? counts : [recentOf(recent, flowKey(level.name, ''))]),
  }
  if (!('previous' in step)) {
    return { ...own, ...known, schemas: level.schemas.map(({ name }, i) => ({ name, recent: counts[i] })) }
  }

  const { previous, seconds } = step
  const before = previous.index.levels.get(level.name)
  const flows = level.schemas.map((schema, i) => {
    const where = flowKey(level.name, schema.name)
    const earlier = previous.index.schemas.get(where) ?? NOTHING_YET
    const increase = flowIncrease(schema, windowStart?.flows.get(where))
    const derived = { name: schema.name, ...rates(schema, earlier, seconds), recent: counts[i], ...quantiles(increase) }
    return { increase, derived }
  })
  return {
    ...own,
    ...rates(level, before ?? NOTHING_YET, seconds),
    ...known,
    ...quantiles(sumObservations(flows.map(({ increase }) => increase))),
    utilizationMean: meanBetween(level.seatUtilization, before?.seatUtilization),
    schemas: flows.map(({ derived }) => derived),
  }
}

/**
 * Detection of torn pages. The server gathers families one after the other, so about one page in twenty that follows a
 * recomputation of the limits mixes numbers from before and after it (specification 8). The rules of the recomputation
 * (6.3, 6.4) show most of that, as they tie together numbers of one page and of two.
 *
 * In doubt, a page counts as whole: a torn page lasts for one scrape, but a false alarm removes valid numbers.
 */

/** Fraction of the old smoothed demand that one recomputation keeps, and its complement (specification 0.3, 6.3). */
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

/** The reference for the next page of the server: its last whole page. */
interface Settled {
  readonly atMs: number
  readonly levels: ReadonlyMap<string, Statistics>
}

/** Whether the page of `frame` is torn. `settled` is absent for the first page and after a restart. */
function isTorn(
  frame: ServerFrame,
  atMs: number,
  previous: ServerFrame | undefined,
  settled: Settled | undefined,
): boolean {
  // Numbers that have not changed since the previous page are settled: a tear never lasts for two pages.
  if (previous !== undefined && sameAdjustment(frame, previous)) return false
  if (frame.levels.some((level) => contradictsItself(level))) return true
  if (settled === undefined || atMs - settled.atMs > ONE_RECOMPUTATION_MS) return false
  return frame.levels.some((level) => {
    const before = settled.levels.get(level.name)
    const now = statistics(level)
    return before !== undefined && now !== undefined && contradicts(before, now)
  })
}

function settle(frame: ServerFrame, atMs: number): Settled {
  const levels = new Map<string, Statistics>()
  for (const level of frame.levels) {
    const found = statistics(level)
    if (found !== undefined) levels.set(level.name, found)
  }
  return { atMs, levels }
}

/** Whether two pages show the same recomputation: all numbers that it sets are equal. */
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
 * One page alone proves it if smoothed demand lies below the envelope, or if the target of a limited level is not the
 * greatest of lower limit, capped high watermark and smoothed demand: on a whole page neither is possible.
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
