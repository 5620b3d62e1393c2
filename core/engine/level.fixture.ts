import type { QueuingRules } from './algorithms.ts'
import { Clock } from './clock.ts'
import { SeatRequest } from './queue.ts'
import { QueueSet, UNHEARD } from './queueSet.ts'

type Request = SeatRequest<string>
export const SECOND_NS = 1e9

/** One level with this many queues and hands of one, and the outcome of its requests, by name. */
export function levelOf(
  rules: QueuingRules,
  { queues = 2, limit = 2, places = 100, longestWaitNs = 15 * SECOND_NS } = {},
) {
  const clock = new Clock()
  const running = new Map<string, Request>()
  const refused: string[] = []
  const queueSet = new QueueSet<Request>(
    clock,
    {
      ...UNHEARD,
      dispatched: (request) => void running.set(request.payload, request),
      rejected: ({ payload }, reason) => void refused.push(`${payload} ${reason}`),
    },
    { correctClampDrift: false, rules, longestWaitNs },
  )
  queueSet.reconfigure({ queues, handSize: 1, queueLengthLimit: places }, limit)
  return {
    queueSet,
    running,
    refused,
    at: (seconds: number) => clock.moveTo(seconds * SECOND_NS),
    arrive: (name: string, queue: number, seats = 1) =>
      queueSet.arrive(new SeatRequest(name, { initialSeats: seats, finalSeats: 0, additionalLatency: 0 }), {
        hi: 0,
        lo: queue,
      }),
    finish(name: string) {
      const request = running.get(name)
      if (request === undefined) throw new Error(`${name} does not run`)
      running.delete(name)
      queueSet.finish(request)
    },
    state: () => ({
      R: queueSet.R.toSeconds(),
      S: queueSet.queues.map(({ S }) => S.toSeconds()),
      waiting: queueSet.queues.map(({ waiting }) => waiting.length),
      runs: [...running.keys()].join(' '),
    }),
  }
}
