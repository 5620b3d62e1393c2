import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { msToNs, type Nanoseconds, nsToMs, nsToSeconds, secondsToNs } from '../units.ts'
import type { Limiter, QosClass, QosConfiguration, QosRule } from './configuration.ts'
import type { Decision } from './decision.ts'
import { QosEngine } from './engine.ts'
import { type QosState, startQosState } from './state.ts'
import {
  aClass,
  aConfiguration,
  aRequest,
  aRule,
  authenticate,
  classNamed,
  deletePrefix,
  put,
  range,
  someRules,
  txn,
  watch,
} from './qos.fixture.ts'
import type { QosRequest } from './request.ts'
import type { Observed } from './tracker.ts'

const measured = (given: Partial<Observed> = {}): Observed => ({
  ok: true,
  scannedKeys: undefined,
  responseBytes: undefined,
  latencyMs: undefined,
  ...given,
})
const FAILED = measured({ ok: false })

/** An engine whose clock counts seconds. */
class Run {
  readonly settled: Decision[] = []
  readonly engine: QosEngine

  constructor(configuration: QosConfiguration, state?: QosState) {
    this.engine = new QosEngine(configuration, (decision) => this.settled.push(decision), state)
  }

  arrive(request: QosRequest, seconds = 0): Decision {
    return this.engine.arrive(request, secondsToNs(seconds))
  }

  end(decision: Decision, observed: Observed, seconds: number): void {
    this.engine.end(decision.id, observed, secondsToNs(seconds))
  }

  /** A call that ends as soon as it begins. */
  call(request: QosRequest, given: Partial<Observed> = {}, seconds = 0): Decision {
    const decision = this.arrive(request, seconds)
    if (decision.verdict === 'passed') this.end(decision, measured(given), seconds)
    return decision
  }
}

const told = (decision: Decision): string =>
  `${decision.verdict} ${decision.applied?.rule ?? 'none'}${decision.verdict === 'limited' ? ` ${decision.reason}` : ''}`

const LBF: Limiter = { qdisc: 'lbf', qps: 2 }

/** Config E (QoS specification 11), with the rule of its row 18. */
const E = aConfiguration(
  [
    aClass('event', LBF),
    aClass('slow-query', { qdisc: 'tbf', qps: 10, burst: 12 }),
    aClass('high-traffic', { qdisc: 'maxinflight', num: 5 }),
  ],
  [
    aRule('rule-event', {
      qClassName: 'event',
      priority: 9,
      ops: ['Put'],
      prefixPaths: ['registry/events'],
      conditions: [{ kind: 'PercentOfStorageQuotaUsed', threshold: 0.9 }],
    }),
    aRule('rule-slowlog', {
      qClassName: 'slow-query',
      priority: 10,
      ops: ['Range'],
      prefixPaths: ['registry/pods'],
      conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }],
    }),
    aRule('rule-auth', { qClassName: 'high-traffic', priority: 50, ops: ['Authenticate'] }),
  ],
)

