import type { PriorityLevelConfiguration, Queuing } from '../../../core/config/objects.ts'
import type { LiveRequest } from '../../../core/contract/live.ts'
import { dealtHand } from '../../../core/sharding/overlap.ts'
import { QUEUES_DRAWN, type QueueCell, type QueueFieldData, type QueueMarks } from '../../charts/queueField.data.ts'
import type { LevelQueues, QueueTallies } from './tally.queues.ts'

const waitingIn = (queues: LevelQueues): number => [...queues.values()].reduce((sum, { waiting }) => sum + waiting, 0)
const cameTo = (queues: LevelQueues): number => [...queues.values()].reduce((sum, { requests }) => sum + requests, 0)

/** Levels whose queues requests came to, the one in which most wait first. */
export const levelsWithQueues = (tallies: QueueTallies): readonly string[] =>
  [...tallies]
    .map(([level, queues]) => ({ level, waiting: waitingIn(queues), requests: cameTo(queues) }))
    .toSorted((a, b) => b.waiting - a.waiting || b.requests - a.requests || (a.level < b.level ? -1 : 1))
    .map(({ level }) => level)

/** What the bars count: requests that wait now, or all that came in the time that is looked at. */
export type QueueCount = 'waiting' | 'arrived'

/** The queues of one level as they are drawn; `size`: how many it has, when that is known. */
export function queueCells(queues: LevelQueues, size: number | undefined, counted: QueueCount): QueueFieldData {
  const seen = [...queues.keys()].reduce((most, index) => Math.max(most, index + 1), 0)
  const cells = Array.from({ length: Math.min(QUEUES_DRAWN, Math.max(size ?? 0, seen)) }, (_, index): QueueCell => {
    const { requests = 0, waiting = 0, executing = 0, executingSeats = 0 } = queues.get(index) ?? {}
    if (counted === 'arrived')
      return { index, waiting: requests, pending: requests, executingRequests: 0, executingSeats: 0 }
    return { index, waiting, pending: waiting, executingRequests: executing, executingSeats }
  })
  const total = cells.reduce((sum, { waiting }) => sum + waiting, 0)
  return {
    cells,
    unit: 'requests',
    waitingMax: cells.reduce((most, { waiting }) => Math.max(most, waiting), 0),
    executingMax: cells.reduce((most, { executingSeats }) => Math.max(most, executingSeats), 0),
    waitingTotal: total,
    pendingTotal: total,
    nonEmpty: cells.filter(({ pending, executingRequests }) => pending + executingRequests > 0).length,
  }
}

/** How a level queues, as far as its objects are known and it does. */
export const queuingOf = (
  levels: readonly PriorityLevelConfiguration[] | undefined,
  level: string,
): Queuing | undefined => levels?.find(({ metadata }) => metadata.name === level)?.spec.limited?.limitResponse.queuing

/** The queues of the flow of a request, as they are dealt; none without a request or where the shape is not known. */
export function marksOf(
  row: Pick<LiveRequest, 'schema' | 'flow'> | undefined,
  queuing: Queuing | undefined,
): QueueMarks {
  const hand =
    row !== undefined && queuing !== undefined
      ? dealtHand({ schema: row.schema, distinguisher: row.flow }, queuing)
      : undefined
  return { hand: hand ?? [], dealt: hand !== undefined, second: [], lengthLimit: queuing?.queueLengthLimit }
}
