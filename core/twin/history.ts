import type { TwinHistory } from '../contract/forecast.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { MS_PER_SECOND, unixMsOf } from '../units.ts'
import { comparableFrames, observe } from './observe.ts'

/** Longer spans are not representative of the present. */
export const LONGEST_SPAN_SECONDS = 600
export const SHORTEST_RUN_SECONDS = 30
/** Time of a run before its measurement. */
export const WARM_SECONDS = 15
/** Spans of at least this length are fitted on their first part and checked on the rest. */
const CHECKED_SPAN_SECONDS = 80
const FITTED_PART = 0.7

/**
 * The data that a twin is fitted to and checked against: the newest of these pages, limited so that a run has about
 * `requestsOfRun` requests. `undefined` while they span too little time since the last start of the server or the last
 * change of its limits.
 */
export function twinHistory(pages: readonly ServerFrame[], requestsOfRun: number): TwinHistory | undefined {
  const frames = lastSpan(comparableFrames(pages), requestsOfRun)
  const whole = observe(frames)
  if (whole === undefined) return undefined
  const { fromMs, untilMs } = whole
  if (untilMs - fromMs < CHECKED_SPAN_SECONDS * MS_PER_SECOND) return { whole, fitted: whole }
  const border = fromMs + FITTED_PART * (untilMs - fromMs)
  const fitted = observe(frames.filter(({ at }) => unixMsOf(at) <= border))
  const held = observe(frames.filter(({ at }) => unixMsOf(at) >= border))
  return fitted === undefined || held === undefined ? { whole, fitted: whole } : { whole, fitted, held }
}

function lastSpan(frames: readonly ServerFrame[], requestsOfRun: number): readonly ServerFrame[] {
  const whole = observe(frames)
  if (whole === undefined) return frames
  const perSecond = whole.levels.reduce((sum, { quantities }) => sum + quantities.arrivalsPerSecond, 0)
  const affordable = Math.max(SHORTEST_RUN_SECONDS, requestsOfRun / Math.max(1, perSecond) - WARM_SECONDS)
  const from = whole.untilMs - MS_PER_SECOND * Math.min(LONGEST_SPAN_SECONDS, affordable)
  return frames.filter(({ at }) => unixMsOf(at) >= from)
}
