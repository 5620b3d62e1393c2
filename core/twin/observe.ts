import { LEAST_AFTER_MS } from '../compare/period.ts'
import type { DemandPeriod, Observation, ObservedLevel, SchemaTraffic } from '../contract/forecast.ts'
import type { Histogram, LevelFrame, SchemaFrame, ServerFrame } from '../frame/frame.ts'
import { allRejected } from '../frame/recent.ts'
import { histogramIncrease, histogramMean, median, sumHistograms } from '../frame/quantile.ts'
import {
  betweenTwo,
  type FrameIndex,
  flowIncrease,
  hasRestarted,
  indexFrame,
  meanBetween,
  quantiles,
} from '../frame/rates.ts'
import { MS_PER_SECOND, type UnixMs, unixMsOf } from '../units.ts'
import { courseOf } from './course.ts'
import { slowdownOf } from './slowdown.ts'

/** Minimum length of a step: pages may arrive in quick succession. */
const SHORTEST_STEP_MS = 1_000
/** Interval at which a server recomputes its limits (specification 6.4). */
export const RECOMPUTATION_MS = 10_000
/** A shorter span has too little statistics to fit. */
export const SHORTEST_SPAN_SECONDS = LEAST_AFTER_MS / MS_PER_SECOND

/**
 * The pages since the last start of the server and the last configuration of its limits: earlier ones followed other
 * rules.
 * Ascending by time, each instant once.
 */
export function comparableFrames(frames: readonly ServerFrame[]): readonly ServerFrame[] {
  const distinct = inOrder(frames)
  const from = distinct.findLastIndex((frame, i) => breakBetween(distinct[i - 1], frame) !== undefined)
  return distinct.slice(Math.max(0, from))
}

/** Pages by time, each instant once. */
export const inOrder = (frames: readonly ServerFrame[]): readonly ServerFrame[] => {
  const ascending = frames.map((frame) => ({ frame, at: unixMsOf(frame.at) })).toSorted((a, b) => a.at - b.at)
  return ascending.flatMap(({ frame, at }, i) => (at === ascending[i - 1]?.at ? [] : [frame]))
}

/** Why two pages cannot be compared. */
type Break = 'restarted' | 'changed'

export function breakBetween(before: ServerFrame | undefined, after: ServerFrame): Break | undefined {
  if (before === undefined) return undefined
  if (hasRestarted(before, after)) return 'restarted'
  return nominals(before) === nominals(after) ? undefined : 'changed'
}

/** The pages until a restart of the server or a change of its limits, and which of these ended them. */
export function framesUntilBreak(frames: readonly ServerFrame[]): {
  readonly frames: readonly ServerFrame[]
  readonly ended: Break | undefined
} {
  const distinct = inOrder(frames)
  const end = distinct.findIndex((frame, i) => breakBetween(distinct[i - 1], frame) !== undefined)
  const first = distinct[end]
  if (first === undefined) return { frames: distinct, ended: undefined }
  return { frames: distinct.slice(0, end), ended: breakBetween(distinct[end - 1], first) }
}

const nominals = ({ levels }: ServerFrame): string =>
  JSON.stringify(levels.map(({ name, limits: { nominal, lower, upper } }) => [name, nominal, lower, upper]))

export const levelIn = (page: ServerFrame, name: string): LevelFrame | undefined => indexFrame(page).levels.get(name)

/** Observations of stretches of the past, which are looked at again with each new page. */
const OBSERVED = new WeakMap<ServerFrame, { readonly first: ServerFrame; readonly of: Observation | undefined }>()

