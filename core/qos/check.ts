import { anyOf, entry, type Finding, member, quoted, type Reason } from '../config/finding.ts'
import { nearest } from '../text/text.ts'
import {
  type Condition,
  DEFAULT_GROUPS,
  DEFAULT_SETTINGS,
  type GroupBy,
  type Limiter,
  type Overflow,
  type Qdisc,
  QDISCS,
  type QosClass,
  type QosConfiguration,
  type QosRule,
  type Settings,
  type Subject,
} from './configuration.ts'
import { comparedRule, conflictOf } from './conflict.ts'
import { bytesOf, isEmpty, keyInterval, textOf } from './keys.ts'
import {
  carries,
  CONDITION_ALIASES,
  CONDITION_KINDS,
  type ConditionKind,
  COSTS,
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
import { TRACKER_CAPACITY } from './tracker.ts'

/** A class as it is written: every member has its type, and nothing is judged yet. Absent members are absent. */
export interface WrittenClass {
  readonly name: string
  readonly qdisc: string
  readonly qps?: number
  readonly burst?: number
  readonly num?: number
  readonly limit?: number
  readonly windowMs?: number
  readonly action?: string
  readonly maxDelayMs?: number
  readonly maxWaiting?: number
  readonly cost?: string
  readonly groupBy?: string
  readonly maxGroups?: number
}

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

export interface WrittenSettings {
  readonly composite?: string
  readonly trackerCapacity?: number
  readonly estimator?: string
  readonly message?: string
}

/** Something written, and where: `at` is its path in one of the documents that make up a configuration. */
export interface Placed<T> {
  readonly value: T
  readonly document: number
  readonly at: string
}

export interface Written {
  readonly classes: readonly Placed<WrittenClass>[]
  readonly rules: readonly Placed<WrittenRule>[]
  readonly settings: readonly Placed<WrittenSettings>[]
  /** Names of classes that are there and could not be read, so that nobody misses them. */
  readonly unreadClasses: readonly string[]
}

export interface PlacedFinding extends Finding {
  readonly document: number
  readonly kind: 'Class' | 'Rule' | ''
  readonly name: string
}

/** Names are labels of metrics and decide between rules of one priority (QoS specification 1). */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?$/
const MOST = 100
/** Entries of the lists of a rule. */
const MOST_ENTRIES = [
  ['subjects', 100],
  ['prefixPaths', 1_000],
  ['ranges', 1_000],
  ['ops', 100],
  ['methods', 100],
  ['conditions', 100],
] as const
const MOST_RETRY = 100
const MOST_WAITING = 1_000
const MOST_GROUPS = 100_000
const MOST_SEGMENTS = 16

/**
 * Judges what was written (QoS specification 4). The configuration is there exactly when no finding is an error.
 * Each finding says what is wrong and how to mend it.
 */
export function checkConfiguration(written: Written): {
  readonly configuration?: QosConfiguration
  readonly findings: readonly PlacedFinding[]
} {
  const findings: PlacedFinding[] = []
  const classNames = new Set([...written.classes.map(({ value }) => value.name), ...written.unreadClasses])
  const classes = written.classes.flatMap((placed) => checkClass(new Judge('Class', placed, findings)))
  const rules = written.rules.flatMap((placed) => {
    const rule = checkRule(new Judge('Rule', placed, findings), [...classNames])
    return rule === undefined ? [] : [{ rule, placed }]
  })
  const settings = checkSettings(written.settings, findings)
  checkNames('Class', written.classes, findings)
  checkNames('Rule', written.rules, findings)
  // Each rule is compared with every other one.
  if (rules.length <= MOST) checkConflicts(rules, settings.composite, findings)
  if (findings.some(({ severity }) => severity === 'error')) return { findings }
  return { configuration: { classes, rules: rules.map(({ rule }) => rule), settings }, findings }
}

interface Named {
  readonly name?: string
}

/** Collects the findings of one class or rule. */
class Judge<T extends Named> {
  readonly value: T
  readonly #kind: PlacedFinding['kind']
  readonly #placed: Placed<T>
  readonly #findings: PlacedFinding[]
  #errors = 0

  constructor(kind: PlacedFinding['kind'], placed: Placed<T>, findings: PlacedFinding[]) {
    this.value = placed.value
    this.#kind = kind
    this.#placed = placed
    this.#findings = findings
  }

  get sound(): boolean {
    return this.#errors === 0
  }

  reject(field: string, reason: Reason, message: string): undefined {
    this.#errors += 1
    this.#add(field, reason, 'error', message)
  }

  warn(field: string, message: string): void {
    this.#add(field, 'FieldValueInvalid', 'warning', message)
  }

  /** A number within bounds, both included. */
  number(field: string, value: number | undefined, bounds: Bounds): number | undefined {
    const { least, most = Number.MAX_VALUE, whole = false, above = false } = bounds
    if (value === undefined)
      return this.reject(field, 'FieldValueRequired', `${field} is missing: set it to ${rangeText(bounds)}.`)
    const fits = (above ? value > least : value >= least) && value <= most && (!whole || Number.isInteger(value))
    return fits
      ? value
      : this.reject(field, 'FieldValueInvalid', `${field} must be ${rangeText(bounds)}, not ${value}.`)
  }

  /** One of these words; the first when nothing is written. */
  choice<W extends string>(field: string, value: string | undefined, words: readonly W[]): W | undefined {
    if (value === undefined) return words[0]
    return words.find((word) => word === value) ?? this.unknown(field, value, words)
  }

  /** Nothing that has this name, nor one of the aliases. */
  unknown(
    field: string,
    value: string,
    words: readonly string[],
    what = field,
    aliases: Iterable<string> = [],
  ): undefined {
    const meant = nearest(value, [...words, ...aliases])
    const listed = words.length > MOST_LISTED ? '.' : `: write ${anyOf(words)}.`
    const mend = meant === undefined ? listed : `: did you mean ${quoted(meant)}?`
    return this.reject(field, 'FieldValueNotSupported', `${what} cannot be ${quoted(value)}${mend}`)
  }

  #add(field: string, reason: Reason, severity: Finding['severity'], message: string): void {
    const { document, at, value } = this.#placed
    const path = field === '' ? at : member(at, field)
    this.#findings.push({ document, kind: this.#kind, name: value.name ?? '', field: path, reason, severity, message })
  }
}

