import { describe, expect, it } from 'vitest'
import type { Histogram } from '../../../core/frame/frame.ts'
import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '../../../core/config/builtIn.ts'
import {
  levelKind,
  shownStates,
  levelToOpen,
  limitFacts,
  seatsThatExist,
  staleDemand,
  widestRequest,
  widthText,
  levelShape,
  queuingFacts,
  requestTimeFacts,
  retryAfterFacts,
  schemasOf,
  shareFacts,
  rejectedNow,
  rejectionRows,
  schemaRows,
} from './level.data.ts'
import { derivedOf, levelOf, schemaOf, serverOf } from './level.fixture.ts'

const rejecting = { 'queue-full': 3, 'concurrency-limit': 0, 'time-out': 0 }

describe('levelKind', () => {
  it('believes the dump about queues', () => {
    expect(levelKind(levelOf('x'), 64)).toBe('queues')
    expect(levelKind(levelOf('x'), 0)).toBe('rejects')
    expect(levelKind(levelOf('exempt'), 0)).toBe('exempt')
  })
  it('takes what ever waited for proof, and says nothing without proof', () => {
    expect(levelKind(levelOf('x'), undefined)).toBe('unknown')
    expect(levelKind(levelOf('x', { requests: { executing: 1, queued: 2 } }), undefined)).toBe('queues')
    const refused = { 'queue-full': 0, 'concurrency-limit': 1, 'time-out': 0 }
    expect(levelKind(levelOf('x', { rejected: refused }), undefined)).toBe('rejects')
  })
})

describe('shownStates', () => {
  it('names the worst first, and borrowing as a fact beside it', () => {
    const level = levelOf('x', { requests: { executing: 3, queued: 2 } })
    expect(shownStates(level, derivedOf('x', { recent: { seconds: 10, rejected: rejecting }, borrowed: 62 }))).toEqual([
      { kind: 'rejecting' },
      { kind: 'queueing' },
      { kind: 'borrowing', seats: 62 },
    ])
  })
  it('is flowing or idle, and may lend', () => {
    expect(shownStates(levelOf('x', { seats: { executing: 1, queued: 0 } }), undefined)).toEqual([{ kind: 'flowing' }])
    expect(shownStates(levelOf('x'), derivedOf('x', { borrowed: -25 }))).toEqual([
      { kind: 'idle' },
      { kind: 'lending', seats: 25 },
    ])
  })
  it('gives exempt no limit', () => {
    expect(shownStates(levelOf('exempt'), derivedOf('exempt', { borrowed: 20 }))).toEqual([{ kind: 'no-limit' }])
  })
})

describe('limitFacts', () => {
  it('says that nothing limits borrowing where the object tells', () => {
    expect(limitFacts(levelOf('x'), 602, { lendablePercent: 90, borrowingPercent: undefined })[2]).toMatchObject({
      detail: 'no borrowing limit, 602 exist',
    })
  })
  it('computes the lendable part and names what exists of max', () => {
    expect(limitFacts(levelOf('x'), 602)).toMatchObject([
      { term: 'nominal', value: '245' },
      { term: 'min', value: '24', detail: 'lendable ≈ 90 %' },
      { term: 'max', value: '845', detail: '602 exist' },
    ])
  })
  it('gives the percentages of the object, not those of rounded limits', () => {
    const small = levelOf('x', { limits: { nominal: 13, lower: 1, upper: 20, current: 13 } })
    expect(limitFacts(small, 602).map(({ detail }) => detail)).toEqual([
      undefined,
      'lendable ≈ 92 %',
      'borrows up to ≈ 54 %',
    ])
    expect(limitFacts(small, 602, { lendablePercent: 90, borrowingPercent: 50 }).map(({ detail }) => detail)).toEqual([
      undefined,
      'lendable 90 %',
      'borrows up to 50 %',
    ])
  })
  it('leaves out what the server did not report, and divides by no zero', () => {
    const bare = levelOf('x', { limits: { nominal: undefined, lower: undefined, upper: undefined, current: 5 } })
    expect(limitFacts(bare, undefined)).toEqual([])
    const zero = levelOf('x', { limits: { nominal: 0, lower: 0, upper: 10, current: 0 } })
    for (const fact of limitFacts(zero, 600)) expect(fact.detail ?? '').not.toMatch(/NaN|Infinity/)
  })
  it('counts the seats of a server from its nominal limits', () => {
    expect(seatsThatExist(serverOf([levelOf('a'), levelOf('b')]))).toBe(490)
    expect(seatsThatExist(serverOf([]))).toBeUndefined()
  })
})

