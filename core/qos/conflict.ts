import type { QosRule, Subject } from './configuration.ts'
import { type Bytes, type Interval, overlap } from './keys.ts'
import { carries, KEYED_OPS, METHODS, OPS, OTHER, UNLIMITED_METHODS } from './operations.ts'
import type { KeyOperation, QosRequest } from './request.ts'
import { keysOf } from './selectors.ts'
import { callerOf, canBeBoth, isCaller, networkOf } from './subjects.ts'

/**
 * Whether two rules of one priority can match the same request, whatever the conditions say: all of them are lower bounds,
 * so any set of them can hold together (QoS specification 4).
 */
export type Conflict =
  | { readonly kind: 'none' }
  /** One operation on one key by one caller matches both. */
  | { readonly kind: 'atomic'; readonly op: string; readonly witness: QosRequest; readonly key?: Bytes }
  /** Only a request of several operations, or over a range that spans the keys of both, matches both. */
  | { readonly kind: 'composite'; readonly by: 'range' | 'txn' }

/** A witness on keys when neither rule selects any. */
const ANY_KEY: Bytes = 'a'

/** Operations that rules without any select. Watches are never limited. */
const ALL_OPS: readonly string[] = [...OPS.filter((op) => op !== 'Watch'), OTHER]

const opsOf = (rule: QosRule, keys: readonly Interval[] | undefined): readonly string[] => {
  const ops = rule.ops.length === 0 ? ALL_OPS : rule.ops
  return keys === undefined ? ops : ops.filter((op) => KEYED_OPS.has(op))
}

export function conflictOf(a: QosRule, b: QosRule): Conflict {
  const caller = commonCaller(a.subjects, b.subjects)
  const methods = commonMethods(a, b)
  if (caller === undefined || methods.length === 0) return { kind: 'none' }
  const [aKeys, bKeys] = [keysOf(a), keysOf(b)]
  const [aOps, bOps] = [opsOf(a, aKeys), opsOf(b, bKeys)]
  const common = aOps.filter((op) => bOps.includes(op) && methods.some((method) => carries(method, op)))
  const key = commonKey(aKeys, bKeys)
  const [op] = common
  if (op !== undefined && key !== undefined) {
    const selected = aKeys !== undefined || bKeys !== undefined
    return { kind: 'atomic', op, witness: witnessOf(op, key, methods, caller), ...(selected && { key }) }
  }
  const spans = common.includes('Range') || common.includes('DeleteRange')
  if (spans && a.keyMatch === 'overlap' && b.keyMatch === 'overlap') return { kind: 'composite', by: 'range' }
  const inTxn = (ops: readonly string[]): boolean => ops.some((each) => each === 'Txn' || KEYED_OPS.has(each))
  if (inTxn(aOps) && inTxn(bOps) && methods.includes('KV/Txn')) return { kind: 'composite', by: 'txn' }
  return { kind: 'none' }
}

/** Methods that both rules allow and that are limited. */
function commonMethods(a: QosRule, b: QosRule): readonly string[] {
  const allowed = (rule: QosRule, method: string): boolean => rule.methods.length === 0 || rule.methods.includes(method)
  return METHODS.filter((method) => allowed(a, method) && allowed(b, method) && !UNLIMITED_METHODS.has(method))
}

/** The first key that both select: the larger of two starts of intervals that overlap. */
function commonKey(a: readonly Interval[] | undefined, b: readonly Interval[] | undefined): Bytes | undefined {
  if (a === undefined || b === undefined) return (a ?? b)?.[0]?.lo ?? ANY_KEY
  for (const one of a) {
    for (const other of b) if (overlap(one, other)) return one.lo < other.lo ? other.lo : one.lo
  }
  return undefined
}

type Identity = Pick<QosRequest, 'user' | 'clientIP'>

/** Somebody whom both rules are about. */
function commonCaller(a: readonly Subject[], b: readonly Subject[]): Identity | undefined {
  for (const one of everybodyIfNone(a)) {
    for (const other of everybodyIfNone(b)) {
      if (canBeBoth(callerOf(one), callerOf(other))) return callerOfBoth(one, other)
    }
  }
  return undefined
}

const everybodyIfNone = (subjects: readonly Subject[]): readonly Subject[] => (subjects.length === 0 ? [{}] : subjects)

/** The narrower pattern of two that meet describes somebody of both. */
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
