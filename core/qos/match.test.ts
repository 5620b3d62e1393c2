import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { QosRule } from './configuration.ts'
import { bytesOf } from './keys.ts'
import { compileRules, type Evidence, ruleMatches, subjected, traceRules, valueOf } from './match.ts'
import { UNLIMITED_METHODS } from './operations.ts'
import { aRequest, aRule, authenticate, deletePrefix, put, range, someRules, txn, watch } from './qos.fixture.ts'
import type { QosRequest, TxnElement } from './request.ts'
import { canonicalAddress, networkOf } from './subjects.ts'

const best = (
  rules: readonly QosRule[],
  request: QosRequest,
  evidence: Evidence = { retry: 0 },
): string | undefined => {
  const subject = subjected(request)
  return compileRules(rules).find((compiled) => ruleMatches(compiled, subject, evidence))?.rule.name
}

describe('matching (QoS specification 3)', () => {
  const over = (prefix: string, given: Partial<QosRule> = {}) => [aRule('r', { prefixPaths: [prefix], ...given })]

  it.each([
    ['list /foo/', range('/foo/', 'prefix'), '/foo/bar/', true],
    ['list /foo/bar/', range('/foo/bar/', 'prefix'), '/foo/', true],
    ['Put /foo/x', put('/foo/x'), '/foo/bar/', false],
    ['Range [/foo/a, /foo/c)', range('/foo/a', { end: '/foo/c' }), '/foo/bar/', true],
    ['Range [/foo/a, /foo/bar/)', range('/foo/a', { end: '/foo/bar/' }), '/foo/bar/', false],
    ['Range from /z', range('/z', { end: '\0' }), '/foo/', false],
    ['Range from /a', range('/a', { end: '\0' }), '/foo/', true],
    ['an empty range', range('/foo/z', { end: '/foo/a' }), '/foo/', false],
  ])('%s and the rule on its right (11, keys)', (_, request, prefix, matches) =>
    expect(best(over(prefix), request)).toBe(matches ? 'r' : undefined),
  )

  it('takes a path without a slash for both of its spellings, and ranges as they are', () => {
    expect(best(over('registry/events'), put('/registry/events/e'))).toBe('r')
    expect(best(over('registry/events'), put('registry/events/e'))).toBe('r')
    expect(best(over('registry/events'), put('registry/eventsX'))).toBe('r')
    expect(best(over('/registry/events'), put('registry/events/e'))).toBeUndefined()
    const ranges = [aRule('r', { ranges: [{ key: 'registry/', rangeEnd: 'registry0' }] })]
    expect(best(ranges, put('registry/x'))).toBe('r')
    expect(best(ranges, put('/registry/x'))).toBeUndefined()
  })

  it('looks at the operations of both branches, nested ones too, and not at compares', () => {
    const puts = over('/a', { ops: ['Put'] })
    expect(best(puts, txn([put('/a')]))).toBe('r')
    expect(best(puts, txn([], [put('/a')]))).toBe('r')
    expect(best(puts, txn([txn([], [put('/a')])]))).toBe('r')
    expect(best(puts, txn([range('/a')], [put('/b')]))).toBeUndefined()
    expect(best([aRule('r', { ops: ['Txn'] })], txn([]))).toBe('r')
    expect(best([aRule('r', { ops: ['Txn'], prefixPaths: ['/a'] })], txn([put('/a')]))).toBeUndefined()
  })

  it('needs one operation with both a matching name and matching keys', () => {
    expect(best(over('/a', { ops: ['Put'] }), txn([put('/b'), range('/a')]))).toBeUndefined()
  })

  it('is within only as a whole', () => {
    const within = over('/foo/', { keyMatch: 'within' })
    expect(best(within, range('/foo/', 'prefix'))).toBe('r')
    expect(best(within, range('/', 'prefix'))).toBeUndefined()
    expect(best(within, range('/foo/a', { end: '/fp' }))).toBeUndefined()
  })

  it('never limits watches, whatever a rule says', () => {
    expect(best([aRule('r')], watch)).toBeUndefined()
    expect(best([aRule('r')], { ...watch, method: 'Lease/LeaseKeepAlive' })).toBeUndefined()
    expect(best([aRule('r')], { ...watch, method: 'Cluster/MemberList' })).toBe('r')
  })

  it('looks at methods, callers and retries', () => {
    expect(best([aRule('r', { methods: ['KV/Put'] })], put('a'))).toBe('r')
    expect(best([aRule('r', { methods: ['KV/Put'] })], txn([put('a')]))).toBeUndefined()
    const rules = [aRule('r', { subjects: [{ user: 'alice', clientIP: '10.0.0.0/8' }, { user: 'bob' }] })]
    expect(best(rules, { ...put('a'), user: 'alice', clientIP: '10.1.1.1' })).toBe('r')
    expect(best(rules, { ...put('a'), user: 'alice', clientIP: '11.1.1.1' })).toBeUndefined()
    expect(best(rules, { ...put('a'), user: 'bob' })).toBe('r')
    expect(best([aRule('r', { minRetry: 2 })], put('a'), { retry: 1 })).toBeUndefined()
    expect(best([aRule('r', { minRetry: 2 })], put('a'), { retry: 2 })).toBe('r')
  })

  it('applies the highest priority, then the smallest name bytewise (11, priorities)', () => {
    const rules = [aRule('a', { priority: 10, prefixPaths: ['/a/'] }), aRule('b', { priority: 20, prefixPaths: ['/'] })]
    expect(best(rules, range('/a/', 'prefix'))).toBe('b')
    expect(best([aRule('a2'), aRule('a10')], put('x'))).toBe('a10')
    expect(best([aRule('a', { enabled: false }), aRule('b', { priority: 1 })], put('x'))).toBe('b')
  })
})

