import { describe, expect, test } from 'vitest'
import {
  everythingTo,
  queueingLevel,
  request,
  SECOND_NS,
  testEngine,
  ticketOf,
} from '../../test/harness/engine/engines.ts'
import { runTo } from './step.ts'
import type { Corrections } from './profiles.ts'
import { Clock } from './clock.ts'
import { SeatRequest } from './queue.ts'
import { QueueSet, UNHEARD } from './queueSet.ts'

/** Upstream's behaviour, and the effect of each correction (specification, section 11). */
const BOTH = [false, true] as const

type Request = SeatRequest<string>

function bareQueueSet(options: { readonly correctClampDrift: boolean; readonly removeStaleQueues?: boolean }) {
  const clock = new Clock()
  const dispatched: Request[] = []
  const guarded: string[] = []
  const queueSet = new QueueSet<Request>(
    clock,
    {
      ...UNHEARD,
      dispatched: (one) => void dispatched.push(one),
      staleRemovalGuarded: ({ payload }) => void guarded.push(payload),
    },
    options,
  )
  return { clock, queueSet, dispatched, guarded }
}

test.each(BOTH)('T12: the rest that the clamp leaves among the waiting seats (corrected: %s)', (correctClampDrift) => {
  const { clock, queueSet, dispatched } = bareQueueSet({ correctClampDrift })
  queueSet.reconfigure({ queues: 1, handSize: 1, queueLengthLimit: 50 }, 4)
  for (let i = 0; i < 15; i++) {
    clock.moveTo(i * 1e6)
    queueSet.arrive(new SeatRequest('wide', { initialSeats: 1, finalSeats: 10, additionalLatency: 1000 }), {
      hi: 0,
      lo: 0,
    })
    const one = dispatched.pop()
    if (one === undefined) throw new Error('a request alone was not dispatched')
    expect(one.finalSeats).toBe(4)
    queueSet.finish(one)
    clock.moveTo(i * 1e6 + 2500)
    queueSet.endLinger(one)
  }
  expect(queueSet.seatsInUse).toBe(0)
  expect(queueSet.seatsWaiting).toBe(correctClampDrift ? 0 : 90)
})

describe('T29: two requests of a surplus queue linger', () => {
  /** `others` arrive in the queues that stay; then both seats of the queue that leaves are released. */
  function shrunk(options: { readonly removeStaleQueues?: boolean }, waiting: readonly number[]) {
    const made = bareQueueSet({ correctClampDrift: false, ...options })
    const { queueSet, dispatched } = made
    queueSet.reconfigure({ queues: 4, handSize: 1, queueLengthLimit: 50 }, 2)
    const lingering = ['a', 'b'].map((name) => {
      const one = new SeatRequest(name, { initialSeats: 1, finalSeats: 1, additionalLatency: 1000 })
      queueSet.arrive(one, { hi: 0, lo: 1 })
      return one
    })
    for (const lo of waiting) {
      queueSet.arrive(new SeatRequest(`in ${lo}`, { initialSeats: 1, finalSeats: 0, additionalLatency: 0 }), {
        hi: 0,
        lo,
      })
    }
    queueSet.reconfigure({ queues: 2, handSize: 1, queueLengthLimit: 50 }, 2)
    for (const one of lingering) queueSet.finish(one)
    return {
      ...made,
      release: () => {
        for (const one of lingering) queueSet.endLinger(one)
        return dispatched.map(({ payload }) => payload)
      },
    }
  }

  test('the second release changes nothing and is reported', () => {
    const { queueSet, guarded, release } = shrunk({}, [2])
    expect(release()).toEqual(['a', 'b', 'in 2'])
    expect(guarded).toEqual(['b'])
    expect(queueSet.queues).toHaveLength(3)
  })

  test('uncorrected, it removes the queue that has moved up, with a request that is never dispatched', () => {
    const { queueSet, guarded, release } = shrunk({ removeStaleQueues: true }, [2, 2, 2])
    expect(release).toThrow('wait in no queue')
    expect(guarded).toEqual([])
    expect(queueSet.queues).toHaveLength(2)
    expect(queueSet.waitingCount).toBeGreaterThan(0)
  })

  test('uncorrected, it throws when there is no such queue, where a server would crash', () => {
    const made = bareQueueSet({ correctClampDrift: false, removeStaleQueues: true })
    const { queueSet } = made
    queueSet.reconfigure({ queues: 3, handSize: 1, queueLengthLimit: 50 }, 9)
    const lingering = [2, 2, 2].map((lo, i) => {
      const one = new SeatRequest(`${i}`, { initialSeats: 1, finalSeats: 1, additionalLatency: 1000 })
      queueSet.arrive(one, { hi: 0, lo })
      return one
    })
    queueSet.reconfigure({ queues: 1, handSize: 1, queueLengthLimit: 50 }, 9)
    for (const one of lingering) queueSet.finish(one)
    const [first, second] = lingering
    if (first === undefined || second === undefined) throw new Error('nothing lingers')
    queueSet.endLinger(first)
    expect(() => queueSet.endLinger(second)).toThrow('queue 2 no longer exists')
  })

  test.each(BOTH)('the engine emits an event when it is guarded (corrected: %s)', (staleRemoval) => {
    const configuration = (queues: number) => ({
      levels: [queueingLevel('one', 95, { queues, handSize: 1, queueLengthLimit: 50 })],
      schemas: [everythingTo('one')],
    })
    const { engine, events } = testEngine({ corrections: { staleRemoval }, configuration: configuration(64) })
    for (let i = 0; i < 20; i++) {
      engine.watchInitialised(ticketOf(engine.arrive(request('watch', 'GET /api/v1/pods?watch=1')), 'executing'))
    }
    const changes = Array.from({ length: 4 }, () =>
      ticketOf(engine.arrive(request('change', 'POST /api/v1/namespaces/default/pods')), 'executing'),
    )
    // The flow of alice is in the last of the queues, or behind it.
    const queue = changes[0]?.queue?.index ?? 0
    engine.configure(configuration(Math.max(1, queue)))
    for (const change of changes) engine.finish(change)
    engine.moveTo(10e6)
    if (staleRemoval) runTo(engine, engine.nowNs)
    const told = events.filter(({ kind }) => kind === 'stale-removal-guarded')
    expect(told).toHaveLength(staleRemoval ? 3 : 0)
  })
})