/** Words that are written out for whoever wrote another one. */
const MOST_LISTED = 20

interface Bounds {
  readonly least: number
  readonly most?: number
  readonly whole?: boolean
  /** `least` itself is not allowed. */
  readonly above?: boolean
}

function rangeText({ least, most, whole = false, above = false }: Bounds): string {
  const number = whole ? 'a whole number' : 'a number'
  if (most !== undefined) return `${number} from ${least} to ${most}`
  return above ? `${number} above ${least}` : `${number} of at least ${least}`
}

function checkNames(kind: 'Class' | 'Rule', all: readonly Placed<Named>[], findings: PlacedFinding[]): void {
  const seen = new Set<string>()
  for (const [index, placed] of all.entries()) {
    const judge = new Judge(kind, placed, findings)
    const { name = '' } = placed.value
    if (name === '') judge.reject('name', 'FieldValueRequired', `A ${kind.toLowerCase()} needs a name.`)
    else if (!NAME.test(name))
      judge.reject(
        'name',
        'FieldValueInvalid',
        `name must be 1 to 63 of a–z, 0–9, “-” and “.”, and begin and end with a letter or digit, unlike ${quoted(name)}.`,
      )
    if (name !== '' && seen.has(name))
      judge.reject('name', 'FieldValueDuplicate', `There is another ${kind.toLowerCase()} ${quoted(name)}: rename one.`)
    seen.add(name)
    if (index === MOST)
      judge.reject(
        '',
        'FieldValueTooMany',
        `There are ${all.length} ${kind === 'Class' ? 'classes' : 'rules'}, and at most ${MOST} are allowed: remove some.`,
      )
  }
}

