import type { PriorityLevelConfiguration } from '../config/objects.ts'
import type { Allocation, LevelAllocation } from '../engine/allocation.ts'
import { Clock } from '../engine/clock.ts'
import { PriorityLevels } from '../engine/priorityLevels.ts'
import { solve } from '../engine/solver.ts'

/** A level as the oracle's questions give it: nothing is defaulted. */
export interface LevelQuestion {
  readonly name: string
  readonly type: 'Exempt' | 'Queue' | 'Reject'
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}
export interface LimitsQuestion {
  readonly serverConcurrencyLimit: number
  readonly priorityLevels: readonly LevelQuestion[]
}
export interface BorrowQuestion extends LimitsQuestion {
  readonly id: string
  readonly steps: readonly {
    readonly at: string
    readonly demand?: Readonly<Record<string, number>>
    readonly adjust?: boolean
    readonly digest?: readonly LevelQuestion[]
  }[]
}

export function levelObject(level: LevelQuestion): PriorityLevelConfiguration {
  const { name, type, nominalConcurrencyShares = 0, lendablePercent, borrowingLimitPercent } = level
  const shared = { nominalConcurrencyShares, ...(lendablePercent === undefined ? {} : { lendablePercent }) }
  if (type === 'Exempt') return { metadata: { name }, spec: { type: 'Exempt', exempt: shared } }
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = level
  return {
    metadata: { name },
    spec: {
      type: 'Limited',
      limited: {
        ...shared,
        ...(borrowingLimitPercent === undefined ? {} : { borrowingLimitPercent }),
        limitResponse:
          type === 'Queue' ? { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } } : { type: 'Reject' },
      },
    },
  }
}

const silent = () => ({
  dispatched: () => undefined,
  rejected: () => undefined,
  didNotFit: () => undefined,
  released: () => undefined,
  epochAdvanced: () => undefined,
  staleRemovalGuarded: () => undefined,
})

/** The levels of a fresh controller on a clock of its own, and its last recomputation. */
function controller(serverLimit: number) {
  const clock = new Clock()
  let last: Allocation | undefined
  const levels = new PriorityLevels<never>(clock, {
    serverLimit,
    correctClampDrift: false,
    listen: silent,
    onAllocation: (allocation) => {
      last = allocation
    },
  })
  const report = () => {
    if (last === undefined) throw new Error('a controller allocates when it is made')
    return reportOf(levels, last)
  }
  return { clock, levels, report }
}

const REGIME = { min: 1, between: 2, solver: 3, kept: 3 } as const

function reportOf(levels: PriorityLevels<never>, allocation: Allocation) {
  const { regime, nominalSum, fairFrac } = allocation
  return {
    nominalCLSum: nominalSum,
    regime: REGIME[regime],
    fairFrac,
    ...(regime === 'solver' ? { fairFracByName: fairFrac } : {}),
    ...(regime === 'kept' ? { solverError: true } : {}),
    levels: allocation.levels.map((level) => levelReport(levels, level)),
  }
}

function levelReport(levels: PriorityLevels<never>, level: LevelAllocation) {
  const { name, exempt, limits, demand, target, allocation, current } = level
  const kept = levels.get(name)
  return {
    name,
    ...(exempt ? { exempt } : {}),
    ...(kept?.quiescing === true ? { quiescing: true } : {}),
    ...limits,
    current,
    maxSeats: String(kept?.maxSeats ?? 0),
    highWatermark: demand.highWatermark,
    avg: demand.average,
    stdDev: demand.stdev,
    envelope: demand.envelope,
    smoothed: demand.smoothed,
    ...(target === undefined ? {} : { target }),
    ...(allocation === undefined ? {} : { allocByName: allocation }),
  }
}

/** A fresh controller digests the given levels at once, as the oracle's `limits` does. */
export function answerLimits({ serverConcurrencyLimit, priorityLevels }: LimitsQuestion) {
  const { levels, report } = controller(serverConcurrencyLimit)
  levels.digest(priorityLevels.map(levelObject))
  return report()
}

/** Demand, periodic adjustments and new configurations over time, as the oracle's `borrow` runs them. */
export function answerBorrow({ id, serverConcurrencyLimit, priorityLevels, steps }: BorrowQuestion) {
  const { clock, levels, report } = controller(serverConcurrencyLimit)
  levels.digest(priorityLevels.map(levelObject))
  const reports = [{ at: '0', ...report() }]
  for (const { at, demand, adjust, digest } of steps) {
    clock.moveToExact(BigInt(at))
    for (const [name, seats] of Object.entries(demand ?? {})) levels.get(name)?.demandIntegrator.set(seats)
    if (digest !== undefined) levels.digest(digest.map(levelObject))
    else if (adjust === true) levels.adjust()
    else continue
    reports.push({ at, ...report() })
  }
  return { id, reports }
}

export interface SolverQuestion {
  readonly required: number
  readonly items?: readonly (readonly [lower: number, upper: number, target: number])[] | null
}

export function answerSolver({ required, items }: SolverQuestion) {
  const solution = solve(
    required,
    (items ?? []).map(([lower, upper, target]) => ({ lower, upper, target })),
  )
  if (!solution.ok) return { fairProp: 0, error: solution.problem }
  const { allocations, fairFrac } = solution
  return { ...(allocations.length > 0 ? { allocs: allocations } : {}), fairProp: fairFrac }
}
