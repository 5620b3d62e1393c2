import { describe, expect, it } from 'vitest'
import { LEVEL, shaped } from '../run/run.fixture.ts'
import { whatIf } from './whatif.ts'
import { arrivalsOf, variantOf } from './whatif.fixture.ts'

/** Shares that give a level this many seats of 226 alongside the built-in ones. */
const seats = (count: number) => variantOf(`${count} seats`, { objects: shaped(count, 10) })

describe('the first decision that differs', () => {
  const given = arrivalsOf(
    [
      { atMs: 0, lastsMs: 300 },
      { user: 'bob', atMs: 100, lastsMs: 50 },
      { user: 'cleo', atMs: 150, lastsMs: 50 },
    ],
    1_000,
  )

  it('is explained by what each variant had at that instant', () => {
    const { decisions } = whatIf(given, seats(1), [seats(2)])?.candidates[0] ?? expect.fail()
    expect(decisions).toMatchObject({ placed: 0, rejected: 0, letRun: 0, longer: 0, shorter: 2 })
    expect(decisions?.first).toMatchObject({
      index: 1,
      seconds: 0.1,
      request: { verb: 'get', path: '/api/v1/namespaces/default/pods/one', user: 'bob' },
      baseline: {
        level: LEVEL,
        decision: 'waiting',
        waitedMs: 0,
        seats: 1,
        before: { current: 1, seatsInUse: 1, waiting: 0 },
      },
      candidate: { level: LEVEL, decision: 'dispatched', waitedMs: 0, seats: 1, before: { current: 2, seatsInUse: 1 } },
    })
    expect(decisions?.first?.explanation).toEqual([
      'At 0.100 s the decisions differ for the first time: get /api/v1/namespaces/default/pods/one by bob.',
      '1 seats puts it into global-default by flow schema global-default with 1 seat and enqueues it: right before, 1 of 1 seats were in use and 0 requests waited.',
      '2 seats puts it into global-default by flow schema global-default with 1 seat and dispatches it at once: right before, 1 of 2 seats were in use and 0 requests waited.',
    ])
  })

  it('is the earlier dispatch where both variants enqueue the request', () => {
    const { decisions } =
      whatIf(given, seats(1), [{ ...seats(1), name: 'faster', executionFactor: 0.5 }])?.candidates[0] ?? expect.fail()
    expect(decisions?.first).toMatchObject({
      index: 1,
      seconds: 0.15,
      baseline: { decision: 'waiting', waitedMs: 50 },
      candidate: { decision: 'dispatched', waitedMs: 50 },
    })
  })

  it('is absent when nothing differs', () => {
    const { decisions } = whatIf(given, seats(1), [{ ...seats(1), name: 'same' }])?.candidates[0] ?? expect.fail()
    expect(decisions).toEqual({ placed: 0, rejected: 0, letRun: 0, longer: 0, shorter: 0, changed: [] })
  })

  it('does not compare places with a filter that has no levels', () => {
    const filter = variantOf('filter', { algorithm: 'max-in-flight', maxRequestsInFlight: 1 })
    const { result, decisions } = whatIf(given, seats(1), [filter])?.candidates[0] ?? expect.fail()
    expect(decisions).toMatchObject({ placed: 0, rejected: 2 })
    expect(decisions?.changed).toEqual(
      [
        { seconds: 0.1, user: 'bob' },
        { seconds: 0.15, user: 'cleo' },
      ].map((one) => ({
        ...one,
        verb: 'get',
        path: '/api/v1/namespaces/default/pods/one',
        baseline: 'dispatched',
        candidate: 'concurrency-limit',
      })),
    )
    expect(decisions?.first?.explanation.at(-1)).toBe(
      'filter counts it among read-only requests and rejects it (concurrency-limit).',
    )
    expect(result.levels.map(({ level }) => level)).toEqual(['read-only requests'])
    expect(result.clients.map(({ client, served }) => [client, served])).toEqual([
      ['ann', 1],
      ['bob', 0],
      ['cleo', 0],
    ])
  })
})