/** The same without what only a twin needs; of the same first and last page it is computed once. */
export function observeLevels(frames: readonly ServerFrame[]): Observation | undefined {
  const [first, last] = [frames[0], frames.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const known = OBSERVED.get(last)
  if (known?.first === first) return known.of
  const of = observe(frames, false)
  OBSERVED.set(last, { first, of })
  return of
}

/** What happened between the first and the last of these pages; `undefined` if they span too little time. */
export function observe(frames: readonly ServerFrame[], isForTwin = true): Observation | undefined {
  const [first] = frames
  const last = frames.at(-1)
  if (first === undefined || last === undefined) return undefined
  const times = frames.map(({ at }) => unixMsOf(at))
  const [fromMs = 0, untilMs = 0] = [times[0], times.at(-1)]
  if (untilMs - fromMs < SHORTEST_SPAN_SECONDS * MS_PER_SECOND) return undefined
  const usual = median(times.slice(1).map((at, i) => at - (times[i] ?? at))) ?? SHORTEST_STEP_MS
  const stepMs = Math.max(SHORTEST_STEP_MS, Math.round(usual))
  const slowdown = isForTwin ? slowdownOf(frames) : undefined
  const span: Span = { pages: frames.map(indexFrame), times, fromMs, untilMs, stepMs, isForTwin }
  return {
    server: last.id,
    version: last.version,
    fromMs,
    untilMs,
    stepMs,
    levels: last.levels.map((level) => observedLevel(level, span)),
    ...(slowdown && { slowdown }),
  }
}

interface Span extends Pick<Observation, 'fromMs' | 'untilMs' | 'stepMs'> {
  readonly pages: readonly FrameIndex[]
  readonly times: readonly UnixMs[]
  readonly isForTwin: boolean
}

function observedLevel(last: LevelFrame, span: Span): ObservedLevel {
  const { fromMs, untilMs } = span
  const { name } = last
  const seconds = (untilMs - fromMs) / MS_PER_SECOND
  const pages = span.pages.map(({ levels }) => levels.get(name))
  const known = pages.filter((page) => page !== undefined)
  const [first] = pages
  const traffics = last.schemas.map((schema) => schemaTraffic(schema, pages, span))
  const increases = last.schemas.map((schema) => flowIncrease(schema, schemaIn(first, schema.name)))
  const wait = sumHistograms(increases.flatMap((one) => one.wait ?? []))
  const { waitP50, waitP99 } = quantiles({ wait, execution: undefined })
  const rejected = (page: LevelFrame | undefined): number => (page && rejectedIn(page)) ?? 0
  const seats = meanSeats(pages)
  const current = meanOf(known.map(({ limits }) => limits.current))
  const lengths = sumHistograms(
    last.schemas.flatMap(({ name: schema, queueLength }) => {
      return (queueLength && histogramIncrease(queueLength, schemaIn(first, schema)?.queueLength)) ?? []
    }),
  )
  return {
    name,
    quantities: {
      // Steps sample the intervals between pages, so their mean misses short ones and counts others twice.
      arrivalsPerSecond: traffics.reduce((sum, { arrived }) => sum + arrived, 0) / seconds,
      ...(waitP50 !== undefined && { waitP50 }),
      ...(waitP99 !== undefined && { waitP99 }),
      rejectedPerSecond: Math.max(0, rejected(last) - rejected(first)) / seconds,
      ...(seats !== undefined && { seats }),
      ...(current !== undefined && { current }),
    },
    evidence: {
      queued: meanOf(known.map(({ requests }) => requests.queued)),
      ...(span.isForTwin && {
        demand: meanOf(known.map(({ demand }) => demand.average)),
        deviation: meanOf(known.map(({ demand }) => demand.stdev)),
        highWatermark: meanOf(known.map(({ demand }) => demand.highWatermark)),
        queueLength: lengths && histogramMean(lengths),
        moved: courseOf(
          pages.filter((_, page) => page % stepsOf(span.stepMs) === 0).map(presentIn),
          0,
          (stepsOf(span.stepMs) * span.stepMs) / MS_PER_SECOND,
        )?.moved,
      }),
    },
    smoothed: { first: first?.demand.smoothed, last: last.demand.smoothed },
    demands: span.isForTwin ? demandsOf(pages, span) : [],
    schemas: traffics.flatMap(({ traffic }) => traffic ?? []),
  }
}

/** The reactions of clients are read from changes over about as much time as passes between two dumps. */
export const stepsOf = (stepMs: number): number => Math.max(1, Math.round(COURSE_MS / stepMs))
const COURSE_MS = 5_000

/** Pages show the statistics of the last recomputation until the next one. */
function demandsOf(
  pages: readonly (LevelFrame | undefined)[],
  { times, fromMs, untilMs }: Span,
): readonly DemandPeriod[] {
  const found: DemandPeriod[] = []
  let page = pages.length - 1
  for (let at = untilMs; at >= fromMs; at -= RECOMPUTATION_MS) {
    while (page > 0 && (times[page] ?? 0) > at) page--
    const { average, stdev, highWatermark } = pages[page]?.demand ?? {}
    if (average === undefined || stdev === undefined || highWatermark === undefined) continue
    found.push({ average, stdev, highWatermark })
  }
  return found.toReversed()
}

/** Time-weighted by the server if it reports that, otherwise the mean over the pages. */
function meanSeats(pages: readonly (LevelFrame | undefined)[]): number | undefined {
  let sum = 0
  for (const [i, later] of pages.entries()) {
    if (i === 0) continue
    const seats = seatsBetween(pages[i - 1], later)
    if (seats === undefined) return meanOf(pages.map((page) => page?.seats.executing))
    sum += seats
  }
  return sum / (pages.length - 1)
}

const knownSeatsBetween = betweenTwo((earlier: LevelFrame, later: LevelFrame): number | undefined => {
  const ratio = meanBetween(later.seatUtilization, earlier.seatUtilization)
  const limit = meanOf([earlier.limits.current, later.limits.current])
  return ratio === undefined || limit === undefined ? undefined : ratio * limit
})

const seatsBetween = (earlier: LevelFrame | undefined, later: LevelFrame | undefined): number | undefined =>
  earlier === undefined || later === undefined ? undefined : knownSeatsBetween(earlier, later)

const schemaIn = (page: LevelFrame | undefined, schema: string): SchemaFrame | undefined =>
  page?.schemas.find(({ name }) => name === schema)

/** `traffic` is `undefined` for a schema without requests in the span, or whose counts the server does not report. */
function schemaTraffic(
  last: SchemaFrame,
  pages: readonly (LevelFrame | undefined)[],
  { times, fromMs, untilMs, stepMs }: Span,
): { readonly arrived: number; readonly traffic?: SchemaTraffic } {
  const rows = pages.map((page) => schemaIn(page, last.name))
  const intervals = rows.slice(1).map((later, i) => intervalOf(rows[i], later, (times[i + 1] ?? 0) - (times[i] ?? 0)))
  const arrived = intervals.reduce((sum, interval) => sum + interval.arrived, 0)
  if (arrived === 0) return { arrived }
  const steps = Math.max(1, Math.floor((untilMs - fromMs) / stepMs))
  let at = 0
  const inSteps = Array.from({ length: steps }, (_, step) => {
    const middle = fromMs + (step + 0.5) * stepMs
    while (at < intervals.length - 1 && (times[at + 1] ?? 0) < middle) at++
    return intervals[at] ?? IDLE
  })
  const [first] = rows
  const increase = (histogram: 'execution' | 'executionWatch' | 'estimatedSeats'): Histogram | undefined => {
    const later = last[histogram]
    return later && histogramIncrease(later, first?.[histogram])
  }
  const traffic = {
    schema: last.name,
    arrivals: inSteps.map(({ arrivals }) => arrivals),
    rejected: inSteps.map(({ rejected }) => rejected),
    present: inSteps.map(({ present }) => present),
    execution: increase('execution'),
    executionWatch: increase('executionWatch'),
    widths: increase('estimatedSeats'),
    seats: meanOf(rows.map((row) => row?.seats.executing)),
  }
  return { arrived, traffic }
}

interface Interval {
  /** Requests. */
  readonly arrived: number
  /** Per second. */
  readonly arrivals: number
  readonly rejected: number
  readonly present: number
}
const IDLE: Interval = { arrived: 0, arrivals: 0, rejected: 0, present: 0 }

/** A schema without series has had no requests. */
const grownIn =
  (earlier: SchemaFrame | undefined, later: SchemaFrame | undefined) =>
  (of: (schema: SchemaFrame) => number | undefined): number =>
    ((later && of(later)) ?? 0) - ((earlier && of(earlier)) ?? 0)

/** Requests that arrived between two pages. */
function arrivedIn(earlier: SchemaFrame | undefined, later: SchemaFrame | undefined): number {
  const grown = grownIn(earlier, later)
  return Math.max(
    0,
    grown(({ dispatched }) => dispatched) + grown(rejectedIn) + grown(({ requests }) => requests.queued),
  )
}

function intervalOf(earlier: SchemaFrame | undefined, later: SchemaFrame | undefined, ms: number): Interval {
  const seconds = ms / MS_PER_SECOND
  const arrived = arrivedIn(earlier, later)
  return {
    arrived,
    arrivals: arrived / seconds,
    rejected: Math.max(0, grownIn(earlier, later)(rejectedIn)) / seconds,
    present: (presentIn(earlier) + presentIn(later)) / 2,
  }
}

const presentIn = (page: Pick<SchemaFrame, 'requests'> | undefined): number =>
  (page?.requests.executing ?? 0) + (page?.requests.queued ?? 0)

const rejectedIn = ({ rejected }: Pick<SchemaFrame, 'rejected'>): number | undefined =>
  rejected && allRejected(rejected)

/** Mean of the known values; `undefined` if there are none. */
export function meanOf(values: readonly (number | undefined)[]): number | undefined {
  let [sum, count] = [0, 0]
  for (const value of values) {
    if (value === undefined) continue
    sum += value
    count++
  }
  return count === 0 ? undefined : sum / count
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** Length of the time that was observed. */
export const spanSeconds = ({ fromMs, untilMs }: Pick<Observation, 'fromMs' | 'untilMs'>): number =>
  (untilMs - fromMs) / MS_PER_SECOND

/** Requests per second of all levels. */
export const arrivalsIn = ({ levels }: Pick<Observation, 'levels'>): number =>
  sumOf(levels.map(({ quantities }) => quantities.arrivalsPerSecond))