describe('worked examples (QoS specification 11)', () => {
  const nearQuota = (): Run => {
    const run = new Run(E)
    run.engine.setStorageQuotaUsed(0.95)
    return run
  }
  const pods = range('/registry/pods/', 'prefix')

  it('rows 1–3: events near the quota, two a second', () => {
    const run = nearQuota()
    expect(told(run.arrive(put('/registry/events/e1')))).toBe('passed rule-event')
    const limited = run.arrive(put('/registry/events/e1'), 0.2)
    expect(told(limited)).toBe('limited rule-event rate')
    expect(limited).toMatchObject({ retryAfterMs: 300, applied: { before: { qdisc: 'lbf', freeInMs: 300 } } })
    expect(told(run.arrive(put('/registry/events/e1'), 0.5))).toBe('passed rule-event')
  })

  it('row 4: the threshold itself is not above it', () => {
    const run = nearQuota()
    run.engine.setStorageQuotaUsed(0.9)
    expect(told(run.arrive(put('/registry/events/e1')))).toBe('passed none')
    run.engine.setStorageQuotaUsed(undefined)
    expect(told(run.arrive(put('/registry/events/e1')))).toBe('passed none')
  })

  it('rows 5 and 6: a Txn counts once, whichever branch has the Put', () => {
    const run = nearQuota()
    const several = txn([put('/registry/events/e2'), put('/registry/events/e3')])
    expect(run.arrive(several)).toMatchObject({ verdict: 'passed', applied: { rule: 'rule-event', charged: 1 } })
    expect(told(run.arrive(txn([], [put('/registry/events/e2')]), 0.4))).toBe('limited rule-event rate')
  })

  it('rows 7–9: other keys, other operations, and the spelling without a slash', () => {
    const run = nearQuota()
    expect(told(run.arrive(put('/registry/pods/a')))).toBe('passed none')
    expect(told(run.arrive(deletePrefix('/registry/events/')))).toBe('passed none')
    expect(told(run.arrive(put('registry/events/e')))).toBe('passed rule-event')
  })

  it('rows 10–11: the first run of an expensive request passes, then the bucket limits', () => {
    const run = new Run(E)
    expect(told(run.call(pods, { scannedKeys: 5_000 }))).toBe('passed none')
    expect([...run.engine.state.tracker.values()]).toMatchObject([{ scannedKeys: 5_000 }])
    const next = Array.from({ length: 13 }, () => told(run.arrive(pods)))
    expect(next).toEqual([...Array<string>(12).fill('passed rule-slowlog'), 'limited rule-slowlog rate'])
  })

  it('row 12: a cheap request is not tracked', () => {
    const run = new Run(E)
    expect(told(run.call(range('/registry/pods/ns1/', 'prefix'), { scannedKeys: 40 }))).toBe('passed none')
    expect(run.engine.state.tracker.size).toBe(0)
  })

  it('rows 13 and 14: another limit is another request, a serializable one is the same', () => {
    const run = new Run(E)
    run.call(pods, { scannedKeys: 5_000 })
    expect(told(run.call(range('/registry/pods/', 'prefix', { limit: 500 }), { scannedKeys: 5_000 }))).toBe(
      'passed none',
    )
    expect(run.engine.state.tracker.size).toBe(2)
    expect(told(run.arrive(range('/registry/pods/', 'prefix', { serializable: true })))).toBe('passed rule-slowlog')
  })

  it('row 15: all keys overlap every prefix', () => {
    const run = new Run(E)
    const all = range('\0', { end: '\0' })
    expect(told(run.call(all, { scannedKeys: 200_000 }))).toBe('passed none')
    expect(told(run.arrive(all))).toBe('passed rule-slowlog')
  })

  it('row 16: a request that became cheap is limited once more', () => {
    const run = new Run(E)
    run.call(pods, { scannedKeys: 5_000 })
    expect(told(run.call(pods, { scannedKeys: 900 }))).toBe('passed rule-slowlog')
    expect(told(run.call(pods, { scannedKeys: 900 }))).toBe('passed none')
    expect([...run.engine.state.tracker.values()]).toMatchObject([{ scannedKeys: 900 }])
  })

  it('row 17: a watch passes', () => expect(told(nearQuota().arrive(watch))).toBe('passed none'))

  it('row 18: the sixth Authenticate in flight is limited, and says no time', () => {
    const run = new Run(E)
    const calls = Array.from({ length: 6 }, () => run.arrive(authenticate('alice')))
    expect(calls.map(told)).toEqual([...Array<string>(5).fill('passed rule-auth'), 'limited rule-auth inflight'])
    expect(calls[5]).not.toHaveProperty('retryAfterMs')
    run.end(calls[0]!, FAILED, 0.1)
    expect(told(run.arrive(authenticate('alice'), 0.1))).toBe('passed rule-auth')
  })

  it('each user scans 10,000 keys a minute', () => {
    const scans = aClass(
      'c',
      { qdisc: 'window', limit: 10_000, windowMs: 60_000 },
      { cost: 'scannedKeys', groupBy: { by: 'user' } },
    )
    const run = new Run(aConfiguration([scans], [aRule('list', { ops: ['Range'] })]))
    const list = (user: string): QosRequest => ({ ...range('/tenants/', 'prefix'), user })
    const scanned = { scannedKeys: 4_000 }
    expect(run.call(list('alice'), scanned, 0)).toMatchObject({
      verdict: 'passed',
      applied: { charged: 0, group: 'alice' },
    })
    expect(run.call(list('alice'), scanned, 10)).toMatchObject({ verdict: 'passed', applied: { charged: 4_000 } })
    const third = run.call(list('alice'), scanned, 20)
    expect(told(third)).toBe('limited list window')
    expect(third).toMatchObject({ applied: { before: { used: 8_000 } }, retryAfterMs: 0, admittedInMs: 40_000 })
    expect(told(run.call(list('bob'), scanned, 20))).toBe('passed list')
    expect(run.call(list('alice'), scanned, 60)).toMatchObject({
      verdict: 'passed',
      applied: { before: { used: 4_000 } },
    })
  })
})