/** The parameters that each discipline has. */
const PARAMETERS: Readonly<Record<Qdisc, Readonly<Record<string, Bounds>>>> = {
  tbf: { qps: { least: 0, above: true }, burst: { least: 1 } },
  lbf: { qps: { least: 0, above: true } },
  maxinflight: { num: { least: 1, whole: true } },
  window: { limit: { least: 1 }, windowMs: { least: 100, whole: true } },
}
const ALL_PARAMETERS = ['qps', 'burst', 'num', 'limit', 'windowMs'] as const

function checkClass(judge: Judge<WrittenClass>): readonly QosClass[] {
  const { value } = judge
  const limiter = checkLimiter(judge)
  const overflow = checkOverflow(judge)
  const cost = judge.choice('cost', value.cost, COSTS)
  if (cost === 'failedRequests' && limiter?.qdisc === 'maxinflight') {
    judge.reject(
      'cost',
      'FieldValueInvalid',
      'A maxinflight class cannot count failedRequests, which have ended: use tbf, lbf or window.',
    )
  }
  const groupBy = checkGroupBy(judge)
  const maxGroups = judge.number('maxGroups', value.maxGroups ?? DEFAULT_GROUPS, {
    least: 1,
    most: MOST_GROUPS,
    whole: true,
  })
  if (!judge.sound || !limiter || !overflow || !cost || !groupBy || maxGroups === undefined) return []
  return [{ name: value.name, limiter, overflow, cost, groupBy, maxGroups }]
}

function checkLimiter(judge: Judge<WrittenClass>): Limiter | undefined {
  const { value } = judge
  if (value.qdisc === '')
    return judge.reject('qdisc', 'FieldValueRequired', `qdisc is missing: write ${anyOf(QDISCS)}.`)
  const qdisc = judge.choice('qdisc', value.qdisc, QDISCS)
  if (qdisc === undefined) return undefined
  const parameters = PARAMETERS[qdisc]
  const given = new Map<string, number>()
  for (const name of ALL_PARAMETERS) {
    const bounds = parameters[name]
    if (bounds !== undefined) given.set(name, judge.number(name, value[name], bounds) ?? 0)
    else if (value[name] !== undefined)
      judge.reject(name, 'FieldValueForbidden', `${qdisc} has no ${name}: remove it, or choose another qdisc.`)
  }
  const of = (name: (typeof ALL_PARAMETERS)[number]): number => given.get(name) ?? 0
  switch (qdisc) {
    case 'tbf':
      return { qdisc, qps: of('qps'), burst: of('burst') }
    case 'lbf':
      return { qdisc, qps: of('qps') }
    case 'maxinflight':
      return { qdisc, num: of('num') }
    case 'window':
      return { qdisc, limit: of('limit'), windowMs: of('windowMs') }
  }
}

function checkOverflow(judge: Judge<WrittenClass>): Overflow | undefined {
  const { action: written, maxDelayMs, maxWaiting } = judge.value
  const action = judge.choice('action', written, ['reject', 'delay'])
  if (action === 'delay') {
    const delay = judge.number('maxDelayMs', maxDelayMs, { least: 0, above: true })
    const waiting = judge.number('maxWaiting', maxWaiting, { least: 1, most: MOST_WAITING, whole: true })
    return { action, maxDelayMs: delay ?? 0, maxWaiting: waiting ?? 0 }
  }
  for (const [name, value] of Object.entries({ maxDelayMs, maxWaiting })) {
    if (value !== undefined && value !== 0)
      judge.reject(
        name,
        'FieldValueForbidden',
        `${name} belongs to action: delay, and this class rejects: remove it, or set the action.`,
      )
  }
  return action && { action }
}

function checkGroupBy(judge: Judge<WrittenClass>): GroupBy | undefined {
  const { groupBy = 'none' } = judge.value
  const by = (['none', 'user', 'clientIP'] as const).find((word) => word === groupBy)
  if (by !== undefined) return { by }
  const segments = Number(/^prefix:(\d{1,2})$/.exec(groupBy)?.[1])
  if (segments >= 1 && segments <= MOST_SEGMENTS) return { by: 'prefix', segments }
  return judge.reject(
    'groupBy',
    'FieldValueNotSupported',
    `groupBy must be none, user, clientIP or prefix:N with N from 1 to ${MOST_SEGMENTS}, not ${quoted(groupBy)}.`,
  )
}

