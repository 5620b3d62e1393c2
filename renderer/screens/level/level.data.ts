import { plural } from '../../../core/text/format.ts'
import type { DerivedLevel, DerivedServer, QuantileRange, TimeQuantile } from '../../../core/frame/derived.ts'
import type { LevelFrame, ServerFrame, RejectReason } from '../../../core/frame/frame.ts'
import { isExempt, REJECT_REASONS, sumOfKnown } from '../../../core/frame/reading.ts'
import {
  levelStates,
  troubleOf,
  type LevelState,
  allRejected,
  dispatchRate,
  recentRejected,
} from '../../../core/frame/recent.ts'
import { nominalSurplus, reportedServerLimit } from '../../../core/impact/reportedLimit.ts'
import {
  objectNamed,
  type FlowSchema,
  type PriorityLevelConfiguration,
  type Queuing,
} from '../../../core/config/objects.ts'
import { estimatedRetryAfter, type RejectionPoint } from '../../../core/engine/retryAfterEstimate.ts'
import type { Series } from '../../../core/history/series.ts'
import { MS_PER_SECOND, type UnixMs } from '../../../core/units.ts'
import { maxSeatsPerRequest } from '../../../core/engine/allocation.ts'
import type { TermId } from '../../../core/glossary/glossary.ts'
import { format } from '../../theme/format.ts'
import { REASON_TEXT } from '../../../core/verdict/rejectReasons.ts'

/** The kind of this level, as far as metrics and dumps show it; decides which panes the screen has. */
export type LevelKind = 'exempt' | 'queues' | 'rejects' | 'unknown'

/**
 * Queues in a dump prove that a level queues; a dump without any for it proves that it does not. Without a dump, any
 * wait so far or a virtual time proves queuing, and a rejection because of missing seats proves the opposite.
 */
export function levelKind(level: LevelFrame, queuesInDump: number | undefined): LevelKind {
  if (isExempt(level)) return 'exempt'
  if (queuesInDump !== undefined) return queuesInDump > 0 ? 'queues' : 'rejects'
  if ((level.virtualTime?.currentR ?? 0) > 0 || (level.requests.queued ?? 0) > 0) return 'queues'
  if ((level.rejected?.['concurrency-limit'] ?? 0) > 0) return 'rejects'
  return 'unknown'
}

/** A state in the header. */
export interface ShownState {
  readonly kind: Exclude<LevelState, 'unknown'> | 'borrowing' | 'lending'
  /** Seats borrowed or lent. */
  readonly seats?: number
}

/** States of a level now, worst first, and what it borrowed or lent. */
export function shownStates(level: LevelFrame, derived: DerivedLevel | undefined): readonly ShownState[] {
  const states: ShownState[] = levelStates(level, derived).flatMap((kind) => (kind === 'unknown' ? [] : [{ kind }]))
  if (isExempt(level)) return states
  const borrowed = derived?.borrowed ?? 0
  if (borrowed > 0) states.push({ kind: 'borrowing', seats: borrowed })
  if (borrowed < 0) states.push({ kind: 'lending', seats: -borrowed })
  return states
}

/**
 * Sum of the nominal limits of one server: its seats, plus the surplus from rounding each limit up (specification 6.1).
 * Where the sum includes deleted levels, the limit of the server.
 */
export function seatsThatExist(server: ServerFrame): number | undefined {
  if (nominalSurplus(server) > 0) return reportedServerLimit(server)
  let sum: number | undefined
  for (const { limits } of server.levels) if (limits.nominal !== undefined) sum = (sum ?? 0) + limits.nominal
  return sum
}

export const seatsExecuting = (server: ServerFrame): number =>
  server.levels.reduce((sum, level) => sum + (level.seats.executing ?? 0), 0)