describe('costs (QoS specification 1, 2)', () => {
  const wide: Limiter = { qdisc: 'window', limit: 1_000, windowMs: 10_000 }
  const used = (run: Run): number => {
    const before = run.arrive({ ...range('probe'), requestBytes: 0 }, 1).applied?.before
    return before?.qdisc === 'window' ? before.used : Number.NaN
  }

  it.each([
    ['requests', 1, 1],
    ['failedRequests', 0, 0],
    ['requestBytes', 20, 20],
    ['totalBytes', 20, 320],
    ['scannedKeys', 0, 30],
    ['wallTimeMs', 0, 7],
    ['cpuTimeMs', 0, 7],
  ] as const)('%s: %d at admission, %d in the end; then as much is expected', (cost, first, actual) => {
    const run = new Run(aConfiguration([aClass('c', wide, { cost })], [aRule('r', { ops: ['Range'] })]))
    const request = { ...range('a'), requestBytes: 20 }
    const outcome = { scannedKeys: 30, responseBytes: 300, latencyMs: 7 }
    expect(run.call(request, outcome)).toMatchObject({ applied: { charged: first } })
    expect(used(run)).toBe(actual)
    expect(run.arrive(request, 1)).toMatchObject({ applied: { charged: actual } })
  })

  it('gives back what was expected too much, and not of a call that failed', () => {
    const scans = aClass('c', wide, { cost: 'scannedKeys' })
    const run = new Run(aConfiguration([scans], [aRule('r', { ops: ['Range'] })]))
    run.call(range('a'), { scannedKeys: 100 })
    expect(used(run)).toBe(100)
    run.call(range('a'), { scannedKeys: 10 })
    expect(used(run)).toBe(110)
    run.call(range('a'), { ok: false, scannedKeys: 0 })
    expect(used(run)).toBe(120)
  })

  it('charges failed requests alone, and none of our own rejections', () => {
    const failures = aClass('c', { qdisc: 'tbf', qps: 1, burst: 2 }, { cost: 'failedRequests' })
    const run = new Run(aConfiguration([failures], [aRule('r')]))
    for (let count = 0; count < 10; count++) expect(told(run.call(put('a')))).toBe('passed r')
    run.call(put('a'), { ok: false })
    run.call(put('a'), { ok: false })
    for (let count = 0; count < 3; count++) expect(told(run.call(put('a')))).toBe('limited r rate')
    expect(told(run.call(put('a'), {}, 1))).toBe('passed r')
  })

  it('counts bytes in flight', () => {
    const bytes = aClass('c', { qdisc: 'maxinflight', num: 100 }, { cost: 'requestBytes' })
    const run = new Run(aConfiguration([bytes], [aRule('r')]))
    const sized = (requestBytes: number): QosRequest => ({ ...put('a'), requestBytes })
    const first = run.arrive(sized(70))
    expect(told(run.arrive(sized(31)))).toBe('limited r inflight')
    expect(told(run.arrive(sized(30)))).toBe('passed r')
    run.end(first, measured(), 1)
    expect(told(run.arrive(sized(70), 1))).toBe('passed r')
  })
})

