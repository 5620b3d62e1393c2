import { describe, expect, test } from 'vitest'
import {
  ALICE,
  MASTER,
  SECOND_NS,
  everythingTo,
  queueingLevel,
  request,
  testEngine,
  ticketOf,
} from '../../test/harness/engine/engines.ts'
import { DEFAULT_OBJECTS } from '../../test/harness/engine/requests.ts'
import { httpAnswer } from './httpAnswer.ts'
import { runTo } from './step.ts'
import { profileFor } from './profiles.ts'

/** One queue of at most two requests in front of one seat; catch-all has the other seat of the server. */
const ONE_SEAT = {
  maxRequestsInFlight: 1,
  maxMutatingRequestsInFlight: 1,
  configuration: {
    levels: [queueingLevel('narrow', 5, { queues: 1, handSize: 1, queueLengthLimit: 2 })],
    schemas: [everythingTo('narrow')],
  },
}

describe('a request', () => {
  test('is classified, estimated and runs at once if seats are free', () => {
    const { engine, events } = testEngine()
    const answer = engine.arrive(request('a'))
    const ticket = ticketOf(answer, 'executing')
    expect(ticket.lane.schema).toBe('global-default')
    expect(ticket.lane.level.plan.name).toBe('global-default')
    expect(ticket.flow?.distinguisher).toBe('alice')
    expect(engine.handOf('global-default', ticket.flow?.hash ?? { hi: 0, lo: 0 })).toEqual([55, 62, 126, 125, 105, 1])
    expect(ticket.queue?.index).toBe(55)
    engine.moveTo(5e6)
    engine.finish(ticket)
    expect(ticket.state).toBe('done')
    expect(events.map(({ kind }) => kind)).toEqual([
      'limits-adjusted',
      'arrived',
      'enqueued',
      'dispatched',
      'finished',
      'seats-released',
    ])
  })

  test('waits, is dispatched when a seat is free, and triggers its callback before the call returns', () => {
    const { engine, told } = testEngine(ONE_SEAT)
    const first = ticketOf(engine.arrive(request('first')), 'executing')
    ticketOf(engine.arrive(request('second')), 'waiting')
    expect(told).toEqual([])
    engine.moveTo(SECOND_NS)
    engine.finish(first)
    expect(told).toEqual([{ name: 'second' }])
    const { levels } = engine.snapshot()
    const lane = levels.find(({ name }) => name === 'narrow')?.lanes[0]
    expect(lane).toMatchObject({ dispatched: 2, waitingRequests: 0, executingRequests: 1, executingSeats: 1 })
    expect(lane?.wait).toMatchObject({ count: 2, sum: 1 })
    expect(lane?.execution).toMatchObject({ count: 1, sum: 1 })
    expect(lane?.queueLength).toMatchObject({ count: 2, sum: 2 })
  })

  test('is rejected when its queue is full, with the answer for the client', () => {
    const { engine, events } = testEngine(ONE_SEAT)
    for (const name of ['runs', 'waits', 'waits, too']) engine.arrive(request(name))
    const answer = engine.arrive(request('refused'))
    expect(answer).toMatchObject({ kind: 'rejected', reason: 'queue-full', retryAfter: 1 })
    expect(events.at(-1)).toMatchObject({ kind: 'rejected', reason: 'queue-full', retryAfter: 1 })
    expect(httpAnswer(answer)).toEqual({
      status: 429,
      headers: {
        'X-Kubernetes-Pf-Prioritylevel-Uid': 'uid-of-narrow',
        'X-Kubernetes-Pf-Flowschema-Uid': 'uid-of-to-narrow',
        'Retry-After': '1',
        'Content-Type': 'text/plain; charset=utf-8',
        'X-Content-Type-Options': 'nosniff',
      },
      body: 'Too many requests, please try again later.\n',
    })
  })

  test('that is served has the UIDs of its objects as headers, which are empty for imagined objects', () => {
    const { engine } = testEngine({ configuration: { levels: [], schemas: [] } })
    expect(httpAnswer(engine.arrive(request('a')))).toEqual({
      headers: { 'X-Kubernetes-Pf-Prioritylevel-Uid': '', 'X-Kubernetes-Pf-Flowschema-Uid': '' },
    })
  })

  test('of a master is exempt from limits and from the wait histogram, but is counted', () => {
    const { engine } = testEngine()
    for (let i = 0; i < 1000; i++) ticketOf(engine.arrive(request('a', 'GET /healthz', { user: MASTER })), 'executing')
    const exempt = engine.snapshot().levels.find(({ name }) => name === 'exempt')
    expect(exempt).toMatchObject({ executingRequests: 1000, seatsInUse: 1000 })
    const lane = exempt?.lanes.find(({ schema }) => schema === 'exempt')
    expect(lane).toMatchObject({ dispatched: 1000, wait: { count: 0 }, estimatedSeats: { count: 1000 } })
  })

  test.each(['POST /api/v1/namespaces/a/pods/b/exec', 'GET /api/v1/namespaces/a/pods/b/log', 'GET /debug/pprof/heap'])(
    'that is long-running but not a watch is not limited: %s',
    (line) => {
      const { engine } = testEngine()
      const answer = engine.arrive(request('a', line))
      expect(answer).toEqual({ kind: 'bypassed' })
      expect(httpAnswer(answer)).toEqual({ headers: {} })
    },
  )

  test('can only be finished while it executes', () => {
    const { engine } = testEngine(ONE_SEAT)
    const first = ticketOf(engine.arrive(request('first')), 'executing')
    const second = ticketOf(engine.arrive(request('second')), 'waiting')
    expect(() => engine.finish(second)).toThrow('waiting')
    engine.finish(first)
    expect(() => engine.finish(first)).toThrow('done')
  })

  test('callbacks may call the engine; their effects follow in order', () => {
    const finished: string[] = []
    const { engine } = testEngine({
      ...ONE_SEAT,
      onDispatch(ticket) {
        finished.push(ticket.payload.payload)
        engine.finish(ticket)
      },
    })
    const first = ticketOf(engine.arrive(request('first')), 'executing')
    engine.arrive(request('second'))
    engine.arrive(request('third'))
    engine.finish(first)
    expect(finished).toEqual(['second', 'third'])
    expect(engine.levels().every(({ queueSet }) => queueSet.idle)).toBe(true)
  })
})

