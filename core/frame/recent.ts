import type { Recent, DerivedLevel, DerivedServer } from './derived.ts'
import type { Rejected, LevelFrame, SchemaFrame } from './frame.ts'
import { REJECT_REASONS, sumOfKnown, isExempt } from './reading.ts'
import { flowKey, flowOf, type FrameIndex } from './rates.ts'

/**
 * The single window for every statement about the present: states of levels, rates of rejections and dispatches. It
 * reaches back to the newest sample that is at least this old, so it is never shorter than one interval once it is
 * full.
 */
export const RECENT_MS = 10_000
/** Completes “the mean of”: what statements about the present and quantiles cover. */
export const windowText = (seconds: 10 | 30): string =>
  `the last ${seconds} s, or of one interval between samples if that is longer`

interface Totals {
  readonly atMs: number
  readonly schemas: ReadonlyMap<string, Pick<SchemaFrame, 'dispatched' | 'rejected'>>
}

/** Totals of the samples within the window; nothing else of a frame is kept. */
export interface RecentWindow {
  /** Oldest first, from `begin` on: what is before it has left the window. */
  samples: Totals[]
  begin: number
  /** The last totals of flows that the newest sample no longer contains, with the time of the sample that still did. */
  readonly gone: Map<string, Pick<SchemaFrame, 'rejected'> & { readonly atMs: number }>
}

export const emptyWindow = (): RecentWindow => ({ samples: [], begin: 0, gone: new Map() })