function checkRule(judge: Judge<WrittenRule>, classNames: readonly string[]): QosRule | undefined {
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
    const meant = nearest(qClassName, classNames)
    const mend = meant === undefined ? 'define it, or name another one.' : `did you mean ${quoted(meant)}?`
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
    judge.reject(
      at,
      'FieldValueRequired',
      'A subject needs a user or a clientIP; to match everybody, leave out subjects.',
    )
  if (user === '')
    judge.reject(`${at}.user`, 'FieldValueInvalid', 'user is empty: name one, or write “*” for all of them.')
  if (user?.slice(0, -1).includes('*') === true)
    judge.warn(`${at}.user`, `${quoted(user)} has a * that is not at its end, where it stands for itself.`)
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

/** What the parts of a selector say together. */
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
        `${kind} is predicted for Range, Txn of reads and Authenticate alone, so that this condition never holds.`,
      )
  }
}

function checkSettings(all: readonly Placed<WrittenSettings>[], findings: PlacedFinding[]): Settings {
  let settings = DEFAULT_SETTINGS
  const said = new Set<string>()
  for (const { value, ...placed } of all) {
    const judge = new Judge('', { ...placed, value: {} }, findings)
    const composite = judge.choice('validation.composite', value.composite ?? settings.composite, ['warn', 'reject'])
    const trackerCapacity = judge.number('tracker.capacity', value.trackerCapacity ?? settings.trackerCapacity, {
      ...TRACKER_CAPACITY,
      whole: true,
    })
    const estimator = judge.choice('tracker.estimator', value.estimator ?? settings.estimator, ['lru', 'lru+stats'])
    const message = judge.choice('message', value.message ?? settings.message, ['etcd', 'named'])
    for (const [name, field] of SETTING_FIELDS) {
      if (value[name] === undefined) continue
      if (said.has(name))
        judge.reject(field, 'FieldValueDuplicate', `${field} is also set in another document: keep one of them.`)
      said.add(name)
    }
    if (composite && trackerCapacity && estimator && message)
      settings = { composite, trackerCapacity, estimator, message }
  }
  return settings
}

const SETTING_FIELDS = [
  ['composite', 'validation.composite'],
  ['trackerCapacity', 'tracker.capacity'],
  ['estimator', 'tracker.estimator'],
  ['message', 'message'],
] as const

interface PlacedRule {
  readonly rule: QosRule
  readonly placed: Placed<WrittenRule>
}

/** Two enabled rules of one priority may not match the same request (QoS specification 4). */
function checkConflicts(all: readonly PlacedRule[], composite: Settings['composite'], findings: PlacedFinding[]): void {
  const enabled = all
    .filter(({ rule }) => rule.enabled)
    .map(({ rule, placed }) => ({ rule, placed, compared: comparedRule(rule) }))
  for (const [index, { rule, placed, compared }] of enabled.entries()) {
    const judge = new Judge('Rule', placed, findings)
    for (const { rule: other, compared: earlier } of enabled.slice(0, index)) {
      if (other.priority !== rule.priority || other.name === rule.name) continue
      const conflict = conflictOf(earlier, compared)
      const both = `${quoted(other.name)} and ${quoted(rule.name)} have the same priority ${rule.priority}`
      const mend = 'Give one of them another priority.'
      if (conflict.kind === 'atomic') {
        const { op, key, witness } = conflict
        const what = op === '' ? witness.method : op
        const where = key === undefined ? '' : ` of the key ${quoted(textOf(key))}`
        const who = [
          witness.user === '' ? '' : ` by ${quoted(witness.user)}`,
          witness.clientIP === '' ? '' : ` from ${witness.clientIP}`,
        ].join('')
        judge.reject('priority', 'FieldValueInvalid', `${both} and both match ${what}${where}${who}. ${mend}`)
      } else if (conflict.kind === 'composite') {
        const what = conflict.by === 'range' ? 'a range that spans the keys of both' : 'a Txn with an operation of each'
        const message = `${both} and both match ${what}; the smaller name decides. ${mend}`
        if (composite === 'reject') judge.reject('priority', 'FieldValueInvalid', message)
        else judge.warn('priority', message)
      }
    }
  }
}
