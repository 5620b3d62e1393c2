import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { authenticate, deletePrefix, put, range, txn } from './qos.fixture.ts'
import { Hashes, hashOf, type QosRequest, type RangeOptions } from './request.ts'
import { average, averageOf, kindOf, type Observed, type Statistic, touch, track, type Tracked } from './tracker.ts'

const observed = (scannedKeys: number, given: Partial<Observed> = {}): Observed => ({
  ok: true,
  scannedKeys,
  responseBytes: 100,
  latencyMs: 10,
  ...given,
})
const always = { capacity: 16, worthKeeping: () => true }

describe('the hash of a request (QoS specification 6)', () => {
  const list = (options: RangeOptions): QosRequest => range('/registry/pods/', 'prefix', options)
  const plain = hashOf(list({}))

  it('has 16 digits, and is there for reads and Authenticate alone', () => {
    expect(plain).toMatch(/^[\da-f]{16}$/)
    expect(hashOf(put('a'))).toBeUndefined()
    expect(hashOf(deletePrefix('a'))).toBeUndefined()
    expect(hashOf(txn([range('a'), put('b')]))).toBeUndefined()
    expect(hashOf(txn([range('a')], [range('b')]))).toBeDefined()
    expect(hashOf(authenticate('alice'))).not.toBe(hashOf(authenticate('bob')))
    expect(hashOf({ method: 'Cluster/MemberList', user: '', clientIP: '' })).toBeUndefined()
  })

  it.each<[string, RangeOptions]>([
    ['serializable', { serializable: true }],
    ['defaults', { limit: 0, keysOnly: false, revision: 0 }],
  ])('does not depend on %s', (_, options) => expect(hashOf(list(options))).toBe(plain))

  it('does not depend on the caller, the size or which revision it is pinned to', () => {
    expect(hashOf({ ...list({}), user: 'x', clientIP: '10.0.0.1', requestBytes: 9, previousAttempts: 3 })).toBe(plain)
    expect(hashOf(list({ revision: 5 }))).toBe(hashOf(list({ revision: 6 })))
  })

  it('is another one for everything else', () => {
    const different = [
      {},
      { limit: 500 },
      { limit: 501 },
      { revision: 5 },
      { sortOrder: 1 },
      { sortTarget: 1 },
      { keysOnly: true },
      { countOnly: true },
      { minModRevision: 1 },
      { maxModRevision: 1 },
      { minCreateRevision: 1 },
      { maxCreateRevision: 1 },
    ].map((options) => hashOf(list(options)))
    const others = [
      range('/registry/pods/'),
      range('/registry/pods/', { end: '\0' }),
      range('/registry/pod/', 'prefix'),
      txn([list({})]),
      txn([list({}), list({})]),
      txn([range('a'), range('b')]),
      txn([range('b'), range('a')]),
      authenticate('/registry/pods/'),
    ].map(hashOf)
    const all = [...different, ...others]
    expect(new Set(all).size).toBe(all.length)
  })
})

