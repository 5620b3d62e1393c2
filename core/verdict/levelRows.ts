import type { DerivedServer, QuantileRange } from '../frame/derived.ts'
import type { LevelFrame, Rejected, ServerFrame, RejectReason } from '../frame/frame.ts'
import { isExempt, movedSeats, REJECT_REASONS, sumOfKnown } from '../frame/reading.ts'
import { levelStates, type LevelState, allRejected, dispatchRate, recentRejected } from '../frame/recent.ts'
import type { DumpFrame } from '../frame/dump.ts'
import { asksForDump, flowKeyOf, flowName, isWaiting } from '../frame/flow.ts'
import { unixMsOf } from '../units.ts'
import { byCodeUnits } from '../text/text.ts'

/** A number, `undefined` when unknown, or not applicable to this level. */
export type Reading = number | undefined | 'n/a'

/** The seats of one level. `undefined` is unknown, never zero. */
export interface BarSeats {
  readonly executing: number | undefined
  readonly queued: number | undefined
  readonly current: number | undefined
  readonly nominal: number | undefined
  /** Upper limit; a value above the seats of the server means "no borrowing limit". */
  readonly upper: number | undefined
  /** Positive is borrowed, negative lent: seats that are withheld are neither. */
  readonly moved: number | undefined
  readonly exempt: boolean
}

const barSeats = (level: LevelFrame, server: ServerFrame): BarSeats => ({
  executing: level.seats.executing,
  queued: level.seats.queued,
  current: level.limits.current,
  nominal: level.limits.nominal,
  upper: level.limits.upper,
  moved: movedSeats(server, level.limits),
  exempt: isExempt(level),
})

/** One level of one server. Seats unless the name says otherwise. */
export interface LevelRow {
  readonly name: string
  readonly server: string
  readonly exempt: boolean
  /** Worst first. */
  readonly states: readonly LevelState[]
  readonly seats: BarSeats
  readonly lower: number | undefined
  /** Positive is borrowed, negative lent. */
  readonly change: Reading
  /** Smoothed demand; approximate while the page mixes two recomputations. */
  readonly demand: number | undefined
  readonly approximate: boolean
  readonly queuedRequests: number | undefined
  /** Seconds; not applicable when no request waited within the quantile window. */
  readonly waitP50: Reading
  readonly waitP99: Reading
  /** The range that certainly contains the quantiles. */
  readonly waitP50Range: QuantileRange | undefined
  readonly waitP99Range: QuantileRange | undefined
  /** Requests per second over the window of the present, about 10 s, like the two below. */
  readonly dispatchedPerSecond: number | undefined
  readonly noAccommodationPerSecond: number | undefined
  readonly rejectedPerSecond: number | undefined
  readonly rejectedBy: Rejected | undefined
}

const WAIT_FAMILY = 'apiserver_flowcontrol_request_wait_duration_seconds'

/** The table's rows, in the order given by `compare`. */
export function levelRows(
  server: ServerFrame,
  derived: DerivedServer | undefined,
  compare: (a: string, b: string) => number,
): readonly LevelRow[] {
  const waitsUnknown = server.missing.some(({ family }) => family === WAIT_FAMILY)
  return server.levels
    .toSorted((a, b) => compare(a.name, b.name))
    .map((level): LevelRow => {
      const seats = barSeats(level, server)
      const own = derived?.levels.find(({ name }) => name === level.name)
      const wait = (seconds: number | undefined): Reading => {
        if (seats.exempt) return 'n/a'
        return seconds ?? (waitsUnknown || derived?.noRates !== undefined ? undefined : 'n/a')
      }
      const rejectedBy = recentRejected(own?.recent)
      return {
        name: level.name,
        server: server.id,
        exempt: seats.exempt,
        states: levelStates(level, own),
        seats,
        lower: level.limits.lower,
        change: seats.exempt ? ('n/a' as const) : seats.moved,
        demand: level.demand.smoothed,
        approximate: derived?.torn ?? false,
        queuedRequests: level.requests.queued,
        waitP50: wait(own?.waitP50),
        waitP99: wait(own?.waitP99),
        waitP50Range: own?.waitP50Range,
        waitP99Range: own?.waitP99Range,
        dispatchedPerSecond: dispatchRate(own?.recent),
        noAccommodationPerSecond: own?.noAccommodationPerSecond,
        rejectedPerSecond: rejectedBy && allRejected(rejectedBy),
        rejectedBy,
      }
    })
}

/** Requests that wait; their seats where the pages do not count them. */
const waitingIn = ({ queuedRequests, seats: { queued = 0 } }: LevelRow): number => queuedRequests ?? queued

/** Rows that need attention: rejecting first, then by queued requests, whatever the order of the rows. */
export function needAttention(rows: readonly LevelRow[]): readonly LevelRow[] {
  return rows
    .filter(({ states }) => states.includes('rejecting') || states.includes('queueing'))
    .toSorted(
      (a, b) =>
        (b.rejectedPerSecond ?? 0) - (a.rejectedPerSecond ?? 0) ||
        waitingIn(b) - waitingIn(a) ||
        byCodeUnits(a.name, b.name),
    )
}

/** Sums over the rows of one server; `undefined` as soon as one part is unknown. */
export interface Totals {
  /** Exempt included. */
  readonly executing: number | undefined
  /** Nominal seats of Limited levels. */
  readonly nominal: number | undefined
  readonly lent: number | undefined
  readonly borrowed: number | undefined
  readonly queuedRequests: number | undefined
  readonly queuedSeats: number | undefined
  readonly rejectedPerSecond: number | undefined
  /** The longest p99 of all levels, seconds. */
  readonly longestWait:
    { readonly seconds: number; readonly range: QuantileRange | undefined; readonly level: string } | undefined
}

