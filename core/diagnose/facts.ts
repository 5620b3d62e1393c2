import { configDiff } from '../config/content.ts'
import { type LimitedSpec, type ObjectSet, defaultLevel } from '../config/objects.ts'
import type { Observation, ObservedLevel, SchemaTraffic } from '../contract/forecast.ts'
import type { LiveRequest } from '../contract/live.ts'
import type { ServerHealth } from '../contract/source.ts'
import type { DumpFrame } from '../frame/dump.ts'
import type { Histogram, LevelFrame, Rejected, ServerFrame } from '../frame/frame.ts'
import { executingSeats, isExempt } from '../frame/reading.ts'
import { allRejected, rejectedSince } from '../frame/recent.ts'
import type { DerivedServer, QuantileRange } from '../frame/derived.ts'
import { histogramIncrease, histogramMean, sumHistograms } from '../frame/quantile.ts'
import { betweenTwo, type FrameIndex, hasRestarted, indexFrame, quantiles } from '../frame/rates.ts'
import { reportedServerLimit } from '../impact/reportedLimit.ts'
import { inOrder, meanOf, observeLevels } from '../twin/observe.ts'
import { createLedger, type DumpedFlow, type Ledger } from '../verdict/ledger.ts'
import { calmBefore, isMuchOf, onsetOf, settled, slowerApartFrom } from './onset.ts'
import { suspectsOf, type Suspect } from './suspects.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../units.ts'

/** The pages and dumps of one server, in any order. */
export interface ServerEvidence {
  readonly frames: readonly ServerFrame[]
  readonly dumps: readonly DumpFrame[]
  /** The newest page and what follows from all pages until then, where `frames` has only some of them. */
  readonly latest?: { readonly frame: ServerFrame; readonly derived: DerivedServer } | undefined
}

/** The objects from an instant on. */
export interface ObjectsAt {
  readonly at: UnixMs
  readonly objects: ObjectSet
}

/** What the forecast of an edit says: whom it helps, why it is not offered, or why there is none. */
export interface Forecast {
  readonly text: string
  /** `undefined`: no run could judge it. */
  readonly helps: boolean | undefined
}

/** By edit: forecasts that were asked for before, and of which instant they are. */
export type Forecasts = Map<string, { readonly at: UnixMs; readonly forecast: Forecast }>

/** Input of a diagnosis. What a source does not provide is empty or `undefined`. */
export interface Evidence {
  readonly servers: readonly ServerEvidence[]
  readonly health: readonly ServerHealth[]
  readonly objects: ObjectSet | undefined
  /** The same over time, oldest first, as far as they were seen. */
  readonly history?: readonly ObjectsAt[]
  /** Single requests of the same time, each once, in its last state. */
  readonly requests?: readonly LiveRequest[]
  /** Forecasts of remedies that are asked for again and again. */
  readonly forecasts?: Forecasts
  /** The instant to diagnose; samples that end long before it are stale. Absent: the last sample. */
  readonly asOf: UnixMs | undefined
  /** That instant is over, as those of a recording are: what is said of it begins with its time. */
  readonly isPast?: boolean
}

/** A wait that a client notices, seconds. */
export const NOTICED_SECONDS = 0.1

/** One level of one server over the window, compared with the time before it if that is available. */
export interface LevelFacts {
  readonly name: string
  /** The last page, and the first of the window. */
  readonly last: LevelFrame
  readonly spec: LimitedSpec | undefined
  readonly now: ObservedLevel
  readonly before: ObservedLevel | undefined
  /** Requests in the window. */
  readonly rejected: Rejected
  readonly dispatched: number
  /** Pages of the window in which requests wait, and their number. */
  readonly pagesQueued: number
  readonly mostQueued: number
  /**
   * Fraction of the pages, from the first one in which requests wait, in which they do or the executing seats reach the
   * limit.
   */
  readonly fullShare: number
  /** Seconds that these pages represent. */
  readonly fullSeconds: number
  /** Mean executing seats and limit of the pages from that first one on. */
  readonly usedSeats: { readonly executing: number; readonly current: number }
  /** Mean seats of a request that executes or waits; `undefined` while there is none. */
  readonly seatsPerRequest: number | undefined
  /** Waits of requests that were dispatched in the window, and the bounds between which their p99 lies. */
  readonly waits: Histogram | undefined
  readonly waitRange: QuantileRange | undefined
  /** First page of the window in which requests wait or a rejection is counted. */
  readonly troubledAt: UnixMs | undefined
  /** Flows in dumps of the window, those with the most requests and seats first. */
  readonly flows: readonly DumpedFlow[]
  /** Clients out of proportion, the largest first. */
  readonly suspects: readonly Suspect[]
}