describe('the wait of a request', () => {
  const waiting = (rest: Parameters<typeof request>[2], line?: string) => {
    const made = testEngine(ONE_SEAT)
    made.engine.moveTo(100 * SECOND_NS)
    made.engine.arrive(request('first'))
    return { ...made, answer: made.engine.arrive(request('second', line, rest)) }
  }
  const endOf = (rest: Parameters<typeof request>[2], line?: string): number => {
    const { engine, events, told } = waiting(rest, line)
    while (told.length === 0) runTo(engine, engine.nextWakeNs())
    expect(events.findLast(({ kind }) => kind === 'rejected')).toMatchObject({ reason: 'time-out' })
    return engine.nowNs / SECOND_NS - 100
  }

  test('ends after a quarter of the request timeout, or of the timeout in the query', () => {
    expect(endOf({})).toBe(15)
    expect(endOf({}, 'GET /api/v1/pods?timeout=8s')).toBe(2)
    expect(endOf({}, 'GET /api/v1/pods?timeout=10m')).toBe(15)
    expect(endOf({}, 'GET /api/v1/pods?timeout=-1s')).toBe(15)
  })

  test('counts from receipt, and ends at the deadline at the latest', () => {
    expect(endOf({ receivedNs: 96 * SECOND_NS })).toBe(11)
    expect(endOf({ deadlineNs: 104 * SECOND_NS })).toBe(1)
    expect(endOf({ deadlineNs: 1000 * SECOND_NS })).toBe(60)
  })

  test('of a watch has no deadline and ends after the default', () => {
    expect(endOf({}, 'GET /api/v1/pods?watch=1&timeoutSeconds=400')).toBe(15)
  })

  test('may have ended before it began', () => {
    const { answer, told } = waiting({ deadlineNs: 99 * SECOND_NS })
    expect(answer).toMatchObject({ kind: 'rejected', reason: 'time-out', retryAfter: 1 })
    expect(told).toEqual([])
  })

  test('does not affect a request that can run at once', () => {
    const { engine } = testEngine(ONE_SEAT)
    engine.moveTo(100 * SECOND_NS)
    expect(engine.arrive(request('late', undefined, { deadlineNs: 1 })).kind).toBe('executing')
  })

  test('ends when the client disconnects, which dispatches no other request', () => {
    const { engine, told, answer } = waiting({})
    const ticket = ticketOf(answer, 'waiting')
    expect(engine.cancel(ticket)).toBe(true)
    expect(told).toEqual([{ name: 'second', retryAfter: 1 }])
    expect(ticket.state).toBe('timed-out')
    expect(engine.cancel(ticket)).toBe(false)
    expect(engine.snapshot().levels.find(({ name }) => name === 'narrow')?.lanes[0]).toMatchObject({
      rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 1 },
      waitingRequests: 0,
    })
  })
})