describe('groups and scopes (QoS specification 1, 2)', () => {
  const one: Limiter = { qdisc: 'maxinflight', num: 1 }
  const classes = (given: Partial<QosClass>): readonly QosClass[] => [aClass('c', one, given)]
  const passes = (run: Run, request: QosRequest): boolean => run.arrive(request).verdict === 'passed'

  it('split the state by user, by address and by the beginning of the key', () => {
    const byUser = new Run(aConfiguration(classes({ groupBy: { by: 'user' } }), [aRule('r')]))
    expect(['a', 'b', 'a'].map((user) => passes(byUser, { ...put('k'), user }))).toEqual([true, true, false])
    const byIp = new Run(aConfiguration(classes({ groupBy: { by: 'clientIP' } }), [aRule('r')]))
    expect(['::1', '::2', '::1'].map((clientIP) => passes(byIp, { ...put('k'), clientIP }))).toEqual([
      true,
      true,
      false,
    ])
    const byKey = new Run(aConfiguration(classes({ groupBy: { by: 'prefix', segments: 2 } }), [aRule('r')]))
    expect(['/a/b/1', '/a/c/1', '/a/b/2'].map((key) => passes(byKey, put(key)))).toEqual([true, true, false])
  })

  it('share the state of a class, unless each rule has its own', () => {
    const rules = (scope: QosRule['scope']) => [
      aRule('puts', { ops: ['Put'], scope }),
      aRule('ranges', { ops: ['Range'], scope }),
    ]
    const shared = new Run(aConfiguration(classes({}), rules('class')))
    expect([put('a'), range('a')].map((request) => passes(shared, request))).toEqual([true, false])
    const own = new Run(aConfiguration(classes({}), rules('rule')))
    expect([put('a'), range('a'), put('a')].map((request) => passes(own, request))).toEqual([true, true, false])
  })

  it('drop the least recently used state, which begins full; ends of its calls change nothing then', () => {
    const run = new Run(aConfiguration(classes({ groupBy: { by: 'user' }, maxGroups: 2 }), [aRule('r')]))
    const by = (user: string): Decision => run.arrive({ ...put('k'), user })
    const first = by('a')
    expect([by('b'), by('c'), by('a')].map(told)).toEqual(['passed r', 'passed r', 'passed r'])
    run.end(first, measured(), 0)
    expect(told(by('a'))).toBe('limited r inflight')
    expect([...run.engine.state.pools.values()].map(({ groups }) => groups.size)).toEqual([2])
  })

  it('of two engines know nothing of each other', () => {
    const configuration = aConfiguration(classes({}), [aRule('r')])
    expect([new Run(configuration), new Run(configuration)].map((run) => passes(run, put('a')))).toEqual([true, true])
  })
})

describe('delay (QoS specification 2)', () => {
  const delaying = (limiter: Limiter, given: Partial<QosClass> = {}, maxDelayMs = 1_200, maxWaiting = 2): Run =>
    new Run(
      aConfiguration(
        [aClass('c', limiter, { overflow: { action: 'delay', maxDelayMs, maxWaiting }, ...given })],
        [aRule('r')],
      ),
    )
  const history = ({ settled }: Run): readonly string[] =>
    settled.map((decision) => `${decision.id} ${decision.verdict} at ${nsToSeconds(decision.at)}`)

  it('lets requests wait in their order until the test passes', () => {
    const run = delaying(LBF)
    expect([0, 0.1, 0.1].map((at) => told(run.arrive(put('a'), at)))).toEqual(['passed r', 'waiting r', 'waiting r'])
    expect(run.engine.nextNs).toBe(msToNs(500))
    run.engine.advance(secondsToNs(2))
    expect(history(run)).toEqual(['2 delayed at 0.5', '3 delayed at 1'])
    expect(run.settled[1]).toMatchObject({ waitedMs: 900 })
    expect(run.engine.nextNs).toBe(Number.POSITIVE_INFINITY)
  })

  it('refuses at once who would wait too long, or has too many before', () => {
    const run = delaying(LBF, {}, 600)
    run.arrive(put('a'))
    expect(run.arrive(put('a'))).toMatchObject({ verdict: 'waiting', expectedMs: 500 })
    expect(run.arrive(put('a'))).toMatchObject({ verdict: 'limited', reason: 'delay-too-long', retryAfterMs: 500 })
    const crowded = delaying(LBF, {}, 5_000)
    expect([0, 0, 0, 0].map(() => told(crowded.arrive(put('a'))))).toEqual([
      'passed r',
      'waiting r',
      'waiting r',
      'limited r waiting-full',
    ])
  })

  it('lets a place in flight wait for a call to end, as long as allowed', () => {
    const run = delaying({ qdisc: 'maxinflight', num: 1 })
    const first = run.arrive(put('a'))
    const second = run.arrive(put('a'), 0.1)
    expect(second).not.toHaveProperty('expectedMs')
    run.arrive(put('a'), 0.2)
    run.end(first, measured(), 1)
    expect(history(run)).toEqual([`${second.id} delayed at 1`])
    expect(run.engine.nextNs).toBe(msToNs(1_400))
    run.engine.advance(secondsToNs(3))
    expect(run.settled[1]).toMatchObject({ verdict: 'limited', reason: 'delay-too-long', waitedMs: 1_200 })
  })

  it('lets who cancels leave without a charge', () => {
    const run = delaying(LBF)
    run.arrive(put('a'))
    const second = run.arrive(put('a'), 0.1)
    const third = run.arrive(put('a'), 0.1)
    expect(run.engine.cancel(second.id, msToNs(200))).toBe(true)
    expect(run.engine.cancel(second.id, msToNs(200))).toBe(false)
    run.engine.advance(secondsToNs(2))
    expect(history(run)).toEqual([`${third.id} delayed at 0.5`])
  })

  it('never lets one pass before those that wait', () => {
    const run = delaying({ qdisc: 'tbf', qps: 1, burst: 10 }, { cost: 'requestBytes' }, 60_000)
    const sized = (requestBytes: number): QosRequest => ({ ...put('a'), requestBytes })
    run.arrive(sized(8))
    expect(told(run.arrive(sized(5)))).toBe('waiting r')
    expect(told(run.arrive(sized(1)))).toBe('waiting r')
  })

  it('gives groups without a place nowhere to wait, when all others have requests that wait', () => {
    const run = delaying({ qdisc: 'maxinflight', num: 1 }, { groupBy: { by: 'user' }, maxGroups: 1 })
    const by = (user: string): string => told(run.arrive({ ...put('a'), user }))
    expect([by('a'), by('a')]).toEqual(['passed r', 'waiting r'])
    expect([by('b'), by('b')]).toEqual(['passed r', 'limited r waiting-full'])
    expect([...run.engine.state.pools.values()].map(({ groups }) => groups.size)).toEqual([2])
  })
})

