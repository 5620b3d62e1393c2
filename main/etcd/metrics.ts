import { Counter, Gauge, Registry } from 'prom-client'
import type { QosRequest } from '../../core/qos/request.ts'
import { opOfMethod } from '../../core/qos/operations.ts'
import type { Door, Settled } from './door.ts'
import type { StorageReading } from './storage.ts'

/** The families of QoS specification 9 that the proxy has, and what a summary counts. */
export class EtcdMetrics {
  readonly #registry = new Registry()
  readonly #requests = new Counter({
    name: 'etcd_qos_requests_total',
    help: 'Requests by operation, rule and verdict.',
    labelNames: ['op', 'rule', 'class', 'verdict'],
    registers: [this.#registry],
  })
  readonly #limited = new Counter({
    name: 'etcd_qos_limited_requests_total',
    help: 'Requests that were limited, by reason.',
    labelNames: ['op', 'rule', 'class', 'reason'],
    registers: [this.#registry],
  })
  readonly #verdicts = { passed: 0, delayed: 0, limited: 0 }

  constructor(door: Door, storage: () => StorageReading | undefined) {
    door.on('decided', (decision) => this.#count(decision))
    this.#gauge('tracker_entries', 'Requests that proved expensive.', () => door.engine.state.tracker.size)
    this.#gauge('tracker_capacity', 'Most entries of the tracker.', () => door.configuration.settings.trackerCapacity)
    this.#gauge('storage_quota_used_ratio', 'Used part of the storage quota.', () => {
      const reading = storage()
      return reading === undefined ? Number.NaN : reading.status.dbSizeInUse / reading.quota
    })
    this.#gauge('storage_quota_allocated_ratio', 'Allocated part of the storage quota.', () => {
      const reading = storage()
      return reading === undefined ? Number.NaN : reading.status.dbSize / reading.quota
    })
    this.#gauge('commit_apply_gap', 'Entries committed and not applied yet; etcd refuses above 5000.', () => {
      const status = storage()?.status
      return status === undefined ? Number.NaN : status.raftIndex - status.raftAppliedIndex
    })
  }

  countUnread(): void {
    this.#verdicts.passed += 1
    this.#requests.inc({ op: 'unknown', rule: '', class: '', verdict: 'passed' })
  }

  /** In the format of Prometheus. */
  page(): Promise<string> {
    return this.#registry.metrics()
  }

  get verdicts(): Readonly<Record<Settled['verdict'], number>> {
    return this.#verdicts
  }

  #gauge(name: string, help: string, value: () => number): void {
    const gauge = new Gauge({
      name: `etcd_qos_${name}`,
      help,
      registers: [],
      collect() {
        this.set(value())
      },
    })
    this.#registry.registerMetric(gauge)
  }

  #count(decision: Settled): void {
    const { request, applied, verdict } = decision
    this.#verdicts[verdict] += 1
    const labels = { op: labelOf(request), rule: applied?.rule ?? '', class: applied?.className ?? '' }
    this.#requests.inc({ ...labels, verdict })
    if (decision.verdict === 'limited') this.#limited.inc({ ...labels, reason: decision.reason })
  }
}

/** The operation, or the method of one that has no name. */
const labelOf = ({ method }: QosRequest): string => opOfMethod(method) || method
