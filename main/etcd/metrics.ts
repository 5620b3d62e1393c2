import { Counter, Gauge, Registry } from 'prom-client'
import { type ConditionKind, CONDITION_KINDS, opOfMethod } from '../../core/qos/operations.ts'
import { compileRules, type CompiledRule, exceededKinds, needsPrediction, valueOf } from '../../core/qos/match.ts'
import type { ClassLevel } from '../../core/qos/engine.ts'
import type { EtcdLevel } from '../../core/contract/etcd.ts'
import type { QosRequest } from '../../core/qos/request.ts'
import type { Settled } from '../../core/qos/seen.ts'
import type { Observed } from '../../core/qos/tracker.ts'
import { MS_PER_SECOND, msToNs } from '../../core/units.ts'
import { CountedHistogram } from '../simulated/countedHistogram.ts'
import type { AdmissionGate } from './admissionGate.ts'
import type { CallMeter } from './exchange.ts'
import type { Management } from './management.ts'
import type { StorageReading } from './storage.ts'
import { CounterTally, HistogramTally } from './tallies.ts'

/** Group values that become labels; the rest are summed (QoS specification 9). */
const MOST_GROUPS = 20
const SIZES = Array.from({ length: 13 }, (_, power) => 4 ** power)
const SECONDS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 15, 60]
const OVERHEADS = [0.0001, 0.0005, 0.001, 0.005, 0.02]
const RATIOS = [0.1, 0.5, 0.8, 1, 1.25, 2, 10]
/** Names of the gRPC codes. */
const CODES =
  'OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED'.split(
    ' ',
  )

