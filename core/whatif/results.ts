import type { LevelLimits, LevelResult, Outcomes, VariantReport } from '../contract/whatif.ts'
import type { Adjustment } from '../engine/ledger.ts'
import { REJECT_REASONS } from '../frame/reading.ts'
import { allRejected } from '../frame/recent.ts'
import { byCodeUnits } from '../text/text.ts'
import { type Nanoseconds, nsToSeconds } from '../units.ts'
import type { Cell } from './measure.ts'

export interface SchemaResult extends Outcomes {
  readonly level: string
  readonly schema: string
}
export interface FlowResult extends SchemaResult {
  readonly flow: string
}
export interface ClientResult extends Outcomes {
  readonly client: string
}

export interface VariantResult extends VariantReport {
  readonly schemas: readonly SchemaResult[]
  /** Flows with the most requests first. */
  readonly flows: readonly FlowResult[]
  /** Number of flows that are left out. */
  readonly moreFlows: number
  readonly clients: readonly ClientResult[]
  readonly moreClients: number
}

/** Clients choose their names, so there may be as many flows as requests. */
const MOST_ROWS = 1_000

/** The limits that were in force on one server over the measured period. */
export interface LimitHistory {
  readonly adjustments: readonly Adjustment[]
  readonly fromNs: Nanoseconds
  readonly untilNs: Nanoseconds
}

export function resultOf(
  name: string,
  cells: readonly Cell[],
  histories: readonly LimitHistory[],
  seconds: number,
): VariantResult {
  const limits = meanLimits(histories)
  const byLevel = Map.groupBy(cells, ({ level }) => level)
  const levels = [...new Set([...limits.keys(), ...byLevel.keys()])].toSorted(byCodeUnits).map((level): LevelResult => {
    const known = limits.get(level)
    return { level, ...outcomesOf(byLevel.get(level) ?? [], seconds), ...(known !== undefined && { limits: known }) }
  })
  const schemas = rows(
    cells,
    ({ level, schema }) => `${level}\0${schema}`,
    seconds,
    ({ level, schema }) => ({
      level,
      schema,
    }),
  )
  const flows = rows(
    cells,
    ({ level, schema, flow }) => `${level}\0${schema}\0${flow}`,
    seconds,
    (one) => ({
      level: one.level,
      schema: one.schema,
      flow: one.flow,
    }),
  ).toSorted(byOffered)
  const clients = rows(
    cells,
    ({ client }) => client,
    seconds,
    ({ client }) => ({ client }),
  ).toSorted(byOffered)
  return {
    name,
    seconds,
    total: outcomesOf(cells, seconds),
    levels,
    schemas,
    flows: flows.slice(0, MOST_ROWS),
    moreFlows: Math.max(0, flows.length - MOST_ROWS),
    clients: clients.slice(0, MOST_ROWS),
    moreClients: Math.max(0, clients.length - MOST_ROWS),
  }
}

const byOffered = (a: Outcomes, b: Outcomes): number => b.offered - a.offered

function rows<K extends object>(
  cells: readonly Cell[],
  keyOf: (cell: Cell) => string,
  seconds: number,
  named: (cell: Cell) => K,
): (K & Outcomes)[] {
  return [...Map.groupBy(cells, keyOf)]
    .toSorted(([a], [b]) => byCodeUnits(a, b))
    .flatMap(([, group]) => {
      const [first] = group
      return first === undefined ? [] : [{ ...named(first), ...outcomesOf(group, seconds) }]
    })
}

export function outcomesOf(cells: readonly Cell[], seconds: number): Outcomes {
  const rejected = { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 }
  let [offered, served, expired, seatNs, waits, executedNs, plannedNs] = [0, 0, 0, 0, 0, 0, 0]
  const seatsOfFlow = new Map<string, number>()
  for (const cell of cells) {
    offered += cell.offered
    served += cell.served
    expired += cell.expired
    seatNs += cell.seatNs
    executedNs += cell.executedNs
    plannedNs += cell.plannedNs
    waits += cell.waitsMs.length
    for (const reason of REJECT_REASONS) rejected[reason] += cell.rejected[reason]
    const flow = `${cell.level}\0${cell.schema}\0${cell.flow}`
    seatsOfFlow.set(flow, (seatsOfFlow.get(flow) ?? 0) + cell.seatNs)
  }
  const sorted = new Float64Array(waits)
  let at = 0
  for (const { waitsMs } of cells) {
    sorted.set(waitsMs, at)
    at += waitsMs.length
  }
  sorted.sort()
  const jain = jainIndex([...seatsOfFlow.values()])
  return {
    offered,
    served,
    expired,
    rejected,
    waitMs: {
      p50: nearestRank(sorted, 0.5),
      p90: nearestRank(sorted, 0.9),
      p99: nearestRank(sorted, 0.99),
      max: sorted.at(-1) ?? 0,
    },
    seats: seconds === 0 ? 0 : nsToSeconds(seatNs) / seconds,
    ...(jain !== undefined && { jain }),
    ...(plannedNs > 0 && { slowdown: executedNs / plannedNs }),
  }
}

/** The smallest value that at least this part of all values does not exceed; 0 if there are none. Values ascend. */
export const nearestRank = (sorted: Float64Array, quantile: number): number =>
  sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? 0

/** `undefined` if all shares are 0. */
export function jainIndex(shares: readonly number[]): number | undefined {
  let [sum, squares] = [0, 0]
  for (const share of shares) {
    sum += share
    squares += share * share
  }
  return squares === 0 ? undefined : (sum * sum) / (shares.length * squares)
}

/** All rejected requests, whatever the reason. */
export const rejectedOf = ({ rejected }: Pick<Outcomes, 'rejected'>): number => allRejected(rejected)

/** All requests that were rejected or cut off. */
export const failed = (outcomes: Pick<Outcomes, 'rejected' | 'expired'>): number =>
  outcomes.expired + rejectedOf(outcomes)

/** The mean of each limit, weighted by how long it was in force within the period. */
function meanLimits(histories: readonly LimitHistory[]): ReadonlyMap<string, LevelLimits> {
  const means = new Map<string, LevelLimits>()
  for (const { adjustments, fromNs, untilNs } of histories) {
    for (const [i, { atNs, ledger }] of adjustments.entries()) {
      const endNs = Math.min(untilNs, adjustments[i + 1]?.atNs ?? untilNs)
      const part = (endNs - Math.max(fromNs, atNs)) / (untilNs - fromNs)
      if (!(part > 0)) continue
      for (const { name, nominal, current, borrowed, lent } of ledger.levels) {
        const before = means.get(name) ?? { nominal: 0, current: 0, borrowed: 0, lent: 0 }
        means.set(name, {
          nominal: before.nominal + part * nominal,
          current: before.current + part * current,
          borrowed: before.borrowed + part * borrowed,
          lent: before.lent + part * lent,
        })
      }
    }
  }
  return means
}