const sumOf = (rows: readonly LevelRow[], pick: (row: LevelRow) => number | undefined): number | undefined =>
  rows.length === 0 ? undefined : sumOfKnown(rows.map(pick))

/** `rejections`: those of the same server; the ones of deleted levels, which have no row, count as well. */
export function totalsOf(rows: readonly LevelRow[], rejections: readonly RejectionRow[] = []): Totals {
  const limited = rows.filter((row) => !row.exempt)
  const change = (row: LevelRow) => (row.change === 'n/a' ? 0 : row.change)
  const moved = (sign: 1 | -1) => (row: LevelRow) => {
    const value = change(row)
    return value === undefined ? undefined : Math.max(0, sign * value)
  }
  let longestWait: Totals['longestWait']
  for (const { waitP99, waitP99Range: range, name } of rows) {
    if (typeof waitP99 === 'number' && waitP99 > (longestWait?.seconds ?? -1)) {
      longestWait = { seconds: waitP99, range, level: name }
    }
  }
  return {
    executing: sumOf(rows, (row) => row.seats.executing),
    nominal: sumOf(limited, (row) => row.seats.nominal),
    lent: sumOf(limited, moved(-1)),
    borrowed: sumOf(limited, moved(1)),
    queuedRequests: sumOf(rows, (row) => row.queuedRequests),
    queuedSeats: sumOf(rows, (row) => row.seats.queued),
    rejectedPerSecond: sumOfKnown([
      sumOf(rows, (row) => row.rejectedPerSecond),
      ...ofDeleted(rows, rejections).map(({ perSecond }) => perSecond),
    ]),
    longestWait,
  }
}

/** Rejections of levels that have no row any more. */
export const ofDeleted = (rows: readonly LevelRow[], rejections: readonly RejectionRow[]): readonly RejectionRow[] =>
  rejections.filter(({ level }) => rows.every(({ name }) => name !== level))

/** Requests rejected of one flow schema for one reason within the window. */
export interface RejectionRow {
  readonly server: string
  readonly level: string
  readonly schema: string
  readonly reason: RejectReason
  readonly count: number
  readonly perSecond: number
}

export interface RecentRejections {
  /** Length of the window of the present: about ten seconds, less after the start. */
  readonly seconds: number
  /** By level, flow schema and reason: an order by counts would change with every sample. */
  readonly rows: readonly RejectionRow[]
}

/** What one server rejected within the window; absent until two samples with known counters exist. */
export function recentRejections(derived: DerivedServer | undefined): RecentRejections | undefined {
  if (derived === undefined) return undefined
  const seconds = derived.levels.find(({ recent }) => recent?.rejected !== undefined)?.recent?.seconds
  if (seconds === undefined) return undefined
  const { id: server, gone = [] } = derived
  const flows = derived.levels.flatMap(({ name: level, schemas }) =>
    schemas.map(({ name: schema, recent }) => ({ level, schema, rejected: recent?.rejected })),
  )
  const rows = [...flows, ...gone].flatMap(({ level, schema, rejected }) =>
    REJECT_REASONS.flatMap((reason): readonly RejectionRow[] => {
      const count = rejected?.[reason] ?? 0
      return count > 0 ? [{ server, level, schema, reason, count, perSecond: count / seconds }] : []
    }),
  )
  return { seconds, rows: rows.toSorted(compare) }
}

const compare = (a: RejectionRow, b: RejectionRow) => (rejectionKey(a) < rejectionKey(b) ? -1 : 1)

/**
 * The present rows in their previous places: a row without rejections goes to zero, and new ones come last, so that
 * nothing moves while it is read. Starts over once nothing is rejected.
 */
export function keepPlaces(places: readonly RejectionRow[], now: readonly RejectionRow[]): readonly RejectionRow[] {
  if (now.length === 0) return []
  const current = new Map(now.map((row) => [rejectionKey(row), row]))
  const kept = places.map((row) => current.get(rejectionKey(row)) ?? { ...row, count: 0, perSecond: 0 })
  const known = new Set(places.map(rejectionKey))
  return [...kept, ...now.filter((row) => !known.has(rejectionKey(row)))]
}

export const rejectionKey = ({ server, level, schema, reason }: RejectionRow): string =>
  `${server}/${level}/${schema}/${reason}`

/** The flow with most of the requests of one level, according to a debug dump or the newest requests. */
export interface BusiestFlow {
  readonly level: string
  readonly name: string
  /** Its requests, out of the total. */
  readonly count: number
  readonly of: number
  /** Whether they are waiting requests; otherwise executing ones, because none waits. */
  readonly waits: boolean
  /** Unix milliseconds of the dump. */
  readonly at: number
}

/** Below this share of the requests a flow explains nothing. */
const MUCH = 0.3

/** `undefined` while no flow stands out, or its schema distinguishes none: then the schema is named instead. */
export function busiestInDump(dump: DumpFrame | undefined, level: string): BusiestFlow | undefined {
  // The dump contains the request that asked for it.
  const all = dump?.requests?.filter((request) => request.level === level && !asksForDump(request)) ?? []
  const waits = all.some(isWaiting)
  const held = all.filter((request) => isWaiting(request) === waits)
  const [[most, ...alike] = []] = [...Map.groupBy(held, flowKeyOf).values()].toSorted((a, b) => b.length - a.length)
  const count = alike.length + 1
  if (dump === undefined || most === undefined || most.flow === '' || count < MUCH * held.length) return undefined
  return { level, name: flowName(most.flow, most.schema), count, of: held.length, waits, at: unixMsOf(dump.at) }
}
