import { compare } from '../compare/compare.ts'
import { periodsAround, SETTLE_MS } from '../compare/period.ts'
import type { Effect, Measured } from '../contract/effect.ts'
import type { Observation } from '../contract/forecast.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { Series } from '../history/series.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import { measuredSeconds } from './judge.ts'
import { framesUntilBreak, observe } from './observe.ts'

/** How long an edit is observed after it has settled. */
export const WATCH_MS = 600_000
/** How much of that may lack pages, which are at most a minute apart. */
const MISSING_MS = 60_000
/** End of the observation of an edit made at this time. */
export const watchedUntil = (atMs: UnixMs): UnixMs => atMs + SETTLE_MS + WATCH_MS

/** The data from which an effect is measured. */
export interface EffectSource {
  /** Pages of the server, in any order. */
  readonly frames: readonly ServerFrame[]
  readonly series: (from: UnixMs, to: UnixMs) => Series
}

/** The effect with the data available by now. A longer earlier measurement stays, as after a restart of the console. */
export function measureEffect(effect: Effect, { frames, series }: EffectSource): Effect {
  const from = effect.atMs + SETTLE_MS
  const end = watchedUntil(effect.atMs)
  const later = frames.filter(({ at }) => unixMsOf(at) > effect.atMs)
  const since = later.filter(({ at }) => unixMsOf(at) >= from && unixMsOf(at) <= end)
  const { frames: comparable, ended: broken } = framesUntilBreak(since)
  const observed = observe(comparable)
  const now = observed && measuredOf(effect, observed, series)
  const measured = measuredSeconds(now) > measuredSeconds(effect.measured) ? now : effect.measured
  const isOver = later.some(({ at }) => unixMsOf(at) >= end)
  const isWhole = measured !== undefined && measured.fromMs - from <= MISSING_MS && end - measured.untilMs <= MISSING_MS
  const ended = broken ?? (isOver ? (isWhole ? 'complete' : 'interrupted') : undefined)
  return { ...effect, ...(measured && { measured }), ...(ended && { ended }) }
}

function measuredOf(effect: Effect, observed: Observation, series: EffectSource['series']): Measured {
  const { fromMs, untilMs } = observed
  const { a } = periodsAround(effect.atMs, untilMs - fromMs)
  const before = series(a.from, a.to)
  const [first] = before.times.filter((_, index) => (before.samples[index] ?? 0) > 0)
  const after = series(fromMs, untilMs)
  const compared =
    first === undefined
      ? (effect.measured?.compared ?? [])
      : compare(
          // If the console was connected shortly before, the time before the edit begins with its first page.
          { series: before, period: { from: Math.max(a.from, first), to: a.to } },
          { series: after, period: { from: fromMs, to: untilMs } },
          true,
        ).levels
  return {
    fromMs,
    untilMs,
    compared: [...compared],
    levels: observed.levels.map(({ name, quantities }) => ({ level: name, quantities })),
  }
}
