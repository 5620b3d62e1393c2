import type { DumpLevel } from '../../../core/frame/dump.ts'
import type { DerivedLevel, DerivedServer } from '../../../core/frame/derived.ts'
import { isExempt, type LevelFrame, type ServerFrame } from '../../../core/frame/frame.ts'
import { levelStates, troubleOf, type LevelState, allRejected } from '../../../core/frame/recent.ts'
import { nominalSurplus, reportedServerLimit } from '../../../core/impact/serverLimit.ts'
import type { TermId } from '../../glossary/glossary.ts'
import { format } from '../../theme/format.ts'
import { rejectedNow, rejectedTotal } from './rejections.data.ts'
import type { LevelShape } from './shape.data.ts'

/** What kind of level this is, as far as metrics and dumps tell; decides which panes the screen has. */
export type LevelKind = 'exempt' | 'queues' | 'rejects' | 'unknown'

/**
 * Queues in a dump prove that a level queues; a dump without any for it proves that it does not. Without a dump,
 * anything that ever waited or a virtual time proves queuing, and a rejection for want of seats proves the opposite.
 */
export function levelKind(level: LevelFrame, queuesInDump: number | undefined): LevelKind {
  if (isExempt(level)) return 'exempt'
  if (queuesInDump !== undefined) return queuesInDump > 0 ? 'queues' : 'rejects'
  if ((level.virtualTime?.currentR ?? 0) > 0 || (level.requests.queued ?? 0) > 0) return 'queues'
  if ((level.rejected?.['concurrency-limit'] ?? 0) > 0) return 'rejects'
  return 'unknown'
}

/** A state as the header shows it. */
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
 * Sum of the nominal limits of one server: its seats, and what rounding each limit up added (specification 6.1). Where
 * the sum holds levels that are no more, the limit of the server.
 */
export function seatsThatExist(server: ServerFrame): number | undefined {
  if (nominalSurplus(server) > 0) return reportedServerLimit(server)
  let sum: number | undefined
  for (const { limits } of server.levels) if (limits.nominal !== undefined) sum = (sum ?? 0) + limits.nominal
  return sum
}

/** Seats executing on the whole server. */
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
 * The facts that this server reported about the level's limits. Percentages are those of the object; where there is none
 * to read they follow from limits that the server has rounded, which `≈` says.
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

/** How the widest request reads: `1 seat`, `3 to 4 seats`, `over 100 seats`. */
export function widthText({ above, upTo }: { readonly above: number; readonly upTo: number | undefined }): string {
  if (upTo === undefined) return `over ${above} seats`
  if (upTo <= 1) return '1 seat'
  return upTo - above <= 1 ? `${upTo} seats` : `${above + 1} to ${upTo} seats`
}

/** What the dump of levels adds: how many queues hold requests, and whether the level is on its way out. */
export function dumpFacts(dumped: DumpLevel | undefined, queues: number | undefined): readonly Fact[] {
  if (dumped === undefined) return []
  const facts: Fact[] = []
  if (queues !== undefined && queues > 0)
    facts.push({
      term: 'queues',
      value: `${format.fixed(dumped.activeQueues)} of ${format.fixed(queues)}`,
      detail: 'have requests waiting',
      glossary: 'queues',
    })
  return facts
}

/** A remembered surge that holds seats nobody uses, while others wait (specification 6.3). */
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

/** The level that a reader came for when the address names none: rejecting, else queueing, else the busiest. */
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
