import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KeptRequests } from './kept.ts'
import { aRequest, put, range } from './qos.fixture.ts'
import type { RangeOptions, Txn, TxnElement } from './request.ts'
import type { Seen } from './seen.ts'

const aNumber = fc.option(fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e15, noNaN: true })), { nil: undefined })
const aText = fc.option(fc.oneof(fc.string({ maxLength: 5 }), fc.string({ unit: 'grapheme', maxLength: 5 })), {
  nil: undefined,
})

/** Drops the members that are `undefined`: requests have none. */
const given = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>

const theOptions: fc.Arbitrary<RangeOptions> = fc
  .record({
    limit: aNumber,
    revision: aNumber,
    maxModRevision: aNumber,
    minCreateRevision: aNumber,
    serializable: fc.option(fc.boolean(), { nil: undefined }),
    countOnly: fc.option(fc.boolean(), { nil: undefined }),
  })
  .map((options) => given(options) as RangeOptions)

const aNestedTxn: fc.Arbitrary<Txn> = fc.letrec<{ txn: Txn; element: TxnElement }>((tie) => ({
  txn: fc.record({
    op: fc.constant('Txn' as const),
    success: fc.array(tie('element'), { maxLength: 2 }),
    failure: fc.array(tie('element'), { maxLength: 2 }),
  }),
  element: fc.oneof(
    { depthSize: 'small' },
    fc.record({ op: fc.constant('Range' as const), key: fc.string(), options: theOptions }),
    tie('txn'),
  ),
})).txn

const aSeen: fc.Arbitrary<Seen> = fc
  .record({
    at: fc.nat(1_000),
    request: fc.oneof(
      aRequest,
      theOptions.map((options) => range('/a', 'prefix', options)),
      aNestedTxn.map((body) => ({ ...put(''), method: 'KV/Txn', body })),
      fc.record({
        method: fc.string(),
        name: fc.string({ unit: 'grapheme' }),
        user: fc.string(),
        clientIP: fc.string(),
      }),
    ),
    observed: fc.record({
      ok: fc.boolean(),
      scannedKeys: aNumber,
      responseBytes: aNumber,
      latencyMs: aNumber,
    }),
    verdict: fc.constantFrom('passed' as const, 'delayed' as const, 'limited' as const),
    reason: fc.constantFrom(undefined, 'rate' as const, 'waiting-full' as const),
    rule: aText,
    className: aText,
    hash: aText,
    storageQuotaUsed: aNumber,
    retryAfterMs: aNumber,
    waitedMs: aNumber,
  })
  .map((seen) => given(seen) as Seen)

describe('requests that are kept', () => {
  test('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(aSeen, { maxLength: 30 }), fc.nat(1_000), (all, since) => {
        const kept = new KeptRequests({ requests: 100, bytes: 2 ** 18 })
        for (const seen of all) expect(kept.push(seen)).toBe(true)
        expect(kept.since(since)).toEqual(all.filter(({ at }) => at >= since))
        expect(kept.oldestAt).toBe(all[0]?.at)
      }),
    )
  })

  const seen = (at: number, key: string): Seen => ({
    at,
    request: put(key),
    observed: { ok: true, scannedKeys: undefined, responseBytes: undefined, latencyMs: undefined },
    verdict: 'passed',
  })

  test('are the latest, as many as there is room for', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { maxLength: 60 }), fc.nat(3), (lengths, dropped) => {
        const kept = new KeptRequests({ requests: 20, bytes: 2 ** 18 })
        lengths.forEach((length, at) => kept.push(seen(at, 'k'.repeat(length))))
        const left = kept.since(0)
        expect(left.map(({ at }) => at)).toEqual(lengths.map((_, at) => at).slice(lengths.length - left.length))
        for (const { at, request } of left) expect(request).toEqual(put('k'.repeat(lengths[at] ?? 0)))
        const bytes = left.reduce((sum, { at }) => sum + (lengths[at] ?? 0), 0)
        expect(bytes).toBeLessThanOrEqual(2 ** 18)
        // The previous one would not have fit.
        const before = lengths[lengths.length - left.length - 1]
        if (before !== undefined) expect(left.length === 20 || bytes + before + 21 * 40 > 2 ** 18).toBe(true)
        for (let i = 0; i < Math.min(dropped, left.length); i++) kept.dropOldest()
        expect(kept.since(0)).toEqual(left.slice(dropped))
      }),
    )
  })

  test('are not those that are too long, in keys or in elements', () => {
    const kept = new KeptRequests({ requests: 20, bytes: 2 ** 18 })
    const elements = Array.from({ length: 100_000 }, () => ({ op: 'Put' as const, key: '' }))
    expect(kept.push(seen(1, 'k'.repeat(65_536)))).toBe(false)
    expect(kept.push({ ...seen(1, ''), rule: 'é€'.repeat(20_000) })).toBe(false)
    const txn = { ...put(''), method: 'KV/Txn', body: { op: 'Txn' as const, success: elements, failure: [] } }
    expect(kept.push({ ...seen(1, ''), request: txn })).toBe(false)
    expect(kept.size).toBe(0)
    expect(kept.push(seen(2, 'é€'))).toBe(true)
    expect(kept.since(0)).toEqual([seen(2, 'é€')])
  })

  test('share the words that come again, and have the others all the same', () => {
    const kept = new KeptRequests({ requests: 3_000, bytes: 2 ** 20 })
    const all = Array.from({ length: 3_000 }, (_, index) => ({ ...seen(index, 'k'), rule: `rule-${index % 1_500}` }))
    for (const one of all) kept.push(one)
    expect(kept.since(0)).toEqual(all)
  })
})