describe('predictions (QoS specification 6)', () => {
  it('of unknown requests come from averages, where that is asked for', () => {
    const rules = [aRule('r', { conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }] })]
    const classes = [aClass('c', LBF)]
    const pod = (name: string): QosRequest => range(`/registry/pods/${name}/`, 'prefix', { limit: 5 })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const without = new Run(aConfiguration(classes, rules))
    // The third segment is part of the kind.
    const list = (run: Run, extra: number) =>
      run.call(range('/registry/pods/x/', 'prefix', { limit: extra }), { scannedKeys: 2_000 })
    const run = new Run(aConfiguration(classes, rules, { estimator: 'lru+stats' }))
    expect(names.map((_, index) => told(list(run, index + 1)))).toEqual([
      ...Array<string>(5).fill('passed none'),
      'passed r',
    ])
    expect(list(run, 100).evidence).toMatchObject({ predictedBy: 'statistics', prediction: { scannedKeys: 2_000 } })
    expect(names.map((_, index) => told(list(without, index + 1)))).toEqual(Array<string>(6).fill('passed none'))
    expect(told(run.arrive(pod('z')))).toBe('passed none')
  })

  it('count failed calls of the last 10 s as retries, where the client says nothing', () => {
    const run = new Run(aConfiguration([aClass('c', LBF)], [aRule('r', { minRetry: 2 })]))
    const alice = { ...range('a'), user: 'alice' }
    run.call(alice, { ok: false }, 0)
    expect(run.call(alice, { ok: false }, 1).evidence.retry).toBe(1)
    expect(told(run.call({ ...range('a'), user: 'bob' }, {}, 2))).toBe('passed none')
    expect(told(run.call(range('b'), {}, 2))).toBe('passed none')
    expect(told(run.call(alice, {}, 2))).toBe('passed r')
    // A rejection by the engine is also a failure to the client.
    expect(run.call(alice, {}, 2).verdict).toBe('limited')
    expect(run.call(alice, {}, 10.5).evidence.retry).toBe(2)
    expect(run.call(alice, {}, 30).evidence.retry).toBe(0)
    expect(told(run.call({ ...alice, previousAttempts: 2 }, {}, 31))).toBe('passed r')
    // The client reports its attempts, and must not hide them.
    run.call(alice, { ok: false }, 50)
    run.call(alice, { ok: false }, 51)
    expect(run.call({ ...alice, previousAttempts: 1 }, {}, 52).evidence.retry).toBe(2)
  })
})