export interface ServerFacts {
  readonly id: string
  readonly from: UnixMs
  readonly to: UnixMs
  readonly pages: readonly ServerFrame[]
  /** With those from before the last edit. */
  readonly sinceOnset: readonly ServerFrame[]
  /** The last edit since the onset, while too little time has passed to see its effect. */
  readonly editedAt: UnixMs | undefined
  readonly last: ServerFrame
  readonly stepMs: number
  /** By name; without the exempt level. */
  readonly levels: readonly LevelFacts[]
  readonly exempt: Pick<LevelFacts, 'name' | 'now' | 'before'> | undefined
  /** Mean executing seats of the exempt level, and of all levels. */
  readonly exemptSeats: number
  /** When exempt requests began to use half of these seats, where that was shortly before the trouble or since. */
  readonly exemptBegan: UnixMs | undefined
  readonly allSeats: number
  /** Seats of the server now, and when its first page was read; `undefined` if the pages do not show it. */
  readonly limit: number | undefined
  readonly limitBefore: number | undefined
  /** When the process started that the pages show to have restarted: as it reports itself, else its first page. */
  readonly restartedAt: UnixMs | undefined
  readonly dumps: number
  /** Who uses it, and who did before. */
  readonly ledger: Ledger
  readonly earlier: Ledger
  /** When executions became longer although no client began to use much then; `undefined` if they did not. */
  readonly slowedAt: UnixMs | undefined
  /** When the present trouble began; `undefined` without trouble, or where it is as old as the samples. */
  readonly since: UnixMs | undefined
  /** Requests have waited or been rejected for so short a time that a shape of the configuration says little. */
  readonly isYoung: boolean
  readonly hasBaseline: boolean
  /** Nominal limits of levels that changed within the pages, and the first page with the present one. */
  readonly resized: readonly {
    readonly level: string
    readonly from: number
    readonly to: number
    readonly at: UnixMs
  }[]
}

/** Whether a level is in trouble: it rejects, or lets requests wait noticeably. */
export const isTroubled = ({ now, rejected, dispatched, mostQueued }: LevelFacts): boolean =>
  allRejected(rejected) > Math.max(0, 0.001 * dispatched) ||
  (now.quantities.waitP99 ?? 0) >= NOTICED_SECONDS ||
  (mostQueued > 0 && (now.evidence.queued ?? 0) >= 1)

/** Neither in trouble nor with more than a passing request in the newest page, whose wait is not known yet. */
export const isCalm = (level: LevelFacts): boolean => !isTroubled(level) && (level.last.requests.queued ?? 0) <= 1

/** Severity of the trouble, to compare levels: rejections count before waits. */
export const troubleOf = ({ rejected, now }: LevelFacts): number =>
  allRejected(rejected) * 10 + (now.evidence.queued ?? 0) + (now.quantities.waitP99 ?? 0)

