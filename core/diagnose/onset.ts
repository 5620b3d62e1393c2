import type { ServerFrame } from '../frame/frame.ts'
import { betweenTwo } from '../frame/rates.ts'
import { median } from '../frame/quantile.ts'
import { isExempt, spaced } from '../frame/reading.ts'
import { allRejected, rejectedSince } from '../frame/recent.ts'
import { levelIn, meanOf } from '../twin/observe.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../units.ts'

/** Length of the window while nothing is wrong, and its minimum for trouble that has just begun. */
const WINDOW_MS = 120_000
const SHORTEST_WINDOW_MS = 30_000
/** Trouble with pauses shorter than this counts as continuous. */
export const PAUSE_MS = 30_000
/** Less than this part of the present trouble is not the same trouble: some levels always queue a little. */
const SAME_TROUBLE = 0.2
/** Of the longest queues of the trouble: shorter ones are there in calm times, too. */
const A_LITTLE = 0.05
/** Executions that became longer at most this long before the queues explain them. */
const LEAD_MS = 60_000
/** After a start, clients list and watch everything: no baseline, and no evidence. */
const START_MS = 30_000
/** Shorter stretches of execution times are noise; from this factor on they changed. */
const BIN_MS = 10_000
const FEWEST_FINISHED = 5
const SLOWER = 1.7

/**
 * When the present trouble began, and where its evidence begins. `at` is absent while nothing is wrong, or where the
 * trouble is as old as the pages.
 */
export interface Onset {
  readonly from: UnixMs
  readonly at: UnixMs | undefined
  /** When the requests began to wait or to be rejected that still do; later than `at` where longer executions led to it. */
  readonly waiting: UnixMs | undefined
}

/** Whether so many waiting requests of a level are the trouble that has this peak. */
export const isMuchOf = (queued: number, peak: number): boolean => queued > 0 && peak > 1 && queued >= A_LITTLE * peak

/**
 * The pages before the present trouble, `during`, with which it is compared: of trouble that comes and goes, those since it
 * came last, because what was wanted then is not what is usual.
 */
export function calmBefore(before: readonly ServerFrame[], during: readonly ServerFrame[]): readonly ServerFrame[] {
  const peaks = new Map<string, number>()
  for (const { name, requests } of during.flatMap(({ levels }) => levels))
    peaks.set(name, Math.max(peaks.get(name) ?? 0, requests.queued ?? 0))
  const last = before.findLastIndex(({ levels }) =>
    levels.some(({ name, requests: { queued = 0 } }) => isMuchOf(queued, peaks.get(name) ?? 0)),
  )
  const calm = before.slice(last + 1)
  const span = unixMsOf(calm.at(-1)?.at ?? '') - unixMsOf(calm[0]?.at ?? '')
  return span >= SHORTEST_WINDOW_MS ? calm : before
}

/**
 * The change of the service of a server that lasts until the end: rejections and queues, else execution times, else the
 * rate of a flow schema.
 */
export function onsetOf(pages: readonly ServerFrame[], end: UnixMs): Onset {
  const [rejected, queued, slow] = [
    troubleSince(pages, end, rejectedIn),
    troubleSince(pages, end, queuedIn),
    slowSince(pages),
  ]
  const first = unixMsOf(pages[0]?.at ?? '')
  // A level that always queues begins to reject.
  const isLater =
    rejected !== undefined && queued !== undefined && queued <= first + PAUSE_MS && rejected - queued > PAUSE_MS
  const trouble = isLater ? rejected : earliest(queued, rejected)
  // Queues are a consequence of longer executions that began shortly before.
  const isBefore = trouble !== undefined && slow !== undefined && slow <= trouble - BIN_MS && trouble - slow <= LEAD_MS
  // Of trouble that is as old as the pages, what is new is that executions became longer.
  const isOld = trouble !== undefined && trouble <= first + BIN_MS && slow !== undefined
  const at = isBefore || isOld ? slow : (trouble ?? slow)
  if (at !== undefined)
    return { from: Math.min(at, end - SHORTEST_WINDOW_MS), at: at <= first + BIN_MS ? undefined : at, waiting: trouble }
  const busier = busierSince(settled(pages))
  if (busier !== undefined) return { from: Math.min(busier, end - SHORTEST_WINDOW_MS), at: busier, waiting: undefined }
  // Of few pages, half are those from before.
  const from = Math.max(end - WINDOW_MS, Math.min((first + end) / 2, end - SHORTEST_WINDOW_MS))
  return { from, at: undefined, waiting: undefined }
}