describe('another configuration', () => {
  const slow = aClass('c', LBF, { overflow: { action: 'delay', maxDelayMs: 10_000, maxWaiting: 5 } })
  const before = aConfiguration([slow], [aRule('r')])

  it('continues what is the same', () => {
    const run = new Run(before)
    run.arrive(put('a'))
    run.arrive(put('a'))
    const next = new Run({ ...before, rules: [aRule('r'), aRule('other', { priority: 1 })] }, run.engine.state)
    next.engine.advance(secondsToNs(1))
    expect(next.settled.map(({ verdict, at }) => `${verdict} ${nsToMs(at)}`)).toEqual(['delayed 500'])
  })

  it.each<[string, QosConfiguration]>([
    ['a changed class', { ...before, classes: [{ ...slow, limiter: { qdisc: 'lbf', qps: 1 } }] }],
    ['a disabled rule', { ...before, rules: [aRule('r', { enabled: false })] }],
    ['no class', { ...before, classes: [], rules: [] }],
  ])('lets pass what waited: %s', (_, after) => {
    const run = new Run(before)
    run.arrive(put('a'), 0)
    const waiting = run.arrive(put('a'), 0.1)
    const next = new Run(after, run.engine.state)
    expect(next.engine.nextNs).toBe(msToNs(100))
    next.engine.advance(msToNs(100))
    expect(next.settled).toMatchObject([{ id: waiting.id, verdict: 'delayed', waitedMs: 0 }])
    expect(told(next.arrive(put('a'), 0.2))).toMatch(/^passed/)
  })

  it('must have the classes that its rules name', () => {
    expect(() => new Run(aConfiguration([], [aRule('r')]))).toThrow('references a missing class')
  })
})

// Properties of whole runs.

type Step =
  | { readonly kind: 'arrive'; readonly request: QosRequest; readonly gap: Nanoseconds }
  | { readonly kind: 'end'; readonly pick: number; readonly observed: Observed; readonly gap: Nanoseconds }
  | { readonly kind: 'cancel'; readonly pick: number; readonly gap: Nanoseconds }
  | { readonly kind: 'quota'; readonly used: number | undefined; readonly gap: Nanoseconds }

const gap = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.nat(200_000_000) },
  fc.nat(20_000_000_000),
)
const count = fc.constantFrom(undefined, 0, 1, 20, 60)
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('arrive' as const), request: aRequest, gap }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        pick: fc.nat(100),
        observed: fc.record({ ok: fc.boolean(), scannedKeys: count, responseBytes: count, latencyMs: count }),
        gap,
      }),
    },
    fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat(100), gap }),
    fc.record({ kind: fc.constant('quota' as const), used: fc.constantFrom(undefined, 0.4, 0.99), gap }),
  ),
  { minLength: 1, maxLength: 80, size: 'max' },
)

const configurations: fc.Arbitrary<QosConfiguration> = fc
  .record({
    classes: fc.tuple(classNamed('c'), classNamed('d')),
    rules: someRules,
    estimator: fc.constantFrom('lru' as const, 'lru+stats' as const),
  })
  .map(({ classes, rules, estimator }) =>
    aConfiguration(
      classes,
      [
        ...rules.map((rule, index) => ({ ...rule, enabled: true, qClassName: index % 2 === 0 ? 'c' : 'd' })),
        // Without it, most requests would match no rule.
        aRule('all', { priority: 1 }),
      ],
      { estimator, trackerCapacity: 16 },
    ),
  )

/** Executes steps, and tracks which requests run and which wait. */
class Stepped {
  readonly log: Decision[] = []
  readonly running = new Set<number>()
  readonly waiting = new Set<number>()
  readonly verdicts = new Map<number, string>()
  engine: QosEngine
  readonly #configuration: QosConfiguration
  arrived = 0
  now: Nanoseconds = 0

  constructor(configuration: QosConfiguration) {
    this.#configuration = configuration
    this.engine = this.#engine(startQosState())
  }

  #engine(state: QosState): QosEngine {
    return new QosEngine(this.#configuration, (decision) => this.#note(decision), state)
  }

  /** Continues with another engine, from a checkpoint. */
  restore(): void {
    this.engine = this.#engine(structuredClone(this.engine.state))
  }

