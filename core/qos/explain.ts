import { exact } from '../text/format.ts'
import { nsToSeconds } from '../units.ts'
import type { QosRule, Settings } from './configuration.ts'
import type { EtcdLevel } from '../contract/etcd.ts'
import type { Applied, Decision } from './decision.ts'
import { type Bytes, successor, textOf } from './keys.ts'
import { type ConditionTrace, RULE_PARTS, type RulePart, type RuleTrace, traceRules } from './match.ts'
import type { ConditionKind } from './operations.ts'
import { elementsOf, type QosRequest, type TxnElement } from './request.ts'

/** Elements of a Txn that are listed. */
const MOST_ELEMENTS = 3

/** A request in one line: `KV/Range /registry/pods/ (prefix)`. */
export function requestText({ method, body, name }: QosRequest): string {
  if (body !== undefined) return `${method} ${bodyText(body)}`.trimEnd()
  return name === undefined ? method : `${method} ${name}`
}

function bodyText(body: TxnElement): string {
  if (body.op !== 'Txn') return keysText(body)
  const elements = elementsOf(body)
  const shown = elements.slice(0, MOST_ELEMENTS).map((element) => `${element.op} ${keysText(element)}`)
  const more = elements.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

function keysText(element: Exclude<TxnElement, { op: 'Txn' }>): string {
  const rangeEnd: Bytes = element.op === 'Put' ? '' : (element.rangeEnd ?? '')
  const limit = element.op === 'Range' ? (element.options?.limit ?? 0) : 0
  return `${reachText(element.key, rangeEnd)}${limit > 0 ? ` limit ${limit}` : ''}`
}

function reachText(key: Bytes, rangeEnd: Bytes): string {
  if (rangeEnd === '') return textOf(key)
  if (rangeEnd === '\0') return key === '\0' || key === '' ? '(all keys)' : `${textOf(key)} (and after)`
  return rangeEnd === successor(key) ? `${textOf(key)} (prefix)` : `${textOf(key)} (to ${textOf(rangeEnd)})`
}

/** State of a class, with its numbers. */
export function levelText(level: EtcdLevel): string {
  switch (level.qdisc) {
    case 'tbf':
      return `${exact(level.tokens)} of ${exact(level.burst)} tokens, refilled at ${exact(level.qps)} /s`
    case 'lbf': {
      const rate = `at most ${exact(level.qps)} /s`
      return level.freeInMs === 0 ? `free now, ${rate}` : `free in ${exact(level.freeInMs)} ms, ${rate}`
    }
    case 'maxinflight':
      return `${exact(level.inFlight)} of ${exact(level.num)} in flight`
    case 'window':
      return `${exact(level.used)} of ${exact(level.limit)} used in the last ${exact(level.windowMs)} ms`
  }
}

/** Why a request passes, waits or is rejected, in one sentence. */
export function decisionText(decision: Decision): string {
  if (decision.verdict === 'passed' && decision.applied === undefined) return 'No rule matches.'
  const { applied } = decision
  if (applied === undefined) return ''
  const before = `class ${applied.className}${groupText(applied)}: ${levelText(applied.before)}; ${needText(applied)}`
  switch (decision.verdict) {
    case 'passed':
      return `${applied.rule} applies; ${before}.`
    case 'waiting':
      return `${applied.rule} applies; ${before}; it waits${decision.expectedMs === undefined ? '' : ` for about ${exact(decision.expectedMs)} ms`}.`
    case 'delayed':
      return `${applied.rule} applies; it waited ${exact(decision.waitedMs)} ms; ${before}.`
    case 'limited':
      return `${applied.rule} applies; ${before}; ${refusalText(decision)}.`
  }
}

const groupText = ({ group }: Applied): string => (group === '' ? '' : ` (${group})`)

const needText = ({ need, cost }: Applied): string =>
  `${exact(need)} needed (${cost}${cost === 'cpuTimeMs' ? ', approximated by wallTimeMs' : ''})`

function refusalText({ reason, admittedInMs, applied }: Extract<Decision, { verdict: 'limited' }>): string {
  const retry = admittedInMs === undefined ? '' : `; as much is free in ${admittedInMs} ms`
  switch (reason) {
    case 'rate':
    case 'inflight':
      return `refused${retry}`
    case 'window':
      return applied.before.qdisc === 'window' && applied.need > applied.before.limit
        ? 'refused, as it is expected to cost more than the whole window allows'
        : `refused${retry}`
    case 'delay-too-long':
      return `refused, as it would wait longer than the class allows${retry}`
    case 'waiting-full':
      return `refused, as too many wait already${retry}`
  }
}

/** Why a rule applies or does not, in short. */
export function traceText(trace: RuleTrace, request: QosRequest): string {
  const conditions = trace.conditions.map(conditionText)
  switch (trace.outcome) {
    case 'applies':
      return ['applies', ...conditions].join(': ')
    case 'outranked':
      return ['matches, and a rule before it applies', ...conditions].join(': ')
    case 'disabled':
      return 'is disabled'
    case 'no match': {
      const failed = RULE_PARTS.find((part) => !trace.parts[part]) ?? 'condition'
      return failed === 'condition' ? conditions.join(', ') : MISMATCHES[failed](request)
    }
  }
}

const MISMATCHES: Readonly<Record<Exclude<RulePart, 'condition'>, (request: QosRequest) => string>> = {
  method: ({ method }) => `does not limit ${method}`,
  caller: ({ user, clientIP }) =>
    `is about other callers than ${user === '' ? 'one without a name' : user}${clientIP === '' ? '' : ` from ${clientIP}`}`,
  retry: () => 'is about later retries',
  op: () => 'is about other operations',
  key: () => 'selects other keys',
}

/** Unit after the value of a condition. */
export const UNITS: Readonly<Record<ConditionKind, string>> = {
  PercentOfStorageQuotaUsed: '',
  ScanKeyNum: ' keys',
  RequestSize: ' B',
  ResponseSize: ' B',
  TotalTraffic: ' B',
  RequestLatency: ' ms',
}

function conditionText({ kind, threshold, value, holds }: ConditionTrace): string {
  if (value === undefined) return `${kind} is not known, must be above ${threshold}${UNITS[kind]}`
  return `${kind} ${value} is ${holds ? '' : 'not '}above ${threshold}${UNITS[kind]}`
}

/** Sent to a client instead of a response (QoS specification 7). */
export interface Rejection {
  readonly code: 8
  readonly status: 'RESOURCE_EXHAUSTED'
  readonly message: string
  readonly trailers: Readonly<Record<string, string>>
}

export function rejectionOf(
  { applied, retryAfterMs }: Extract<Decision, { verdict: 'limited' }>,
  { message }: Settings,
): Rejection {
  return {
    code: 8,
    status: 'RESOURCE_EXHAUSTED',
    // The first is etcd's own text, which clients recognise.
    message:
      message === 'etcd' ? 'etcdserver: too many requests' : `etcdserver: request limited by qos rule ${applied.rule}`,
    trailers: {
      'etcd-qos-rule': applied.rule,
      'etcd-qos-class': applied.className,
      ...(retryAfterMs !== undefined && { 'etcd-qos-retry-after-ms': String(retryAfterMs) }),
    },
  }
}

/** The JSON of a decision (docs/etcd-qos.md). Members may be added over time, but are never removed. */
export function decisionJson(decision: Decision, settings: Settings, traced: readonly QosRule[] | undefined): unknown {
  const { request, evidence, applied, verdict } = decision
  return {
    id: decision.id,
    time: nsToSeconds(decision.at),
    verdict,
    request: requestText(request),
    method: request.method,
    user: request.user,
    clientIP: request.clientIP,
    ...(applied !== undefined && {
      rule: applied.rule,
      class: applied.className,
      group: applied.group,
      cost: {
        kind: applied.cost,
        need: applied.need,
        charged: applied.charged,
        approximate: applied.cost === 'cpuTimeMs',
      },
      before: applied.before,
    }),
    ...(verdict === 'waiting' && { expectedMs: decision.expectedMs }),
    ...(verdict === 'delayed' && { waitedMs: decision.waitedMs }),
    ...(verdict === 'limited' && {
      reason: decision.reason,
      retryAfterMs: decision.retryAfterMs,
      admittedInMs: decision.admittedInMs,
      waitedMs: decision.waitedMs,
      rejection: rejectionOf(decision, settings),
    }),
    evidence,
    explanation: decisionText(decision),
    ...(traced !== undefined && {
      rules: traceRules(traced, request, evidence).map((trace) => ({ ...trace, reason: traceText(trace, request) })),
    }),
  }
}
