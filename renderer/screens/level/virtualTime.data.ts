import type { DumpQueue, DumpRequest } from '../../../core/frame/dump.ts'
import type { SeatSeconds } from '../../../core/units.ts'
import { flowName, isWaiting } from '../../state/flows.logic.ts'

/** A queue that waits for its turn. Virtual times in seat-seconds after the earliest start in the list. */
export interface NextQueue {
  readonly index: number
  readonly pending: number
  /** Names of the flows waiting in it; the first one's request is at the head. */
  readonly flows: readonly string[]
  readonly start: SeatSeconds
  /** Start + mean work of its waiting requests: the dump gives the sum of work, not that of the head. */
  readonly finish: SeatSeconds
}

export interface VirtualTimeData {
  /** By expected finish: the server picks the earliest finish, ties in round robin (specification 4.6). */
  readonly queues: readonly NextQueue[]
  /** Virtual start of the first in seat-seconds. */
  readonly origin: SeatSeconds
  /** Length of the axis, seat-seconds. */
  readonly span: SeatSeconds
  readonly waitingQueues: number
}

/** The queues with waiting requests in the order in which they will be served, at most `most`. */
export function nextQueues(
  queues: readonly DumpQueue[],
  requests: readonly DumpRequest[] | undefined,
  most: number,
): VirtualTimeData | undefined {
  const waiting = queues.filter((queue) => queue.pending > 0)
  if (waiting.length === 0) return undefined
  const origin = waiting.reduce((least, queue) => Math.min(least, queue.nextDispatchR), Number.POSITIVE_INFINITY)
  const flows = flowsByQueue(requests ?? [])
  const all = waiting.map((queue): NextQueue => {
    const start = queue.nextDispatchR - origin
    return {
      index: queue.index,
      pending: queue.pending,
      flows: flows.get(queue.index) ?? [],
      start,
      finish: start + queue.totalWork / queue.pending,
    }
  })
  const shown = all.toSorted((a, b) => a.finish - b.finish || a.index - b.index).slice(0, most)
  return {
    queues: shown,
    origin,
    span: shown.reduce((span, queue) => Math.max(span, queue.finish), 0),
    waitingQueues: waiting.length,
  }
}

function flowsByQueue(requests: readonly DumpRequest[]): ReadonlyMap<number, readonly string[]> {
  const flows = new Map<number, string[]>()
  const heads = requests.filter((request) => isWaiting(request) && request.queue >= 0)
  for (const request of heads.toSorted((a, b) => a.position - b.position)) {
    const name = flowName(request.flow, request.schema)
    const known = flows.get(request.queue)
    if (known === undefined) flows.set(request.queue, [name])
    else if (!known.includes(name)) known.push(name)
  }
  return flows
}
