import { entry, quoted, meantOr } from '../config/finding.ts'
import type { Condition, QosRule, Subject } from './configuration.ts'
import type { Judge } from './judge.ts'
import { bytesOf, isEmpty, keyInterval } from './keys.ts'
import {
  carries,
  CONDITION_ALIASES,
  CONDITION_KINDS,
  type ConditionKind,
  KEYED_OPS,
  METHODS,
  type Op,
  OP_ALIASES,
  OPS,
  PREDICTED_KINDS,
  shortMethod,
  UNLIMITED_METHODS,
} from './operations.ts'
import { networkOf } from './subjects.ts'

/** A rule as written: every member has its type, but nothing is validated yet. */
export interface WrittenRule {
  readonly name: string
  readonly qClassName: string
  readonly priority?: number
  readonly enabled?: boolean
  readonly subjects: readonly Subject[]
  readonly prefixPaths: readonly string[]
  readonly ranges: readonly { readonly key: string; readonly rangeEnd?: string }[]
  readonly keyMatch?: string
  readonly ops: readonly string[]
  readonly methods: readonly string[]
  readonly minRetry?: number
  readonly conditions: readonly { readonly kind: string; readonly threshold?: number }[]
  readonly scope?: string
  readonly allowAll?: boolean
}

/** Maximum number of entries in the lists of a rule. */
const MOST_ENTRIES = [
  ['subjects', 100],
  ['prefixPaths', 1_000],
  ['ranges', 1_000],
  ['ops', 100],
  ['methods', 100],
  ['conditions', 100],
] as const
const MOST_RETRY = 100

/** Validates one rule, independently of the others; `undefined` if it has an error. */
export function checkRule(judge: Judge<WrittenRule>, classNames: readonly string[]): QosRule | undefined {
  const { value } = judge
  for (const [list, most] of MOST_ENTRIES) {
    const { length } = value[list]
    const message = `${list} has ${length} entries, and at most ${most} are allowed: remove some.`
    if (length > most) judge.reject(list, 'FieldValueTooMany', message)
  }
  if (!judge.sound) return undefined
  checkClassName(judge, classNames)
  const priority = judge.number('priority', value.priority, { least: 1, most: 100, whole: true })
  const minRetry = judge.number('minRetry', value.minRetry ?? 0, { least: 0, most: MOST_RETRY, whole: true })
  const keyMatch = judge.choice('keyMatch', value.keyMatch, ['overlap', 'within'])
  const scope = judge.choice('scope', value.scope, ['class', 'rule'])
  const ops = value.ops.map((op, index) => checkOp(judge, op, index))
  const methods = value.methods.map((method, index) => checkMethod(judge, method, index))
  const conditions = value.conditions.map((condition, index) => checkCondition(judge, condition, index))
  for (const [index, subject] of value.subjects.entries()) checkSubject(judge, subject, entry('subjects', index))
  checkKeys(judge)
  if (!judge.sound || !priority || minRetry === undefined || !keyMatch || !scope) return undefined
  const rule: QosRule = {
    name: value.name,
    qClassName: value.qClassName,
    priority,
    enabled: value.enabled ?? true,
    subjects: value.subjects,
    prefixPaths: value.prefixPaths,
    ranges: value.ranges,
    keyMatch,
    ops: [...new Set(ops.filter((op) => op !== undefined))],
    methods: [...new Set(methods.filter((method) => method !== undefined))],
    minRetry,
    conditions: conditions.filter((condition) => condition !== undefined),
    scope,
  }
  checkSelector(judge, rule)
  return judge.sound ? rule : undefined
}

function checkClassName(judge: Judge<WrittenRule>, classNames: readonly string[]): void {
  const { qClassName } = judge.value
  if (qClassName === '')
    judge.reject(
      'qClassName',
      'FieldValueRequired',
      'qClassName is missing: name the class that limits what the rule matches.',
    )
  else if (!classNames.includes(qClassName)) {
    const mend = meantOr(qClassName, classNames, 'define it, or name another one.')
    judge.reject('qClassName', 'FieldValueNotFound', `There is no class ${quoted(qClassName)}: ${mend}`)
  }
}

function checkOp(judge: Judge<WrittenRule>, written: string, index: number): Op | undefined {
  const op = OP_ALIASES.get(written) ?? OPS.find((known) => known === written)
  return op ?? judge.unknown(entry('ops', index), written, OPS, 'An operation', OP_ALIASES.keys())
}

function checkMethod(judge: Judge<WrittenRule>, written: string, index: number): string | undefined {
  const method = METHODS.find((known) => known === shortMethod(written))
  return method ?? judge.unknown(entry('methods', index), written, METHODS, 'A method')
}

function checkCondition(
  judge: Judge<WrittenRule>,
  written: WrittenRule['conditions'][number],
  index: number,
): Condition | undefined {
  const at = entry('conditions', index)
  const kind = conditionKindOf(written.kind)
  if (kind === undefined)
    judge.unknown(`${at}.kind`, written.kind, CONDITION_KINDS, 'The kind of a condition', CONDITION_ALIASES.keys())
  const threshold = judge.number(`${at}.threshold`, written.threshold, { least: 0 })
  if (kind === 'PercentOfStorageQuotaUsed' && threshold !== undefined && threshold >= 1) {
    const meant = threshold > 1 && threshold < 100 ? `: for ${threshold} % write ${threshold / 100}` : ''
    return judge.reject(
      `${at}.threshold`,
      'FieldValueInvalid',
      `The threshold of PercentOfStorageQuotaUsed is a fraction below 1, not ${threshold}${meant}.`,
    )
  }
  return kind === undefined || threshold === undefined ? undefined : { kind, threshold }
}

