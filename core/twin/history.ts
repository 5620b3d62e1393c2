import { showsNone } from '../frame/lacking.ts'
import type { TwinHistory } from '../contract/forecast.ts'
import { ProblemError } from '../errors.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { MS_PER_SECOND, unixMsOf } from '../units.ts'
import { comparableFrames, observe, SHORTEST_SPAN_SECONDS } from './observe.ts'
import { periodOf } from './period.ts'

/** Longer spans are not representative of the present. */
export const LONGEST_SPAN_SECONDS = 600
export const SHORTEST_RUN_SECONDS = 30
/** Time of a run before its measurement. */
export const WARM_SECONDS = 15
/** Equal parts of a history, which show how much the server changes on its own. */
const MOST_PARTS = 10
/** Pages do not come exactly where parts meet. */
const SHORTEST_PART_MS = 1.1 * SHORTEST_SPAN_SECONDS * MS_PER_SECOND

/**
 * The data that a twin is fitted to: the newest of these pages, limited so that a run has about `requestsOfRun` requests.
 * `undefined` while they span too little time since the last start of the server or the last change of its limits. Throws
 * `unsupported` for pages without the requests of levels.
 */
export function twinHistory(pages: readonly ServerFrame[], requestsOfRun: number): TwinHistory | undefined {
  const last = pages.at(-1)
  if (last !== undefined && last.levels.length > 0 && showsNone('dispatched', last)) {
    throw new ProblemError(
      'unsupported',
      `A forecast is made from ${FAMILY.dispatched}, which the pages do not show. Look at the filters of Prometheus, or read the server itself.`,
    )
  }
  const comparable = comparableFrames(pages)
  const whole = observe(lastSpan(comparable, requestsOfRun))
  return whole && { whole, waves: wavesOf(comparable), parts: partsOf(comparable) }
}

/** By the requests that wait or execute. */
function wavesOf(frames: readonly ServerFrame[]): TwinHistory['waves'] {
  const levels = (frames.at(-1)?.levels ?? []).filter((level) => !isExempt(level))
  return levels.flatMap(({ name }) => {
    const samples = frames.flatMap(({ at, levels: all }) => {
      const { queued, executing } = all.find((level) => level.name === name)?.requests ?? {}
      return queued === undefined || executing === undefined ? [] : [{ at: unixMsOf(at), value: queued + executing }]
    })
    const period = periodOf(samples)
    return period === undefined ? [] : [{ level: name, seconds: period / MS_PER_SECOND }]
  })
}

function partsOf(frames: readonly ServerFrame[]): TwinHistory['parts'] {
  const times = frames.map(({ at }) => unixMsOf(at))
  const [from = 0, to = 0] = [times[0], times.at(-1)]
  const count = Math.min(MOST_PARTS, Math.floor((to - from) / SHORTEST_PART_MS))
  return Array.from({ length: count }, (_, part) => {
    const borders = [part, part + 1].map((border) => from + (border * (to - from)) / count)
    const [first = 0, last = 0] = borders.map((border) => times.findLastIndex((at) => at <= border))
    return observe(frames.slice(first, last + 1))
  }).flatMap((observed) => {
    if (observed === undefined) return []
    const levels = observed.levels.map(({ name, quantities }) => ({ level: name, quantities }))
    return [{ seconds: (observed.untilMs - observed.fromMs) / MS_PER_SECOND, levels }]
  })
}

function lastSpan(frames: readonly ServerFrame[], requestsOfRun: number): readonly ServerFrame[] {
  const whole = observe(frames)
  if (whole === undefined) return frames
  const perSecond = whole.levels.reduce((sum, { quantities }) => sum + quantities.arrivalsPerSecond, 0)
  const affordable = Math.max(SHORTEST_RUN_SECONDS, requestsOfRun / Math.max(1, perSecond) - WARM_SECONDS)
  const from = whole.untilMs - MS_PER_SECOND * Math.min(LONGEST_SPAN_SECONDS, affordable)
  return frames.filter(({ at }) => unixMsOf(at) >= from)
}