describe('conditions (QoS specification 1.2)', () => {
  const prediction = { scannedKeys: 10, responseBytes: 100, latencyMs: 5 }
  const request = { ...range('/a'), requestBytes: 7 }

  it.each([
    ['PercentOfStorageQuotaUsed', { retry: 0, storageQuotaUsed: 0.9 }, 0.9],
    ['ScanKeyNum', { retry: 0, prediction }, 10],
    ['RequestSize', { retry: 0 }, 7],
    ['ResponseSize', { retry: 0, prediction }, 100],
    ['TotalTraffic', { retry: 0, prediction }, 107],
    ['RequestLatency', { retry: 0, prediction }, 5],
  ] as const)('%s is strictly above its threshold', (kind, evidence, value) => {
    expect(valueOf(kind, request, evidence)).toBe(value)
    const rule = (threshold: number) => [aRule('r', { conditions: [{ kind, threshold }] })]
    expect(best(rule(value), request, evidence)).toBeUndefined()
    expect(best(rule(value - 0.01), request, evidence)).toBe('r')
  })

  it('do not hold without what they compare; the request alone is part of the traffic', () => {
    for (const kind of ['PercentOfStorageQuotaUsed', 'ScanKeyNum', 'ResponseSize', 'RequestLatency'] as const) {
      expect(valueOf(kind, request, { retry: 0 })).toBeUndefined()
      expect(best([aRule('r', { conditions: [{ kind, threshold: 0 }] })], request)).toBeUndefined()
    }
    expect(valueOf('TotalTraffic', request, { retry: 0 })).toBe(7)
    expect(valueOf('TotalTraffic', range('/a'), { retry: 0, prediction })).toBeUndefined()
  })

  it('all hold together', () => {
    const conditions = [
      { kind: 'ScanKeyNum', threshold: 5 },
      { kind: 'RequestSize', threshold: 50 },
    ] as const
    expect(best([aRule('r', { conditions })], request, { retry: 0, prediction })).toBeUndefined()
    expect(best([aRule('r', { conditions })], { ...request, requestBytes: 51 }, { retry: 0, prediction })).toBe('r')
  })
})

/** A direct implementation of section 3, with sets of keys instead of intervals. */
function naive(rules: readonly QosRule[], request: QosRequest, evidence: Evidence): string | undefined {
  const bounds = (key: string, end: string): [string, string] =>
    end === '' ? [key, `${key}\0`] : [key, end === '\0' ? '\u{ffff}' : end]
  const prefix = (path: string): [string, string] => {
    const trimmed = path.replace(/\xff+$/, '')
    return trimmed === ''
      ? [path, '\u{ffff}']
      : [path, trimmed.slice(0, -1) + String.fromCharCode(trimmed.charCodeAt(trimmed.length - 1) + 1)]
  }
  const elements = (body: TxnElement): { op: string; keys?: [string, string] }[] =>
    body.op === 'Txn'
      ? [...body.success, ...body.failure].flatMap(elements)
      : [{ op: body.op, keys: bounds(body.key, body.op === 'Put' ? '' : (body.rangeEnd ?? '')) }]
  const name = request.method.split('/')[1] ?? ''
  const atoms =
    request.body === undefined
      ? [{ op: name }]
      : [...(request.body.op === 'Txn' ? [{ op: 'Txn' }] : []), ...elements(request.body)]
  const matching = rules.filter((rule) => {
    if (!rule.enabled || UNLIMITED_METHODS.has(request.method)) return false
    const caller = rule.subjects.some(({ user, clientIP }) => {
      const network = clientIP === undefined ? undefined : networkOf(clientIP)
      const address = canonicalAddress(request.clientIP)
      return (
        (user === undefined ||
          user === request.user ||
          (user.endsWith('*') && request.user.startsWith(user.slice(0, -1)))) &&
        (network === undefined || (address !== undefined && network.first <= address && address <= network.last))
      )
    })
    if (rule.subjects.length > 0 && !caller) return false
    if (rule.methods.length > 0 && !rule.methods.includes(request.method)) return false
    if (evidence.retry < rule.minRetry) return false
    const selected = [
      ...rule.prefixPaths.flatMap((path) => (path.startsWith('/') ? [path] : [path, `/${path}`])).map(prefix),
      ...rule.ranges.map(({ key, rangeEnd }) => bounds(bytesOf(key), bytesOf(rangeEnd ?? ''))),
    ]
    const atom = atoms.some(({ op, keys }: { op: string; keys?: [string, string] }) => {
      if (rule.ops.length > 0 && !rule.ops.some((one) => one === op)) return false
      if (rule.prefixPaths.length === 0 && rule.ranges.length === 0) return true
      if (keys === undefined || keys[1] <= keys[0]) return false
      return selected.some(([lo, hi]) =>
        rule.keyMatch === 'overlap' ? keys[0] < hi && lo < keys[1] : lo <= keys[0] && keys[1] <= hi,
      )
    })
    return (
      atom &&
      rule.conditions.every(({ kind, threshold }) => {
        const value = valueOf(kind, request, evidence)
        return value !== undefined && value > threshold
      })
    )
  })
  let winner: QosRule | undefined
  for (const rule of matching) {
    if (
      winner === undefined ||
      rule.priority > winner.priority ||
      (rule.priority === winner.priority && rule.name < winner.name)
    )
      winner = rule
  }
  return winner?.name
}