  #note(decision: Decision): void {
    this.log.push(decision)
    this.waiting.delete(decision.id)
    if (decision.verdict === 'waiting') this.waiting.add(decision.id)
    else if (decision.verdict !== 'limited') this.running.add(decision.id)
    if (decision.verdict !== 'waiting') {
      if (this.verdicts.has(decision.id)) throw new Error('decided twice')
      this.verdicts.set(decision.id, decision.verdict)
    }
  }

  take(all: readonly Step[]): void {
    for (const step of all) {
      this.now += step.gap
      if (step.kind === 'arrive') {
        this.arrived += 1
        this.#note(this.engine.arrive(step.request, this.now))
      } else if (step.kind === 'quota') {
        this.engine.setStorageQuotaUsed(step.used)
      } else {
        const from = step.kind === 'end' ? this.running : this.waiting
        const id = [...from][step.pick % Math.max(1, from.size)]
        if (id === undefined) continue
        if (step.kind === 'end') {
          this.running.delete(id)
          this.engine.end(id, step.observed, this.now)
        } else if (this.engine.cancel(id, this.now)) {
          this.waiting.delete(id)
          this.verdicts.set(id, 'cancelled')
        }
      }
    }
  }

  /** Ends all calls. */
  finish(): void {
    while (this.running.size > 0 || this.waiting.size > 0) {
      const next = this.engine.nextNs
      for (const id of this.running) {
        this.running.delete(id)
        this.engine.end(id, measured({ scannedKeys: 1, responseBytes: 1, latencyMs: 1 }), this.now)
      }
      if (Number.isFinite(next)) this.now = Math.max(this.now, next)
      this.engine.advance(this.now)
    }
  }
}

describe('properties of a run', () => {
  it('every request has one verdict in the end, nothing is below zero, and nothing stays behind', () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(configurations, steps, (configuration, all) => {
        const run = new Stepped(configuration)
        run.take(all)
        run.finish()
        expect(run.verdicts.size).toBe(run.arrived)
        expect(run.engine.state.inFlight.size).toBe(0)
        expect(run.engine.nextNs).toBe(Number.POSITIVE_INFINITY)
        const { state } = run.engine
        expect(state.tracker.size).toBeLessThanOrEqual(16)
        for (const { definition, groups } of state.pools.values()) {
          expect(groups.size).toBeLessThanOrEqual(definition.maxGroups + 1)
          for (const { level, waiting } of groups.values()) {
            expect(waiting).toEqual([])
            for (const number of level) expect(number).toBeGreaterThanOrEqual(0)
            if (definition.limiter.qdisc === 'maxinflight') expect(level).toEqual([0])
          }
        }
        for (const decision of run.log) {
          const key = decision.verdict === 'limited' ? decision.reason : decision.verdict
          seen.set(key, (seen.get(key) ?? 0) + 1)
        }
      }),
      { numRuns: 150 },
    )
    // Otherwise the test would cover less.
    expect([...seen.keys()].toSorted()).toEqual(
      ['delay-too-long', 'delayed', 'inflight', 'passed', 'rate', 'waiting', 'waiting-full', 'window'].toSorted(),
    )
  })

  it('decisions come in the order of time', () => {
    fc.assert(
      fc.property(configurations, steps, (configuration, all) => {
        const run = new Stepped(configuration)
        run.take(all)
        const times = run.log.map(({ at }) => at)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
      }),
    )
  })

  it('the same requests have the same decisions', () => {
    fc.assert(
      fc.property(configurations, steps, (configuration, all) => {
        const [one, other] = [new Stepped(configuration), new Stepped(structuredClone(configuration))]
        one.take(all)
        other.take(structuredClone(all))
        expect(other.log).toEqual(one.log)
        expect(other.engine.state).toEqual(one.engine.state)
      }),
    )
  })

  it('a checkpoint continues decision for decision', () => {
    fc.assert(
      fc.property(configurations, steps, steps, (configuration, before, after) => {
        const [whole, restored] = [new Stepped(configuration), new Stepped(configuration)]
        whole.take(before)
        restored.take(before)
        restored.restore()
        whole.take(after)
        restored.take(after)
        expect(restored.log).toEqual(whole.log)
        expect(restored.engine.state).toEqual(whole.engine.state)
      }),
    )
  })

  it('a request that no rule selects passes, whatever else happens', () => {
    fc.assert(
      fc.property(configurations, steps, (configuration, all) => {
        const narrow = {
          ...configuration,
          rules: configuration.rules.map((rule) => ({ ...rule, subjects: [{ user: 'mallory' }] })),
        }
        const run = new Stepped(narrow)
        run.take(all)
        expect(new Set(run.log.map(told))).toEqual(new Set(run.log.length === 0 ? [] : ['passed none']))
      }),
    )
  })
})