describe('the tracker', () => {
  it('keeps what is worth it, and updates what it knows', () => {
    const tracker = new Map<string, Tracked>()
    track(tracker, 'h', observed(40), { ...always, worthKeeping: () => false })
    expect(tracker.size).toBe(0)
    track(tracker, 'h', observed(5_000), always)
    expect(tracker.get('h')).toEqual({ scannedKeys: 5_000, responseBytes: 100, latencyMs: 10, hits: 0 })
    track(tracker, 'h', observed(900, { latencyMs: 20 }), { ...always, worthKeeping: () => false })
    expect(tracker.get('h')).toEqual({ scannedKeys: 900, responseBytes: 100, latencyMs: 13, hits: 1 })
  })

  it('learns nothing but the latency of a call that failed', () => {
    const tracker = new Map<string, Tracked>()
    track(tracker, 'new', observed(5_000, { ok: false }), always)
    expect(tracker.size).toBe(0)
    track(tracker, 'h', observed(5_000), always)
    track(tracker, 'h', observed(0, { ok: false, responseBytes: 0, latencyMs: 110 }), always)
    expect(tracker.get('h')).toEqual({ scannedKeys: 5_000, responseBytes: 100, latencyMs: expect.closeTo(40), hits: 1 })
  })

  it('keeps what is not measured', () => {
    const tracker = new Map<string, Tracked>()
    track(tracker, 'h', observed(5_000), always)
    track(tracker, 'h', { ok: true, scannedKeys: undefined, responseBytes: undefined, latencyMs: undefined }, always)
    expect(tracker.get('h')).toMatchObject({ scannedKeys: 5_000, latencyMs: 10, hits: 1 })
  })

  it('never holds more than its capacity, and drops the least recently used (12.5)', () => {
    const steps = fc.array(fc.record({ hash: fc.nat(40).map(String), read: fc.boolean() }), { maxLength: 200 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 16, max: 20 }), (all, capacity) => {
        const tracker = new Map<string, Tracked>()
        let recent: string[] = []
        for (const { hash, read } of all) {
          const known = recent.includes(hash)
          if (read) touch(tracker, hash)
          else {
            touch(tracker, hash)
            track(tracker, hash, observed(1), { ...always, capacity })
          }
          if (known || !read) recent = [...recent.filter((one) => one !== hash), hash].slice(-capacity)
          expect([...tracker.keys()]).toEqual(recent)
        }
      }),
    )
  })
})

describe('hashes that are remembered', () => {
  it('are those that are computed, however many requests there were and however long they are', () => {
    const hashes = new Hashes()
    const requests = [
      ...Array.from({ length: 2_500 }, (_, index) => range(`/registry/pods/${index % 1_700}`)),
      range('k'.repeat(5_000)),
      range('k'.repeat(5_000)),
      authenticate('alice'),
      put('a'),
    ]
    expect(requests.map((request) => hashes.of(request))).toEqual(requests.map(hashOf))
  })
})

describe('averages of requests alike', () => {
  it('tell keys by three segments, shapes, limits and counts, and are there for reads alone', () => {
    const alike = kindOf(range('/registry/pods/ns1/', 'prefix'))
    expect(kindOf(range('/registry/pods/ns1/', 'prefix', { limit: 1 }))).not.toBe(alike)
    expect(kindOf(range('/registry/pods/ns1/x'))).not.toBe(alike)
    expect(kindOf(range('/registry/pods/ns1/a'))).toBe(kindOf(range('/registry/pods/ns1/b')))
    expect(kindOf(range('/registry/pods/ns1/', { end: '/registry/z' }))).not.toBe(alike)
    expect(kindOf(range('/registry/pods/ns2/', 'prefix'))).not.toBe(alike)
    expect(kindOf(range('/registry/pods/ns1/', 'prefix', { countOnly: true }))).not.toBe(alike)
    expect(kindOf(put('a'))).toBeUndefined()
    expect(kindOf(txn([range('a')]))).toBe('KV/Txn')
    expect(kindOf(txn([put('a')]))).toBeUndefined()
    expect(kindOf(authenticate('alice'))).toBe(kindOf(authenticate('bob')))
  })

  it('are used from the fifth observation on, and forget by a fifth each', () => {
    const statistics = new Map<string, Statistic>()
    for (let count = 1; count <= 4; count++) average(statistics, 'k', observed(100))
    average(statistics, 'k', observed(0, { ok: false }))
    expect(averageOf(statistics, 'k')).toBeUndefined()
    average(statistics, 'k', observed(200))
    expect(averageOf(statistics, 'k')?.scannedKeys).toBeCloseTo(120)
    expect(averageOf(statistics, 'other')).toBeUndefined()
  })

  it('are bounded', () => {
    const statistics = new Map<string, Statistic>()
    for (let count = 0; count < 1_500; count++) average(statistics, String(count), observed(1))
    expect(statistics.size).toBe(1_000)
    expect(kindOf(range('x'.repeat(10_000)))?.length).toBeLessThan(400)
  })
})
