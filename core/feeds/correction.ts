import type { FeedWaits } from '../contract/live.ts'
import type { Histogram } from '../frame/frame.ts'
import { histogramIncrease } from '../frame/quantile.ts'
import type { Lane, ReportedTimes } from '../live/reportedTimes.ts'
import { lowerBound } from '../search.ts'
import { MS_PER_SECOND } from '../units.ts'

/** A request that the server executed, at its end. */
export interface Executed extends Lane {
  readonly endedMs: number
  /** From its receipt to its end, without the wait where the event has one. */
  readonly stayMs: number
  /** The event reports how much of that was execution: all of it. */
  readonly isExact: boolean
}

/** The execution times of a lane over an interval. */
interface Corrected {
  /** Ascending stays, milliseconds, and the execution time of each. */
  readonly staysMs: readonly number[]
  readonly executionsMs: readonly number[]
}

interface Interval {
  readonly fromMs: number
  readonly toMs: number
  readonly lanes: ReadonlyMap<string, Corrected>
}

interface Scrape {
  readonly times: ReportedTimes
  readonly before: ReportedTimes
}

/** Most ends that are kept in an interval; with more, it is not corrected. */
const MOST_ENDS = 200_000
/** How long an interval is kept: a request that is reported late may have ended in an earlier one. */
const REMEMBERED_MS = 60_000
/**
 * The feed and the server are taken to count the same requests up to this difference, absolute or relative: a scrape is
 * not instantaneous.
 */
const SAME_COUNT = 10
const SAME_PART = 0.2
/** Scrapes of a time that the feed has not reached: its clock may be hours behind. */
export const MOST_SCRAPES = 64

const keyOf = ({ level, schema }: Lane): string => `${level}\n${schema}`

/**
 * Execution times of requests for which a feed reports only the sum of wait and execution. The server's own histograms
 * report, by level and flow schema, how many requests executed between two scrapes and for how long: the stays in the
 * feed over the same time are mapped to them by rank, such that each lane's executions add up to the sum that the
 * server reports.
 */
export class ExecutionCorrection {
  private readonly holdMs: number
  private latest: ReportedTimes | undefined
  private firstMs = Number.POSITIVE_INFINITY
  /** Scrapes for whose time the feed may still report more, oldest first. */
  private scrapes: Scrape[] = []
  private ends: Executed[] = []
  private overflowed = false
  private intervals: Interval[] = []
  /** The end of the last complete interval, Unix milliseconds. */
  private closedMs = Number.NEGATIVE_INFINITY
  private readonly total = { fromMs: 0, toMs: 0, requests: 0, staysMs: 0, executionsMs: 0 }
  private readonly unlike = new Map<string, Lane & { feed: number; server: number }>()

  /** Requests are held back until the scrape after their end, but at most this long. */
  constructor(holdMs: number) {
    this.holdMs = holdMs
  }

  /** Whether the server's metrics are available. */
  get isKnown(): boolean {
    return this.latest !== undefined
  }

  /** Time leaps: everything before is dropped except the last scrape. */
  begin(): void {
    this.ends = []
    this.intervals = []
  }

  scraped(times: ReportedTimes): void {
    const { latest } = this
    this.firstMs = Math.min(this.firstMs, times.atMs)
    this.latest = times
    if (latest !== undefined && times.atMs > latest.atMs) this.scrapes.push({ times, before: latest })
    if (this.scrapes.length > MOST_SCRAPES) this.scrapes.shift()
  }

  ended(request: Executed): void {
    if (request.endedMs <= this.firstMs) return
    if (this.ends.length < MOST_ENDS) this.ends.push(request)
    else this.overflowed = true
  }

  /** The feed is complete up to here (Unix milliseconds). Returns the time up to which requests can be placed. */
  heardTo(unixMs: number): number {
    for (let [scrape] = this.scrapes; scrape !== undefined && scrape.times.atMs <= unixMs; [scrape] = this.scrapes) {
      this.scrapes.shift()
      this.close(scrape)
    }
    return unixMs <= this.firstMs ? unixMs : Math.max(this.firstMs, this.closedMs, unixMs - this.holdMs)
  }