const earliest = (a: UnixMs | undefined, b: UnixMs | undefined): UnixMs | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/** Pages that are no effect of a start of the server. */
export const settled = (pages: readonly ServerFrame[]): readonly ServerFrame[] =>
  pages.filter(({ at, startedAt }) => startedAt === undefined || unixMsOf(at) >= startedAt * MS_PER_SECOND + START_MS)

/** The last page before the trouble that lasts until the end. */
function troubleSince(
  pages: readonly ServerFrame[],
  end: UnixMs,
  troubleIn: (earlier: ServerFrame, page: ServerFrame) => number,
): UnixMs | undefined {
  const troubleAt = (i: number): number => {
    const [earlier, page] = [pages[i - 1], pages[i]]
    return earlier === undefined || page === undefined ? 0 : troubleIn(earlier, page)
  }
  const times = (i: number): UnixMs => unixMsOf(pages[i]?.at ?? '')
  let [sum, count] = [0, 0]
  for (let i = pages.length - 1; i > 0 && times(i) > end - PAUSE_MS; i--, count++) sum += troubleAt(i)
  let [latest, onset]: [UnixMs, UnixMs | undefined] = [end, undefined]
  for (let i = pages.length - 1; i > 0 && latest - times(i) <= PAUSE_MS; i--) {
    const trouble = troubleAt(i)
    if (trouble === 0 || trouble < (SAME_TROUBLE * sum) / count) continue
    latest = times(i)
    onset = times(i - 1)
  }
  return onset
}

/** Requests that wait; one alone is chance. */
const queuedIn = (_: ServerFrame, { levels }: ServerFrame): number =>
  levels.reduce((sum, { requests: { queued = 0 } }) => sum + (queued > 1 ? queued : 0), 0)

/** Requests rejected per second. */
const rejectedIn = betweenTwo((earlier: ServerFrame, page: ServerFrame): number => {
  const seconds = Math.max(1, (unixMsOf(page.at) - unixMsOf(earlier.at)) / MS_PER_SECOND)
  return page.levels.reduce((sum, level) => {
    const was = levelIn(earlier, level.name)
    return sum + allRejected(rejectedSince(level, was)) / seconds
  }, 0)
})

/** A rate has changed from this factor and difference per second on, if the difference is that many deviations. */
const MORE = { ratio: 1.3, perSecond: 1, deviations: 6 } as const
const FEWEST_STEPS = 5

/** Since when a flow schema receives more requests; the one that changed most clearly. */
function busierSince(pages: readonly ServerFrame[]): UnixMs | undefined {
  const names = new Set(pages.flatMap(({ levels }) => levels.flatMap(({ schemas }) => schemas.map(({ name }) => name))))
  let best: { readonly at: number; readonly deviations: number } | undefined
  for (const name of names) {
    const counts = pages.map(({ levels }) =>
      levels.reduce((sum, level) => sum + (level.schemas.find((one) => one.name === name)?.dispatched ?? 0), 0),
    )
    const rates = counts.slice(1).map((count, i) => {
      const seconds = (unixMsOf(pages[i + 1]?.at ?? '') - unixMsOf(pages[i]?.at ?? '')) / MS_PER_SECOND
      return Math.max(0, count - (counts[i] ?? 0)) / Math.max(1, seconds)
    })
    const all = sumsOf(rates)
    let [sum, squares] = [0, 0]
    for (const [i, rate] of rates.entries()) {
      sum += rate
      squares += rate * rate
      const at = i + 1
      if (at < FEWEST_STEPS || at > rates.length - FEWEST_STEPS) continue
      const [was, is] = [
        statisticsOf({ sum, squares, count: at }),
        statisticsOf({ sum: all.sum - sum, squares: all.squares - squares, count: rates.length - at }),
      ]
      const difference = is.mean - was.mean
      if (is.mean < MORE.ratio * was.mean || difference < MORE.perSecond) continue
      const deviations = difference / Math.sqrt(was.error + is.error)
      if (deviations >= Math.max(MORE.deviations, best?.deviations ?? 0)) best = { at, deviations }
    }
  }
  return best === undefined ? undefined : unixMsOf(pages[best.at]?.at ?? '')
}

