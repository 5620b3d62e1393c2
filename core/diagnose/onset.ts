import type { ServerFrame } from '../frame/frame.ts'
import { isExempt, REJECT_REASONS } from '../frame/reading.ts'
import { meanOf } from '../twin/observe.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../units.ts'

/** Length of the window while nothing is wrong, and its minimum for trouble that has just begun. */
const WINDOW_MS = 120_000
const SHORTEST_WINDOW_MS = 30_000
/** Trouble with pauses shorter than this counts as continuous. */
const PAUSE_MS = 30_000
/** Less than this part of the present trouble is not the same trouble: some levels always queue a little. */
const SAME_TROUBLE = 0.2
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
}

/** The change of the service of a server that lasts until the end: queues and rejections, else execution times. */
export function onsetOf(pages: readonly ServerFrame[], end: UnixMs): Onset {
  const [trouble, slow] = [troubleSince(pages, end), slowSince(pages)]
  // Queues are a consequence of longer executions that began shortly before.
  const isBefore = trouble !== undefined && slow !== undefined && slow < trouble && trouble - slow <= LEAD_MS
  const at = isBefore ? slow : (trouble ?? slow)
  if (at === undefined) return { from: end - WINDOW_MS, at }
  const from = Math.min(at, end - SHORTEST_WINDOW_MS)
  return { from, at: at <= unixMsOf(pages[0]?.at ?? '') ? undefined : at }
}

/** Pages that are no effect of a start of the server. */
export const settled = (pages: readonly ServerFrame[]): readonly ServerFrame[] =>
  pages.filter(
    ({ at, startedAt }) => startedAt === undefined || unixMsOf(at) >= startedAt * MS_PER_SECOND + START_MS,
  )

/** The last page before the trouble that lasts until the end. */
function troubleSince(pages: readonly ServerFrame[], end: UnixMs): UnixMs | undefined {
  const troubles = pages.slice(1).map((page, i) => troubleIn(page, pages[i] ?? page))
  const late = troubles.filter((_, i) => unixMsOf(pages[i + 1]?.at ?? '') > end - PAUSE_MS)
  const present = late.reduce((sum, one) => sum + one, 0) / Math.max(1, late.length)
  let [latest, onset]: [UnixMs, UnixMs | undefined] = [end, undefined]
  for (let i = pages.length - 1; i > 0; i--) {
    const [page, earlier] = [pages[i], pages[i - 1]]
    if (page === undefined || earlier === undefined || latest - unixMsOf(page.at) > PAUSE_MS) break
    const trouble = troubles[i - 1] ?? 0
    if (trouble === 0 || trouble < SAME_TROUBLE * present) continue
    latest = unixMsOf(page.at)
    onset = unixMsOf(earlier.at)
  }
  return onset
}

/** Requests that wait, and those rejected per second; one alone that waits is chance. */
function troubleIn(page: ServerFrame, earlier: ServerFrame): number {
  const seconds = Math.max(1, (unixMsOf(page.at) - unixMsOf(earlier.at)) / MS_PER_SECOND)
  return page.levels.reduce((sum, level) => {
    const was = earlier.levels.find(({ name }) => name === level.name)
    const rejected = REJECT_REASONS.reduce(
      (all, reason) => all + Math.max(0, (level.rejected?.[reason] ?? 0) - (was?.rejected?.[reason] ?? 0)),
      0,
    )
    const { queued = 0 } = level.requests
    return sum + (queued > 1 ? queued : 0) + rejected / seconds
  }, 0)
}

/**
 * Since when requests take longer: the split of the pages at which execution times, each compared with those of its own
 * flow schema, differ most.
 */
function slowSince(pages: readonly ServerFrame[]): UnixMs | undefined {
  const bins = binsOf(settled(pages))
  const usual = new Map<string, { sum: number; count: number }>()
  const steps = bins.slice(1).map((page, i) => executions(bins[i] ?? page, page))
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
  return best === undefined || best.ratio < SLOWER ? undefined : unixMsOf(bins[best.at]?.at ?? '')
}

/** One page for each stretch. */
function binsOf(pages: readonly ServerFrame[]): readonly ServerFrame[] {
  const bins: ServerFrame[] = []
  for (const page of pages) {
    const last = bins.at(-1)
    if (last === undefined || unixMsOf(page.at) - unixMsOf(last.at) >= BIN_MS) bins.push(page)
  }
  return bins
}

/** Seconds and number of executions that finished between two pages, by level and flow schema. */
function executions(
  from: ServerFrame,
  to: ServerFrame,
): ReadonlyMap<string, { readonly sum: number; readonly count: number }> {
  const found = new Map<string, { sum: number; count: number }>()
  for (const level of to.levels) {
    if (isExempt(level)) continue
    const was = from.levels.find(({ name }) => name === level.name)
    for (const { name, execution } of level.schemas) {
      if (execution === undefined) continue
      const earlier = was?.schemas.find((schema) => schema.name === name)?.execution
      const [sum, count] = [execution.sum - (earlier?.sum ?? 0), execution.count - (earlier?.count ?? 0)]
      if (count > 0 && sum >= 0) found.set(`${level.name}\n${name}`, { sum, count })
    }
  }
  return found
}

