import { expect, test } from 'vitest'
import { standingClock } from '../../test/harness/standingClock.ts'
import { readRules } from '../../core/qos/read.ts'
import { keyOperation } from '../../core/qos/record.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import { AdmissionGate } from './admissionGate.ts'
import { Management } from './management.ts'
import { EtcdMetrics } from './metrics.ts'

const TEXT = `
classes: [{ name: slow, qdisc: tbf, qps: 1, burst: 1, groupBy: user }]
rules: [{ name: lists, qClassName: slow, priority: 1, ops: [Range], conditions: [{ kind: ScanKeyNum, threshold: 5 }] }]
`
const { configuration } = readRules([{ file: 'rules', text: TEXT }])
const list = (user: string): QosRequest => ({
  method: 'KV/Range',
  body: keyOperation('Range', '/a', 'prefix'),
  user,
  clientIP: '',
  requestBytes: 10,
})
const COST = { ok: true, scannedKeys: 50, responseBytes: 900, latencyMs: 3 }

function metered() {
  if (configuration === undefined) throw new Error('the rules are wrong')
  const { environment } = standingClock(0)
  const gate = new AdmissionGate(configuration, 'enforce', environment)
  const management = new Management(
    { gate, url: () => '', upstream: '', storage: () => undefined, now: environment.now, time: environment.now },
    0,
  )
  const metrics = new EtcdMetrics(gate, management, { storage: () => undefined, clock: environment })
  const verdicts = { let: 0, limited: 0 }
  const send = (user: string): void => {
    const { end } = gate.arrive(list(user), (decision) => {
      verdicts[decision?.verdict === 'limited' ? 'limited' : 'let'] += 1
    })
    end(COST)
  }
  return { gate, management, metrics, send, verdicts }
}

test('has the families of the specification, and counts conserve every request', async () => {
  const { management, metrics, send, verdicts } = metered()
  for (let i = 0; i < 5; i++) send('alice')
  metrics.unread('passed')
  metrics.unread('limited')
  metrics.watch(1)
  metrics.ended('KV/Range', '0', 3)
  metrics.overhead(0.2)
  const page = await metrics.page()
  const families = [...page.matchAll(/^# TYPE etcd_qos_(\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`)
  expect(families.toSorted()).toEqual([
    'class_level gauge',
    'class_waiting gauge',
    'commit_apply_gap gauge',
    'config_revision gauge',
    'expensive_requests_total counter',
    'limited_requests_total counter',
    'prediction_ratio histogram',
    'proxy_overhead_seconds histogram',
    'request_bytes histogram',
    'request_duration_seconds histogram',
    'requests_total counter',
    'response_bytes histogram',
    'scan_keys histogram',
    'storage_quota_allocated_ratio gauge',
    'storage_quota_used_ratio gauge',
    'tracker_capacity gauge',
    'tracker_entries gauge',
    'tracker_evictions_total counter',
    'tracker_lookups_total counter',
    'watch_streams gauge',
  ])
  for (const line of [
    'etcd_qos_requests_total{op="Range",rule="",class="",verdict="passed"} 1',
    'etcd_qos_requests_total{op="Range",rule="lists",class="slow",verdict="passed"} 1',
    'etcd_qos_requests_total{op="Range",rule="lists",class="slow",verdict="limited"} 3',
    'etcd_qos_limited_requests_total{op="Range",rule="lists",class="slow",reason="rate"} 3',
    'etcd_qos_requests_total{op="unknown",rule="",class="",verdict="passed"} 1',
    'etcd_qos_requests_total{op="unknown",rule="",class="",verdict="limited"} 1',
    'etcd_qos_expensive_requests_total{op="Range",kind="ScanKeyNum"} 2',
    'etcd_qos_tracker_lookups_total{result="hit"} 4',
    'etcd_qos_tracker_lookups_total{result="miss"} 1',
    'etcd_qos_prediction_ratio_bucket{kind="ScanKeyNum",le="1"} 1',
    'etcd_qos_request_duration_seconds_count{op="Range",code="OK"} 1',
    'etcd_qos_class_level{class="slow",group="alice"} 0',
    'etcd_qos_watch_streams 1',
    'etcd_qos_storage_quota_used_ratio Nan',
  ])
    expect.soft(page).toContain(line)
  expect(management.traffic.totals).toEqual({ passed: 2, delayed: 0, limited: 3 })
  expect(verdicts).toEqual({ let: 2, limited: 3 })
  expect(management.state()).toMatchObject({
    watches: 1,
    unread: 1,
    storage: null,
    rules: [{ name: 'lists', selects: 'Range, ScanKeyNum > 5 keys', counts: { limited: 3 } }],
    classes: [{ groups: [{ group: 'alice' }], summary: '1 request per second, burst 1, per user' }],
    tracker: { entries: 1, hits: 4, misses: 1 },
  })
})

test('has at most 20 groups of a class, the rest in one', async () => {
  const { metrics, send } = metered()
  send('first')
  for (let i = 0; i < 30; i++) send(`u${i}`)
  const page = await metrics.page()
  expect(page.match(/^etcd_qos_class_level/gm)).toHaveLength(21)
  expect(page).toContain('etcd_qos_class_level{class="slow",group="other"} 0')
})
