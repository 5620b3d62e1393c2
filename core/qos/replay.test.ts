import { describe, expect, it } from 'vitest'
import { nsToSeconds } from '../units.ts'
import type { QosConfiguration } from './configuration.ts'
import type { Decision } from './decision.ts'
import { decisionJson, decisionText, rejectionOf, requestText, traceText } from './explain.ts'
import { traceRules } from './match.ts'
import { aClass, aConfiguration, aRule, authenticate, deletePrefix, put, range, txn } from './qos.fixture.ts'
import { RecordReader } from './record.ts'
import { Replay } from './replay.ts'

function decisionsOf(configuration: QosConfiguration, records: readonly object[]): readonly Decision[] {
  const decisions: Decision[] = []
  const replay = new Replay(configuration, (decision) => decisions.push(decision))
  const reader = new RecordReader()
  for (const value of records) {
    const read = reader.read(value)
    if (!read.ok) throw new Error(`${read.field}: ${read.message}`)
    replay.push(read.record)
  }
  replay.end()
  return decisions
}
const told = (decisions: readonly Decision[]): readonly string[] =>
  decisions.map(({ at, verdict }) => `${nsToSeconds(at)} ${verdict}`)

describe('a replay', () => {
  const one = (given: object = {}) =>
    aConfiguration([aClass('c', { qdisc: 'maxinflight', num: 1 }, given)], [aRule('r')])
  const call = (time: number, latencyMs?: number): object => ({ time, method: 'KV/Put', key: 'a', latencyMs })

  it('ends calls when their latency is over, before what arrives at the same time', () => {
    expect(told(decisionsOf(one(), [call(0, 500), call(0.4, 50), call(0.5, 50), call(0.52)]))).toEqual([
      '0 passed',
      '0.4 limited',
      '0.5 passed',
      '0.52 limited',
    ])
  })

  it('decides about what waits when its time has come, and at the end', () => {
    const delaying = one({ overflow: { action: 'delay', maxDelayMs: 1_000, maxWaiting: 5 } })
    expect(told(decisionsOf(delaying, [call(0, 300), call(0.1, 5_000), call(0.2, 1)]))).toEqual([
      '0 passed',
      '0.1 waiting',
      '0.2 waiting',
      '0.3 delayed',
      '1.2 limited',
    ])
  })

  it('takes the quota from the record that says it', () => {
    const quota = aConfiguration(
      [aClass('c', { qdisc: 'lbf', qps: 1 })],
      [aRule('r', { conditions: [{ kind: 'PercentOfStorageQuotaUsed', threshold: 0.5 }] })],
    )
    const at = (time: number, storageQuotaUsed?: number): object => ({ ...call(time), storageQuotaUsed })
    expect(
      decisionsOf(quota, [at(0), at(0, 0.6), at(0), at(0, 0.1)]).map(({ applied, verdict }) => [
        applied?.rule,
        verdict,
      ]),
    ).toEqual([
      [undefined, 'passed'],
      ['r', 'passed'],
      ['r', 'limited'],
      [undefined, 'passed'],
    ])
  })
})

