import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Client, runClosedLoop } from '../../test/harness/engine/closedLoop.ts'
import { fairSplit } from '../../test/harness/engine/fairSplit.ts'
import { Clock } from './clock.ts'
import { SeatRequest } from './queue.ts'
import { QueueSet, UNHEARD } from './queueSet.ts'

type Request = SeatRequest<number>

const step = fc.record({
  op: fc.constantFrom('arrive', 'arrive', 'arrive', 'finish', 'finish', 'cancel', 'linger', 'reconfigure'),
  pick: fc.nat(10_000),
  gap: fc.nat(20_000_000),
})

/** A queue set under arbitrary calls, checked after each. Returns how often each request was dispatched. */
function runChecked(steps: readonly { readonly op: string; readonly pick: number; readonly gap: number }[]) {
  const clock = new Clock()
  const dispatches = new Map<Request, number>()
  const live = { waiting: new Set<Request>(), executing: new Set<Request>(), lingering: new Set<Request>() }
  const queueSet: QueueSet<Request> = new QueueSet<Request>(
    clock,
    {
      ...UNHEARD,
      enqueued: (request) => void live.waiting.add(request),
      dispatched(request) {
        live.waiting.delete(request)
        live.executing.add(request)
        dispatches.set(request, (dispatches.get(request) ?? 0) + 1)
        // Above the limit only for a single request that is too wide for it (specification 4.6, 4.7).
        const alone = request.maxSeats >= queueSet.limit && queueSet.executingCount === 1
        if (!alone) expect(queueSet.seatsInUse).toBeLessThanOrEqual(queueSet.limit)
      },
      rejected: (request) => void live.waiting.delete(request),
      demand: (seats) => expect(seats).toBe(queueSet.seatsInUse + queueSet.seatsWaiting),
      epochAdvanced: () => expect.unreachable('R is far from its end'),
    },
    { correctClampDrift: true },
  )
  const seats = (requests: Iterable<Request>): number => [...requests].reduce((sum, { maxSeats }) => sum + maxSeats, 0)
  const check = (): void => {
    expect(queueSet.waitingCount).toBe(live.waiting.size)
    expect(queueSet.executingCount).toBe(live.executing.size)
    expect(queueSet.seatsWaiting).toBe(seats(live.waiting))
    expect(queueSet.seatsInUse).toBe(seats(live.executing) + seats(live.lingering))
    expect(queueSet.queues.reduce((sum, { waiting }) => sum + waiting.length, 0)).toBe(live.waiting.size)
    for (const queue of queueSet.queues) {
      const head = queue.waiting.head
      if (head !== undefined) expect(queue.S.compare(head.arrivalR)).toBeGreaterThanOrEqual(0)
    }
  }
  const finish = (request: Request): void => {
    live.executing.delete(request)
    if (request.additionalLatency > 0) live.lingering.add(request)
    queueSet.finish(request)
  }
  const endLinger = (request: Request): void => {
    live.lingering.delete(request)
    queueSet.endLinger(request)
  }
  const chosen = (from: ReadonlySet<Request>, pick: number): Request | undefined =>
    [...from][pick % Math.max(1, from.size)]
  queueSet.reconfigure({ queues: 8, handSize: 3, queueLengthLimit: 4 }, 5)
  let now = 0
  let before = queueSet.R.toBigInt()
  const admitted: Request[] = []
  for (const { op, pick, gap } of steps) {
    now += gap
    clock.moveTo(now)
    if (op === 'arrive') {
      const finalSeats = pick % 5 === 0 ? pick % 9 : 0
      const estimate = { initialSeats: 1 + (pick % 3), finalSeats, additionalLatency: finalSeats * 1_000_000 }
      const request = new SeatRequest(pick, estimate)
      if (queueSet.arrive(request, { hi: pick, lo: pick * 7919 })) admitted.push(request)
    } else if (op === 'finish') {
      const request = chosen(live.executing, pick)
      if (request !== undefined) finish(request)
    } else if (op === 'cancel') {
      const request = chosen(live.waiting, pick)
      if (request !== undefined) queueSet.cancel(request)
    } else if (op === 'linger') {
      const request = chosen(live.lingering, pick)
      if (request !== undefined) endLinger(request)
    } else {
      const queues = [0, 1, 4, 8, 16][pick % 5] ?? 0
      queueSet.reconfigure({ queues, handSize: Math.min(queues, 3), queueLengthLimit: 4 }, pick % 9)
    }
    check()
    const R = queueSet.R.toBigInt()
    expect(R).toBeGreaterThanOrEqual(before)
    before = R
  }

  // With seats to run on, everything that was admitted and not cancelled is eventually dispatched.
  queueSet.reconfigure({ queues: 8, handSize: 3, queueLengthLimit: 4 }, 5)
  for (let left = admitted.length; left >= 0; left--) {
    now += 1_000_000
    clock.moveTo(now)
    for (const request of live.lingering) endLinger(request)
    for (const request of live.executing) finish(request)
    check()
  }
  for (const request of live.lingering) endLinger(request)
  check()
  expect([queueSet.idle, queueSet.seatsInUse, queueSet.seatsWaiting]).toEqual([true, 0, 0])
  return { admitted, dispatches }
}