/** `undefined` if the pages since the last start of the server cover too little time. */
export function serverFacts(
  { frames, dumps }: ServerEvidence,
  { objects, requests = [], history = [] }: Pick<Evidence, 'objects' | 'requests' | 'history'>,
): ServerFacts | undefined {
  const distinct = inOrder(frames)
  const restart = distinct.findLastIndex((frame, i) => {
    const before = distinct[i - 1]
    return before !== undefined && restartedBetween(before, frame)
  })
  const run = restart > 0 ? distinct.slice(restart) : distinct
  const last = run.at(-1)
  const first = distinct[0]
  if (last === undefined || first === undefined) return undefined
  const to = unixMsOf(last.at)
  const { from, at: since, waiting } = onsetOf(run, to)
  const whole = run.filter((frame) => unixMsOf(frame.at) >= from)
  const editedAt = lastEdit(history, from, to)
  // What went before an edit says nothing about its effect.
  const begin = editedAt !== undefined && to - editedAt >= TELLING_MS ? editedAt : from
  const inside = whole.filter((frame) => unixMsOf(frame.at) >= begin)
  const outside = settled(run.filter((frame) => unixMsOf(frame.at) <= from))
  const now = observeLevels(inside)
  if (now === undefined) return undefined
  // What a restart left of the time before is little.
  const isEnough = restart <= 0 || observeLevels(outside) !== undefined
  const baseline = isEnough ? calmBefore(outside, inside) : settled(distinct.slice(0, restart))
  const before = observeLevels(baseline)
  const onset = unixMsOf(whole[0]?.at ?? last.at)
  const start = unixMsOf(inside[0]?.at ?? last.at)
  // Of waits that have just begun, the window also shows the time before.
  const shown = dumps.some(({ at }) => unixMsOf(at) >= (waiting ?? Infinity)) ? waiting : undefined
  const seenFrom = Math.max(start, shown ?? start)
  const ledger = ledgerOf({ dumps, requests }, seenFrom, to)
  /** The trouble of a level may be younger than that of the server, and the time before it would dilute its clients. */
  const ledgerSince = (at: UnixMs): Ledger => {
    const own = at < seenFrom + YOUNGER_MS ? ledger : ledgerOf({ dumps, requests }, at, to)
    return own.dumps > 0 ? own : ledger
  }
  const [first0, last0] = [baseline[0], baseline.at(-1)].map((page) => unixMsOf(page?.at ?? last.at))
  // Who causes it may have begun shortly before it showed.
  const lead = Math.min(LEAD_MS, ((last0 ?? onset) - (first0 ?? onset)) / 3)
  const earlier = ledgerOf({ dumps, requests }, first0 ?? onset, onset - 1 - lead)
  const exemptSeats = inside.map(({ levels }) => levels.find(isExempt)?.seats.executing ?? 0)
  const shape = new Map(
    objects?.levels.map((level) => [level.metadata.name, defaultLevel(level).spec.limited] as const) ?? [],
  )
  const read = { whole: whole.map(indexFrame), inside: inside.map(indexFrame), times: whole.map(({ at }) => at) }
  const limited = last.levels
    .filter((level) => !isExempt(level))
    .map((level) =>
      levelFacts(level, { ...read, now, before, ledgerSince, earlier, dumps, spec: shape.get(level.name) }),
    )
  const exempts = exemptSince(run, meanOf(exemptSeats) ?? 0)
  const floods = [...limited.flatMap(({ suspects }) => suspects.flatMap((one) => one.since ?? [])), ...(exempts ?? [])]
  return {
    id: last.id,
    from: start,
    to,
    pages: inside,
    sinceOnset: whole,
    editedAt: begin === from ? editedAt : undefined,
    last,
    stepMs: now.stepMs,
    levels: limited,
    slowedAt: floods.length === 0 ? undefined : slowerApartFrom(settled(run), floods),
    exempt: last.levels
      .filter(isExempt)
      .map(({ name }) => ({ name, now: observed(now, name), before: before && observed(before, name) }))[0],
    exemptSeats: meanOf(exemptSeats) ?? 0,
    exemptBegan: exempts?.find((at) => at > unixMsOf(run[0]?.at ?? '') && at >= onset - EXEMPT_LEAD_MS),
    allSeats: meanOf(inside.map(executingSeats)) ?? 0,
    limit: reportedServerLimit(last),
    limitBefore: reportedServerLimit(first),
    restartedAt:
      restart > 0
        ? last.startedAt === undefined
          ? unixMsOf(run[0]?.at ?? last.at)
          : last.startedAt * MS_PER_SECOND
        : undefined,
    dumps: ledger.dumps,
    ledger,
    earlier,
    since,
    isYoung: waiting !== undefined && to - waiting < YOUNG_MS,
    hasBaseline: before !== undefined,
    resized: last.levels.flatMap(({ name, limits: { nominal: is } }) => {
      const was = first.levels.find((level) => level.name === name)?.limits.nominal
      if (was === undefined || is === undefined || was === is) return []
      const other = distinct.findLastIndex(
        ({ levels }) => levels.find((level) => level.name === name)?.limits.nominal !== is,
      )
      return [{ level: name, from: was, to: is, at: unixMsOf(distinct[other + 1]?.at ?? last.at) }]
    }),
  }
}