describe('Retry-After', () => {
  test('of a level grows from second to second while requests are rejected', () => {
    const { engine } = testEngine(ONE_SEAT)
    const told: number[] = []
    for (let i = 0; i < 3; i++) engine.arrive(request('held'))
    for (let second = 0; second < 6; second++) {
      engine.moveTo(second * SECOND_NS)
      for (let i = 0; i < 20; i++) {
        const answer = engine.arrive(request('refused'))
        if (answer.kind === 'rejected' && i === 0) told.push(answer.retryAfter)
      }
    }
    expect(told).toEqual([1, 2, 2, 4, 4, 4])
    expect(engine.snapshot().levels.map(({ name, retryAfter }) => [name, retryAfter])).toEqual([
      ['catch-all', 1],
      ['exempt', 1],
      ['narrow', 4],
    ])
  })
})

describe('watches', () => {
  const WATCH = 'GET /api/v1/namespaces/default/pods?watch=1'
  const CHANGE = 'PUT /api/v1/namespaces/default/pods/one'

  test('execute until they are initialised and are counted until they end', () => {
    const { engine } = testEngine()
    const watches = Array.from({ length: 25 }, () => {
      const ticket = ticketOf(engine.arrive(request('watch', WATCH)), 'executing')
      engine.watchInitialised(ticket)
      return ticket
    })
    const global = () => engine.snapshot().levels.find(({ name }) => name === 'global-default')
    expect(global()).toMatchObject({ executingRequests: 0, seatsInUse: 0 })
    expect(global()?.lanes[0]).toMatchObject({ execution: { count: 0 }, executionWatch: { count: 25 } })

    const change = ticketOf(engine.arrive(request('change', CHANGE)), 'executing')
    expect(change).toMatchObject({ initialSeats: 1, finalSeats: 3, additionalLatency: 5e6 })
    engine.finish(change)
    expect(change.state).toBe('lingering')
    expect(global()).toMatchObject({ executingRequests: 0, seatsInUse: 3 })
    expect(engine.nextWakeNs()).toBe(5e6)
    runTo(engine, 5e6)
    expect(global()).toMatchObject({ seatsInUse: 0 })

    for (const watch of watches) engine.endWatch(watch)
    const after = ticketOf(engine.arrive(request('change', CHANGE)), 'executing')
    expect(after).toMatchObject({ finalSeats: 0, additionalLatency: 0 })
    expect(global()?.lanes[0]?.watchCount).toMatchObject({ count: 2, sum: 25 })
  })

  test('that end before they are initialised also stop executing', () => {
    const { engine } = testEngine()
    const watch = ticketOf(engine.arrive(request('watch', WATCH)), 'executing')
    engine.finish(watch)
    expect(watch.state).toBe('done')
    expect(() => engine.endWatch(watch)).toThrow('not a watch')
    const other = ticketOf(engine.arrive(request('read')), 'executing')
    expect(() => engine.watchInitialised(other)).toThrow('not a watch')
  })
})

