import type { Random } from '../simulate/random.ts'
import { keyOperation } from './record.ts'
import type { QosRequest } from './request.ts'
import type { Observed } from './tracker.ts'

/** Rules of the simulated etcd: those of the proposal, a limit for tenants, and one for passwords. */
export const STORY_RULES = `
classes:
  - { name: event, qdisc: lbf, qps: 2 }
  - { name: slow-query, qdisc: tbf, qps: 10, burst: 12 }
  - { name: high-traffic, qdisc: maxinflight, num: 5 }
  - { name: tenant-list, qdisc: window, limit: 10000, windowMs: 60000, cost: scannedKeys, groupBy: user }
rules:
  - { name: rule-auth, qClassName: high-traffic, priority: 50, ops: [Authenticate] }
  - name: rule-slowlog
    qClassName: slow-query
    priority: 10
    ops: [Range]
    prefixPaths: [/registry/pods/]
    conditions: [{ kind: ScanKeyNum, threshold: 1000 }]
  - name: rule-event
    qClassName: event
    priority: 9
    ops: [Put]
    prefixPaths: [/registry/events/]
    conditions: [{ kind: PercentOfStorageQuotaUsed, threshold: 0.9 }]
  - { name: tenant-scan, qClassName: tenant-list, priority: 5, ops: [Range], prefixPaths: [/tenants/] }
  - { name: rule-compact, qClassName: high-traffic, priority: 2, ops: [Compact], enabled: false }
`

/** The quota of the simulated etcd in bytes, and its usage at the start. */
export const STORY_QUOTA = 2 * 1024 ** 3
export const STORY_USED = 0.93 * STORY_QUOTA

/** A request of the story, and the cost of its call if it is admitted. */
export interface StoryRequest {
  readonly request: QosRequest
  readonly observed: Observed
}

interface Kind {
  /** Requests per second, on average, at a second of the story. */
  readonly perSecond: (second: number) => number
  readonly make: (
    random: Random,
  ) => Pick<StoryRequest, 'request'> & { readonly keys: number; readonly bytes: number; readonly ms: number }
}

const pick = (random: Random, most: number): number => Math.floor(random() * most)
const API = { user: 'kube-apiserver', clientIP: '10.0.0.11' }
const range = (key: string, user = API, more = {}): QosRequest => ({
  method: 'KV/Range',
  body: keyOperation('Range', key, 'prefix', more),
  ...user,
  requestBytes: key.length * 2 + 10,
})
const put = (key: string, requestBytes: number, user = API): QosRequest => ({
  method: 'KV/Put',
  body: { op: 'Put', key },
  ...user,
  requestBytes,
})

/** During two of every five minutes a client lists all pods over and over. */
const scanning = (second: number): boolean => second % 300 >= 40 && second % 300 < 160

const KINDS: readonly Kind[] = [
  {
    perSecond: () => 14,
    make: (random) => ({
      request: put(`/registry/events/tenant-${pick(random, 50)}/q${pick(random, 1_000)}`, 700 + pick(random, 300)),
      keys: 1,
      bytes: 28,
      ms: 3,
    }),
  },
  {
    perSecond: () => 9,
    make: (random) => ({
      request: put(`/registry/leases/kube-node-lease/node-${pick(random, 200)}`, 400),
      keys: 1,
      bytes: 28,
      ms: 2,
    }),
  },
  {
    perSecond: () => 16,
    make: (random) => {
      const key = `/registry/pods/tenant-${pick(random, 50)}/web-${pick(random, 100)}`
      const request: QosRequest = {
        method: 'KV/Range',
        body: { op: 'Range', key },
        ...API,
        requestBytes: key.length + 4,
      }
      return { request, keys: 1, bytes: 3_800, ms: 1 }
    },
  },
  {
    perSecond: (second) => (scanning(second) ? 13 : 0.5),
    make: () => ({ request: range('/registry/pods/'), keys: 5_000, bytes: 19_400_000, ms: 210 }),
  },
  {
    perSecond: () => 2,
    make: () => ({ request: range('/registry/pods/', API, { limit: 500 }), keys: 5_000, bytes: 1_900_000, ms: 38 }),
  },
  {
    perSecond: () => 1.2,
    make: () => ({ request: range('/registry/configmaps/'), keys: 3_120, bytes: 6_200_000, ms: 71 }),
  },
  {
    perSecond: () => 0.05,
    make: () => ({
      request: { method: 'KV/Range', body: keyOperation('Range', '', 'prefix'), user: 'backup', clientIP: '10.0.3.9' },
      keys: 200_104,
      bytes: 410_000_000,
      ms: 4_800,
    }),
  },
  {
    perSecond: () => 0.12,
    make: (random) => {
      const user = random() < 0.7 ? 'alice' : 'bob'
      const request = range(`/tenants/${user}/`, { user, clientIP: '10.0.4.7' })
      return user === 'alice'
        ? { request, keys: 4_000, bytes: 1_200_000, ms: 22 }
        : { request, keys: 900, bytes: 300_000, ms: 6 }
    },
  },
  {
    perSecond: (second) => (second % 240 >= 180 && second % 240 < 200 ? 30 : 0.2),
    make: () => ({
      request: { method: 'Auth/Authenticate', name: 'alice', user: '', clientIP: '10.0.4.7', requestBytes: 24 },
      keys: 0,
      bytes: 94,
      ms: 250,
    }),
  },
]

/** The requests that arrive within part of a second, in no order. The same random state gives the same requests. */
export function storyRequests(second: number, seconds: number, random: Random): readonly StoryRequest[] {
  return KINDS.flatMap(({ perSecond, make }) => {
    const expected = perSecond(second) * seconds
    const count = Math.floor(expected) + (random() < expected % 1 ? 1 : 0)
    return Array.from({ length: count }, () => {
      const { request, keys, bytes, ms } = make(random)
      const spread = 0.8 + 0.4 * random()
      return {
        request,
        observed: { ok: true, scannedKeys: keys, responseBytes: bytes, latencyMs: ms * spread },
      }
    })
  })
}