const restartedBetween = betweenTwo((before: ServerFrame, after: ServerFrame) => hasRestarted(before, after))

const YOUNG_MS = 15_000
const YOUNGER_MS = 10_000

/** An edit shows in limits and queues after this time, and in enough samples. */
export const TELLING_MS = 30_000

/** When the objects changed last between the onset and the end. */
function lastEdit(history: readonly ObjectsAt[], onset: UnixMs, end: UnixMs): UnixMs | undefined {
  const edit = history.findLast(({ at, objects }, i) => {
    const before = history[i - 1]
    return at > onset && at <= end && before !== undefined && configDiff(before.objects, objects).length > 0
  })
  return edit?.at
}

/** The first page with half of the present exempt seats, where they are many. */
function exemptSince(pages: readonly ServerFrame[], seats: number): readonly UnixMs[] | undefined {
  const first = pages.find(({ levels }) => (levels.find(isExempt)?.seats.executing ?? 0) >= seats / 2)
  return first === undefined || seats < 1 ? undefined : [unixMsOf(first.at)]
}

const LEAD_MS = 15_000
/** Nothing limits exempt requests: they pile up until others suffer. */
const EXEMPT_LEAD_MS = 60_000

/** Dumps and single requests between two instants. */
function ledgerOf(
  { dumps, requests }: { readonly dumps: readonly DumpFrame[]; readonly requests: readonly LiveRequest[] },
  from: UnixMs,
  to: UnixMs,
): Ledger {
  const ledger = createLedger()
  for (const dump of dumps) if (unixMsOf(dump.at) >= from && unixMsOf(dump.at) <= to) ledger.dump(dump)
  ledger.requests(requests.filter(({ at }) => at >= from && at <= to))
  return ledger.finish((to - from) / MS_PER_SECOND)
}

interface Context extends Pick<ServerFacts, 'earlier'> {
  readonly ledgerSince: (at: UnixMs) => Ledger
  readonly whole: readonly FrameIndex[]
  /** Of `whole`, RFC 3339. */
  readonly times: readonly string[]
  readonly inside: readonly FrameIndex[]
  readonly now: Observation
  readonly before: Observation | undefined
  readonly dumps: readonly DumpFrame[]
  readonly spec: LimitedSpec | undefined
}

