import { showsNone } from '../frame/lacking.ts'
import type { TwinHistory } from '../contract/forecast.ts'
import { ProblemError } from '../errors.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'
import { FAMILY } from '../metrics/familyNames.ts'
import { MS_PER_SECOND, type UnixMs, unixMsOf } from '../units.ts'
import { arrivalsIn, comparableFrames, meanOf, observe, SHORTEST_SPAN_SECONDS, spanSeconds } from './observe.ts'
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
 * The data that a twin is fitted to: the newest of these pages, limited so that a run has about `requestsOfRun` requests,
 * or more for a whole wave.
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
  const waves = wavesOf(comparable)
  const whole = observe(lastSpan(comparable, requestsOfRun, waves[0]?.seconds))
  return whole && { whole, waves, parts: partsOf(comparable, waves[0]?.seconds) }
}

/** A run may have so many requests for the sake of a whole wave. */
const REQUESTS_OF_WAVE = 50_000

/** By the requests that wait or execute; the level with the most of them first. */
function wavesOf(frames: readonly ServerFrame[]): TwinHistory['waves'] {
  const levels = (frames.at(-1)?.levels ?? []).filter((level) => !isExempt(level))
  return levels
    .flatMap(({ name }) => {
      const samples = frames.flatMap(({ at, levels: all }) => {
        const { queued, executing } = all.find((level) => level.name === name)?.requests ?? {}
        return queued === undefined || executing === undefined ? [] : [{ at: unixMsOf(at), value: queued + executing }]
      })
      const period = periodOf(samples)
      if (period === undefined) return []
      return [
        { level: name, seconds: period / MS_PER_SECOND, requests: meanOf(samples.map(({ value }) => value)) ?? 0 },
      ]
    })
    .toSorted((a, b) => b.requests - a.requests)
    .map(({ level, seconds }) => ({ level, seconds }))
}

/** Equal parts; of a load in waves, whole waves. */
function partsOf(frames: readonly ServerFrame[], wave: number | undefined): TwinHistory['parts'] {
  const times = frames.map(({ at }) => unixMsOf(at))
  const [first = 0, to = 0] = [times[0], times.at(-1)]
  const most = Math.min(MOST_PARTS, Math.floor((to - first) / SHORTEST_PART_MS))
  const waves = wave === undefined ? 0 : Math.floor((to - first) / MS_PER_SECOND / wave)
  const wavesOfPart = Math.ceil(waves / Math.max(1, most))
  const count = waves === 0 ? most : Math.floor(waves / wavesOfPart)
  const partMs = wave === undefined || waves === 0 ? (to - first) / most : wavesOfPart * wave * MS_PER_SECOND
  return Array.from({ length: count }, (_, part) => {
    const borders = [count - part, count - part - 1].map((later) => to - later * partMs)
    const [begin = 0, end = 0] = borders.map((border) => times.findLastIndex((at) => at <= border))
    return observe(frames.slice(Math.max(0, begin), end + 1))
  }).flatMap((observed) => {
    if (observed === undefined) return []
    const levels = observed.levels.map(({ name, quantities }) => ({ level: name, quantities }))
    return [{ seconds: spanSeconds(observed), levels }]
  })
}

/** As many whole waves as a run can have, or one if it can have that. */
function lastSpan(
  frames: readonly ServerFrame[],
  requestsOfRun: number,
  wave: number | undefined,
): readonly ServerFrame[] {
  const whole = observe(frames)
  if (whole === undefined) return frames
  const perSecond = arrivalsIn(whole)
  const affordable = (requests: number): number =>
    Math.min(LONGEST_SPAN_SECONDS, Math.max(SHORTEST_RUN_SECONDS, requests / Math.max(1, perSecond) - WARM_SECONDS))
  const since = (seconds: number): UnixMs => whole.untilMs - seconds * MS_PER_SECOND
  const some = affordable(requestsOfRun)
  if (wave === undefined || wave > affordable(Math.max(REQUESTS_OF_WAVE, requestsOfRun))) {
    return frames.filter(({ at }) => unixMsOf(at) >= since(some))
  }
  const known = spanSeconds(whole)
  const from = since(wave * Math.max(1, Math.floor(Math.min(some, known) / wave)))
  return frames.slice(
    Math.max(
      0,
      frames.findLastIndex(({ at }) => unixMsOf(at) <= from),
    ),
  )
}