const conditionKindOf = (text: string): ConditionKind | undefined =>
  CONDITION_ALIASES.get(text) ?? CONDITION_KINDS.find((kind) => kind === text)

function checkSubject(judge: Judge<WrittenRule>, { user, clientIP }: Subject, at: string): void {
  if (user === undefined && clientIP === undefined)
    judge.reject(at, 'FieldValueRequired', 'A subject needs a user or a clientIP. To match all callers, omit subjects.')
  if (user === '')
    judge.reject(`${at}.user`, 'FieldValueInvalid', 'user is empty: name one, or write “*” for all of them.')
  if (user?.slice(0, -1).includes('*') === true)
    judge.warn(`${at}.user`, `${quoted(user)} has a * before its end, where it is literal.`)
  if (clientIP !== undefined && networkOf(clientIP) === undefined)
    judge.reject(
      `${at}.clientIP`,
      'FieldValueInvalid',
      `clientIP must be an address or a network such as 10.0.0.0/8, not ${quoted(clientIP)}.`,
    )
}

function checkKeys(judge: Judge<WrittenRule>): void {
  for (const [index, path] of judge.value.prefixPaths.entries()) {
    if (path === '') judge.warn(entry('prefixPaths', index), 'An empty prefix selects every key.')
    else if (!path.endsWith('/'))
      judge.warn(
        entry('prefixPaths', index),
        `${quoted(path)} also selects keys such as ${quoted(`${path}X`)}: end it with a slash if it is meant as a folder.`,
      )
  }
  for (const [index, { key, rangeEnd = '' }] of judge.value.ranges.entries()) {
    if (isEmpty(keyInterval(bytesOf(key), bytesOf(rangeEnd))))
      judge.reject(
        `${entry('ranges', index)}.rangeEnd`,
        'FieldValueInvalid',
        `No key lies from ${quoted(key)} to ${quoted(rangeEnd)}: rangeEnd must come after key.`,
      )
  }
}

/** Validates the parts of a selector together. */
function checkSelector(judge: Judge<WrittenRule>, rule: QosRule): void {
  const { ops, methods, subjects, prefixPaths, ranges, conditions, enabled } = rule
  const selectors = [ops, methods, subjects, prefixPaths, ranges, conditions]
  if (selectors.every(({ length }) => length === 0) && rule.minRetry === 0 && judge.value.allowAll !== true)
    judge.reject(
      '',
      'FieldValueRequired',
      'The rule matches every request: add ops, methods, keys, subjects or conditions, or set allowAll: true.',
    )
  for (const [index, op] of ops.entries()) {
    if (op === 'Watch' && enabled)
      judge.reject(
        entry('ops', index),
        'FieldValueForbidden',
        'Watches are never limited: remove Watch, or set enabled: false.',
      )
    if (methods.length > 0 && !methods.some((method) => carries(method, op)))
      judge.reject(
        entry('ops', index),
        'FieldValueInvalid',
        `No method of the rule carries ${op}: add one that does to methods, or remove ${op}.`,
      )
  }
  for (const [index, method] of methods.entries()) {
    if (UNLIMITED_METHODS.has(method) && enabled)
      judge.reject(
        entry('methods', index),
        'FieldValueForbidden',
        `${method} is a stream and never limited: remove it, or set enabled: false.`,
      )
    if (ops.length > 0 && !ops.some((op) => carries(method, op)))
      judge.reject(
        entry('methods', index),
        'FieldValueInvalid',
        `${method} carries no operation of the rule: add one to ops, or remove the method.`,
      )
  }
  warnOfNothing(judge, rule)
}

/** Selectors that are allowed and never match. */
function warnOfNothing(judge: Judge<WrittenRule>, { ops, methods, prefixPaths, ranges, conditions }: QosRule): void {
  const named = ops.length === 0 ? [...KEYED_OPS] : ops.filter((op) => KEYED_OPS.has(op))
  const keyed = named.some((op) => methods.length === 0 || methods.some((method) => carries(method, op)))
  if ((prefixPaths.length > 0 || ranges.length > 0) && !keyed)
    judge.warn(
      prefixPaths.length > 0 ? 'prefixPaths' : 'ranges',
      'The rule never matches: it selects keys, and none of its operations names any.',
    )
  const tracked = ops.length === 0 || ops.some((op) => op === 'Range' || op === 'Txn' || op === 'Authenticate')
  for (const [index, { kind }] of conditions.entries()) {
    if (!tracked && PREDICTED_KINDS.has(kind) && kind !== 'TotalTraffic')
      judge.warn(
        entry('conditions', index),
        `${kind} is predicted only for Range, Txn of reads and Authenticate, so this condition never holds.`,
      )
  }
}
