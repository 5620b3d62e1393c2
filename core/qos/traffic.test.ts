import { describe, expect, test } from 'vitest'
import { secondsToNs } from '../units.ts'
import { QosEngine } from './engine.ts'
import { aClass, aConfiguration, aRule, put, range } from './qos.fixture.ts'
import { seenOf, type Seen } from './seen.ts'
import { byPrefix, byRequest, monitored, ranked, Traffic, usages } from './traffic.ts'

const seen = (second: number, given: Partial<Seen> = {}): Seen => ({
  at: secondsToNs(second),
  request: { ...range('/registry/pods/', 'prefix'), requestBytes: 20 },
  observed: { ok: true, scannedKeys: 100, responseBytes: 1_000, latencyMs: 5 },
  verdict: 'passed',
  ...given,
})

describe('what passed through a proxy', () => {
  test('is counted by verdict, rule and second', () => {
    const traffic = new Traffic()
    traffic.push(seen(1))
    traffic.push(seen(3, { verdict: 'limited', rule: 'pods' }))
    traffic.push(seen(1))
    expect(traffic.totals).toEqual({ passed: 2, delayed: 0, limited: 1 })
    expect(traffic.rules.get('pods')).toEqual({ passed: 0, delayed: 0, limited: 1 })
    expect(traffic.seconds(secondsToNs(3.5), 3).map(({ passed, limited }) => [passed, limited])).toEqual([
      [2, 0],
      [0, 0],
      [0, 1],
    ])
    expect(traffic.recent(0).map(({ at }) => at)).toEqual([1, 1, 3].map(secondsToNs))
    traffic.forgetAllBut(new Set())
    expect(traffic.rules.size).toBe(0)
  })

  test('takes a fixed amount of memory, however many distinct requests come', () => {
    const traffic = new Traffic()
    for (let i = 0; i < 100_000; i++) traffic.push(seen(i / 1_000, { request: put(`/k/${i}`), rule: 'r' }))
    expect(traffic.recent(0)).toHaveLength(20_000)
    traffic.push(seen(101, { request: put('k'.repeat(100_000)) }))
    expect(traffic.recent(secondsToNs(101))).toHaveLength(0)
    expect(traffic.totals.passed).toBe(100_001)
    for (let i = 0; i < 1_000; i++) traffic.push(seen(102, { request: put('k'.repeat(60_000)) }))
    expect(traffic.recent(secondsToNs(102)).length).toBeLessThan(300)
    for (let i = 0; i < 1_000; i++) traffic.push(seen(103, { verdict: 'limited' }))
    expect(traffic.limited).toHaveLength(200)
    traffic.push(seen(2_000))
    expect(traffic.recent(0)).toHaveLength(1)
  })

  test('is summed by operation and prefix, with quantiles of those that were measured', () => {
    const all = [1, 2, 3, 4].map((latencyMs) => seen(1, { observed: { ...seen(1).observed, latencyMs } }))
    const [pods, none] = usages([...all, seen(1, { verdict: 'limited' })], byPrefix)
    expect(none).toBeUndefined()
    expect(pods).toMatchObject({ op: 'Range', keys: '/registry/pods', requests: 5, limited: 1, scannedKeys: 400 })
    expect(pods).toMatchObject({ p50Ms: 2, p99Ms: 4, meanMs: 2.5, responseBytes: 4_000, requestBytes: 100 })
  })

  test('has its most expensive requests ranked by what they cost together', () => {
    const big = seen(1, { request: range('/big', 'prefix'), observed: { ...seen(1).observed, scannedKeys: 150 } })
    const all = [seen(1), seen(2), big]
    const each = usages(all, byRequest)
    expect(ranked(each, 'scan', 1)).toMatchObject([{ keys: '/registry/pods/ (prefix)', scannedKeys: 200 }])
    expect(ranked(each, 'traffic', 2).map(({ requests }) => requests)).toEqual([2, 1])
    expect(ranked([], 'latency', 2)).toEqual([])
  })

  test('a request that was not let in has the cost that was expected, and is not monitored', () => {
    const configuration = aConfiguration([aClass('c', { qdisc: 'lbf', qps: 1 })], [aRule('r', { ops: ['Range'] })])
    const engine = new QosEngine(configuration, () => undefined)
    engine.arrive(range('/a'), 0)
    const decision = engine.arrive(range('/a'), secondsToNs(0.4))
    if (decision.verdict !== 'limited') throw new Error(decision.verdict)
    const unseen = { ok: false, scannedKeys: undefined, responseBytes: undefined, latencyMs: undefined }
    const limited = seenOf({ ...decision, evidence: { retry: 0, prediction: { ...unseen, scannedKeys: 7 } } }, unseen)
    expect(limited).toMatchObject({ rule: 'r', className: 'c', reason: 'rate', retryAfterMs: 600 })
    expect(limited.observed).toEqual({ ...unseen, scannedKeys: 7 })
    expect(monitored('scanKeyNum', limited)).toBeUndefined()
    expect((['latency', 'traffic', 'scanKeyNum'] as const).map((kind) => monitored(kind, seen(0)))).toEqual([
      5, 1020, 100,
    ])
  })
})