describe('widestRequest', () => {
  const bounds = [1, 2, 4, 8]
  const histogram = (...counts: number[]): Histogram => ({ bounds, counts, sum: 0, count: counts.at(-1) ?? 0 })
  it('is the bucket that completes the count, over all schemas', () => {
    const level = levelOf('x', {
      schemas: [
        schemaOf('a', { estimatedSeats: histogram(5, 5, 5, 5, 5) }),
        schemaOf('b', { estimatedSeats: histogram(1, 2, 9, 9, 9) }),
        schemaOf('c', { estimatedSeats: histogram(0, 0, 0, 0, 0) }),
      ],
    })
    const widest = widestRequest(level)
    expect(widest).toEqual({ above: 2, upTo: 4 })
    expect(widest && widthText(widest)).toBe('3 to 4 seats')
  })
  it('is open beyond the last bound', () => {
    expect(widthText({ above: 100, upTo: undefined })).toBe('over 100 seats')
    expect(widthText({ above: 0, upTo: 1 })).toBe('1 seat')
    expect(widthText({ above: 1, upTo: 2 })).toBe('2 seats')
    expect(widestRequest(levelOf('x'))).toBeUndefined()
  })
})

describe('staleDemand', () => {
  const remembered = levelOf('workload-low', { demand: { ...levelOf('x').demand, smoothed: 654, highWatermark: 1 } })
  const waiting = levelOf('global-default', {
    requests: { executing: 3, queued: 70 },
    limits: { ...levelOf('x').limits, current: 3 },
  })
  it('needs a forgotten surge and somebody who waits', () => {
    expect(staleDemand(serverOf([remembered, waiting]), remembered)).toEqual({
      smoothed: 654,
      highWatermark: 1,
      waiting: { name: 'global-default', requests: 70, limit: 3 },
    })
    expect(staleDemand(serverOf([remembered, levelOf('y')]), remembered)).toBeUndefined()
  })
  it('does not count its own queue, nor demand that is still there', () => {
    const own = { ...remembered, requests: { executing: 1, queued: 4 } }
    expect(staleDemand(serverOf([own, waiting]), own)).toBeUndefined()
    const full = { ...remembered, seats: { ...remembered.seats, executing: remembered.limits.current } }
    expect(staleDemand(serverOf([full, waiting]), full)).toBeUndefined()
    const current = { ...remembered, demand: { ...remembered.demand, highWatermark: 80 } }
    expect(staleDemand(serverOf([current, waiting]), current)).toBeUndefined()
  })
})

it('opens the level that rejects, else the one that queues, else the busiest', () => {
  const busy = levelOf('busy', { seats: { executing: 200, queued: 0 } })
  const queueing = levelOf('queueing', { requests: { executing: 1, queued: 1 } })
  const bad = levelOf('bad')
  const derived = { id: 'a', torn: false, levels: [derivedOf('bad', { recent: { seconds: 10, rejected: rejecting } })] }
  expect(levelToOpen(serverOf([busy, queueing, bad]), derived)).toBe('bad')
  expect(levelToOpen(serverOf([busy, queueing, bad]), undefined)).toBe('queueing')
  expect(levelToOpen(serverOf([busy, bad]), undefined)).toBe('busy')
  expect(levelToOpen(serverOf([]), undefined)).toBeUndefined()
})

/** The default objects, as an API server returns them. */
const levels = [...mandatoryLevels, ...suggestedLevels]
const shapeOf = (name: string) => {
  const shape = levelShape(levels, name)
  if (shape === undefined) throw new Error(`no object of ${name}`)
  return shape
}

describe('the shape of a default level', () => {
  it('is what the objects say', () => {
    expect(shapeOf('workload-low')).toEqual({
      shares: 100,
      shareSum: 245,
      queuing: { queues: 128, handSize: 6, queueLengthLimit: 50 },
      lendablePercent: 90,
      borrowingPercent: undefined,
    })
    expect(shapeOf('exempt')).toMatchObject({ shares: 0, queuing: undefined })
    expect(shapeOf('catch-all').queuing).toBeUndefined()
  })
  it('names the flow schemas that feed it, whether or not they sent anything', () => {
    expect(schemasOf([...mandatorySchemas, ...suggestedSchemas], 'catch-all')).toEqual(['catch-all'])
  })
  it('is unknown without an object', () => {
    expect(levelShape(levels, 'old-batch')).toBeUndefined()
  })
})