interface Sums {
  readonly sum: number
  readonly squares: number
  readonly count: number
}
const sumsOf = (values: readonly number[]): Sums => ({
  sum: values.reduce((sum, value) => sum + value, 0),
  squares: values.reduce((sum, value) => sum + value * value, 0),
  count: values.length,
})

/** Mean, and the variance of that mean: never less than for even requests. */
function statisticsOf({ sum, squares, count }: Sums): { readonly mean: number; readonly error: number } {
  const mean = sum / count
  return { mean, error: Math.max(squares / count - mean * mean, 0.1) / count }
}

/**
 * Since when requests take longer: the split of the pages at which execution times, each compared with those of its own
 * flow schema, differ most.
 */
function slowSince(pages: readonly ServerFrame[]): UnixMs | undefined {
  const bins = spaced(settled(pages), BIN_MS)
  const usual = new Map<string, { sum: number; count: number }>()
  const steps = bins.slice(1).map((page, i) => executionsInBin(bins[i] ?? page, page))
  for (const step of steps) {
    for (const [key, { sum, count }] of step) {
      const all = usual.get(key) ?? { sum: 0, count: 0 }
      usual.set(key, { sum: all.sum + sum, count: all.count + count })
    }
  }
  const indexes = steps.map((step) => {
    let [is, expected] = [0, 0]
    for (const [key, { sum, count }] of step) {
      const all = usual.get(key)
      if (all === undefined || all.sum === 0 || count < FEWEST_FINISHED) continue
      is += (sum / all.sum) * all.count
      expected += count
    }
    return expected === 0 ? 0 : Math.log(Math.max(1e-6, is / expected))
  })
  let best: { readonly at: number; readonly gain: number; readonly ratio: number } | undefined
  for (let at = 2; at <= indexes.length - 2; at++) {
    const [before, after] = [meanOf(indexes.slice(0, at)) ?? 0, meanOf(indexes.slice(at)) ?? 0]
    const gain = at * (indexes.length - at) * (after - before) ** 2
    if (gain > (best?.gain ?? 0)) best = { at, gain, ratio: Math.exp(after - before) }
  }
  if (best === undefined || best.ratio < SLOWER) return undefined
  // The last bins before the end may still belong to the time before.
  const { at } = best
  const middle = ((meanOf(indexes.slice(0, at)) ?? 0) + (meanOf(indexes.slice(at)) ?? 0)) / 2
  return unixMsOf(bins[indexes.findIndex((index, i) => i >= at && index >= middle)]?.at ?? '')
}

/** Seconds and number of executions. */
interface Finished {
  readonly sum: number
  readonly count: number
}

/** What finished between two pages, by level and flow schema. */
function executionsBetween(from: ServerFrame, to: ServerFrame): ReadonlyMap<string, Finished> {
  const found = new Map<string, Finished>()
  for (const level of to.levels) {
    if (isExempt(level)) continue
    const was = levelIn(from, level.name)
    for (const { name, execution } of level.schemas) {
      if (execution === undefined) continue
      const earlier = was?.schemas.find((schema) => schema.name === name)?.execution
      const [sum, count] = [execution.sum - (earlier?.sum ?? 0), execution.count - (earlier?.count ?? 0)]
      if (count > 0 && sum >= 0) found.set(`${level.name}\n${name}`, { sum, count })
    }
  }
  return found
}
/** Between pages of one distance and of another, so that of each page one earlier one is kept. */
const [executionsInBin, executionsInStep] = [betweenTwo(executionsBetween), betweenTwo(executionsBetween)]

