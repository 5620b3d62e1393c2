import type { QosRule, Subject } from './configuration.ts'
import { byCodeUnits } from '../text/text.ts'
import { type Bytes, type Interval, isEmpty, overlap } from './keys.ts'
import { carries, KEYED_OPS, METHODS, OPS, OTHER, UNLIMITED_METHODS } from './operations.ts'
import type { KeyOperation, QosRequest } from './request.ts'
import { keysOf } from './selectors.ts'
import { type Caller, callerOf, canBeBoth, isCaller, networkOf } from './subjects.ts'

/**
 * Whether two rules of one priority can match the same request, regardless of their conditions: all of them are lower
 * bounds, so any set of them can hold together (QoS specification 4).
 */
export type Conflict =
  | { readonly kind: 'none' }
  /** One operation on one key by one caller matches both. */
  | { readonly kind: 'atomic'; readonly op: string; readonly witness: QosRequest; readonly key?: Bytes }
  /** Only a request of several operations, or over a range that spans the keys of both, matches both. */
  | { readonly kind: 'composite'; readonly by: 'range' | 'txn' }

/** A witness key for when neither rule selects any. */
const ANY_KEY: Bytes = 'a'

/** Operations that rules without an operation select. Watches are never limited. */
const ALL_OPS: readonly string[] = [...OPS.filter((op) => op !== 'Watch'), OTHER]

const opsOf = (rule: QosRule, keys: readonly Interval[] | undefined): readonly string[] => {
  const ops = rule.ops.length === 0 ? ALL_OPS : rule.ops
  return keys === undefined ? ops : ops.filter((op) => KEYED_OPS.has(op))
}

/** A rule, parsed once for all comparisons with others. */
export interface ComparedRule {
  readonly rule: QosRule
  readonly ops: readonly string[]
  /** Disjoint and in order; `undefined` without a key selector. */
  readonly keys: readonly Interval[] | undefined
  readonly subjects: readonly { readonly subject: Subject; readonly caller: Caller }[]
}

export function comparedRule(rule: QosRule): ComparedRule {
  const keys = keysOf(rule)
  const subjects = rule.subjects.length === 0 ? [{}] : rule.subjects
  return {
    rule,
    ops: opsOf(rule, keys),
    keys: keys && united(keys),
    subjects: subjects.map((subject) => ({ subject, caller: callerOf(subject) })),
  }
}

export function conflictOf(a: ComparedRule, b: ComparedRule): Conflict {
  const caller = commonCaller(a, b)
  const methods = commonMethods(a.rule, b.rule)
  if (caller === undefined || methods.length === 0) return { kind: 'none' }
  const common = a.ops.filter((op) => b.ops.includes(op) && methods.some((method) => carries(method, op)))
  const [op] = common
  const key = commonKey(a.keys, b.keys)
  if (op !== undefined && key !== undefined) {
    const selected = a.keys !== undefined || b.keys !== undefined
    return { kind: 'atomic', op, witness: witnessOf(op, key, methods, caller), ...(selected && { key }) }
  }
  const spans = common.includes('Range') || common.includes('DeleteRange')
  const overlaps = a.rule.keyMatch === 'overlap' && b.rule.keyMatch === 'overlap'
  if (spans && overlaps) return { kind: 'composite', by: 'range' }
  const inTxn = (ops: readonly string[]): boolean => ops.some((each) => each === 'Txn' || KEYED_OPS.has(each))
  if (inTxn(a.ops) && inTxn(b.ops) && methods.includes('KV/Txn')) return { kind: 'composite', by: 'txn' }
  return { kind: 'none' }
}

/** Limited methods that both rules allow. */
function commonMethods(a: QosRule, b: QosRule): readonly string[] {
  const allowed = (rule: QosRule, method: string): boolean => rule.methods.length === 0 || rule.methods.includes(method)
  return METHODS.filter((method) => allowed(a, method) && allowed(b, method) && !UNLIMITED_METHODS.has(method))
}

/** The first key that both select: the larger of the two starts of overlapping intervals. */
function commonKey(a: readonly Interval[] | undefined, b: readonly Interval[] | undefined): Bytes | undefined {
  if (a === undefined || b === undefined) return (a ?? b ?? [{ lo: ANY_KEY }])[0]?.lo
  for (let i = 0, j = 0; ;) {
    const [one, other] = [a[i], b[j]]
    if (one === undefined || other === undefined) return undefined
    if (overlap(one, other)) return one.lo < other.lo ? other.lo : one.lo
    if (one.lo < other.lo) i += 1
    else j += 1
  }
}

/** The same keys in disjoint, ordered intervals: rules may have thousands, and every pair of rules is compared. */
function united(intervals: readonly Interval[]): readonly Interval[] {
  const apart: Interval[] = []
  for (const next of intervals.toSorted((a, b) => byCodeUnits(a.lo, b.lo))) {
    if (isEmpty(next)) continue
    const last = apart.at(-1)
    if (last?.hi !== undefined && last.hi < next.lo) apart.push(next)
    else if (last === undefined) apart.push(next)
    else if (last.hi !== undefined && (next.hi === undefined || last.hi < next.hi))
      apart[apart.length - 1] = { lo: last.lo, ...(next.hi !== undefined && { hi: next.hi }) }
  }
  return apart
}

type Identity = Pick<QosRequest, 'user' | 'clientIP'>

/** A caller that both rules match. */
function commonCaller(a: ComparedRule, b: ComparedRule): Identity | undefined {
  for (const { subject, caller } of a.subjects) {
    const other = b.subjects.find((each) => canBeBoth(caller, each.caller))
    if (other !== undefined) return callerOfBoth(subject, other.subject)
  }
  return undefined
}

/** Where two patterns overlap, the narrower one describes a caller that both match. */
function callerOfBoth(a: Subject, b: Subject): Identity {
  const users = [a, b].flatMap(({ user }) => (user === undefined ? [] : [user.replace(/\*$/, '')]))
  const addresses = [a, b].flatMap(({ clientIP }) => (clientIP === undefined ? [] : [clientIP.replace(/\/.*$/, '')]))
  const both = [callerOf(a), callerOf(b)]
  const user = users.find((name) =>
    both.every(({ user: pattern }) => isCaller(pattern ? { user: pattern } : {}, name, '')),
  )
  const clientIP = addresses.find((address) => {
    const at = networkOf(address)?.first
    return both.every(({ network }) => isCaller(network ? { network } : {}, '', at))
  })
  return { user: user ?? '', clientIP: clientIP ?? '' }
}

function witnessOf(op: string, key: Bytes, methods: readonly string[], caller: Identity): QosRequest {
  const method = methods.find((each) => carries(each, op)) ?? ''
  if (op === 'Txn') return { method, body: { op, success: [], failure: [] }, ...caller }
  const body = keyOperation(op, key)
  if (body === undefined) return { method, ...caller }
  return method === 'KV/Txn'
    ? { method, body: { op: 'Txn', success: [body], failure: [] }, ...caller }
    : { method, body, ...caller }
}

const keyOperation = (op: string, key: Bytes): KeyOperation | undefined =>
  op === 'Range' || op === 'Put' || op === 'DeleteRange' ? { op, key } : undefined
