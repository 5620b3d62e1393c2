import { describe, expect, test } from 'vitest'
import { secondsToNs } from '../units.ts'
import { advise, PRESETS, documentWith } from './advise.ts'
import { changeRules } from './document.ts'
import { previewOf } from './preview.ts'
import { aClass, aConfiguration, aRule, authenticate, put, range } from './qos.fixture.ts'
import type { QosRequest } from './request.ts'
import type { Seen } from './seen.ts'

const EMPTY = aConfiguration([], [])
const seen = (second: number, request: QosRequest, scannedKeys = 1, more: Partial<Seen> = {}): Seen => ({
  at: secondsToNs(second),
  request,
  observed: { ok: true, scannedKeys, responseBytes: 100, latencyMs: 1 },
  verdict: 'passed',
  ...more,
})
const every = (ms: number, count: number, make: (second: number) => Seen): Seen[] =>
  Array.from({ length: count }, (_, index) => make((index * ms) / 1_000))

const preset = (id: string) => {
  const found = PRESETS.find((one) => one.id === id)
  if (found === undefined) throw new Error(id)
  const document = documentWith(EMPTY, found)
  return changeRules(EMPTY, { action: 'import', document }).configuration
}

describe('starter rules', () => {
  test('have no findings, alone and all together', () => {
    const all = {
      classes: PRESETS.flatMap(({ classes }) => classes),
      rules: PRESETS.flatMap(({ rules }) => rules),
    }
    expect(changeRules(EMPTY, { action: 'import', document: all }).warnings).toEqual([])
  })

  test('limit events above 90 % of the quota and nothing else', () => {
    const event = (second: number): Seen => seen(second, put('/registry/events/e'), 1, { storageQuotaUsed: 0.95 })
    const all = [...every(100, 50, event), seen(5, put('/registry/pods/a'), 1, { storageQuotaUsed: 0.95 })]
    expect(previewOf(all, preset('events'))).toMatchObject({ requests: 51, would: { passed: 11, limited: 40 } })
    const below = all.map((one) => ({ ...one, storageQuotaUsed: 0.9 }))
    expect(previewOf(below, preset('events')).would.limited).toBe(0)
  })

  test('let one read of the whole keyspace run at a time, and no read of a prefix wait for it', () => {
    const whole = { ...range('\0', { end: '\0' }) }
    const slow = { ok: true, scannedKeys: 9, responseBytes: 9, latencyMs: 1_000 }
    const all = [
      seen(0, whole, 9, { observed: slow }),
      seen(0.1, range('/registry/', 'prefix'), 9, { observed: slow }),
      seen(0.2, whole, 9, { observed: slow }),
    ]
    expect(previewOf(all, preset('whole-keyspace')).limited).toEqual([
      { request: 'KV/Range (all keys)', user: '', times: 1 },
    ])
  })

  test('limit password storms and big writes of one user', () => {
    expect(
      previewOf(
        every(10, 100, (second) => seen(second, authenticate('a'))),
        preset('passwords'),
      ).would.passed,
    ).toBe(14)
    const big = (user: string) => (second: number) => seen(second, { ...put('/x'), user, requestBytes: 1_048_576 })
    const all = [...every(10, 20, big('greedy')), seen(1, { ...put('/x'), user: 'modest', requestBytes: 300_000 })]
    const { would, limited } = previewOf(all, preset('big-writers'))
    expect(would.passed).toBe(5)
    expect(limited).toMatchObject([{ user: 'greedy', times: 16 }])
  })
})

describe('the examples of the proposal as starter rules', () => {
  test('lists of pods: those that scanned more than 1,000 keys, and no others', () => {
    const lists = (keys: number) => every(10, 40, (second) => seen(second, range('/registry/pods/', 'prefix'), keys))
    // The first request is not yet tracked as expensive; then come the burst and the units of 0.39 s.
    expect(previewOf(lists(5_000), preset('pod-lists')).would).toMatchObject({ passed: 16, limited: 24 })
    expect(previewOf(lists(1_000), preset('pod-lists')).would.limited).toBe(0)
    const others = every(10, 40, (second) => seen(second, range('/registry/secrets/', 'prefix'), 5_000))
    expect(previewOf(others, preset('pod-lists')).would.limited).toBe(0)
  })

  test('10,000 keys a minute for each user: the third list of 4,000 is refused, and Bob’s are not', () => {
    const lists = (user: string) => (second: number) => seen(second, { ...range('/tenants/', 'prefix'), user }, 4_000)
    const all = [lists('alice')(0), lists('alice')(1), lists('alice')(2), lists('bob')(3), lists('alice')(61.5)]
    const { would, limited } = previewOf(all, preset('tenant-scans'))
    expect(would).toMatchObject({ passed: 4, limited: 1 })
    expect(limited).toMatchObject([{ user: 'alice', times: 1 }])
  })
})