const amount = fc.constantFrom(undefined, 0, 1, 11, 40)
const someEvidence: fc.Arbitrary<Evidence> = fc
  .record({
    retry: fc.nat(3),
    used: fc.constantFrom(undefined, 0.2, 0.95),
    prediction: fc.option(fc.record({ scannedKeys: amount, responseBytes: amount, latencyMs: amount }), {
      nil: undefined,
    }),
  })
  .map(({ retry, used, prediction }) => ({
    retry,
    ...(used !== undefined && { storageQuotaUsed: used }),
    ...(prediction !== undefined && { prediction }),
  }))

describe('properties of matching (QoS specification 12, property 1)', () => {
  it('equals the definition, whatever the order of the rules, and the trace tells the same', () => {
    let matched = 0
    fc.assert(
      fc.property(someRules, aRequest, someEvidence, fc.nat(), (rules, request, evidence, seed) => {
        const expected = naive(rules, request, evidence)
        expect(best(rules, request, evidence)).toBe(expected)
        const shuffled = rules.toSorted(
          (a, b) => ((a.name.charCodeAt(1) * seed) % 7) - ((b.name.charCodeAt(1) * seed) % 7),
        )
        expect(best(shuffled, request, evidence)).toBe(expected)
        const trace = traceRules(shuffled, request, evidence)
        expect(trace).toHaveLength(rules.length)
        expect(
          trace
            .filter(({ outcome }) => outcome === 'applies')
            .map(({ rule }) => rule)
            .join(),
        ).toBe(expected ?? '')
        if (expected !== undefined) matched += 1
      }),
      { numRuns: 1_000 },
    )
    // Otherwise the test would prove nothing.
    expect(matched).toBeGreaterThan(100)
  })
})

describe('a trace', () => {
  it('says of each rule which part fails, with the numbers', () => {
    const rules = [
      aRule('slow', {
        priority: 10,
        ops: ['Range'],
        prefixPaths: ['/registry/pods/'],
        conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }],
      }),
      aRule('event', { priority: 9, ops: ['Put'], prefixPaths: ['/registry/events/'] }),
      aRule('tenant', { priority: 5, subjects: [{ user: 'alice' }] }),
      aRule('low', { priority: 1, prefixPaths: ['/registry/'] }),
      aRule('off', { priority: 90, enabled: false }),
    ]
    const prediction = { scannedKeys: 5_000, responseBytes: undefined, latencyMs: undefined }
    expect(traceRules(rules, range('/registry/pods/', 'prefix'), { retry: 0, prediction })).toMatchObject([
      {
        rule: 'slow',
        outcome: 'applies',
        conditions: [{ kind: 'ScanKeyNum', threshold: 1_000, value: 5_000, holds: true }],
      },
      { rule: 'event', outcome: 'no match', parts: { caller: true, op: false, key: false } },
      { rule: 'tenant', outcome: 'no match', parts: { caller: false, op: true, key: true } },
      { rule: 'low', outcome: 'outranked' },
      { rule: 'off', outcome: 'disabled' },
    ])
    const [first] = traceRules(rules, range('/registry/pods/', 'prefix'), { retry: 0 })
    expect(first).toMatchObject({ outcome: 'no match', parts: { condition: false } })
    expect(first?.conditions[0]).toEqual({ kind: 'ScanKeyNum', threshold: 1_000, holds: false })
  })

  it('keeps operations and keys apart', () => {
    const [trace] = traceRules([aRule('r', { ops: ['DeleteRange'], prefixPaths: ['/a/'] })], deletePrefix('/b/'), {
      retry: 0,
    })
    expect(trace?.parts).toMatchObject({ op: true, key: false })
    const [other] = traceRules([aRule('r', { prefixPaths: ['/a/'] })], authenticate('alice'), { retry: 0 })
    expect(other?.parts).toMatchObject({ op: true, key: false })
  })
})
