import { byCodeUnits } from '../text/text.ts'
import type { Condition, QosRule } from './configuration.ts'
import { type Interval, overlap, within } from './keys.ts'
import { type ConditionKind, PREDICTED_KINDS, UNLIMITED_METHODS } from './operations.ts'
import { type Atom, atomsOf, type QosRequest } from './request.ts'
import { keysOf } from './selectors.ts'
import { type Caller, callerOf, canonicalAddress, isCaller } from './subjects.ts'
import type { Prediction } from './tracker.ts'

/** Values that conditions compare, besides the request itself. Absent means unknown. */
export interface Evidence {
  /** Part of the storage quota in use, 0 to 1. */
  readonly storageQuotaUsed?: number
  readonly prediction?: Prediction
  /** Source of the expected cost: an entry of the tracker, an average of similar requests, or a later measurement. */
  readonly predictedBy?: 'tracker' | 'statistics' | 'measurement'
  /** How often the caller has already tried this. */
  readonly retry: number
}

/** A request, parsed once for all rules. */
export interface Subjected {
  readonly request: QosRequest
  readonly atoms: readonly Atom[]
  /** Canonical; `undefined` if the address is not valid. */
  readonly address: string | undefined
  /** Whether rules act on its method. */
  readonly limited: boolean
}

export function subjected(request: QosRequest): Subjected {
  let address: { readonly canonical: string | undefined } | undefined
  return {
    request,
    atoms: atomsOf(request),
    // Few rules select by address, and parsing one takes longer than comparing a rule.
    get address() {
      address ??= { canonical: canonicalAddress(request.clientIP) }
      return address.canonical
    },
    limited: !UNLIMITED_METHODS.has(request.method),
  }
}

/** A rule, compiled for comparison. */
export interface CompiledRule {
  readonly rule: QosRule
  readonly callers: readonly Caller[]
  readonly methods: ReadonlySet<string>
  readonly ops: ReadonlySet<string>
  readonly keys: readonly Interval[] | undefined
}

export const compileRule = (rule: QosRule): CompiledRule => ({
  rule,
  callers: rule.subjects.map(callerOf),
  methods: new Set(rule.methods),
  ops: new Set(rule.ops),
  keys: keysOf(rule),
})

/** Enabled rules, ordered so that the first one that matches applies (QoS specification 3). */
export const compileRules = (rules: readonly QosRule[]): readonly CompiledRule[] =>
  rules
    .filter(({ enabled }) => enabled)
    .toSorted((a, b) => b.priority - a.priority || byCodeUnits(a.name, b.name))
    .map(compileRule)

const callerMatches = ({ callers }: CompiledRule, subject: Subjected): boolean =>
  callers.length === 0 || callers.some((caller) => isCaller(caller, subject.request.user, subject.address))

const methodMatches = ({ methods }: CompiledRule, { request, limited }: Subjected): boolean =>
  limited && (methods.size === 0 || methods.has(request.method))

const retryMatches = ({ rule }: CompiledRule, { retry }: Evidence): boolean => retry >= rule.minRetry

const opMatches = ({ ops }: CompiledRule, { op }: Atom): boolean => ops.size === 0 || ops.has(op)

function keyMatches({ rule, keys }: CompiledRule, { keys: named }: Atom): boolean {
  if (keys === undefined) return true
  if (named === undefined) return false
  const meets = rule.keyMatch === 'within' ? within : overlap
  for (const selected of keys) if (meets(named, selected)) return true
  return false
}

/** The first operation that a rule selects. */
export function atomOf(compiled: CompiledRule, { atoms }: Subjected): Atom | undefined {
  for (const atom of atoms) if (opMatches(compiled, atom) && keyMatches(compiled, atom)) return atom
  return undefined
}

/** The value that a condition compares with its threshold; `undefined` if unknown, which fulfils no condition. */
export function valueOf(kind: ConditionKind, request: QosRequest, evidence: Evidence): number | undefined {
  const { prediction } = evidence
  switch (kind) {
    case 'PercentOfStorageQuotaUsed':
      return evidence.storageQuotaUsed
    case 'ScanKeyNum':
      return prediction?.scannedKeys
    case 'RequestSize':
      return request.requestBytes
    case 'ResponseSize':
      return prediction?.responseBytes
    case 'TotalTraffic':
      // The request alone is the minimum of the sum.
      return request.requestBytes === undefined ? undefined : request.requestBytes + (prediction?.responseBytes ?? 0)
    case 'RequestLatency':
      return prediction?.latencyMs
  }
}

