import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Clock } from './clock.ts'
import { SeatRequest } from './queue.ts'
import { QueueSet, UNHEARD } from './queueSet.ts'
import { FixedSeatSeconds, UNITS_PER_SEAT_G } from './seatSeconds.ts'

type Request = SeatRequest<number>

const least = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b))
const greatest = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b))
const seconds = (units: bigint): number => FixedSeatSeconds.fromBigInt(BigInt.asUintN(64, units)).toSeconds()

/** The result of upstream's scan of all queues, given the queue set before a dispatch. */
function scanned(queueSet: QueueSet<Request>) {
  const waiting = queueSet.queues.filter((queue) => queue.waiting.length > 0)
  const S = waiting.map((queue) => queue.S.toBigInt())
  const discounted = waiting.map((queue) =>
    BigInt.asUintN(64, queue.S.toBigInt() - BigInt(queue.seatsInUse) * BigInt(UNITS_PER_SEAT_G)),
  )
  return {
    nextSMin: seconds(least(S)),
    nextSMax: seconds(greatest(S)),
    nextDiscountedSMin: seconds(least(discounted)),
    nextDiscountedSMax: seconds(greatest(discounted)),
  }
}

const step = fc.record({
  op: fc.constantFrom('arrive', 'arrive', 'arrive', 'finish', 'finish', 'cancel', 'linger', 'resize', 'look'),
  pick: fc.nat(1000),
  gap: fc.nat(5_000_000),
})

test('the gauges of the last dispatch equal those of a scan at that dispatch', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), fc.boolean(), (steps, nearTheEnd) => {
      const clock = new Clock()
      const executing: Request[] = []
      let expected = { nextSMin: 0, nextSMax: 0, nextDiscountedSMin: 0, nextDiscountedSMax: 0 }
      let before = expected
      const queueSet: QueueSet<Request> = new QueueSet<Request>(
        clock,
        {
          ...UNHEARD,
          dispatched(request) {
            executing.push(request)
            expected = before
          },
        },
        { correctClampDrift: false },
      )
      // One seat wide, so that each call dispatches at most one request and the state before it is known.
      queueSet.reconfigure({ queues: 5, handSize: 2, queueLengthLimit: 50 }, 1)
      if (nearTheEnd) queueSet.R.copyFrom(FixedSeatSeconds.fromBigInt(13_835_058_055_282_163_700n))
      const waiting: Request[] = []
      const lingering: Request[] = []
      let now = 0
      for (const { op, pick, gap } of steps) {
        now += gap
        clock.moveTo(now)
        const take = (from: Request[]): Request | undefined => from.splice(pick % Math.max(1, from.length), 1)[0]
        if (op === 'arrive') {
          const linger = pick % 3 === 0 ? 1_000_000 : 0
          const request = new SeatRequest(pick, { initialSeats: 1, finalSeats: linger && 1, additionalLatency: linger })
          // While the seat is taken an arrival dispatches nothing; otherwise it is alone, and the scan finds only its
          // queue.
          const free = queueSet.seatsInUse === 0
          queueSet.syncTime()
          if (free) {
            const R = queueSet.R.toSeconds()
            before = { nextSMin: R, nextSMax: R, nextDiscountedSMin: R, nextDiscountedSMax: R }
          }
          queueSet.arrive(request, { hi: 0, lo: pick })
          if (request.state === 'waiting') waiting.push(request)
        } else if (op === 'cancel') {
          const victim = take(waiting)
          if (victim !== undefined) queueSet.cancel(victim)
        } else if (op === 'resize') {
          queueSet.reconfigure({ queues: 2 + (pick % 5), handSize: 2, queueLengthLimit: 50 }, 1)
        } else if (op === 'finish') {
          const request = take(executing)
          if (request === undefined) continue
          if (request.additionalLatency > 0) {
            queueSet.finish(request)
            lingering.push(request)
          } else {
            release(() => queueSet.finish(request))
          }
        } else if (op === 'linger') {
          const request = lingering.pop()
          if (request !== undefined) release(() => queueSet.endLinger(request))
        }
        expect(queueSet.dispatchGauges()).toMatchObject(expected)
      }

      /** The dispatch comes after the finish has changed its queue: run it in a second call. */
      function release(act: () => void): void {
        const { limit } = queueSet
        queueSet.limit = 0
        act()
        queueSet.limit = limit
        if (queueSet.waitingCount > 0) before = scanned(queueSet)
        queueSet.reconfigure({ queues: queueSet.desired, handSize: 2, queueLengthLimit: 50 }, limit)
        for (const request of executing) if (waiting.includes(request)) waiting.splice(waiting.indexOf(request), 1)
      }
    }),
    { numRuns: 300 },
  )
})