describe('advice', () => {
  test('proposes half the rate for requests that are expensive each time', () => {
    const all = every(100, 100, (second) => seen(second, range('/registry/pods/', 'prefix'), 5_000))
    const [first] = advise(all, EMPTY)
    expect(first).toMatchObject({
      id: 'expensive-registry-pods',
      classes: [{ qdisc: 'tbf', qps: 5.05, burst: 7 }],
      rules: [{ prefixPaths: ['/registry/pods/'], conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }] }],
      inEffect: false,
    })
    // The first run passes, then 7 of the burst and 5 in each second.
    expect(first?.preview?.would.limited).toBeGreaterThan(30)
    expect(first?.preview?.would.limited).toBeLessThan(60)
    expect(advise(all, EMPTY)).toHaveLength(1 + PRESETS.length)
  })

  test('proposes nothing for cheap requests, and says what is in effect, at a free priority', () => {
    const cheap = every(1, 1_000, (second) => seen(second, range('/registry/pods/', 'prefix'), 10))
    expect(advise(cheap, EMPTY).map(({ id }) => id)).toEqual(PRESETS.map(({ id }) => id))
    expect(advise(cheap, preset('events')).find(({ id }) => id === 'events')).toMatchObject({ inEffect: true })
    const rival = aConfiguration(
      [aClass('c', { qdisc: 'lbf', qps: 1 })],
      [aRule('mine', { ops: ['Authenticate'], priority: 50, subjects: [{ user: 'alice' }] })],
    )
    const beside = advise(cheap, rival).find(({ id }) => id === 'passwords')
    expect(beside).toMatchObject({ rules: [{ priority: 51 }] })
    expect(beside).not.toHaveProperty('problem')
  })

  test('names rules that can be applied, whatever the keys', () => {
    for (const key of ['', '\0', '/', '/Ä/x', `/${'k'.repeat(300)}/`, '\xff/\xfe/']) {
      const all = every(1_000, 3, (second) => seen(second, range(key, 'prefix'), 5_000))
      const [first] = advise(all, EMPTY)
      expect(first?.problem, key).toBeUndefined()
    }
  })
})

describe('what is in effect', () => {
  const configured = (rule: object) =>
    changeRules(EMPTY, {
      action: 'import',
      document: {
        classes: [{ name: 'slow-query', qdisc: 'tbf', qps: 10, burst: 12 }],
        rules: [{ name: 'rule-slowlog', qClassName: 'slow-query', priority: 10, ops: ['Range'], ...rule }],
      },
    }).configuration
  const pods = { prefixPaths: ['/registry/pods/'], conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }] }
  const adviceOf = (id: string, rule: object) => advise([], configured(rule)).find((one) => one.id === id)

  test('depends on what a rule limits, not on its name', () => {
    // The rule of the proposal has the name of a starter rule, and limits pods alone.
    expect(adviceOf('slow-query', pods)).toMatchObject({
      inEffect: false,
      classes: [{ name: 'slow-query-2' }],
      rules: [{ name: 'rule-slowlog-2', qClassName: 'slow-query-2', priority: 11 }],
    })
    expect(adviceOf('slow-query', pods)).not.toHaveProperty('problem')
    expect(adviceOf('pod-lists', pods)).toMatchObject({ inEffect: true })
  })

  test('covers what is limited more strictly, and nothing that is limited less', () => {
    const all = (threshold: number) => ({ conditions: [{ kind: 'ScanKeyNum', threshold }] })
    for (const id of ['slow-query', 'pod-lists', 'event-lists']) {
      expect(adviceOf(id, all(500))).toMatchObject({ inEffect: true })
      expect(adviceOf(id, all(20_000))).toMatchObject({ inEffect: false })
    }
    expect(adviceOf('pod-lists', { ...pods, enabled: false })).toMatchObject({ inEffect: false })
    expect(adviceOf('pod-lists', { ...pods, subjects: [{ user: 'alice' }] })).toMatchObject({ inEffect: false })
    expect(adviceOf('pod-lists', { ...pods, prefixPaths: ['/registry/pods/kube-system/'] })).toMatchObject({
      inEffect: false,
    })
  })
})
