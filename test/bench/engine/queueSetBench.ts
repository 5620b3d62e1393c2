import { Clock } from '../../../core/engine/clock.ts'
import { SeatRequest } from '../../../core/engine/queue.ts'
import { QueueSet, UNHEARD } from '../../../core/engine/queueSet.ts'
import { hashFromBigInt } from '../../../core/request/match.ts'
import { splitmix } from './splitmix.ts'

export interface SaturatedQueueSet {
  readonly queues: number
  readonly handSize: number
  readonly limit: number
}

const FLOWS = 1000
const BACKLOG = 1000
const TICK_NS = 10_000
const ONE_SEAT = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 }

/**
 * Nanoseconds for arrival, dispatch and finish of one request, done as the oracle's `bench queueset` does it: all seats
 * taken, 1,000 requests waiting, each step finishes the one that was dispatched longest ago and adds a new one.
 */
export function timeQueueSet({ queues, handSize, limit }: SaturatedQueueSet, requests: number): number {
  const clock = new Clock()
  const ready: SeatRequest<undefined>[] = []
  const queueSet = new QueueSet<SeatRequest<undefined>>(
    clock,
    {
      ...UNHEARD,
      dispatched: (request) => void ready.push(request),
    },
    { correctClampDrift: false },
  )
  queueSet.reconfigure({ queues, handSize, queueLengthLimit: 2 ** 20 }, limit)
  const flows = Array.from({ length: FLOWS }, (_, i) => hashFromBigInt(splitmix(i)))
  const flowOf = Uint16Array.from({ length: requests }, (_, i) => Number(splitmix(i) % BigInt(FLOWS)))
  const outstanding = BACKLOG + limit
  let now = 0
  let next = 0
  const tick = (): void => {
    now += TICK_NS
    clock.moveTo(now)
  }

  const started = performance.now()
  for (let finished = 0; finished < requests; finished++) {
    while (next < requests && next - finished < outstanding) {
      tick()
      const flow = flows[flowOf[next] ?? 0]
      if (flow !== undefined) queueSet.arrive(new SeatRequest(undefined, ONE_SEAT), flow)
      next += 1
    }
    tick()
    const request = ready[finished]
    if (request === undefined) throw new Error('no request is executing')
    queueSet.finish(request)
  }
  return ((performance.now() - started) * 1e6) / requests
}