  /** Requests that ended up to here (Unix milliseconds) were placed. */
  placedTo(unixMs: number): void {
    const [oldest] = this.intervals
    if (oldest === undefined || oldest.toMs >= unixMs - REMEMBERED_MS) return
    this.intervals = this.intervals.filter(({ toMs }) => toMs >= unixMs - REMEMBERED_MS)
  }

  /** Its execution in milliseconds; `undefined` if the server’s histograms do not determine it. */
  executionOf({ level, schema, endedMs, stayMs }: Omit<Executed, 'isExact'>): number | undefined {
    const interval = this.intervals.find(({ fromMs, toMs }) => endedMs > fromMs && endedMs <= toMs)
    const lane = interval?.lanes.get(keyOf({ level, schema }))
    if (interval === undefined || lane === undefined) return undefined
    const { staysMs, executionsMs } = lane
    const at = lowerBound(0, staysMs.length - 1, (place) => (staysMs[place] ?? 0) >= stayMs)
    const executionMs = Math.min(stayMs, executionsMs[at] ?? stayMs)
    const { total } = this
    if (total.requests === 0) total.fromMs = interval.fromMs
    total.toMs = Math.max(total.toMs, interval.toMs)
    total.requests += 1
    total.staysMs += stayMs
    total.executionsMs += executionMs
    return executionMs
  }

  /** Everything corrected so far; `undefined` if nothing was. */
  get report(): FeedWaits['corrected'] {
    const { fromMs, toMs, requests, staysMs, executionsMs } = this.total
    return requests === 0 ? undefined : { fromMs, toMs, requests, factor: staysMs === 0 ? 1 : executionsMs / staysMs }
  }

  /** Lanes in which the feed lacks requests that the server counted, in the intervals in which that was so. */
  get uncorrected(): NonNullable<FeedWaits['uncorrected']> {
    return [...this.unlike.values()].map((lane) => ({ ...lane }))
  }

  private close({ times, before }: Scrape): void {
    const fromMs = before.atMs
    const toMs = times.atMs
    const inside = this.ends.filter(({ endedMs }) => endedMs > fromMs && endedMs <= toMs)
    this.ends = this.ends.filter(({ endedMs }) => endedMs > toMs)
    this.closedMs = toMs
    const isComplete = !this.overflowed && times.startedMs === before.startedMs
    this.overflowed = false
    const lanes = new Map<string, Corrected>()
    if (isComplete) {
      const earlier = new Map(before.lanes.map((lane) => [keyOf(lane), lane.execution]))
      const byLane = Map.groupBy(inside, keyOf)
      for (const lane of times.lanes) {
        const ended = byLane.get(keyOf(lane))
        const executions = histogramIncrease(lane.execution, earlier.get(keyOf(lane)))
        if (ended === undefined || executions === undefined) continue
        if (areSame(ended.length, executions.count)) lanes.set(keyOf(lane), correct(ended, executions))
        else this.noteUnlike(lane, ended.length, executions.count)
      }
    }
    this.intervals.push({ fromMs, toMs, lanes })
  }

  private noteUnlike({ level, schema }: Lane, feed: number, server: number): void {
    const known = this.unlike.get(keyOf({ level, schema })) ?? { level, schema, feed: 0, server: 0 }
    known.feed += feed
    known.server += server
    this.unlike.set(keyOf(known), known)
  }
}

/** Whether these counts of a feed and a server refer to the same requests. */
const areSame = (feed: number, server: number): boolean =>
  Math.abs(feed - server) <= Math.max(SAME_COUNT, SAME_PART * server)