const exemptDemand = (corrections: Partial<Corrections>) => {
  const { engine } = testEngine({ corrections })
  for (let i = 0; i < 20; i++) {
    engine.arrive(request('probe', 'GET /healthz'))
  }
  engine.moveTo(10 * SECOND_NS)
  runTo(engine, engine.nowNs)
  return engine.snapshot()
}

test('T48: seats that Exempt uses are also distributed to the others, unless corrected', () => {
  const limited = (corrections: Partial<Corrections>): number =>
    exemptDemand(corrections).levels.reduce((sum, { exempt, current }) => (exempt ? sum : sum + current), 0)
  const [upstream, corrected] = [limited({}), limited({ exemptInSolver: true })]
  expect(Math.abs(upstream - 602)).toBeLessThanOrEqual(4)
  expect(Math.abs(corrected - 582)).toBeLessThanOrEqual(4)
})

test.each(BOTH)('T63: the demand ratio is relative to the current limit (corrected: %s)', (demandRatioBase) => {
  const { engine } = testEngine({ corrections: { demandRatioBase } })
  for (let i = 0; i < 49; i++) engine.arrive(request('a'))
  engine.moveTo(SECOND_NS)
  const level = engine.snapshot().levels.find(({ name }) => name === 'global-default')
  expect(level?.limits.nominal).toBe(49)
  expect(level?.current).toBe(56)
  expect(level?.demandRatio.sum).toBeCloseTo(SECOND_NS * (49 / (demandRatioBase ? 49 : 56)), 0)
})

test.each(BOTH)('T64: a wait that timed out counts as one that led to execution (corrected: %s)', (timedOutWaits) => {
  const { engine } = testEngine({
    corrections: { timedOutWaits },
    maxRequestsInFlight: 1,
    maxMutatingRequestsInFlight: 1,
    configuration: {
      levels: [queueingLevel('narrow', 5, { queues: 1, handSize: 1, queueLengthLimit: 5 })],
      schemas: [everythingTo('narrow')],
    },
  })
  engine.arrive(request('runs'))
  engine.arrive(request('waits'))
  engine.moveTo(15 * SECOND_NS)
  runTo(engine, engine.nowNs)
  const lane = engine.snapshot().levels.find(({ name }) => name === 'narrow')?.lanes[0]
  expect(lane?.wait).toMatchObject(timedOutWaits ? { count: 1, sum: 0 } : { count: 2, sum: 15 })
  expect(lane?.waitRejected).toMatchObject(timedOutWaits ? { count: 1, sum: 15 } : { count: 0 })
})

test('T65: the target of Exempt is that of another level, unless corrected', () => {
  const targets = (corrections: Partial<Corrections>) =>
    Object.fromEntries(exemptDemand(corrections).levels.map(({ name, target }) => [name, target]))
  const upstream = targets({})
  expect(upstream['exempt']).toBe(upstream['catch-all'])
  expect(targets({ exemptTarget: true })['exempt']).toBe(20)
})