describe('a record of a request', () => {
  const read = (value: unknown) => new RecordReader().read(value)

  it('says what came, from whom, and what it cost', () => {
    expect(
      read({
        time: 1.5,
        method: '/etcdserverpb.KV/Range',
        key: '/a/',
        prefix: true,
        limit: 5,
        user: 'alice',
        clientIP: '10.0.0.1',
        requestBytes: 30,
        previousAttempts: 1,
        storageQuotaUsed: 0.5,
        status: 'OK',
        scannedKeys: 7,
        responseBytes: 90,
        latencyMs: 2.5,
      }),
    ).toEqual({
      ok: true,
      record: {
        at: 1_500_000_000,
        request: {
          method: 'KV/Range',
          body: { op: 'Range', key: '/a/', rangeEnd: '/a0', options: { limit: 5 } },
          user: 'alice',
          clientIP: '10.0.0.1',
          requestBytes: 30,
          previousAttempts: 1,
        },
        observed: { ok: true, scannedKeys: 7, responseBytes: 90, latencyMs: 2.5 },
        storageQuotaUsed: 0.5,
      },
    })
  })

  it('may be a Txn, another method, or a failure', () => {
    const element = { op: 'Put', key: 'a' }
    expect(
      read({ method: 'KV/Txn', success: [element, { op: 'Txn', failure: [{ op: 'Range', key: '\\xff' }] }] }),
    ).toMatchObject({
      record: {
        request: {
          body: {
            op: 'Txn',
            success: [element, { op: 'Txn', success: [], failure: [{ op: 'Range', key: '\xff' }] }],
            failure: [],
          },
        },
      },
    })
    expect(read({ method: 'Auth/Authenticate', name: 'alice', status: 'INVALID_ARGUMENT' })).toMatchObject({
      record: { request: { name: 'alice' }, observed: { ok: false, latencyMs: undefined } },
    })
    expect(read({ method: 'KV/Range', key: '', prefix: true })).toMatchObject({
      record: { request: { body: { key: '\0', rangeEnd: '\0' } } },
    })
  })

  it.each<[unknown, string, string]>([
    [[], '', 'A request is a JSON object with a method.'],
    [{}, 'method', 'The request has no method, such as KV/Range.'],
    [{ method: 'KV/Rnge', key: 'a' }, 'method', 'etcd has no method “KV/Rnge”: did you mean KV/Range?'],
    [{ method: 'x' }, 'method', 'etcd has no method “x”: write it as KV/Range.'],
    [{ method: 'KV/Put' }, 'key', 'A Put needs a key.'],
    [
      { method: 'KV/Put', kye: 'a' },
      'kye',
      'There is no field “kye” at the top of the object: remove it or correct its name.',
    ],
    [
      { method: 'KV/Range', key: 'a', prefix: true, rangeEnd: 'b' },
      'prefix',
      'prefix and rangeEnd are alternatives: set only one of them.',
    ],
    [{ method: 'KV/Range', key: 'a', latencyMs: -1 }, 'latencyMs', 'latencyMs must be a number of at least 0, not -1.'],
    [
      { method: 'KV/Range', key: 'a', scannedKeys: 1.5 },
      'scannedKeys',
      'scannedKeys must be a whole number of at least 0, not 1.5.',
    ],
    [
      { method: 'KV/Txn', success: [{ op: 'Get', key: 'a' }] },
      'success[0].op',
      'op must be Range, Put, DeleteRange, Txn, not “Get”.',
    ],
    [
      { method: 'KV/Put', key: 'a', time: 'noon' },
      'time',
      'time must be seconds or a time such as 2026-01-31T12:00:00.5Z, not “noon”.',
    ],
  ])('%j is refused', (value, field, message) => expect(read(value)).toMatchObject({ ok: false, field, message }))

  it('may not be nested without end', () => {
    let value: object = { op: 'Txn' }
    for (let depth = 0; depth < 5_000; depth++) value = { op: 'Txn', success: [value] }
    expect(read({ method: 'KV/Txn', success: [value] })).toMatchObject({
      ok: false,
      message: 'Txns are nested more than 16 deep.',
    })
  })

  it('follows those before in time', () => {
    const at = (time: unknown): unknown => ({ method: 'KV/Compact', time })
    const seconds = new RecordReader()
    expect([2, undefined, 2.5].map((time) => seconds.read(at(time)))).toMatchObject([
      { record: { at: 2e9 } },
      { record: { at: 2e9 } },
      { record: { at: 2.5e9 } },
    ])
    expect(seconds.read(at(1))).toMatchObject({
      field: 'time',
      message: 'time is earlier than that of the previous record. Sort the records by time.',
    })
    expect(seconds.read(at('2026-01-31T12:00:00Z'))).toMatchObject({
      message: 'time is given in seconds and as dates; use one of them.',
    })
    const dates = new RecordReader()
    expect(['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:02Z'].map((time) => dates.read(at(time)))).toMatchObject([
      { record: { at: 0 } },
      { record: { at: 1.5e9 } },
    ])
  })
})

