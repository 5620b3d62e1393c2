import { plural } from '../text/format.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { LevelPlan } from '../engine/levelPlan.ts'
import { profileFor } from '../engine/profiles.ts'
import type { Seats } from '../units.ts'
import type { AllocationRegime } from '../engine/allocation.ts'
import { byCodeUnits } from '../text/text.ts'
import {
  type DemandByLevel,
  type EffectiveLevel,
  type EffectiveLevels,
  type LevelSeats,
  type RefusedLevel,
  effectiveLevels,
  type AllocationNow,
  type LimitNow,
  limitsNow,
  demandOf,
  type LimitsNow,
} from './effectiveLevels.ts'
import type { ReportedLevel } from './expected.ts'

export interface ImpactQuestion {
  readonly before: ObjectSet
  readonly after: ObjectSet
  /** Seats of one server: the sum of its two in-flight flags. */
  readonly serverLimit: Seats
  /** The same after a restart with other flags; absent: as before. */
  readonly newServerLimit?: Seats | undefined
  /** gitVersion; absent: the newest known behaviour. */
  readonly version?: string | undefined
  /** Of the same server, by level name. A level without demand is assumed to be idle. */
  readonly demand?: DemandByLevel | undefined
}

export interface ImpactRow {
  readonly name: string
  /**
   * `removed`: it accepts no new requests, and its shares count until the last one is served (specification 7.4).
   * `moved`: its own specification stays, its seats do not.
   */
  readonly change: 'added' | 'removed' | 'changed' | 'moved' | 'unchanged'
  readonly before: LevelSeats | null
  readonly after: LevelSeats | null
  /** With demand only. */
  readonly limitBefore?: LimitNow
  readonly limitAfter?: LimitNow
  /** The limits assume an idle level, because its demand is not reported: it is new, or the page lacks it. */
  readonly assumedIdle?: true
}

export interface ImpactSums {
  readonly shares: number
  readonly nominal: number
  readonly lower: number
  /** Nominal limits are rounded up, so they sum to more than the server has: nominal − server limit. */
  readonly surplus: number
}

export interface SeatImpact extends Pick<ImpactQuestion, 'serverLimit' | 'newServerLimit'> {
  /** By name. */
  readonly rows: readonly ImpactRow[]
  readonly sums: { readonly before: ImpactSums; readonly after: ImpactSums }
  /** With demand only. */
  readonly allocation?: { readonly before: AllocationNow; readonly after: AllocationNow }
  /** For the configuration after the edit. */
  readonly refused: readonly RefusedLevel[]
}

/** Why the limits after the edit may differ from these; `undefined` if the demand of every level is known. */
export function assumedIdleSentence({ rows }: Pick<SeatImpact, 'rows'>): string | undefined {
  const idle = rows.filter(({ assumedIdle, limitAfter }) => assumedIdle && limitAfter !== undefined)
  if (idle.length === 0) return undefined
  const names = idle.map(({ name }) => name).join(', ')
  return `The demand of ${names} is unknown and counts as 0. The limits will differ once ${plural(idle.length, 'it serves', 'they serve')} requests.`
}

/** Every level before and after an edit, on one server. Objects may be defaulted or not. */
export function seatImpact(question: ImpactQuestion): SeatImpact {
  const { serverLimit, newServerLimit, demand } = question
  const { before, after, borrowing } = sidesOf(question)
  const limits = demand && {
    before: limitsNow(before.levels, demand, borrowing),
    after: limitsNow(after.levels, demand, borrowing),
  }
  const names = new Set([...before.levels.keys(), ...after.levels.keys()])
  const rows = [...names].toSorted(byCodeUnits).map((name): ImpactRow => {
    const [was, is] = [before.levels.get(name), after.levels.get(name)]
    const [limitBefore, limitAfter] = [limits?.before.levels.get(name), limits?.after.levels.get(name)]
    return {
      name,
      change: changeOf(was, is),
      before: was?.seats ?? null,
      after: is?.seats ?? null,
      ...(limitBefore && { limitBefore }),
      ...(limitAfter && { limitAfter }),
      ...(demand?.has(name) === false && { assumedIdle: true as const }),
    }
  })
  return {
    serverLimit,
    ...(newServerLimit !== undefined && { newServerLimit }),
    rows,
    sums: { before: sumsOf(before, serverLimit), after: sumsOf(after, newServerLimit ?? serverLimit) },
    ...(limits && { allocation: { before: limits.before.allocation, after: limits.after.allocation } }),
    refused: after.refused,
  }
}