/** Executions before and after an instant are compared over this time; a flood explains what changes this close to it. */
const ASIDE_MS = 20_000
const OF_FLOOD_MS = 12_000
const STEP_MS = OF_FLOOD_MS / 3
/** Steps on each side of an instant that may be that close to it. */
const NEAR = ASIDE_MS / STEP_MS
const APART = 1.8
/** The same after a flood began: a machine becomes slower by and by as it fills. */
const APART_LATER = 3
/** Seconds; quick requests vary by less. */
const LEAST_SLOWER = 0.05
const MOST_SLOWER = 0.6

/**
 * When requests of most flow schemas, and of two at least, became longer at once, while none of these floods began;
 * `undefined` if they never did.
 */
export function slowerApartFrom(pages: readonly ServerFrame[], floods: readonly UnixMs[]): UnixMs | undefined {
  const bins = spaced(pages, STEP_MS)
  const times = bins.map(({ at }) => unixMsOf(at))
  const steps = bins.slice(1).map((page, i) => executionsInStep(bins[i] ?? page, page))
  /** Of each flow schema, what finished until each of the pages. */
  const totals = [...new Set(steps.flatMap((step) => [...step.keys()]))].map((key) => {
    let [sum, count] = [0, 0]
    return [{ sum, count }].concat(
      steps.map((step) => {
        sum += step.get(key)?.sum ?? 0
        count += step.get(key)?.count ?? 0
        return { sum, count }
      }),
    )
  })
  /** How many times longer requests execute after a page than before it; `undefined` unless most of them clearly do. */
  const jumps = times.map((at, i) => {
    if (floods.some((flood) => Math.abs(at - flood) < OF_FLOOD_MS)) return undefined
    // What a flood does is not compared with the time before it; it shows in pages that are read before the flood is seen.
    let [from, to] = [at - ASIDE_MS, at + ASIDE_MS]
    for (const flood of floods) {
      if (flood < at) from = Math.max(from, flood + OF_FLOOD_MS / 2)
      else to = Math.min(to, flood - OF_FLOOD_MS / 2)
    }
    let [first, last] = [i, i]
    while (first > Math.max(0, i - NEAR) && (times[first] ?? 0) > from) first--
    while (last < Math.min(steps.length, i + NEAR) && (times[last + 1] ?? 0) <= to) last++
    const ratios = totals.flatMap((until) => {
      const [was, is] = [meanOfFinished(until[first], until[i]), meanOfFinished(until[i], until[last])]
      return is === undefined || !was ? [] : [is - was < LEAST_SLOWER ? 1 : is / was]
    })
    const least = floods.some((flood) => flood < at) ? APART_LATER : APART
    const slower = ratios.filter((ratio) => ratio >= least).length
    return slower >= 2 && slower >= MOST_SLOWER * ratios.length ? { at, ratio: median(ratios) ?? 1 } : undefined
  })
  // The time after an instant shortly before it has some of it, too.
  return jumps.find(
    (jump, i) => jump && jumps.slice(i + 1, i + 1 + NEAR).every((next = jump) => next.ratio <= jump.ratio),
  )?.at
}

/** Mean time of what finished between two totals; `undefined` if that is too little. */
function meanOfFinished(from: Finished | undefined, until: Finished | undefined): number | undefined {
  const count = (until?.count ?? 0) - (from?.count ?? 0)
  return count < FEWEST_FINISHED ? undefined : ((until?.sum ?? 0) - (from?.sum ?? 0)) / count
}
