import { expect, test } from 'vitest'
import { Clock } from './clock.ts'
import { SeatRequest } from './queue.ts'
import { QueueSet, UNHEARD } from './queueSet.ts'

/** The trace of specification 4.15: four queues, hands of 2, at most 2 a queue, limit 3. */
test('every step of the golden trace', () => {
  const MS = 1_000_000
  const clock = new Clock()
  const dispatched: string[] = []
  const queueSet = new QueueSet<SeatRequest<string>>(
    clock,
    {
      ...UNHEARD,
      dispatched: (request) => void dispatched.push(request.payload),
      rejected: (request) => expect.unreachable(`${request.payload} is rejected`),
    },
    { correctClampDrift: false },
  )
  queueSet.reconfigure({ queues: 4, handSize: 2, queueLengthLimit: 2 }, 3)

  const make = (name: string, initialSeats: number, finalSeats = 0, lingerMs = 0) =>
    new SeatRequest(name, { initialSeats, finalSeats, additionalLatency: lingerMs * MS })
  const [a, b, c, d, e, f] = [make('A', 1), make('B', 1), make('C', 2), make('D', 1, 3, 2), make('E', 1), make('F', 5)]
  const arrive = (request: typeof a, hash: number) => () => void queueSet.arrive(request, { hi: 0, lo: hash })
  const finish = (request: typeof a) => () => queueSet.finish(request)

  const state = () => ({
    R: Number(queueSet.R.toBigInt()),
    S: queueSet.queues.slice(0, 3).map(({ S }) => Number(S.toBigInt())),
    W: queueSet.queues.slice(0, 3).map(({ workWaiting }) => Number(workWaiting.toBigInt())),
    inUse: queueSet.seatsInUse,
    waiting: queueSet.seatsWaiting,
    robin: queueSet.robinIndex,
    dispatched: dispatched.join(''),
  })
  const step = (ms: number, act: () => void) => {
    clock.moveTo(ms * MS)
    act()
    return state()
  }
  const row = (
    R: number,
    S: readonly number[],
    W: readonly number[],
    inUse: number,
    waiting: number,
    robin: number,
    told: string,
  ) => ({ R, S, W, inUse, waiting, robin, dispatched: told })

  expect(step(0, arrive(a, 5))).toEqual(row(0, [0, 300_000, 0], [0, 0, 0], 1, 0, 1, 'A'))
  expect(step(1, arrive(b, 5))).toEqual(row(100_000, [0, 300_000, 400_000], [0, 0, 0], 2, 0, 2, 'AB'))
  expect(step(2, arrive(c, 6))).toEqual(row(200_000, [0, 300_000, 400_000], [0, 0, 600_000], 2, 2, 2, 'AB'))
  expect(step(3, arrive(d, 6))).toEqual(row(350_000, [0, 350_000, 400_000], [0, 900_000, 600_000], 2, 5, 2, 'AB'))
  expect(step(4, arrive(e, 5))).toEqual(row(500_000, [0, 350_000, 400_000], [0, 900_000, 900_000], 2, 6, 2, 'AB'))
  const all = [1_500_000, 900_000, 900_000]
  expect(step(5, arrive(f, 1))).toEqual(row(650_000, [650_000, 350_000, 400_000], all, 2, 11, 2, 'AB'))
  const afterC = [1_500_000, 900_000, 300_000]
  expect(step(10, finish(a))).toEqual(row(1_150_000, [650_000, 1_050_000, 1_000_000], afterC, 3, 9, 2, 'ABC'))
  expect(step(11, finish(b))).toEqual(row(1_250_000, [650_000, 1_050_000, 1_700_000], afterC, 2, 9, 2, 'ABC'))
  const afterD = [1_500_000, 0, 300_000]
  expect(step(14, finish(c))).toEqual(row(1_550_000, [650_000, 1_950_000, 1_900_000], afterD, 3, 6, 1, 'ABCD'))
  expect(step(19, finish(d))).toEqual(row(2_050_000, [650_000, 2_150_000, 1_900_000], afterD, 3, 6, 1, 'ABCD'))
  const lingered = [2_150_000, 2_150_000, 1_900_000]
  expect(step(21, () => queueSet.endLinger(d))).toEqual(row(2_350_000, lingered, [0, 0, 300_000], 5, 1, 0, 'ABCDF'))
  const afterF = [1_650_000, 2_150_000, 2_200_000]
  expect(step(23, finish(f))).toEqual(row(2_650_000, afterF, [0, 0, 0], 1, 0, 2, 'ABCDFE'))
  expect(step(24, finish(e))).toEqual(row(2_750_000, [1_650_000, 2_150_000, 2_000_000], [0, 0, 0], 0, 0, 2, 'ABCDFE'))
  expect(queueSet.idle).toBe(true)
})