/** Both configurations on their server. */
function sidesOf(question: Omit<ImpactQuestion, 'demand'>) {
  const { serverLimit, newServerLimit, version } = question
  const { borrowing, estimator } = profileFor(version)
  const before = effectiveLevels(question.before, serverLimit, estimator)
  // A server that restarts remembers no caps.
  const after =
    newServerLimit === undefined
      ? effectiveLevels(question.after, serverLimit, estimator, before)
      : effectiveLevels(question.after, newServerLimit, estimator)
  return { before, after, borrowing }
}

function changeOf(was: EffectiveLevel | undefined, is: EffectiveLevel | undefined): ImpactRow['change'] {
  if (was === undefined || is === undefined) return was === undefined ? 'added' : 'removed'
  if (!samePlan(was.plan, is.plan)) return 'changed'
  return sameSeats(was.seats, is.seats) ? 'unchanged' : 'moved'
}

const samePlan = (a: LevelPlan, b: LevelPlan): boolean =>
  a.shares === b.shares &&
  a.lendablePercent === b.lendablePercent &&
  a.borrowingLimitPercent === b.borrowingLimitPercent &&
  a.queuing.queues === b.queuing.queues &&
  a.queuing.handSize === b.queuing.handSize &&
  a.queuing.queueLengthLimit === b.queuing.queueLengthLimit

const sameSeats = (a: LevelSeats, b: LevelSeats): boolean =>
  a.nominal === b.nominal && a.lower === b.lower && a.upper === b.upper && a.maxSeatsPerRequest === b.maxSeatsPerRequest

function sumsOf({ levels }: EffectiveLevels, serverLimit: Seats): ImpactSums {
  let [shares, nominal, lower] = [0, 0, 0]
  for (const { seats } of levels.values()) {
    shares += seats.shares
    nominal += seats.nominal
    lower += seats.lower
  }
  return { shares, nominal, lower, surplus: nominal - serverLimit }
}

/** Limits of one level over some recomputations, seats. */
export interface LimitSpan {
  readonly least: number
  readonly most: number
  readonly last: number
}

export interface LimitsOverSteps {
  /** Recomputations that could be computed: those that report the demand of every level. */
  readonly steps: number
  /** By name; for a level that one of the configurations lacks, that span is absent. */
  readonly rows: readonly { readonly name: string; readonly before?: LimitSpan; readonly after?: LimitSpan }[]
  /** How often each regime decided. */
  readonly regimes: { readonly before: RegimeCounts; readonly after: RegimeCounts }
}
type RegimeCounts = Readonly<Partial<Record<AllocationRegime, number>>>

/**
 * The limits that both configurations would have had with the demand of past recomputations (contract procedure
 * `allocation.steps`), oldest first. Demand is assumed unchanged: with other limits the waits of the requests would
 * have been different.
 */
export function limitsOverSteps(
  question: Omit<ImpactQuestion, 'demand'>,
  steps: readonly { readonly levels: readonly ReportedLevel[] }[],
): LimitsOverSteps {
  const { before, after, borrowing } = sidesOf(question)
  const was = collector()
  const is = collector()
  let computed = 0
  for (const step of steps) {
    const demand = demandOf(step)
    if (demand === undefined) continue
    computed += 1
    was.add(limitsNow(before.levels, demand, borrowing))
    is.add(limitsNow(after.levels, demand, borrowing))
  }
  const names = [...new Set([...was.spans.keys(), ...is.spans.keys()])].toSorted(byCodeUnits)
  return {
    steps: computed,
    rows: names.map((name) => {
      const [spanBefore, spanAfter] = [was.spans.get(name), is.spans.get(name)]
      return { name, ...(spanBefore && { before: spanBefore }), ...(spanAfter && { after: spanAfter }) }
    }),
    regimes: { before: was.regimes, after: is.regimes },
  }
}

function collector() {
  const spans = new Map<string, LimitSpan>()
  const regimes: Partial<Record<AllocationRegime, number>> = {}
  const add = ({ allocation: { regime }, levels }: LimitsNow): void => {
    regimes[regime] = (regimes[regime] ?? 0) + 1
    for (const [name, { current }] of levels) {
      const { least = current, most = current } = spans.get(name) ?? {}
      spans.set(name, { least: Math.min(least, current), most: Math.max(most, current), last: current })
    }
  }
  return { spans, regimes, add }
}