/** Requests that ended, and the server's histogram of their executions. */
export function correct(ended: readonly Pick<Executed, 'stayMs' | 'isExact'>[], executions: Histogram): Corrected {
  const exact = ended.filter(({ isExact }) => isExact)
  const staysMs = ended.flatMap(({ stayMs, isExact }) => (isExact ? [] : [stayMs])).toSorted((a, b) => a - b)
  const rest = without(
    executions,
    exact.map(({ stayMs }) => stayMs / MS_PER_SECOND),
  )
  const ranges = staysMs.map((stayMs, rank) => rangeAt((rank + 0.5) / staysMs.length, stayMs, rest))
  // Where the two counts differ by a few requests, the mean is common to both.
  const sumMs = rest.count > 0 ? (rest.sum * MS_PER_SECOND * staysMs.length) / rest.count : 0
  return { staysMs, executionsMs: equalForEqual(staysMs, withSum(sumMs, ranges)) }
}

/** The mean over equal stays, which nothing else distinguishes. */
function equalForEqual(staysMs: readonly number[], executionsMs: readonly number[]): number[] {
  const means: number[] = []
  while (means.length < staysMs.length) {
    const from = means.length
    const stayMs = staysMs[from] ?? 0
    const to = lowerBound(from, staysMs.length, (at) => (staysMs[at] ?? 0) > stayMs)
    const sum = executionsMs.slice(from, to).reduce((all, one) => all + one, 0)
    for (let at = from; at < to; at++) means.push(sum / (to - from))
  }
  return means
}

function without(all: Histogram, seconds: readonly number[]): Histogram {
  const inside = all.counts.map((count, at) => count - (at === 0 ? 0 : (all.counts[at - 1] ?? 0)))
  let { sum } = all
  for (const one of seconds) {
    const at = lowerBound(0, all.bounds.length, (bucket) => (all.bounds[bucket] ?? 0) >= one)
    inside[at] = Math.max(0, (inside[at] ?? 0) - 1)
    sum -= one
  }
  let below = 0
  const counts = inside.map((count) => (below += count))
  return { bounds: all.bounds, counts, sum: Math.max(0, sum), count: below }
}

/**
 * The certain bounds of the execution of a request, and its position between them if its bucket is filled evenly.
 * Milliseconds.
 */
interface Range {
  readonly least: number
  readonly even: number
  readonly most: number
}

/** The bucket at a quantile, limited by the stay. */
function rangeAt(quantile: number, stayMs: number, { bounds, counts, count }: Histogram): Range {
  const rank = quantile * count
  const bucket = lowerBound(0, bounds.length, (at) => (counts[at] ?? 0) >= rank)
  const below = bucket === 0 ? 0 : (counts[bucket - 1] ?? 0)
  const least = Math.min(stayMs, bucket === 0 ? 0 : (bounds[bucket - 1] ?? 0) * MS_PER_SECOND)
  const most = Math.min(stayMs, (bounds[bucket] ?? Number.POSITIVE_INFINITY) * MS_PER_SECOND)
  const position = (rank - below) / Math.max(1, (counts[bucket] ?? 0) - below)
  return { least, even: least + position * (most - least), most }
}

/** One time in each range, as even as the sum allows. If no such times add up to the sum, the nearest ones. */
function withSum(sum: number, ranges: readonly Range[]): number[] {
  const total = (of: keyof Range): number => ranges.reduce((all, range) => all + range[of], 0)
  const [least, even, most] = [total('least'), total('even'), total('most')]
  const part = (from: number, to: number): number => (to === from ? 0 : Math.min(1, (sum - from) / (to - from)))
  if (sum >= even) {
    const towards = part(even, most)
    return ranges.map((range) => range.even + towards * (range.most - range.even))
  }
  if (sum >= least) {
    const towards = part(least, even)
    return ranges.map((range) => range.least + towards * (range.even - range.least))
  }
  // The requests are not quite those that the server counted: the sum is kept because the seats depend on it.
  return ranges.map((range) => (range.least * sum) / least)
}