/** The part of the gate's clock that the metrics need. */
export interface MeteredClock {
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** The families of QoS specification 9. */
export class EtcdMetrics implements CallMeter {
  readonly #registry = new Registry()
  readonly #requests = this.#counter('requests_total', 'Requests by operation, rule and verdict.', [
    'op',
    'rule',
    'class',
    'verdict',
  ])
  readonly #limited = this.#counter('limited_requests_total', 'Requests that were limited, by reason.', [
    'op',
    'rule',
    'class',
    'reason',
  ])
  readonly #expensive = this.#counter(
    'expensive_requests_total',
    'Requests whose measured cost exceeded a condition of a rule that selects them, by kind of condition.',
    ['op', 'kind'],
  )
  readonly #ratio = this.#histogram('prediction_ratio', 'Measured cost divided by predicted cost.', RATIOS, ['kind'])
  readonly #scan = this.#histogram('scan_keys', 'Scanned keys.', SIZES, ['op'])
  readonly #requestBytes = this.#histogram('request_bytes', 'Size of request messages in bytes.', SIZES, ['op'])
  readonly #responseBytes = this.#histogram('response_bytes', 'Size of response messages in bytes.', SIZES, ['op'])
  readonly #duration = this.#histogram(
    'request_duration_seconds',
    'Time from the request sent to etcd to its status, in seconds.',
    SECONDS,
    ['op', 'code'],
  )
  readonly #overhead = this.#histogram(
    'proxy_overhead_seconds',
    'Time that the proxy spends on reading and deciding about a request, in seconds.',
    OVERHEADS,
    [],
  )
  readonly #management: Management
  readonly #clock: MeteredClock
  #compiled: { readonly rules: readonly unknown[]; readonly predicting: readonly CompiledRule[] } = {
    rules: [],
    predicting: [],
  }

  constructor(
    gate: AdmissionGate,
    management: Management,
    { storage, clock }: { readonly storage: () => StorageReading | undefined; readonly clock: MeteredClock },
  ) {
    this.#management = management
    this.#clock = clock
    gate.on('decided', (decision) => this.#count(decision))
    gate.on('ended', (decision, observed) => this.#measure(decision, observed, gate))
    this.#gauge('tracker_entries', 'Requests that proved expensive.', () => gate.engine.state.tracker.size)
    this.#gauge('tracker_capacity', 'Most entries of the tracker.', () => gate.configuration.settings.trackerCapacity)
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
    this.#gauge('watch_streams', 'Open watch streams.', () => management.watches)
    this.#gauge('config_revision', 'Revision of the kept rules; NaN for rules from files.', () =>
      management.revision === null ? Number.NaN : management.revision,
    )
    this.#lookups(gate)
    this.#classes(gate)
  }

  unread(verdict: 'passed' | 'limited'): void {
    if (verdict === 'passed') this.#management.unread += 1
    this.#requests.inc('unknown', '', '', verdict)
  }

  watch(change: 1 | -1): void {
    this.#management.watches += change
  }

  ended(method: string, status: string, latencyMs: number): void {
    const code = CODES[Number(status)] ?? 'UNKNOWN'
    this.#duration.observe(latencyMs / MS_PER_SECOND, labelOf(method), status === '' ? 'CANCELLED' : code)
  }

  overhead(ms: number): void {
    this.#management.took(ms)
    this.#overhead.observe(ms / MS_PER_SECOND)
  }

  /** The page in the Prometheus text format. */
  page(): Promise<string> {
    return this.#registry.metrics()
  }

  #counter(name: string, help: string, labelNames: readonly string[]): CounterTally {
    const tally = new CounterTally(labelNames)
    const counter = new Counter({
      name: `etcd_qos_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [],
      collect() {
        this.reset()
        for (const { labels, count } of tally.counts()) this.inc({ ...labels }, count)
      },
    })
    this.#registry.registerMetric(counter)
    return tally
  }

  #histogram(name: string, help: string, buckets: readonly number[], labelNames: readonly string[]): HistogramTally {
    const tally = new HistogramTally(buckets, labelNames)
    const head = { name: `etcd_qos_${name}`, help, labelNames: [...labelNames], registers: [] }
    this.#registry.registerMetric(new CountedHistogram(head, () => tally.exposed()))
    return tally
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

  /** Counters that the engine keeps: their values are copied when the page is written. */
  #lookups(gate: AdmissionGate): void {
    const lookups = new Counter({
      name: 'etcd_qos_tracker_lookups_total',
      help: 'Lookups in the tracker, by result.',
      labelNames: ['result'],
      registers: [],
      collect() {
        const { hits, misses } = gate.engine.state.lookups
        this.reset()
        this.inc({ result: 'hit' }, hits)
        this.inc({ result: 'miss' }, misses)
      },
    })
    const evictions = new Counter({
      name: 'etcd_qos_tracker_evictions_total',
      help: 'Entries that the tracker gave up for others.',
      registers: [],
      collect() {
        this.reset()
        this.inc(gate.engine.state.lookups.evictions)
      },
    })
    this.#registry.registerMetric(lookups)
    this.#registry.registerMetric(evictions)
  }

  #classes(gate: AdmissionGate): void {
    const levels = (): readonly ClassLevel[] => gate.engine.levels(msToNs(this.#clock.now()))
    const level = new Gauge({
      name: 'etcd_qos_class_level',
      help: 'Tokens of a tbf class, seconds until a lbf class admits, requests in flight, or units used in the window.',
      labelNames: ['class', 'group'],
      registers: [],
      collect() {
        this.reset()
        const seen = new Map<string, number>()
        for (const { className, group, level: at } of levels()) {
          const known = seen.get(className) ?? 0
          seen.set(className, known + 1)
          this.inc({ class: className, group: known < MOST_GROUPS ? group : 'other' }, valueOfLevel(at))
        }
      },
    })
    const waiting = new Gauge({
      name: 'etcd_qos_class_waiting',
      help: 'Requests that wait in a class.',
      labelNames: ['class'],
      registers: [],
      collect() {
        this.reset()
        for (const one of levels()) this.inc({ class: one.className }, one.waiting)
      },
    })
    this.#registry.registerMetric(level)
    this.#registry.registerMetric(waiting)
  }

  #count(decision: Settled): void {
    const { request, applied, verdict } = decision
    const [op, rule, className] = [labelOf(request.method), applied?.rule ?? '', applied?.className ?? '']
    this.#requests.inc(op, rule, className, verdict)
    if (decision.verdict === 'limited') this.#limited.inc(op, rule, className, decision.reason)
  }

  #measure({ request, verdict, evidence }: Settled, observed: Observed, gate: AdmissionGate): void {
    const op = labelOf(request.method)
    if (request.requestBytes !== undefined) this.#requestBytes.observe(request.requestBytes, op)
    if (verdict === 'limited' && gate.mode === 'enforce') return
    if (observed.scannedKeys !== undefined) this.#scan.observe(observed.scannedKeys, op)
    if (observed.responseBytes !== undefined) this.#responseBytes.observe(observed.responseBytes, op)
    const measured = { ...evidence, prediction: observed }
    for (const kind of this.#exceeded(request, measured, gate)) this.#expensive.inc(op, kind)
    if (evidence.prediction === undefined || !observed.ok) return
    for (const kind of COMPARED) {
      const [expected, actual] = [valueOf(kind, request, evidence), valueOf(kind, request, measured)]
      if (expected !== undefined && expected > 0 && actual !== undefined) this.#ratio.observe(actual / expected, kind)
    }
  }

  #exceeded(
    request: QosRequest,
    measured: Settled['evidence'],
    { configuration }: AdmissionGate,
  ): ReadonlySet<ConditionKind> {
    const { rules } = configuration
    if (this.#compiled.rules !== rules)
      this.#compiled = { rules, predicting: compileRules(rules).filter(({ rule }) => needsPrediction(rule)) }
    return exceededKinds(this.#compiled.predicting, request, measured)
  }
}

const COMPARED = CONDITION_KINDS.filter((kind) => kind !== 'PercentOfStorageQuotaUsed' && kind !== 'RequestSize')

/** The operation, or the method if the operation has no name. */
const labelOf = (method: string): string => opOfMethod(method) || method

function valueOfLevel(level: EtcdLevel): number {
  switch (level.qdisc) {
    case 'tbf':
      return level.tokens
    case 'lbf':
      return level.freeInMs / MS_PER_SECOND
    case 'maxinflight':
      return level.inFlight
    case 'window':
      return level.used
  }
}
