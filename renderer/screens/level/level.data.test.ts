import { describe, expect, it } from 'vitest'
import type { Histogram } from '../../../core/frame/frame.ts'
import {
  dumpFacts,
  levelKind,
  shownStates,
  levelToOpen,
  limitFacts,
  seatsThatExist,
  staleDemand,
  widestRequest,
  widthText,
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
    expect(staleDemand(serverOf([own]), own)).toBeUndefined()
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

it('counts queues with waiting requests of all that the dump names', () => {
  const dumped = {
    name: 'x',
    activeQueues: 6,
    idle: false,
    quiescing: false,
    waiting: 9,
    executing: 1,
    dispatched: 0,
    rejected: 0,
    timedOut: 0,
    cancelled: 0,
  }
  expect(dumpFacts(dumped, 128)[0]?.value).toBe('6 of 128')
  expect(dumpFacts(dumped, 0)).toEqual([])
})
