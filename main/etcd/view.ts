import type { EtcdClass, EtcdRequest, EtcdRule, EtcdState, EtcdUsage } from '../../core/contract/etcd.ts'
import { conflictOf, comparedRule } from '../../core/qos/conflict.ts'
import type { QosClass, QosConfiguration, QosRule } from '../../core/qos/configuration.ts'
import { classText, ruleText } from '../../core/qos/describe.ts'
import { disciplineOf } from '../../core/qos/discipline.ts'
import { classDocument, documentOf, ruleDocument } from '../../core/qos/document.ts'
import type { ClassLevel } from '../../core/qos/engine.ts'
import { levelText, requestText } from '../../core/qos/explain.ts'
import { hashOf } from '../../core/qos/request.ts'
import type { Seen } from '../../core/qos/seen.ts'
import { byPrefix, byRequest, ranked, type Traffic, type Usage, usages, type Verdicts } from '../../core/qos/traffic.ts'
import { MS_PER_SECOND, type Nanoseconds, nsToMs, secondsToNs } from '../../core/units.ts'
import type { Bypass } from './bypass.ts'
import type { AdmissionGate } from './admissionGate.ts'
import type { StorageReading } from './storage.ts'

export interface Viewed {
  readonly gate: AdmissionGate
  readonly traffic: Traffic
  /** Time of the gate's clock, and the same instant in Unix milliseconds. */
  readonly now: Nanoseconds
  readonly time: number
  readonly url: string
  readonly upstream: string
  readonly revision: number | null
  readonly unread: number
  readonly watches: number
  readonly storage: StorageReading | undefined
  readonly bypass: Bypass | undefined
  /** Unix milliseconds. */
  readonly since: number
  readonly decideMs: number | undefined
  /** The most expensive requests, which are summed less often than the rest. */
  readonly top: EtcdState['top']
}

/** Rates are computed over this time at most, and over at least a second. */
const MOST_RATE_SECONDS = 10
const TOP_NS = secondsToNs(600)
const SECONDS_SHOWN = 120
const MOST_RATES = 30
const MOST_TOP = 10
const MOST_GROUPS = 20
const MOST_REQUESTS = 50
const LATELY_SECONDS = 3
const MOST_LATELY = 60

/** Everything that a screen or a command shows of a running proxy. */
export function stateView(viewed: Viewed): EtcdState {
  const { gate, traffic, now, time, url, upstream, revision, unread, watches, storage, bypass, since, decideMs, top } =
    viewed
  const { configuration, mode, engine } = gate
  const { tracker, lookups } = engine.state
  const rateSeconds = Math.max(1, Math.min(MOST_RATE_SECONDS, (time - since) / MS_PER_SECOND))
  const recent = traffic.recent(now - secondsToNs(rateSeconds))
  const offset = time - nsToMs(now)
  const newest = (list: readonly Seen[]): EtcdRequest[] =>
    list
      .slice(-MOST_REQUESTS)
      .toReversed()
      .map((seen) => requestView(seen, offset))
  return {
    at: time,
    url,
    upstream,
    mode,
    revision,
    editable: revision !== null,
    counts: { ...traffic.totals },
    unread,
    watches,
    storage: storage === undefined ? null : storageView(storage),
    ...(bypass !== undefined && { bypass }),
    since,
    ...(decideMs !== undefined && { decideMs }),
    tracker: { entries: tracker.size, capacity: configuration.settings.trackerCapacity, ...lookups },
    classes: classViews(configuration, engine.levels(now), recent, now),
    settings: settingsOf(configuration),
    rules: ruleViews(configuration, traffic.rules, recent, rateSeconds),
    seconds: traffic.seconds(now, SECONDS_SHOWN),
    rateSeconds,
    rates: usages(recent, byPrefix)
      .toSorted((a, b) => b.requests - a.requests)
      .slice(0, MOST_RATES)
      .map(usageView),
    top,
    limited: newest(traffic.limited),
    slow: newest(traffic.slow),
  }
}

/** The most expensive requests of the last ten minutes, by keys, bytes and time. */
export function topView(traffic: Traffic, now: Nanoseconds): EtcdState['top'] {
  const each = usages(traffic.recent(now - TOP_NS), byRequest)
  return {
    scan: ranked(each, 'scan', MOST_TOP).map(usageView),
    traffic: ranked(each, 'traffic', MOST_TOP).map(usageView),
    latency: ranked(each, 'latency', MOST_TOP).map(usageView),
  }
}

const storageView = ({ status, quota, quotaFrom }: StorageReading): NonNullable<EtcdState['storage']> => ({
  usedBytes: status.dbSizeInUse,
  allocatedBytes: status.dbSize,
  quotaBytes: quota,
  quotaFrom,
  gap: status.raftIndex - status.raftAppliedIndex,
  ...(status.version !== '' && { version: status.version }),
})

const usageView = ({ sample, ...usage }: Usage): EtcdUsage => ({
  ...usage,
  example: requestText(sample.request).slice(0, LONGEST_TEXT),
})

