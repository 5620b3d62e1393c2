import { expect, test } from 'vitest'
import { readRules } from '../../core/qos/read.ts'
import { QosEngine } from '../../core/qos/engine.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import { seenOf } from '../../core/qos/seen.ts'
import { Traffic } from '../../core/qos/traffic.ts'
import { msToNs } from '../../core/units.ts'
import { collectGarbage } from '../bench/engine/garbage.ts'

const REQUESTS = 1_000_000
const RULES = `
classes:
  - { name: each, qdisc: window, limit: 1000000, windowMs: 60000, cost: scannedKeys, groupBy: user, maxGroups: 500 }
rules:
  - { name: lists, qClassName: each, priority: 1, ops: [Range], minRetry: 0, conditions: [{ kind: ScanKeyNum, threshold: 1000 }] }
  - { name: retried, qClassName: each, priority: 2, ops: [Range], minRetry: 3 }
  - { name: users, qClassName: each, priority: 3, ops: [Put], prefixPaths: [/tenants/] }
tracker: { capacity: 1000, estimator: lru+stats }
`

/** Distinct in their key, user and size; a tenth fails. */
const requestAt = (index: number): QosRequest => ({
  method: index % 2 === 0 ? 'KV/Range' : 'KV/Put',
  body:
    index % 2 === 0
      ? {
          op: 'Range',
          key: `/registry/kind${index % 5_000}/${index}/`,
          rangeEnd: `/registry/kind${index % 5_000}/${index}0`,
        }
      : { op: 'Put', key: `/tenants/${index}` },
  user: `user-${index}`,
  clientIP: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
  requestBytes: 20 + (index % 1_000),
})

/** Runs a million distinct requests; `scannedKeys`: the actual cost of each. */
function run(scannedKeys: number): { readonly engine: QosEngine; readonly traffic: Traffic; readonly grownMb: number } {
  const { configuration } = readRules([{ file: 'rules', text: RULES }])
  if (configuration === undefined) throw new Error('the rules are wrong')
  const engine = new QosEngine(configuration, () => undefined)
  const traffic = new Traffic()
  let settledMb = 0
  for (let index = 0; index < REQUESTS; index++) {
    const at = msToNs(index)
    const decision = engine.arrive(requestAt(index), at)
    const observed = { ok: index % 10 !== 0, scannedKeys, responseBytes: 100, latencyMs: 1 }
    if (decision.verdict === 'waiting') continue
    if (decision.verdict !== 'limited') engine.end(decision.id, observed, at)
    traffic.push(seenOf(decision, observed))
    // Everything that is bounded is full by then.
    if (index === REQUESTS / 5) settledMb = heapMb()
  }
  return { engine, traffic, grownMb: heapMb() - settledMb }
}

/** Heap and buffers, without garbage. */
const heapMb = (): number => collectGarbage() / 1024 ** 2

test.each([
  ['cheap', 10, 0],
  ['expensive', 5_000, 1_000],
])('a million distinct %s requests leave bounded memory', { timeout: 600_000 }, (kind, scannedKeys, tracked) => {
  const { engine, traffic, grownMb } = run(scannedKeys)
  const { tracker, statistics, failures, inFlight, pools, released } = engine.state
  expect(tracker.size).toBe(tracked)
  expect(statistics.size).toBeLessThanOrEqual(1_000)
  expect(failures.size).toBeLessThanOrEqual(1_000)
  expect(inFlight.size).toBe(0)
  expect(released).toHaveLength(0)
  for (const { groups } of pools.values()) expect(groups.size).toBeLessThanOrEqual(500)
  expect(traffic.recent(0).length).toBeLessThanOrEqual(20_000)
  expect(traffic.limited.length).toBeLessThanOrEqual(1_000)
  console.warn(`A million ${kind} requests: the heap grew by ${grownMb.toFixed(1)} MB after the first fifth.`)
  expect(grownMb).toBeLessThan(5)
})
