import type { DumpFrame, DumpRequest } from '../../core/frame/dump.ts'
import { flowKeyOf, flowName, isWaiting, maxMinShares } from '../../core/frame/flow.ts'
import { unixMsOf } from '../../core/units.ts'

/** Seats that a request occupies while it runs: the wider of its two stages (specification 5). */
export const widthOf = (request: DumpRequest): number => Math.max(request.initialSeats, request.finalSeats)

export interface FlowRow {
  readonly key: string
  readonly schema: string
  readonly flow: string
  readonly name: string
  /** Requests. */
  readonly queued: number
  /** Seats. */
  readonly queuedSeats: number
  readonly executing: number
  readonly executingSeats: number
  /** Share of the seats that the dump shows executing in this level; `undefined` when none execute. */
  readonly share: number | undefined
  /** Seats that a max-min fair division of the level's limit among its flows gives it; `undefined` without a limit. */
  readonly fair: number | undefined
  /** Seconds that its longest waiting request has waited; `undefined` when none waits. */
  readonly longestWait: number | undefined
  /** Queues in which it was seen, ascending. */
  readonly queues: readonly number[]
}

/**
 * The flows of one level from one dump: most queued first, then most executing seats. The demand of a flow is the seats
 * of all its requests; its fair share of `limit`, the level's current one in seats, follows from the demand of all of
 * them.
 */
export function flowRows(requests: readonly DumpRequest[], at: number, limit?: number): readonly FlowRow[] {
  const seatsExecuting = requests.reduce((sum, request) => sum + (isWaiting(request) ? 0 : widthOf(request)), 0)
  const counted = [...Map.groupBy(requests, flowKeyOf)].flatMap(
    ([key, group]) => flowRow(key, group, at, seatsExecuting) ?? [],
  )
  const fair = limit === undefined ? [] : maxMinShares(counted.map(seatsWanted), limit)
  const rows = counted.map((row, i): FlowRow => ({ ...row, fair: fair[i] }))
  return rows.toSorted(
    (a, b) => b.queued - a.queued || b.executingSeats - a.executingSeats || a.name.localeCompare(b.name),
  )
}

const seatsWanted = (row: Pick<FlowRow, 'queuedSeats' | 'executingSeats'>): number =>
  row.queuedSeats + row.executingSeats

function flowRow(
  key: string,
  group: readonly DumpRequest[],
  at: number,
  seatsExecuting: number,
): Omit<FlowRow, 'fair'> | undefined {
  const [first] = group
  if (first === undefined) return undefined
  const row = { queued: 0, queuedSeats: 0, executing: 0, executingSeats: 0 }
  let oldest: number | undefined
  const queues = new Set<number>()
  for (const request of group) {
    if (request.queue >= 0) queues.add(request.queue)
    if (isWaiting(request)) {
      row.queued += 1
      row.queuedSeats += widthOf(request)
      oldest = Math.min(oldest ?? request.arrivedAt, request.arrivedAt)
    } else {
      row.executing += 1
      row.executingSeats += widthOf(request)
    }
  }
  return {
    key,
    schema: first.schema,
    flow: first.flow,
    name: flowName(first.flow, first.schema),
    ...row,
    share: seatsExecuting > 0 ? row.executingSeats / seatsExecuting : undefined,
    longestWait: oldest === undefined ? undefined : Math.max(0, at - oldest) / 1_000,
    queues: [...queues].toSorted((a, b) => a - b),
  }
}

/** The part of a dump that concerns one level; absent parts stay absent. */
export function dumpOfLevel(dump: DumpFrame, level: string) {
  return {
    at: unixMsOf(dump.at),
    level: dump.levels?.find((entry) => entry.name === level),
    queues: dump.queues?.filter((queue) => queue.level === level),
    requests: dump.requests?.filter((request) => request.level === level),
    errors: dump.errors,
  }
}
export type LevelDump = ReturnType<typeof dumpOfLevel>