describe('an explanation', () => {
  it.each([
    [range('/a/', 'prefix', { limit: 5 }), 'KV/Range /a/ (prefix) limit 5'],
    [range('\0', { end: '\0' }), 'KV/Range (all keys)'],
    [range('/a', { end: '\0' }), 'KV/Range /a (and after)'],
    [range('/a', { end: '/c' }), 'KV/Range /a (to /c)'],
    [put('a\x01'), String.raw`KV/Put a\x01`],
    [deletePrefix('/a/'), 'KV/DeleteRange /a/ (prefix)'],
    [txn([put('a'), range('b')], [put('c'), put('d'), put('e')]), 'KV/Txn Put a; Range b; Put c; 2 more'],
    [txn([]), 'KV/Txn'],
    [authenticate('alice'), 'Auth/Authenticate alice'],
  ])('names a request: %#', (request, text) => expect(requestText(request)).toBe(text))

  const calls = (
    limiter: Parameters<typeof aClass>[1],
    given: object,
    records: readonly object[],
  ): readonly Decision[] =>
    decisionsOf(aConfiguration([aClass('c', limiter, given)], [aRule('r', { ops: ['Range'] })]), records)
  const list = (time: number, given: object = {}): object => ({
    time,
    method: 'KV/Range',
    key: 'a',
    latencyMs: 100,
    ...given,
  })

  it.each<[string, readonly Decision[], readonly string[]]>([
    [
      'a token bucket',
      calls({ qdisc: 'tbf', qps: 10, burst: 1 }, {}, [list(0), list(0.05)]),
      [
        'r applies; class c: 1 of 1 tokens, refilled at 10 /s; 1 needed (requests).',
        'r applies; class c: 0.5 of 1 tokens, refilled at 10 /s; 1 needed (requests); refused; as much is free in 50 ms.',
      ],
    ],
    [
      'a leaky bucket',
      calls({ qdisc: 'lbf', qps: 2 }, { groupBy: { by: 'user' } }, [
        list(0, { user: 'alice' }),
        list(0.2, { user: 'alice' }),
      ]),
      [
        'r applies; class c (alice): free now, at most 2 /s; 1 needed (requests).',
        'r applies; class c (alice): free in 300 ms, at most 2 /s; 1 needed (requests); refused; as much is free in 300 ms.',
      ],
    ],
    [
      'calls in flight',
      calls({ qdisc: 'maxinflight', num: 1 }, {}, [list(0), list(0)]),
      [
        'r applies; class c: 0 of 1 in flight; 1 needed (requests).',
        'r applies; class c: 1 of 1 in flight; 1 needed (requests); refused.',
      ],
    ],
    [
      'a window',
      calls({ qdisc: 'window', limit: 10, windowMs: 1_000 }, { cost: 'scannedKeys' }, [
        list(0, { scannedKeys: 20 }),
        list(0.5),
      ]),
      [
        'r applies; class c: 0 of 10 used in the last 1,000 ms; 0 needed (scannedKeys).',
        'r applies; class c: 20 of 10 used in the last 1,000 ms; 20 needed (scannedKeys); refused, as it is expected to cost more than the whole window allows.',
      ],
    ],
    [
      'a delay',
      calls({ qdisc: 'lbf', qps: 10 }, { overflow: { action: 'delay', maxDelayMs: 150, maxWaiting: 1 } }, [
        list(0),
        list(0),
        list(0),
      ]),
      [
        'r applies; class c: free now, at most 10 /s; 1 needed (requests).',
        'r applies; class c: free in 100 ms, at most 10 /s; 1 needed (requests); it waits for about 100 ms.',
        'r applies; class c: free in 100 ms, at most 10 /s; 1 needed (requests); refused, as too many wait already; as much is free in 100 ms.',
        'r applies; it waited 100 ms; class c: free now, at most 10 /s; 1 needed (requests).',
      ],
    ],
    ['no rule', calls({ qdisc: 'lbf', qps: 2 }, {}, [{ method: 'KV/Put', key: 'a' }]), ['No rule matches.']],
  ])('says why: %s', (_, decisions, texts) => expect(decisions.map(decisionText)).toEqual(texts))

  it('says of each rule why it applies or does not', () => {
    const rules = [
      aRule('a', { priority: 9, ops: ['Range'], conditions: [{ kind: 'ScanKeyNum', threshold: 1_000 }] }),
      aRule('b', { priority: 8, conditions: [{ kind: 'RequestSize', threshold: 10 }] }),
      aRule('c', { priority: 7 }),
      aRule('d', { priority: 6, methods: ['KV/Put'] }),
      aRule('e', { priority: 5, subjects: [{ user: 'alice' }] }),
      aRule('f', { priority: 4, minRetry: 3 }),
      aRule('g', { priority: 3, ops: ['Put'] }),
      aRule('h', { priority: 2, prefixPaths: ['/b/'] }),
      aRule('i', { enabled: false }),
      aRule('j', { priority: 1, conditions: [{ kind: 'RequestSize', threshold: 90 }] }),
    ]
    const request = { ...range('/a/', 'prefix'), user: 'bob', clientIP: '10.0.0.1', requestBytes: 20 }
    const trace = traceRules(rules, request, { retry: 0 })
    expect(trace.map((one) => `${one.rule} ${traceText(one, request)}`)).toEqual([
      'a ScanKeyNum is not known, must be above 1000 keys',
      'b applies: RequestSize 20 is above 10 B',
      'c matches, and a rule before it applies',
      'd does not limit KV/Range',
      'e is about other callers than bob from 10.0.0.1',
      'f is about later retries',
      'g is about other operations',
      'h selects other keys',
      'j RequestSize 20 is not above 90 B',
      'i is disabled',
    ])
  })

  it('has what the client gets, and JSON', () => {
    const configuration = aConfiguration([aClass('c', { qdisc: 'lbf', qps: 2 })], [aRule('r')])
    const [, limited] = decisionsOf(configuration, [list(0), list(0.1, { user: 'alice' })])
    if (limited?.verdict !== 'limited') throw new Error('the second is limited')
    const rejection = rejectionOf(limited, configuration.settings)
    expect(rejection).toEqual({
      code: 8,
      status: 'RESOURCE_EXHAUSTED',
      message: 'etcdserver: too many requests',
      trailers: { 'etcd-qos-rule': 'r', 'etcd-qos-class': 'c', 'etcd-qos-retry-after-ms': '400' },
    })
    expect(rejectionOf(limited, { ...configuration.settings, message: 'named' }).message).toBe(
      'etcdserver: request limited by qos rule r',
    )
    const json: unknown = JSON.parse(JSON.stringify(decisionJson(limited, configuration.settings, configuration.rules)))
    expect(json).toEqual({
      id: 2,
      time: 0.1,
      verdict: 'limited',
      request: 'KV/Range a',
      method: 'KV/Range',
      user: 'alice',
      clientIP: '',
      rule: 'r',
      class: 'c',
      group: '',
      cost: { kind: 'requests', need: 1, charged: 1, approximate: false },
      before: { qdisc: 'lbf', freeInMs: 400, qps: 2 },
      reason: 'rate',
      retryAfterMs: 400,
      admittedInMs: 400,
      rejection,
      evidence: { retry: 0 },
      explanation: decisionText(limited),
      rules: [expect.objectContaining({ rule: 'r', outcome: 'applies', reason: 'applies' })],
    })
  })
})