function levelFacts(last: LevelFrame, context: Context): LevelFacts {
  const { name } = last
  const since = context.whole.map(({ levels }) => levels.get(name))
  const pages = context.inside.flatMap(({ levels }) => levels.get(name) ?? [])
  const start = context.inside[0]?.levels.get(name)
  const now = observed(context.now, name)
  const before = context.before && observed(context.before, name)
  // Wide requests wait while narrow ones execute beside them. Only of those whose number and seats are known.
  let [seats, requests] = [0, 0]
  for (const page of pages) {
    for (const kind of ['executing', 'queued'] as const) {
      const [width, count] = [page.seats[kind], page.requests[kind]]
      if (width === undefined || count === undefined) continue
      seats += width
      requests += count
    }
  }
  // A request waits until its seats are free, and a wide one may leave some of them free.
  const waiting = pages.findIndex((page) => (page.requests.queued ?? 0) > 0)
  const troubled = pages.slice(Math.max(0, waiting))
  const full = troubled.filter(
    ({ seats: { executing = 0 }, requests: { queued: waits = 0 }, limits: { current = Infinity } }) =>
      waits > 0 || executing >= FULL_PART * current,
  )
  const queued = pages.map((page) => page.requests.queued ?? 0)
  const waits = sumHistograms(
    last.schemas.flatMap(({ name: schema, wait }) => {
      const earlier = start?.schemas.find((one) => one.name === schema)?.wait
      return (wait && histogramIncrease(wait, earlier)) ?? []
    }),
  )
  const [onset] = since
  const hasRejected = (page: LevelFrame): boolean => allRejected(rejectedSince(page, onset)) > 0
  const rejects = hasRejected(last)
  const inTrouble = since.findIndex(
    (page) => page !== undefined && ((page.requests.queued ?? 0) > 0 || (rejects && hasRejected(page))),
  )
  const troubledAt = context.times[inTrouble]
  const queues = since.map((page) => page?.requests.queued ?? 0)
  const peak = Math.max(0, ...queues)
  const began = queues.findIndex((count) => isMuchOf(count, peak))
  const ledger = context.ledgerSince(unixMsOf(context.times[Math.max(0, began - 1)] ?? ''))
  return {
    name,
    last,
    spec: context.spec,
    now,
    before,
    rejected: rejectedSince(last, start),
    dispatched: (last.dispatched ?? 0) - (start?.dispatched ?? 0),
    pagesQueued: queued.filter((count) => count > 0).length,
    mostQueued: Math.max(0, ...queued),
    seatsPerRequest: requests === 0 ? undefined : seats / requests,
    fullShare: troubled.length === 0 ? 0 : full.length / troubled.length,
    fullSeconds: (full.length * context.now.stepMs) / MS_PER_SECOND,
    usedSeats: {
      executing: meanOf(troubled.map((page) => page.seats.executing ?? 0)) ?? 0,
      current: meanOf(troubled.flatMap((page) => page.limits.current ?? [])) ?? 0,
    },
    waits,
    waitRange: quantiles({ wait: waits, execution: undefined }).waitP99Range,
    troubledAt: troubledAt === undefined ? undefined : unixMsOf(troubledAt),
    flows: ledger.flows.filter(({ level }) => level === name),
    suspects:
      troubledAt === undefined
        ? []
        : suspectsOf({
            level: name,
            limit: now.quantities.current ?? last.limits.current ?? 0,
            factor: longerBy(now, before),
            areFewer:
              before !== undefined && now.quantities.arrivalsPerSecond <= FEWER * before.quantities.arrivalsPerSecond,
            now: ledger,
            before: context.earlier,
            dumps: context.dumps,
          }),
  }
}

/** Of the requests that came before. */
const FEWER = 0.6

/** How many times longer than before its requests execute. */
function longerBy(now: ObservedLevel, before: ObservedLevel | undefined): number {
  const [is, was] = [executionOf(now), before && executionOf(before)]
  return is === undefined || was === undefined || was === 0 ? 1 : Math.max(1, is / was)
}

/** Of the current limit. */
const FULL_PART = 0.95

const observed = ({ levels }: Observation, name: string): ObservedLevel =>
  levels.find((level) => level.name === name) ?? {
    name,
    quantities: { arrivalsPerSecond: 0, rejectedPerSecond: 0 },
    evidence: {},
    smoothed: { first: undefined, last: undefined },
    demands: [],
    schemas: [],
  }

const meanIn = (traffic: readonly SchemaTraffic[], of: 'execution'): number | undefined => {
  const sum = sumHistograms(traffic.flatMap((schema) => schema[of] ?? []))
  return sum === undefined || sum.count === 0 ? undefined : histogramMean(sum)
}

/** Mean execution of finished requests, seconds. */
export const executionOf = ({ schemas }: Pick<ObservedLevel, 'schemas'>): number | undefined =>
  meanIn(schemas, 'execution')
/** Requests per second of all levels but exempt. */
export const arrivalsOf = (levels: readonly LevelFacts[]): number =>
  levels.reduce((sum, { now }) => sum + now.quantities.arrivalsPerSecond, 0)

/** Length of the window, seconds. */
export const secondsOf = ({ from, to }: Pick<ServerFacts, 'from' | 'to'>): number => (to - from) / MS_PER_SECOND