const conditionHolds = ({ kind, threshold }: Condition, request: QosRequest, evidence: Evidence): boolean => {
  const value = valueOf(kind, request, evidence)
  return value !== undefined && value > threshold
}

/** Whether everything but the conditions of a rule holds. */
const selects = (compiled: CompiledRule, subject: Subjected, evidence: Evidence): boolean =>
  methodMatches(compiled, subject) &&
  callerMatches(compiled, subject) &&
  retryMatches(compiled, evidence) &&
  atomOf(compiled, subject) !== undefined

/**
 * Conditions come first: they are cheap to compare, and hold for few requests. Each request is compared with every
 * rule, so comparing allocates nothing.
 */
export function ruleMatches(compiled: CompiledRule, subject: Subjected, evidence: Evidence): boolean {
  for (const condition of compiled.rule.conditions)
    if (!conditionHolds(condition, subject.request, evidence)) return false
  return selects(compiled, subject, evidence)
}

/**
 * Kinds of the conditions, in rules that select a request, that hold for its measured cost (QoS specification 9). Most
 * requests cost little, and nothing is allocated for them.
 */
export function exceededKinds(
  rules: readonly CompiledRule[],
  request: QosRequest,
  measured: Evidence,
): ReadonlySet<ConditionKind> {
  let exceeded = NONE
  let subject: Subjected | undefined
  for (const compiled of rules) {
    for (const condition of compiled.rule.conditions) {
      if (!conditionHolds(condition, request, measured)) continue
      subject ??= subjected(request)
      if (!selects(compiled, subject, measured)) break
      exceeded = new Set([...exceeded, condition.kind])
    }
  }
  return exceeded
}

const NONE: ReadonlySet<ConditionKind> = new Set()

/** Whether this rule depends on the cost of a request. */
export const needsPrediction = ({ conditions }: QosRule): boolean =>
  conditions.some(({ kind }) => PREDICTED_KINDS.has(kind))

/** One condition of a rule, with the numbers that decided it. */
export interface ConditionTrace extends Condition {
  /** Absent if unknown. */
  readonly value?: number
  readonly holds: boolean
}

/** Parts of a rule in the order in which they are compared. */
export const RULE_PARTS = ['method', 'caller', 'retry', 'op', 'key', 'condition'] as const
export type RulePart = (typeof RULE_PARTS)[number]

/** The evaluation of one rule for one request. */
export interface RuleTrace {
  readonly rule: string
  readonly className: string
  readonly priority: number
  /** `outranked`: it matches, but one with a higher priority or a smaller name applies. */
  readonly outcome: 'applies' | 'outranked' | 'no match' | 'disabled'
  /** Each part separately; `key` concerns the operations that `op` selects. */
  readonly parts: Readonly<Record<RulePart, boolean>>
  readonly conditions: readonly ConditionTrace[]
}

/** How every rule was decided, in the order of comparison; disabled ones come last. */
export function traceRules(rules: readonly QosRule[], request: QosRequest, evidence: Evidence): readonly RuleTrace[] {
  const subject = subjected(request)
  const disabled = rules.filter(({ enabled }) => !enabled).map(compileRule)
  let applied = false
  return [...compileRules(rules), ...disabled].map((compiled) => {
    const { rule } = compiled
    const parts = partsOf(compiled, subject, evidence)
    const matches = RULE_PARTS.every((part) => parts[part])
    const outcome = !rule.enabled ? 'disabled' : !matches ? 'no match' : applied ? 'outranked' : 'applies'
    applied ||= outcome === 'applies'
    return {
      rule: rule.name,
      className: rule.qClassName,
      priority: rule.priority,
      outcome,
      parts,
      conditions: rule.conditions.map((condition) => {
        const value = valueOf(condition.kind, request, evidence)
        return {
          ...condition,
          ...(value !== undefined && { value }),
          holds: conditionHolds(condition, request, evidence),
        }
      }),
    }
  })
}

const partsOf = (compiled: CompiledRule, subject: Subjected, evidence: Evidence): RuleTrace['parts'] => ({
  method: methodMatches(compiled, subject),
  caller: callerMatches(compiled, subject),
  retry: retryMatches(compiled, evidence),
  op: subject.atoms.some((atom) => opMatches(compiled, atom)),
  key: atomOf(compiled, subject) !== undefined,
  condition: compiled.rule.conditions.every((condition) => conditionHolds(condition, subject.request, evidence)),
})
