import type { z } from 'zod'
import type { Allocation, LevelAllocation } from '../engine/allocation.ts'
import { Clock, type Integrator } from '../engine/clock.ts'
import { PriorityLevels } from '../engine/priorityLevels.ts'
import type { SeatRequest } from '../engine/queue.ts'
import { UNHEARD } from '../engine/queueSet.ts'
import type { PriorityLevelConfiguration } from '../config/objects.ts'
import { flag, instant, int, list, numbersByName, record, someOf, text, oneOf, optionalInt } from './question.ts'

/** A level in the short form used in questions: nothing is defaulted. */
export const level = record({
  name: text,
  type: oneOf('Exempt', 'Queue', 'Reject'),
  nominalConcurrencyShares: int,
  lendablePercent: optionalInt,
  borrowingLimitPercent: optionalInt,
  queues: int,
  handSize: int,
  queueLengthLimit: int,
})

/** The API object that it represents. */
export function levelObject(question: z.output<typeof level>): PriorityLevelConfiguration {
  const { name, type, nominalConcurrencyShares, lendablePercent, borrowingLimitPercent } = question
  const shared = { nominalConcurrencyShares, ...(lendablePercent === undefined ? {} : { lendablePercent }) }
  if (type === 'Exempt') return { metadata: { name }, spec: { type: 'Exempt', exempt: shared } }
  const { queues, handSize, queueLengthLimit } = question
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

/** The levels of a fresh controller, and its last recomputation of limits. */
export function controller<T>(clock: Clock, serverLimit: number) {
  let last: Allocation | undefined
  const levels = new PriorityLevels<SeatRequest<T>>(clock, {
    serverLimit,
    correctClampDrift: false,
    listen: (_name, demand: Integrator) => ({ ...UNHEARD, demand: (seats) => demand.set(seats) }),
    onAllocation: (allocation) => {
      last = allocation
    },
    onLevel: () => undefined,
  })
  const report = () => {
    if (last === undefined) throw new Error('a controller allocates when it is made')
    return reportOf(levels, last)
  }
  return { levels, report }
}

/** Upstream's numbers; the last two belong to rules that upstream never had. */
const REGIME = { min: 1, between: 2, solver: 3, kept: 3, nominal: 0, scaled: 0 } as const

function reportOf<T>(levels: PriorityLevels<SeatRequest<T>>, allocation: Allocation) {
  const { regime, nominalSum, fairFrac } = allocation
  return {
    nominalCLSum: nominalSum,
    regime: REGIME[regime],
    fairFrac,
    ...(regime === 'solver' ? { fairFracByName: fairFrac } : {}),
    ...(regime === 'kept' ? { solverError: true } : {}),
    levels: allocation.levels.map((one) => levelReport(levels, one)),
  }
}

function levelReport<T>(levels: PriorityLevels<SeatRequest<T>>, one: LevelAllocation) {
  const { name, exempt, limits, demand, target, allocation, current } = one
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

const limitsFields = { serverConcurrencyLimit: int, priorityLevels: list(level) }
export const limitsQuestion = record(limitsFields)

/** A fresh controller processes the given levels at once (specification 6.1, 6.2, 6.4, 5.2). */
export function answerLimits({ serverConcurrencyLimit, priorityLevels }: z.output<typeof limitsQuestion>) {
  const { levels, report } = controller(new Clock(), serverConcurrencyLimit)
  levels.digest(priorityLevels.map(levelObject))
  return report()
}

export const borrowQuestion = record({
  id: text,
  ...limitsFields,
  steps: list(
    record({
      at: instant,
      demand: numbersByName.exactOptional(),
      adjust: flag,
      digest: someOf(level).exactOptional(),
    }),
  ),
})

/** Demand, periodic adjustments and new configurations over time (specification 6.2 – 6.6). */
export function answerBorrow({ id, serverConcurrencyLimit, priorityLevels, steps }: z.output<typeof borrowQuestion>) {
  const clock = new Clock()
  const { levels, report } = controller(clock, serverConcurrencyLimit)
  levels.digest(priorityLevels.map(levelObject))
  const reports = [{ at: '0', ...report() }]
  for (const { at, demand = {}, adjust, digest } of steps) {
    clock.moveToExact(at)
    for (const [name, seats] of Object.entries(demand)) levels.get(name)?.demandIntegrator.set(seats)
    if (digest !== undefined) levels.digest(digest.map(levelObject))
    if (adjust) levels.adjust()
    if (adjust || digest !== undefined) reports.push({ at: String(at), ...report() })
  }
  return { ...(id === '' ? {} : { id }), reports }
}