describe('limits', () => {
  test('are recomputed every ten seconds from the first configuration on, and explained', () => {
    const { engine } = testEngine()
    engine.moveTo(3 * SECOND_NS)
    const tickets = Array.from({ length: 40 }, () => ticketOf(engine.arrive(request('a')), 'executing'))
    runTo(engine, 25 * SECOND_NS)
    const adjustments = engine.adjustments()
    expect(adjustments.map(({ number, atNs, cause }) => [number, atNs / SECOND_NS, cause])).toEqual([
      [0, 0, 'configuration'],
      [1, 0, 'configuration'],
      [2, 10, 'period'],
      [3, 20, 'period'],
    ])
    const busy = adjustments[2]?.allocation.levels.find(({ name }) => name === 'global-default')
    expect(busy?.demand).toMatchObject({ highWatermark: 40, average: 28 })
    expect(busy?.demand.envelope).toBe((busy?.demand.average ?? 0) + (busy?.demand.stdev ?? 0))
    expect(busy).toMatchObject({ lower: 40, limits: { nominal: 49, min: 24, max: 649 } })
    const entry = adjustments[3]?.ledger.levels.find(({ name }) => name === 'global-default')
    expect(entry).toMatchObject({ nominal: 49, used: 40 })
    expect((entry?.used ?? 0) + (entry?.idle ?? 0)).toBe(entry?.current)
    for (const ticket of tickets) engine.finish(ticket)
  })

  test('of an idle server match the specification', () => {
    const { engine } = testEngine()
    const current = Object.fromEntries(engine.snapshot().levels.map((level) => [level.name, level.current]))
    expect(current).toEqual({
      system: 117,
      'node-high': 170,
      'leader-election': 58,
      'workload-high': 114,
      'workload-low': 56,
      'global-default': 56,
      'catch-all': 30,
      exempt: 0,
    })
    expect(engine.snapshot().fairFrac).toBeCloseTo(2.3333333333333335, 12)
    const { ledger } = engine.adjustments().at(-1) ?? { ledger: undefined }
    expect(ledger).toMatchObject({ serverLimit: 600, roundingSurplus: 2, exemptNominal: 0, exemptOnTop: 0 })
    expect(ledger?.pool).toBe(189)
    expect(ledger?.undistributed).toBe(1)
  })

  test('before any configuration belong to catch-all', () => {
    const { engine } = testEngine({ configuration: { levels: [], schemas: [] } })
    const [catchAll] = engine.snapshot().levels
    expect(catchAll).toMatchObject({ name: 'catch-all', current: 600, limits: { nominal: 600 }, uid: '' })
  })

  test('are kept for the last recomputations only', () => {
    const { engine } = testEngine({ keepAdjustments: 3 })
    runTo(engine, 100 * SECOND_NS)
    expect(engine.adjustments().map(({ number }) => number)).toEqual([9, 10, 11])
  })
})

