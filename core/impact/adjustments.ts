import { showsNone } from '../frame/lacking.ts'
import type { AdjustmentStep, DerivedServer } from '../frame/derived.ts'
import type { LevelFrame, Limits, ServerFrame } from '../frame/frame.ts'
import { followsFrom, sameAdjustment } from '../frame/derive.ts'
import { unixMsOf } from '../units.ts'
import { classifyingConfiguration } from '../classify/configuration.ts'
import { defaultLevel, type ObjectSet } from '../config/objects.ts'
import { expectedAllocation } from './expected.ts'
import { reportedServerLimit } from './reportedLimit.ts'

/** An hour at one recomputation every 10 s. */
const CAPACITY = 360
/** Within less than one adjustment period there is at most one recomputation, unless the configuration changes. */
const ONE_RECOMPUTATION_MS = 9_500

/** The last recomputations of the limits of one server. */
export interface Adjustments {
  append(frame: ServerFrame, derived: Pick<DerivedServer, 'noRates' | 'torn'>): void
  /** Steps first seen between two instants (Unix milliseconds, both included), oldest first. */
  steps(from: number, to: number): readonly AdjustmentStep[]
}

interface Seen {
  readonly step: AdjustmentStep
  readonly frame: ServerFrame
  /** The frame that `frame` is compared with. */
  readonly before: ServerFrame | undefined
  /** A tear never lasts for two pages. */
  readonly onePage: boolean
}

/**
 * Finds the recomputations in consecutive frames of one server: a value that a recomputation sets differs from the
 * previous page (specification 6.4). A torn page starts the step that the next whole page completes. A page that was
 * torn without contradicting itself is found by the next one: it lasted for one page, and its limits do not follow from
 * its demand; the next one takes its place.
 */
export function createAdjustments(capacity = CAPACITY): Adjustments {
  let kept: AdjustmentStep[] = []
  let last: Seen | undefined
  let lastPageAt: number | undefined
  /** The page that showed parts of the next step, and the previous one. */
  let tornSince: { readonly at: number; readonly after: number | undefined } | undefined
  let made = 0

  const append: Adjustments['append'] = (frame, { noRates, torn }) => {
    const at = unixMsOf(frame.at)
    if (Number.isNaN(at) || noRates === 'duplicate') return
    if (noRates === 'clock-step') kept = kept.filter((step) => step.at < at)
    if (noRates === 'clock-step' || noRates === 'restart') {
      last = undefined
      lastPageAt = undefined
      tornSince = undefined
    }
    const after = lastPageAt
    lastPageAt = at
    if (torn) {
      tornSince ??= { at, after }
      return
    }
    if (showsNone('current', frame)) return
    if (last !== undefined && sameAdjustment(frame, last.frame)) {
      if (last.onePage) {
        const { onePage: _, ...step } = last.step
        if (kept.at(-1) === last.step) kept = [...kept.slice(0, -1), step]
        last = { ...last, step, onePage: false }
      }
      tornSince = undefined
      return
    }
    if (last !== undefined && wasTorn(last, at)) {
      const { number, at: first, after: earlier, since } = last.step
      kept.pop()
      record(frame, last.before, { number, at: first, after: earlier, since })
    } else {
      made += 1
      record(frame, last?.frame, {
        number: made,
        at: tornSince?.at ?? at,
        after: last === undefined ? undefined : (tornSince?.after ?? after),
        since: last?.step.at,
      })
    }
    tornSince = undefined
  }

  const record = (
    frame: ServerFrame,
    before: ServerFrame | undefined,
    when: Pick<AdjustmentStep, 'number' | 'at' | 'after' | 'since'>,
  ): void => {
    const step = stepOf(frame, before, when)
    kept.push(step)
    if (kept.length > capacity) kept.shift()
    last = { step, frame, before, onePage: true }
  }

  return { append, steps: (from, to) => kept.filter(({ at }) => at >= from && at <= to) }
}

function wasTorn({ step, onePage }: Seen, at: number): boolean {
  if (!onePage || at - step.at > ONE_RECOMPUTATION_MS) return false
  const expected = expectedAllocation(step)
  return expected.kind === 'known' && expected.comparison.kind === 'differs'
}

function stepOf(
  { version, seatFairFrac, levels }: ServerFrame,
  before: ServerFrame | undefined,
  when: Pick<AdjustmentStep, 'number' | 'at' | 'after' | 'since'>,
): AdjustmentStep {
  const earlier = new Map(before?.levels.map((level) => [level.name, level]))
  return {
    ...when,
    follows:
      before !== undefined &&
      levels.every((level) => {
        const old = earlier.get(level.name)
        return old !== undefined && followsFrom(old, level)
      }),
    onePage: true,
    version,
    seatFairFrac,
    levels: levels.map((level) => {
      const { name, limits, demand, seats } = level
      return { name, limits, demand, executing: seats.executing, before: beforeOf(earlier.get(name), limits) }
    }),
  }
}

function beforeOf(level: LevelFrame | undefined, now: Limits): AdjustmentStep['levels'][number]['before'] {
  if (level === undefined) return undefined
  const { nominal, lower, upper, current } = level.limits
  const reconfigured = nominal !== now.nominal || lower !== now.lower || upper !== now.upper
  return { current, smoothed: level.demand.smoothed, ...(reconfigured && { reconfigured }) }
}

/**
 * The frame without the levels that were deleted: `deleted` names them. kube-apiserver exports the last series of a
 * deleted level until it restarts, so that adding them up counts seats that do not exist.
 *
 * A level is deleted when it has no object, none of its requests executes or waits, and the nominal limits of all
 * others are exactly those of a server without it. A level that still drains has its share of the seats, and so has one
 * that was created a moment ago; neither is deleted. `objects` may be older than the page.
 */
export function withoutDeleted(frame: ServerFrame, objects: ObjectSet): ServerFrame {
  const stored = new Set(objects.levels.map(({ metadata }) => metadata.name))
  const serverLimit = reportedServerLimit(frame)
  if (serverLimit === undefined || stored.size === 0) return frame
  if (frame.levels.every(({ name }) => stored.has(name))) return frame

  const configured = classifyingConfiguration(
    { levels: objects.levels.map(defaultLevel), schemas: [] },
    serverLimit,
  ).levels
  const orphans = frame.levels.filter(({ name }) => !configured.has(name))
  const rest = frame.levels.filter(({ name }) => configured.has(name))
  const resting = orphans.every(
    ({ seats, requests }) =>
      seats.executing === 0 &&
      (seats.queued ?? 0) === 0 &&
      (requests.executing ?? 0) === 0 &&
      (requests.queued ?? 0) === 0,
  )
  const shared = rest.every(({ name, limits }) => configured.get(name)?.limits.nominal === limits.nominal)
  if (orphans.length === 0 || !resting || !shared || rest.length < configured.size) return frame
  return { ...frame, levels: rest, deleted: orphans.map(({ name }) => name) }
}