function settingsOf(configuration: QosConfiguration): NonNullable<EtcdState['settings']> {
  const { classes: _, rules: __, ...settings } = documentOf(configuration)
  return settings
}

function classViews(
  { classes }: QosConfiguration,
  levels: readonly ClassLevel[],
  recent: readonly Seen[],
  now: Nanoseconds,
): EtcdClass[] {
  return classes.map((one) => {
    const own = levels.filter(({ className }) => className === one.name)
    return {
      name: one.name,
      document: classDocument(one),
      summary: classText(one),
      groups: (own.length === 0 ? [untouched(one)] : own.slice(0, MOST_GROUPS)).map(
        ({ group, rule, level, waiting }) => ({
          group,
          ...(rule !== undefined && { rule }),
          level,
          text: levelText(level),
          waiting,
        }),
      ),
      groupCount: own.length,
      waiting: own.reduce((sum, { waiting }) => sum + waiting, 0),
      lately: latelyOf(one, recent, now),
    }
  })
}

/** The outcome of the requests of a class in the last seconds; those that waited count from when they were let in. */
function latelyOf({ name }: QosClass, recent: readonly Seen[], now: Nanoseconds): EtcdClass['lately'] {
  const ages = (passed: boolean): number[] =>
    recent
      .filter(({ className, verdict }) => className === name && (verdict !== 'limited') === passed)
      .map(({ at, waitedMs = 0 }) => nsToMs(now - at) - waitedMs)
      .filter((ago) => ago >= 0 && ago < LATELY_SECONDS * MS_PER_SECOND)
      .toSorted((a, b) => a - b)
  const [passed, limited] = [ages(true), ages(false)]
  return {
    seconds: LATELY_SECONDS,
    passed: passed.length,
    limited: limited.length,
    passedAgo: passed.slice(0, MOST_LATELY),
    limitedAgo: limited.slice(0, MOST_LATELY),
  }
}

/** The level of a class that has not matched a request yet. */
function untouched({ name, limiter }: QosClass): ClassLevel {
  const discipline = disciplineOf(limiter)
  return { className: name, group: '', level: discipline.level(discipline.start(), 0), waiting: 0 }
}

function ruleViews(
  { rules }: QosConfiguration,
  counts: ReadonlyMap<string, Verdicts>,
  recent: readonly Seen[],
  seconds: number,
): EtcdRule[] {
  const rates = new Map<string, { matched: number; limited: number }>()
  for (const { rule, verdict } of recent) {
    if (rule === undefined) continue
    const rate = rates.get(rule) ?? { matched: 0, limited: 0 }
    rates.set(rule, rate)
    rate.matched += 1
    if (verdict === 'limited') rate.limited += 1
  }
  return rules
    .map((rule) => {
      const { matched, limited } = rates.get(rule.name) ?? { matched: 0, limited: 0 }
      return {
        name: rule.name,
        document: ruleDocument(rule),
        class: rule.qClassName,
        priority: rule.priority,
        enabled: rule.enabled,
        selects: ruleText(rule),
        counts: { passed: 0, delayed: 0, limited: 0, ...counts.get(rule.name) },
        perSecond: matched / seconds,
        limitedPerSecond: limited / seconds,
        warnings: warningsOf(rule, rules),
      }
    })
    .toSorted((a, b) => b.priority - a.priority)
}

/** Warns about rules of the same priority that a single larger request also matches. */
function warningsOf(rule: QosRule, rules: readonly QosRule[]): string[] {
  if (!rule.enabled) return []
  const rivals = rules.filter(
    ({ name, enabled, priority }) => enabled && priority === rule.priority && name !== rule.name,
  )
  return rivals.flatMap((rival) => {
    const conflict = conflictOf(comparedRule(rule), comparedRule(rival))
    if (conflict.kind === 'none') return []
    const both = conflict.kind === 'composite' && conflict.by === 'range' ? 'A range over the keys of both' : 'A Txn'
    return [`${both} also matches ${rival.name}, which has the same priority. The smaller name decides.`]
  })
}

/** `offset`: Unix milliseconds at which the gate's clock started. */
export function requestView(seen: Seen, offset: number): EtcdRequest {
  const { at, request, observed, verdict, rule, className, reason, retryAfterMs, waitedMs } = seen
  const { scannedKeys, responseBytes, latencyMs } = observed
  const hash = seen.hash ?? hashOf(request)
  return {
    at: offset + nsToMs(at),
    method: request.method,
    request: requestText(request).slice(0, LONGEST_TEXT),
    user: request.user.slice(0, LONGEST_TEXT),
    clientIP: request.clientIP,
    verdict,
    ...(rule !== undefined && { rule }),
    ...(className !== undefined && { class: className }),
    ...(reason !== undefined && { reason }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(waitedMs !== undefined && { waitedMs }),
    ...(scannedKeys !== undefined && { scannedKeys }),
    ...(request.requestBytes !== undefined && { requestBytes: request.requestBytes }),
    ...(responseBytes !== undefined && { responseBytes }),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(hash !== undefined && { hash }),
  }
}

const LONGEST_TEXT = 512
