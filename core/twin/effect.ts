import { compare, type ComparedPeriod } from '../compare/compare.ts'
import { type Period, type Periods, periodsApart, SETTLE_MS } from '../compare/period.ts'
import type { Effect, Measured } from '../contract/effect.ts'
import type { Observation } from '../contract/forecast.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { Series } from '../history/series.ts'
import { tierFrom } from '../history/tier.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import { measuredSeconds } from './judge.ts'
import { framesUntilBreak, observe } from './observe.ts'
import { periodOf, type Sample } from './period.ts'

/** How long an edit is observed after it has settled. */
export const WATCH_MS = 600_000
/** How much of that may lack pages, which are at most a minute apart. */
const MISSING_MS = 60_000
/** End of the observation of an edit made at this time. */
export const watchedUntil = (atMs: UnixMs): UnixMs => atMs + SETTLE_MS + WATCH_MS

type ReadSeries = (from: UnixMs, to: UnixMs) => Series

/** The data from which an effect is measured. */
export interface EffectSource {
  /** Pages of the server, in any order. */
  readonly frames: readonly ServerFrame[]
  readonly series: ReadSeries
  /** Without it, the time before the edit is unknown: a console that was restarted since has forgotten it. */
  readonly before: BeforeEdit | undefined
}

/** The ten minutes before an edit, which do not change any more. */
export interface BeforeEdit {
  /** From the first sample on. */
  readonly period: Period
  /** Of a load in waves. */
  readonly periodMs: number | undefined
  readonly series: ReadSeries
}

/** Reads them once; `undefined` without samples. */
export function beforeEdit(atMs: UnixMs, read: ReadSeries): BeforeEdit | undefined {
  const past = read(atMs - WATCH_MS, atMs)
  const from = past.times.find((_, index) => (past.samples[index] ?? 0) > 0)
  if (from === undefined) return undefined
  const [tier, { server }] = [tierFrom(past, past.times.length), past]
  return {
    period: { from, to: atMs },
    periodMs: periodOf(demandIn(past)),
    series: (first, last) => ({ server, ...tier.query({ from: first, to: last, maxPoints: past.times.length }) }),
  }
}

/** The effect with the data available by now. A longer earlier measurement stays, as after a restart of the console. */
export function measureEffect(effect: Effect, { frames, ...source }: EffectSource): Effect {
  const from = effect.atMs + SETTLE_MS
  const end = watchedUntil(effect.atMs)
  const later = frames.filter(({ at }) => unixMsOf(at) > effect.atMs)
  const since = later.filter(({ at }) => unixMsOf(at) >= from && unixMsOf(at) <= end)
  const { frames: comparable, ended: broken } = framesUntilBreak(since)
  const observed = observe(comparable)
  const now = observed && measuredOf(effect, comparable, observed, source)
  const measured = measuredSeconds(now) > measuredSeconds(effect.measured) ? now : effect.measured
  const isOver = later.some(({ at }) => unixMsOf(at) >= end)
  const isWhole = measured !== undefined && measured.fromMs - from <= MISSING_MS && end - measured.untilMs <= MISSING_MS
  const ended = broken ?? (isOver ? (isWhole ? 'complete' : 'interrupted') : undefined)
  return { ...effect, ...(measured && { measured }), ...(ended && { ended }) }
}

function measuredOf(
  effect: Effect,
  frames: readonly ServerFrame[],
  observed: Observation,
  { series, before }: Omit<EffectSource, 'frames'>,
): Measured {
  const { fromMs, untilMs } = observed
  const { periodMs } = before ?? {}
  const spans = before && likeSpans(before.period, observed, periodMs)
  const within = (read: ReadSeries, period: Period): ComparedPeriod => ({
    series: read(period.from, period.to),
    period,
  })
  const whole = spans && observe(frames.filter(({ at }) => unixMsOf(at) >= spans.b.from))
  const waves = periodMs !== undefined && { periodMs }
  return {
    fromMs,
    untilMs,
    ...(before === undefined
      ? pastOf(effect.measured)
      : spans === undefined
        ? { compared: [], ...waves }
        : {
            compared: [...compare(within(before.series, spans.a), within(series, spans.b), true).levels],
            spans,
            ...waves,
          }),
    levels: (whole ?? observed).levels.map(({ name, quantities }) => ({ level: name, quantities })),
  }
}

function pastOf(measured: Measured | undefined): Pick<Measured, 'compared' | 'spans' | 'periodMs'> {
  const { compared = [], spans, periodMs } = measured ?? {}
  return { compared, ...(spans && { spans }), ...(periodMs !== undefined && { periodMs }) }
}

/**
 * What of the time before an edit and after it is of like phases: equally long times around it, but of a load in waves
 * whole ones; until the first one has passed, the same part of an earlier one. `undefined` where none is recorded.
 */
export function likeSpans(
  past: Period,
  { fromMs, untilMs }: Pick<Observation, 'fromMs' | 'untilMs'>,
  periodMs: number | undefined,
): Periods | undefined {
  const [after, length, known] = [{ from: fromMs, to: untilMs }, untilMs - fromMs, past.to - past.from]
  // If the console was connected shortly before, the time before the edit begins with its first page.
  if (periodMs === undefined) return { a: { from: past.to - Math.min(length, known), to: past.to }, b: after }
  const waves = Math.min(Math.floor(length / periodMs), Math.floor(known / periodMs)) * periodMs
  if (waves > 0) return { a: { from: past.to - waves, to: past.to }, b: { from: untilMs - waves, to: untilMs } }
  const earlier = periodsApart(after, Math.ceil((untilMs - past.to) / periodMs) * periodMs)
  return earlier.a.from < past.from ? undefined : earlier
}

/** Seats that all levels together occupy or wait for. */
const demandIn = ({ times, samples, levels }: Series): readonly Sample[] =>
  times.flatMap((at, index) => {
    if ((samples[index] ?? 0) === 0) return []
    const seats = levels.map(({ columns }) => (columns.executing[index] ?? 0) + (columns.queuedSeats[index] ?? 0))
    return [{ at, value: seats.reduce((sum, value) => sum + value, 0) }]
  })