/** One fact of the header: `min 24 lendable 90 %`. */
export interface Fact {
  readonly term: string
  readonly value: string
  readonly detail?: string
  /** Glossary entry of the term. */
  readonly glossary?: TermId
}

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`

/**
 * The facts that this server reported about the level's limits. Percentages are those of the object; without a readable
 * object they follow from limits that the server has rounded, which `≈` indicates.
 */
export function limitFacts(
  level: LevelFrame,
  exist: number | undefined,
  shape?: Pick<LevelShape, 'lendablePercent' | 'borrowingPercent'>,
): readonly Fact[] {
  const { nominal, lower, upper } = level.limits
  const facts: Fact[] = []
  if (nominal !== undefined) facts.push({ term: 'nominal', value: format.seats(nominal), glossary: 'nominal-limit' })
  if (isExempt(level)) return facts
  if (lower !== undefined) {
    const lendable =
      shape?.lendablePercent !== undefined
        ? { detail: `lendable ${shape.lendablePercent} %` }
        : nominal !== undefined && nominal > 0
          ? { detail: `lendable ≈ ${percent(nominal - lower, nominal)}` }
          : {}
    facts.push({ term: 'min', value: format.seats(lower), glossary: 'min', ...lendable })
  }
  if (upper !== undefined) {
    const detail =
      exist !== undefined && upper > exist
        ? {
            detail: `${shape !== undefined && shape.borrowingPercent === undefined ? 'no borrowing limit, ' : ''}${format.seats(exist)} exist`,
          }
        : shape?.borrowingPercent !== undefined
          ? { detail: `borrows up to ${shape.borrowingPercent} %` }
          : nominal !== undefined && nominal > 0
            ? { detail: `borrows up to ≈ ${percent(upper - nominal, nominal)}` }
            : {}
    facts.push({ term: 'max', value: format.seats(upper), glossary: 'max', ...detail })
  }
  return facts
}

/**
 * The widest request estimated since the server started, in seats: the upper bound of the last bucket that holds one.
 * A bound, not a measurement, unless both ends of the bucket are the same.
 */
export function widestRequest(
  level: LevelFrame,
): { readonly above: number; readonly upTo: number | undefined } | undefined {
  let widest: { above: number; upTo: number | undefined } | undefined
  for (const { estimatedSeats } of level.schemas) {
    if (estimatedSeats === undefined) continue
    if (estimatedSeats.count === 0) continue
    const index = estimatedSeats.counts.findIndex((count) => count >= estimatedSeats.count)
    if (index < 0) continue
    const bucket = { above: estimatedSeats.bounds[index - 1] ?? 0, upTo: estimatedSeats.bounds[index] }
    if (widest === undefined || bucket.above > widest.above) widest = bucket
  }
  return widest
}

/** The widest request in words: `1 seat`, `3 to 4 seats`, `over 100 seats`. */
export function widthText({ above, upTo }: { readonly above: number; readonly upTo: number | undefined }): string {
  if (upTo === undefined) return `over ${above} seats`
  if (upTo <= 1) return '1 seat'
  return upTo - above <= 1 ? `${upTo} seats` : `${above + 1} to ${upTo} seats`
}

/** Smoothed demand of a past surge that holds unused seats while others wait (specification 6.3). */
export interface StaleDemand {
  readonly smoothed: number
  readonly highWatermark: number
  /** Another level with requests waiting. */
  readonly waiting: { readonly name: string; readonly requests: number; readonly limit: number | undefined }
}

/** Smoothed demand counts as stale above this many times the high watermark. */
const STALE_FACTOR = 10

export function staleDemand(server: ServerFrame, level: LevelFrame): StaleDemand | undefined {
  const { smoothed, highWatermark } = level.demand
  if (isExempt(level) || smoothed === undefined || highWatermark === undefined) return undefined
  if (smoothed <= STALE_FACTOR * highWatermark || smoothed < 1) return undefined
  // The watermark is that of the period before: a level that needs its seats now says otherwise.
  const { current = 0 } = level.limits
  if ((level.requests.queued ?? 0) > 0 || (level.seats.executing ?? 0) >= current) return undefined
  const [worst] = server.levels
    .flatMap((other) => {
      const requests = other.requests.queued ?? 0
      return other.name === level.name || requests === 0
        ? []
        : [{ name: other.name, requests, limit: other.limits.current }]
    })
    .toSorted((a, b) => b.requests - a.requests)
  return worst === undefined ? undefined : { smoothed, highWatermark, waiting: worst }
}

/** How much the level rejected, and over which time; undefined when that is not reported. */
export function rejectSentence(level: LevelFrame, derived: DerivedLevel | undefined): string | undefined {
  const total = rejectedTotal(level)
  if (total === undefined) return undefined
  if (total === 0) return 'No request was rejected since the server started.'
  const { recent } = derived ?? {}
  const since = `${format.fixed(total)} since the server started.`
  if (recent?.rejected === undefined) return since
  return `${rejectedNow(derived) === 0 ? 'None' : format.fixed(allRejected(recent.rejected))} in the last ${format.span(recent.seconds)}, ${since}`
}

/** The level to show when the address names none: rejecting, else queueing, else the busiest. */
export function levelToOpen(server: ServerFrame, derived: DerivedServer | undefined): string | undefined {
  const weight = (level: LevelFrame): number => {
    const own = derived?.levels.find((entry) => entry.name === level.name)
    const trouble = troubleOf(levelStates(level, own))
    const queued = level.requests.queued ?? 0
    if (trouble === undefined) return level.seats.executing ?? 0
    return (trouble === 'rejecting' ? 2e6 : 1e6) + queued
  }
  return server.levels.toSorted((a, b) => weight(b) - weight(a))[0]?.name
}

/**
 * Facts of a level that only the objects contain: the weight of its seats and how its requests wait (specification
 * 1.3).
 */
interface LevelShape {
  readonly shares: number
  /** Over all levels. */
  readonly shareSum: number
  /** Absent where nothing waits. */
  readonly queuing: Queuing | undefined
  /** Percent of the nominal limit that it may lend; absent for Exempt. */
  readonly lendablePercent: number | undefined
  /** Percent of the nominal limit that it may borrow; absent where it is unlimited. */
  readonly borrowingPercent: number | undefined
}

/** Shares of a level; objects have their defaults, so that only a level that cannot have shares has none. */
const sharesOf = ({ spec }: PriorityLevelConfiguration): number =>
  spec.limited?.nominalConcurrencyShares ?? spec.exempt?.nominalConcurrencyShares ?? 0

/** The shape of a level, or nothing when there is no object of it, for example while it drains. */
export function levelShape(levels: readonly PriorityLevelConfiguration[], name: string): LevelShape | undefined {
  const level = objectNamed(levels, name)
  if (level === undefined) return undefined
  const { limited } = level.spec
  return {
    shares: sharesOf(level),
    shareSum: levels.reduce((sum, one) => sum + sharesOf(one), 0),
    queuing: limited?.limitResponse.queuing,
    lendablePercent: level.spec.exempt === undefined ? (limited?.lendablePercent ?? 0) : undefined,
    borrowingPercent: limited?.borrowingLimitPercent,
  }
}

/** Names of the flow schemas whose requests go to a level, by their objects. */
export const schemasOf = (schemas: readonly FlowSchema[], level: string): readonly string[] =>
  schemas.filter(({ spec }) => spec.priorityLevelConfiguration.name === level).map(({ metadata }) => metadata.name)

/** `100 shares of 245`: precedes the limits that follow from it. */
export const shareFacts = ({ shares, shareSum }: LevelShape): readonly Fact[] => [
  { term: 'shares', value: format.fixed(shares), detail: `of ${format.fixed(shareSum)}`, glossary: 'shares' },
]

/** How requests wait, and how wide one may be (specification 5.2). */
export function queuingFacts({ queuing }: LevelShape, level: LevelFrame): readonly Fact[] {
  if (queuing === undefined) return []
  const { queues, handSize, queueLengthLimit } = queuing
  const facts: Fact[] = [
    {
      term: 'Queue',
      value: `${format.fixed(queues)} ${plural(queues, 'queue', 'queues')} × hand ${handSize} × length ${format.fixed(queueLengthLimit)}`,
      glossary: 'limit-response',
    },
  ]
  if (level.limits.nominal !== undefined) {
    const seats = maxSeatsPerRequest(level.limits.nominal, handSize)
    facts.push({
      term: 'widest request',
      value: `${format.seats(seats)} ${plural(seats, 'seat', 'seats')}`,
      glossary: 'max-seats',
    })
  }
  return facts
}

/**
 * Current Retry-After of rejected requests of the level (specification 4.14), which only the console's own engine
 * reports.
 */
export const retryAfterFacts = (seconds: number | undefined): readonly Fact[] =>
  seconds === undefined ? [] : [{ term: 'Retry-After', value: `${format.fixed(seconds)} s`, glossary: 'retry-after' }]

/**
 * The same for a scraped level, which does not report it: exact before the first rejection, otherwise estimated from
 * the shown range.
 */
export function scrapedRetryAfterFacts(level: LevelFrame, series: Series | undefined, at: UnixMs): readonly Fact[] {
  const total = rejectedTotal(level)
  if (total === undefined || isExempt(level)) return []
  if (total === 0) {
    const detail = 'nothing was rejected since the server started'
    return [{ term: 'Retry-After', value: '1 s', detail, glossary: 'retry-after' }]
  }
  // In a range of the past, points after the shown sample do not count.
  const points = series && rejectionPoints(series, level.name).filter((point) => point.at * MS_PER_SECOND <= at)
  const seconds = points && estimatedRetryAfter(points)
  return [
    seconds === undefined
      ? { term: 'Retry-After', value: 'unknown', detail: 'not reported by servers', glossary: 'retry-after' }
      : {
          term: 'Retry-After',
          value: `≈ ${format.fixed(seconds)} s`,
          detail: 'estimated from the rejections of this range',
          glossary: 'retry-after',
        },
  ]
}

/** How long requests of the server take, for comparison, as a whole and by verb: this metric has no level label. */
export function requestTimeFacts(times: DerivedServer['requests']): readonly Fact[] {
  if (times === undefined) return []
  const { mean, p50, p99, meanOwn, overSeconds, verbs } = times
  const own = meanOwn === undefined ? '' : `, ${format.seconds(meanOwn)} without webhooks and queues`
  const both = p50 === undefined || p99 === undefined ? '' : `; p50 ${quantileText(p50)}, p99 ${quantileText(p99)}`
  const over = `last ${format.span(overSeconds)}`
  return [
    {
      term: 'requests of all levels take',
      value: format.seconds(mean),
      detail: `on average${own}${both}; ${over}, without watches`,
    },
    ...VERB_TERMS.flatMap(([group, term]) => {
      const of = verbs[group]
      if (of === undefined) return []
      return [{ term, value: `p50 ${quantileText(of.p50)}`, detail: `p99 ${quantileText(of.p99)}` }]
    }),
  ]
}

const VERB_TERMS = [
  ['get', 'GET requests take'],
  ['list', 'LIST requests take'],
  ['write', 'writes take'],
] as const

const quantileText = ({ seconds, atLeast }: TimeQuantile): string => `${atLeast ? '≥ ' : ''}${format.seconds(seconds)}`

function rejectionPoints({ times, levels }: Series, name: string): readonly RejectionPoint[] {
  const columns = levels.find((level) => level.name === name)?.columns
  if (columns === undefined) return []
  const { queueFullRate, concurrencyLimitRate, timeOutRate } = columns
  return times.map((at, i) => ({
    at: at / MS_PER_SECOND,
    perSecond: sumOfKnown([queueFullRate, concurrencyLimitRate, timeOutRate].map((rates) => rates[i] ?? undefined)),
  }))
}

export interface RejectionRow {
  readonly reason: RejectReason
  readonly cause: string
  /** Requests since the server started. */
  readonly total: number | undefined
  /** Requests per second over the window of the present, about 10 s. */
  readonly rate: number | undefined
}

/** One row per reason that this level can have; reasons without an event read 0 and keep their explanation. */
export function rejectionRows(level: LevelFrame, derived: DerivedLevel | undefined): readonly RejectionRow[] {
  return REJECT_REASONS.map((reason) => ({
    reason,
    total: level.rejected?.[reason],
    rate: recentRejected(derived?.recent)?.[reason],
    cause: REASON_TEXT[reason],
  }))
}

/** Rejections of all reasons per second over the window of the present; `undefined` until that is known. */
export function rejectedNow(derived: Pick<DerivedLevel, 'recent'> | undefined): number | undefined {
  const rates = recentRejected(derived?.recent)
  return rates && allRejected(rates)
}

/** Rejections of all reasons since the server started. */
export const rejectedTotal = ({ rejected }: Pick<LevelFrame, 'rejected'>): number | undefined =>
  rejected && allRejected(rejected)

export interface SchemaRow {
  readonly name: string
  readonly dispatchedRate: number | undefined
  readonly rejectedRate: number | undefined
  readonly executing: number | undefined
  readonly executingSeats: number | undefined
  readonly queued: number | undefined
  readonly queuedSeats: number | undefined
  /** Seconds. */
  readonly waitP50: number | undefined
  readonly waitP99: number | undefined
  readonly waitP50Range: QuantileRange | undefined
  readonly waitP99Range: QuantileRange | undefined
  readonly executionP99: number | undefined
  /** Mean seats per classified request since the server started. */
  readonly meanSeats: number | undefined
}

/** What each flow schema of the level sends; busiest first. */
export function schemaRows(level: LevelFrame, derived: DerivedLevel | undefined): readonly SchemaRow[] {
  const rows = level.schemas.map((schema): SchemaRow => {
    const rates = derived?.schemas.find((entry) => entry.name === schema.name)
    const width = schema.estimatedSeats
    return {
      name: schema.name,
      dispatchedRate: dispatchRate(rates?.recent),
      rejectedRate: rejectedNow(rates),
      executing: schema.requests.executing,
      executingSeats: schema.seats.executing,
      queued: schema.requests.queued,
      queuedSeats: schema.seats.queued,
      waitP50: rates?.waitP50,
      waitP99: rates?.waitP99,
      waitP50Range: rates?.waitP50Range,
      waitP99Range: rates?.waitP99Range,
      executionP99: rates?.executionP99,
      meanSeats: width !== undefined && width.count > 0 ? width.sum / width.count : undefined,
    }
  })
  return rows.toSorted((a, b) => (b.dispatchedRate ?? -1) - (a.dispatchedRate ?? -1) || a.name.localeCompare(b.name))
}