describe('a configuration', () => {
  const levelNames = (engine: ReturnType<typeof testEngine>['engine']) =>
    engine.levels().map(({ plan, quiescing }) => (quiescing ? `${plan.name} (quiescing)` : plan.name))

  test('that removes a busy level lets it serve its remaining requests, then drops it', () => {
    const { engine, events, told } = testEngine(ONE_SEAT)
    const running = ticketOf(engine.arrive(request('running')), 'executing')
    engine.arrive(request('waiting'))
    const report = engine.configure({ levels: [], schemas: [everythingTo('narrow')] })
    expect(report).toMatchObject({ quiescing: ['narrow'], dangling: ['to-narrow'], order: ['exempt', 'catch-all'] })
    expect(report.conditions).toMatchObject([
      { schema: 'to-narrow', condition: { type: 'Dangling', status: 'True', reason: 'NotFound' } },
    ])
    expect(levelNames(engine)).toEqual(['catch-all', 'exempt', 'narrow (quiescing)'])
    expect(ticketOf(engine.arrive(request('new')), 'executing').lane.level.plan.name).toBe('catch-all')

    engine.finish(running)
    expect(told).toEqual([{ name: 'waiting' }])
    expect(levelNames(engine)).toEqual(['catch-all', 'exempt', 'narrow (quiescing)'])
    const [waited] = engine.dump().requests.filter(({ level }) => level === 'narrow')
    if (waited === undefined) throw new Error('nothing executes in the level any more')
    engine.finish(waited.ticket)
    expect(levelNames(engine)).toEqual(['catch-all', 'exempt'])
    const departures = events.filter(({ kind }) => kind === 'level-quiescing' || kind === 'level-removed')
    expect(departures.map(({ kind }) => kind)).toEqual(['level-quiescing', 'level-removed'])
    // Its series remain (trap T69).
    const gone = engine.snapshot().levels.find(({ name }) => name === 'narrow')
    expect(gone).toMatchObject({ present: false, lanes: [{ schema: 'to-narrow', dispatched: 2 }] })
  })

  test('that brings back a quiescing level keeps its queues and counters', () => {
    const { engine } = testEngine(ONE_SEAT)
    engine.arrive(request('running'))
    engine.arrive(request('waiting'))
    engine.configure({ levels: [], schemas: [] })
    engine.configure(ONE_SEAT.configuration)
    expect(levelNames(engine)).toEqual(['catch-all', 'exempt', 'narrow'])
    expect(engine.dump().levels.at(-1)).toMatchObject({ name: 'narrow', waiting: 1, executing: 1, dispatched: 1 })
  })

  test('drops a level while seats linger; their later release changes nothing', () => {
    const { engine } = testEngine(ONE_SEAT)
    for (let i = 0; i < 20; i++) {
      engine.watchInitialised(ticketOf(engine.arrive(request('watch', 'GET /api/v1/pods?watch=1')), 'executing'))
    }
    const change = ticketOf(engine.arrive(request('change', 'POST /api/v1/namespaces/default/pods')), 'executing')
    engine.configure({ levels: [], schemas: [] })
    engine.finish(change)
    expect(change.state).toBe('lingering')
    expect(levelNames(engine)).toEqual(['catch-all', 'exempt'])
    const adjustments = engine.adjustments().length
    runTo(engine, SECOND_NS)
    expect(change.state).toBe('done')
    expect(engine.adjustments()).toHaveLength(adjustments)
    expect(engine.snapshot().levels.find(({ name }) => name === 'narrow')).toMatchObject({ seatsInUse: 0 })
  })

  test('ignores malformed levels, and reports that', () => {
    const { engine, events } = testEngine()
    const [first, ...rest] = DEFAULT_OBJECTS.levels
    if (first === undefined) throw new Error('there are no default levels')
    const broken = { ...first, spec: { type: 'Limited' } }
    const { refused, dangling } = engine.configure({ levels: [broken, ...rest], schemas: DEFAULT_OBJECTS.schemas })
    expect(refused).toMatchObject([{ name: 'system' }])
    expect(dangling).toEqual(['system-nodes'])
    expect(events.at(-1)).toMatchObject({ kind: 'level-refused', level: 'system' })
  })

  test('applies new limits at once, to waiting requests too', () => {
    const { engine, told } = testEngine(ONE_SEAT)
    engine.arrive(request('running'))
    engine.arrive(request('waiting'))
    engine.configure({
      levels: [queueingLevel('narrow', 1000, { queues: 1, handSize: 1, queueLengthLimit: 2 })],
      schemas: [everythingTo('narrow')],
    })
    expect(told).toEqual([{ name: 'waiting' }])
  })

  test('keeps the flows of a schema, and drops them with its level', () => {
    const { engine } = testEngine()
    const lane = () => ticketOf(engine.arrive(request('a')), 'executing').lane
    const before = lane()
    engine.configure(DEFAULT_OBJECTS)
    expect(lane()).toBe(before)
    const elsewhere = { ...everythingTo('system', 'global-default', 9_900) }
    const schemas = [...DEFAULT_OBJECTS.schemas.filter(({ metadata }) => metadata.name !== 'global-default'), elsewhere]
    engine.configure({ levels: DEFAULT_OBJECTS.levels, schemas })
    expect(lane().level.plan.name).toBe('system')
  })
})