describe('facts of the header', () => {
  it('give the shares of the total', () => {
    expect(shareFacts(shapeOf('workload-low'))).toMatchObject([{ value: '100', detail: 'of 245' }])
  })
  it('give the queues, and the widest request that follows from them', () => {
    // min(⌈245 × 0.15⌉, ⌊245 ÷ 6⌋) = min(37, 40)
    expect(queuingFacts(shapeOf('workload-low'), levelOf('workload-low'))).toMatchObject([
      { term: 'Queue', value: '128 queues × hand 6 × length 50' },
      { term: 'widest request', value: '37 seats' },
    ])
  })
  it('say nothing of queues where requests do not wait, and nothing of width without a limit', () => {
    expect(queuingFacts(shapeOf('catch-all'), levelOf('catch-all'))).toEqual([])
    const limits = { nominal: undefined, lower: undefined, upper: undefined, current: undefined }
    expect(queuingFacts(shapeOf('workload-low'), levelOf('workload-low', { limits }))).toHaveLength(1)
  })
  it('give Retry-After only where it is known', () => {
    expect(retryAfterFacts(undefined)).toEqual([])
    expect(retryAfterFacts(4)).toMatchObject([{ term: 'Retry-After', value: '4 s' }])
  })
})

const recent = {
  seconds: 10,
  dispatched: 5,
  rejected: { 'queue-full': 118, 'concurrency-limit': 0, 'time-out': 2 },
}

describe('rejectionRows', () => {
  it('explains every reason, with a real 0 where nothing happened', () => {
    const rows = rejectionRows(
      levelOf('x', { rejected: { 'queue-full': 5, 'concurrency-limit': 0, 'time-out': 1 } }),
      derivedOf('x', { recent }),
    )
    expect(rows.map((row) => [row.reason, row.total, row.rate])).toEqual([
      ['queue-full', 5, 11.8],
      ['concurrency-limit', 0, 0],
      ['time-out', 1, 0.2],
    ])
    for (const row of rows) expect(row.cause.length).toBeGreaterThan(20)
  })
  it('knows no rate without two samples, and no total without the family', () => {
    const { rejected: _hidden, ...bare } = levelOf('x')
    expect(rejectionRows(bare, undefined)[0]).toMatchObject({ total: undefined, rate: undefined })
    expect(rejectedNow(undefined)).toBeUndefined()
    expect(rejectedNow(derivedOf('x', { recent }))).toBeCloseTo(12)
  })
})

describe('schemaRows', () => {
  it('puts the busiest first and those without a rate last', () => {
    const level = levelOf('x', { schemas: [schemaOf('b'), schemaOf('a'), schemaOf('c')] })
    const derived = derivedOf('x', {
      schemas: [
        { name: 'c', recent: { seconds: 10, dispatched: 90 } },
        { name: 'a', recent: { seconds: 10, dispatched: 0 } },
      ],
    })
    expect(schemaRows(level, derived).map((row) => row.name)).toEqual(['c', 'a', 'b'])
  })
  it('means width over all requests, and is unknown without any', () => {
    const estimatedSeats = { bounds: [1], counts: [2, 4], sum: 10, count: 4 }
    const none = { bounds: [1], counts: [0, 0], sum: 0, count: 0 }
    const level = levelOf('x', {
      schemas: [schemaOf('a', { estimatedSeats }), schemaOf('b', { estimatedSeats: none })],
    })
    expect(schemaRows(level, undefined).map((row) => row.meanSeats)).toEqual([2.5, undefined])
  })
})

describe('requestTimeFacts', () => {
  const second = (seconds: number, atLeast = false) => ({ seconds, atLeast })
  it('says how long requests take by verb, over which time, and where a quantile is a bound', () => {
    const times = {
      overSeconds: 28,
      mean: 0.2,
      p50: second(0.1),
      p99: second(60, true),
      verbs: {
        get: { count: 120, p50: second(0.004), p99: second(0.02) },
        write: { count: 7, p50: second(0.03), p99: second(60, true) },
      },
    }
    expect(requestTimeFacts(times).map(({ term, value, detail }) => `${term} ${value} ${detail}`)).toEqual([
      'requests of all levels take 200 ms on average; p50 100 ms, p99 ≥ 60.0 s; last 28 s, without watches',
      'GET requests take p50 4.0 ms p99 20 ms',
      'writes take p50 30 ms p99 ≥ 60.0 s',
    ])
    expect(requestTimeFacts(undefined)).toEqual([])
  })
})