test('no sequence of calls loses a request, runs one twice, starves one, or exceeds the limit', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { admitted, dispatches } = runChecked(steps)
      for (const request of admitted) {
        expect(dispatches.get(request) ?? 0).toBe(request.state === 'timed-out' ? 0 : 1)
        expect(['timed-out', 'done']).toContain(request.state)
      }
      expect(dispatches.size).toBeLessThanOrEqual(admitted.length)
    }),
    { numRuns: 300 },
  )
})

test('backlogged clients share the seats equally, however long their requests take', () => {
  const MILLISECOND = 1_000_000n
  const kind = fc.record({
    more: fc.nat(5),
    exec: fc.integer({ min: 300, max: 1500 }),
  })
  fc.assert(
    fc.property(fc.array(kind, { minLength: 2, maxLength: 5 }), fc.integer({ min: 2, max: 8 }), (kinds, limit) => {
      const clients = kinds.map(({ more, exec }, i): Client => ({
        // With a hand of one, flow i has queue i to itself.
        hash: BigInt(i),
        threads: limit + 1 + more,
        calls: 1000,
        exec: BigInt(exec) * MILLISECOND,
        think: 0n,
      }))
      const queuing = { queues: 9, handSize: 1, queueLengthLimit: 20 }
      const { averages, rejected } = runClosedLoop({ queuing, limit, clients, evaluated: 200_000n * MILLISECOND })
      expect(rejected).toEqual({})
      const share = limit / kinds.length
      // Anti-windup takes a little from those whose requests are short (specification 4.8).
      for (const average of averages) {
        expect(Math.abs(average - share), averages.join(', ')).toBeLessThanOrEqual(0.1 * share)
      }
    }),
    { numRuns: 60 },
  )
})

test('clients with little demand get it, and the others share the rest, however wide their requests', () => {
  const SECOND = 1_000_000_000n
  const width = fc.integer({ min: 1, max: 3 })
  const exec = fc.integer({ min: 1, max: 3 })
  const greedy = fc.array(fc.record({ width, exec }), { minLength: 2, maxLength: 4 })
  const modest = fc.array(fc.record({ exec }), { minLength: 1, maxLength: 2 })
  fc.assert(
    fc.property(greedy, modest, fc.integer({ min: 12, max: 20 }), (wide, narrow, limit) => {
      const clients = [
        ...wide.map((one) => ({ ...one, threads: Math.ceil((2 * limit) / one.width), think: 0 })),
        // Waiting reduces their demand: they think long enough for that to matter little.
        ...narrow.map((one) => ({ ...one, width: 1, threads: 2, think: 20 * one.exec })),
      ].map(({ width: seats, threads, exec: execution, think }, i): Client => ({
        hash: BigInt(i),
        threads,
        calls: 1_000,
        // Not in step with each other.
        exec: BigInt(execution) * SECOND + BigInt(i * 7_919_000),
        think: BigInt(think) * SECOND,
        initialSeats: seats,
        finalSeats: seats,
      }))
      const queuing = { queues: 9, handSize: 1, queueLengthLimit: 40 }
      const { averages, rejected } = runClosedLoop({ queuing, limit, clients, evaluated: 150n * SECOND })
      expect(rejected).toEqual({})
      const wanted = clients.map(
        ({ threads, initialSeats = 1, exec: e, think }) =>
          Number((BigInt(threads * initialSeats) * e * 1_000n) / (e + think)) / 1_000,
      )
      const fair = fairSplit(limit, wanted)
      // The margin of the widest requests in Appendix A of the specification.
      const apart = averages.map((average, i) => Math.abs(average - (fair[i] ?? 0)) / (fair[i] ?? 1))
      expect(Math.max(...apart), JSON.stringify({ averages, fair })).toBeLessThanOrEqual(0.35)
    }),
    { numRuns: 25 },
  )
})
