import type { EtcdState } from '../contract/etcd.ts'

const SECOND = { passed: 20, delayed: 0, limited: 2, requestBytes: 1_000, responseBytes: 9_000 }
const USAGE = { requests: 10, limited: 0, scannedKeys: 50_000, requestBytes: 300, responseBytes: 900_000, meanMs: 40 }
const PODS = {
  ...USAGE,
  op: 'Range',
  keys: '/registry/pods',
  p50Ms: 38,
  p99Ms: 90,
  example: 'KV/Range /registry/pods/',
}

/** A proxy whose store is nearly full and whose events are limited. */
export const etcdFixture: EtcdState = {
  at: 1_000_000,
  url: 'http://127.0.0.1:2381',
  upstream: 'http://127.0.0.1:2379',
  mode: 'enforce',
  revision: 3,
  editable: true,
  counts: { passed: 200, delayed: 0, limited: 20 },
  unread: 0,
  watches: 12,
  storage: { usedBytes: 93, allocatedBytes: 96, quotaBytes: 100, quotaFrom: 'status', gap: 12 },
  tracker: { entries: 2, capacity: 1_000, hits: 96, misses: 4, evictions: 0 },
  classes: [
    {
      name: 'event',
      document: { name: 'event', qdisc: 'lbf', qps: 2 },
      summary: '2 requests per second, no burst',
      groups: [{ group: '', level: { qdisc: 'lbf', freeInMs: 388, qps: 2 }, text: 'free in 388 ms', waiting: 0 }],
      groupCount: 1,
      waiting: 0,
    },
    {
      name: 'tenants',
      document: { name: 'tenants', qdisc: 'window', limit: 100, windowMs: 1_000, groupBy: 'user' },
      summary: '100 requests in 1 s, per user',
      groups: ['alice', 'bob', 'carol'].map((group) => ({
        group,
        level: { qdisc: 'window', used: 40, limit: 100, windowMs: 1_000 },
        text: '40 of 100 used',
        waiting: 1,
      })),
      groupCount: 3,
      waiting: 3,
    },
  ],
  rules: [
    {
      name: 'rule-event',
      document: {
        name: 'rule-event',
        qClassName: 'event',
        priority: 9,
        ops: ['Put'],
        prefixPaths: ['/registry/events/'],
      },
      class: 'event',
      priority: 9,
      enabled: true,
      selects: 'Put on /registry/events/',
      counts: { passed: 20, delayed: 0, limited: 20 },
      perSecond: 4,
      limitedPerSecond: 2,
      warnings: ['A Txn also matches rule-off, which has the same priority. The smaller name decides.'],
    },
    {
      name: 'rule-off',
      document: { name: 'rule-off', qClassName: 'event', priority: 8, ops: ['Compact'], enabled: false },
      class: 'event',
      priority: 8,
      enabled: false,
      selects: 'Compact',
      counts: { passed: 0, delayed: 0, limited: 0 },
      perSecond: 0,
      limitedPerSecond: 0,
      warnings: [],
    },
  ],
  seconds: Array.from({ length: 20 }, (_, second) => ({ second, ...SECOND })),
  rateSeconds: 10,
  rates: [PODS],
  top: { scan: [PODS], traffic: [PODS], latency: [PODS] },
  limited: [
    {
      at: 999_000,
      method: 'KV/Put',
      request: 'KV/Put /registry/events/e1',
      user: 'kube-apiserver',
      clientIP: '10.0.0.11',
      verdict: 'limited',
      rule: 'rule-event',
      class: 'event',
      reason: 'rate',
      retryAfterMs: 388,
    },
  ],
  slow: [],
}