/** Adds one sample. A simulation at high speed has thousands within the window, so none is looked at twice. */
export function pushRecent(window: RecentWindow, atMs: number, { schemas, levels }: FrameIndex): void {
  // Somebody may have summed over the flow schemas of a level.
  const whole = [...levels].filter(([, level]) => level.schemas.length === 0)
  const flows = [...schemas, ...whole.map(([name, level]) => [flowKey(name, ''), level] as const)]
  const totals = new Map(flows.map(([where, { dispatched, rejected }]) => [where, { dispatched, rejected }]))
  const { samples, gone } = window
  const before = samples.at(-1)
  for (const [where, { rejected }] of before?.schemas ?? [])
    if (!totals.has(where)) gone.set(where, { rejected, atMs: before?.atMs ?? atMs })
  samples.push({ atMs, schemas: totals })
  while ((samples[window.begin + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs - RECENT_MS) window.begin++
  const fromMs = oldestOf(window)?.atMs ?? atMs
  for (const [where, last] of gone) if (last.atMs < fromMs || totals.has(where)) gone.delete(where)
  if (window.begin < samples.length / 2) return
  window.samples = samples.slice(window.begin)
  window.begin = 0
}

const oldestOf = ({ samples, begin }: RecentWindow): Totals | undefined => samples[begin]

/**
 * Changes of one flow within the window; `undefined` until it holds two samples. A flow that did not exist when the
 * window began counts from 0.
 */
export function recentOf(window: RecentWindow, where: string): Recent | undefined {
  const seconds = secondsOf(window)
  if (seconds === undefined) return undefined
  const [now, then] = [window.samples.at(-1)?.schemas.get(where), oldestOf(window)?.schemas.get(where)]
  const rejected = now?.rejected
  return {
    seconds,
    dispatched: now?.dispatched === undefined ? undefined : now.dispatched - (then?.dispatched ?? 0),
    rejected:
      rejected === undefined ? undefined : rejectedOf((reason) => rejected[reason] - (then?.rejected?.[reason] ?? 0)),
  }
}

/** The length of the window, once it holds two samples. */
function secondsOf(window: RecentWindow): number | undefined {
  const [oldest, newest] = [oldestOf(window), window.samples.at(-1)]
  return oldest === undefined || newest === undefined || oldest === newest
    ? undefined
    : (newest.atMs - oldest.atMs) / 1_000
}

/** What flows rejected within the window that the newest sample no longer contains: their level was deleted. */
export function rejectedByGone(window: RecentWindow): NonNullable<DerivedServer['gone']> {
  return [...window.gone].flatMap(([where, last]) => {
    const increase = rejectedSince(last, oldestOf(window)?.schemas.get(where))
    return allRejected(increase) > 0 ? [{ ...flowOf(where), rejected: increase }] : []
  })
}

/** Sum over the flows of a level; a number is absent if the level or one of its flows lacks it. */
export function sumRecent(window: RecentWindow, level: LevelFrame, flows: readonly (Recent | undefined)[]) {
  const seconds = secondsOf(window)
  if (seconds === undefined) return undefined
  return flows.reduce<Recent>(
    (sum, flow) => ({
      seconds,
      dispatched: sumOfKnown([sum.dispatched, flow?.dispatched]),
      rejected:
        sum.rejected === undefined || flow?.rejected === undefined ? undefined : plus(sum.rejected, flow.rejected),
    }),
    {
      seconds,
      dispatched: level.dispatched === undefined ? undefined : 0,
      rejected: level.rejected === undefined ? undefined : rejectedOf(() => 0),
    },
  )
}

/** Requests dispatched per second within the window. */
export const dispatchRate = (recent: Recent | undefined): number | undefined =>
  recent?.dispatched === undefined ? undefined : recent.dispatched / recent.seconds

/** Rejections per second within the window, by reason. */
export const recentRejected = (recent: Recent | undefined): Rejected | undefined => {
  const { rejected, seconds } = recent ?? {}
  return rejected === undefined || seconds === undefined
    ? undefined
    : rejectedOf((reason) => rejected[reason] / seconds)
}

const plus = (a: Rejected, b: Rejected): Rejected => rejectedOf((reason) => a[reason] + b[reason])

const rejectedOf = (count: (reason: keyof Rejected) => number): Rejected => ({
  'queue-full': count('queue-full'),
  'concurrency-limit': count('concurrency-limit'),
  'time-out': count('time-out'),
})

/** The increase since an earlier reading; values that one of them does not report count as 0. */
export const rejectedSince = (now: Pick<LevelFrame, 'rejected'>, then?: Pick<LevelFrame, 'rejected'>): Rejected =>
  rejectedOf((reason) => (now.rejected?.[reason] ?? 0) - (then?.rejected?.[reason] ?? 0))

/** The sum over flows or levels; values that one of them does not report count as 0. */
export const sumRejected = (parts: readonly Pick<LevelFrame, 'rejected'>[]): Rejected =>
  rejectedOf((reason) => parts.reduce((sum, { rejected }) => sum + (rejected?.[reason] ?? 0), 0))

/** Requests of all reasons. */
export const allRejected = (rejected: Rejected): number =>
  REJECT_REASONS.reduce((sum, reason) => sum + rejected[reason], 0)

/** The states of a level, the worst first. `unknown`: its seats, or what waits, are not shown. */
export const LEVEL_STATES = ['rejecting', 'queueing', 'unknown', 'flowing', 'idle', 'no-limit'] as const
export type LevelState = (typeof LEVEL_STATES)[number]

/**
 * The states of a level, the worst first: the only definition, for every list, sentence and mark.
 *
 * - `rejecting`: the server rejected a request of the level within the window of `recent.ts`, about 10 s.
 * - `queueing`: requests wait in the newest sample. A level may reject and queue at once.
 * - `flowing`, `idle`: neither; and requests execute in the newest sample or were dispatched within the window, or not.
 * - `no-limit`: the Exempt level, which neither queues nor rejects.
 */
export function levelStates(
  level: Pick<LevelFrame, 'name' | 'seats' | 'requests'>,
  derived: Pick<DerivedLevel, 'recent'> | undefined,
): readonly LevelState[] {
  if (isExempt(level)) return ['no-limit']
  const { rejected, dispatched } = derived?.recent ?? {}
  const states: LevelState[] = []
  if (rejected !== undefined && allRejected(rejected) > 0) states.push('rejecting')
  const { executing } = level.seats
  const queued = level.requests.queued ?? level.seats.queued
  if ((queued ?? 0) > 0) states.push('queueing')
  if (states.length > 0) return states
  if (queued === undefined || executing === undefined) return ['unknown']
  return [executing + (dispatched ?? 0) > 0 ? 'flowing' : 'idle']
}

/** The state to investigate, if there is one. */
export const troubleOf = (states: readonly LevelState[]): 'rejecting' | 'queueing' | undefined =>
  states.find((state) => state === 'rejecting' || state === 'queueing')