describe('the max-in-flight filter', () => {
  const inFlight = () => testEngine({ mode: 'max-in-flight', maxRequestsInFlight: 2, maxMutatingRequestsInFlight: 1 })
  const CREATE = 'POST /api/v1/namespaces/default/pods'

  test('counts the two kinds separately, and rejects the excess', () => {
    const { engine } = inFlight()
    const first = ticketOf(engine.arrive(request('1')), 'executing')
    ticketOf(engine.arrive(request('2', 'HEAD /api/v1/namespaces/default/pods/one')), 'executing')
    ticketOf(engine.arrive(request('3', CREATE)), 'executing')
    ticketOf(engine.arrive(request('4', 'POST /other')), 'rejected')
    const answer = engine.arrive(request('5'))
    expect(answer).toMatchObject({ kind: 'rejected', reason: 'concurrency-limit', retryAfter: 1, uids: undefined })
    expect(httpAnswer(answer)).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } })
    engine.finish(first)
    ticketOf(engine.arrive(request('6')), 'executing')
    expect(engine.snapshot().filter).toEqual({ dispatched: 4, rejected: 2 })
  })

  test('serves masters beyond the limit without counting them, and long-running requests without a ticket', () => {
    const { engine } = inFlight()
    const counted = ticketOf(engine.arrive(request('1', CREATE)), 'executing')
    const master = ticketOf(engine.arrive(request('2', CREATE, { user: MASTER })), 'executing')
    engine.finish(master)
    ticketOf(engine.arrive(request('3', CREATE)), 'rejected')
    engine.finish(counted)
    ticketOf(engine.arrive(request('4', CREATE, { user: ALICE })), 'executing')
    expect(engine.arrive(request('5', 'GET /api/v1/pods?watch=1'))).toEqual({ kind: 'bypassed' })
  })

  test('does not limit a kind whose limit is 0', () => {
    const { engine } = testEngine({ mode: 'max-in-flight', maxRequestsInFlight: 0 })
    expect(engine.arrive(request('1')).kind).toBe('bypassed')
    expect(engine.nextWakeNs()).toBe(Number.POSITIVE_INFINITY)
    expect(engine.snapshot().levels).toEqual([])
  })
})

test.each([
  ['v1.30.14', { borrowing: 'exempt-in-solver', sizes: false, watches: false, legacy: false, buckets: 4 }],
  ['v1.33.13', { borrowing: 'three-regimes', sizes: false, watches: false, legacy: false, buckets: 4 }],
  ['v1.34.1', { borrowing: 'three-regimes', sizes: true, watches: true, legacy: false, buckets: 8 }],
  ['v1.35.0+vendor', { borrowing: 'three-regimes', sizes: true, watches: true, legacy: true, buckets: 8 }],
  [undefined, { borrowing: 'three-regimes', sizes: true, watches: true, legacy: true, buckets: 8 }],
] as const)('the profile of %s', (version, expected) => {
  const { borrowing, estimator, estimatedSeatsBounds } = profileFor(version)
  expect({
    borrowing,
    sizes: estimator.sizeBasedLists,
    watches: estimator.watchList,
    legacy: estimator.legacyWatchesCost,
    buckets: estimatedSeatsBounds.length,
  }).toEqual(expected)
})
