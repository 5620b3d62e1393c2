import { quoted } from '../config/finding.ts'
import { checkClass, type WrittenClass } from './checkClass.ts'
import { checkRule, type WrittenRule } from './checkRule.ts'
import { DEFAULT_SETTINGS, type QosConfiguration, type QosRule, type Settings } from './configuration.ts'
import { comparedRule, conflictOf } from './conflict.ts'
import { Judge, type Named, type Placed, type PlacedFinding } from './judge.ts'
import { textOf } from './keys.ts'
import { TRACKER_CAPACITY } from './tracker.ts'

export interface WrittenSettings {
  readonly composite?: string
  readonly trackerCapacity?: number
  readonly estimator?: string
  readonly message?: string
}

export interface Written {
  readonly classes: readonly Placed<WrittenClass>[]
  readonly rules: readonly Placed<WrittenRule>[]
  readonly settings: readonly Placed<WrittenSettings>[]
  /** Names of classes that exist but could not be read, so that they are not reported as missing. */
  readonly unreadClasses: readonly string[]
}

/** Names are metric labels and decide between rules of one priority (QoS specification 1). */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?$/
const MOST = 100

/**
 * Validates a configuration (QoS specification 4). It is present if and only if no finding is an error. Each finding
 * contains the problem and its remedy.
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

/** Two enabled rules of one priority must not match the same request (QoS specification 4). */
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
        const message = `${both} and both match ${what}; the name that sorts first decides. ${mend}`
        if (composite === 'reject') judge.reject('priority', 'FieldValueInvalid', message)
        else judge.warn('priority', message)
      }
    }
  }
}
