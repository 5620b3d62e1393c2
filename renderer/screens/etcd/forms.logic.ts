import type { EtcdChange } from '../../../core/contract/etcd.ts'
import { type Json, type JsonMap, isList, isMap } from '../../../core/manifest/json.ts'
import { QDISC_NAMES, QDISCS } from '../../../core/qos/configuration.ts'
import { CONDITION_KINDS, COSTS } from '../../../core/qos/operations.ts'

/** A form: the typed text by member. Empty is absent. */
export type Typed = Readonly<Record<string, string>>

/** The input of a member of a class or rule. */
interface Field {
  readonly member: string
  readonly label: string
  readonly kind: 'text' | 'number' | 'list' | 'choice'
  readonly choices?: readonly (readonly [value: string, label: string])[]
  readonly placeholder?: string
}

export const CLASS_FIELDS: readonly Field[] = [
  { member: 'qdisc', label: 'Discipline', kind: 'choice', choices: QDISCS.map((id) => [id, QDISC_NAMES[id]]) },
  { member: 'qps', label: 'Units per second', kind: 'number' },
  { member: 'burst', label: 'Burst', kind: 'number' },
  { member: 'num', label: 'In flight', kind: 'number' },
  { member: 'limit', label: 'Limit', kind: 'number' },
  { member: 'windowMs', label: 'Window (ms)', kind: 'number' },
  { member: 'cost', label: 'Cost', kind: 'choice', choices: COSTS.map((id) => [id, id]) },
  { member: 'groupBy', label: 'Group by', kind: 'text', placeholder: 'none, user, clientIP, prefix:2' },
]

/** Parameters of each discipline; the others are not shown. */
export const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  tbf: ['qps', 'burst'],
  lbf: ['qps'],
  maxinflight: ['num'],
  window: ['limit', 'windowMs'],
}

export const RULE_FIELDS: readonly Field[] = [
  { member: 'qClassName', label: 'Class', kind: 'choice', choices: [] },
  { member: 'priority', label: 'Priority', kind: 'number', placeholder: '1 to 100' },
  { member: 'ops', label: 'Operations', kind: 'list', placeholder: 'Range, Put' },
  { member: 'prefixPaths', label: 'Key prefixes', kind: 'list', placeholder: '/registry/pods/' },
]

export const CONDITION_OPTIONS = [['', 'no condition'] as const, ...CONDITION_KINDS]

const text = (value: Json | undefined): string =>
  value === undefined ? '' : isList(value) ? value.map(text).join(', ') : typeof value === 'object' ? '' : String(value)

/** The initial fields for a class or rule. */
export function typedOf(document: JsonMap, fields: readonly Field[]): Typed {
  const plain = Object.fromEntries(fields.map(({ member }) => [member, text(document[member])]))
  const [condition, user] = [firstOf(document, 'conditions'), firstOf(document, 'subjects')]
  return {
    ...plain,
    condition: text(condition?.['kind']),
    threshold: text(condition?.['threshold']),
    user: text(user?.['user']),
  }
}

const firstOf = (document: JsonMap, list: string): JsonMap | undefined => {
  const all = document[list]
  const first = all !== undefined && isList(all) ? all[0] : undefined
  return first !== undefined && isMap(first) ? first : undefined
}

/** Whether members exceed what the form can show; these stay unchanged. */
export const beyondForm = (document: JsonMap): boolean =>
  ['conditions', 'subjects'].some((list) => {
    const all = document[list]
    return all !== undefined && isList(all) && all.length > 1
  })

/** A number; a text that is none stays, and the proxy says what is wrong with it. */
const amountOf = (value: string): Json => (Number.isFinite(Number(value)) ? Number(value) : value)

/** The members in a form; an empty one is `null`, which an update removes. */
function membersOf(typed: Typed, fields: readonly Field[]): JsonMap {
  return Object.fromEntries(
    fields.map(({ member, kind }): readonly [string, Json] => {
      const value = (typed[member] ?? '').trim()
      if (value === '') return [member, null]
      if (kind === 'number') return [member, amountOf(value)]
      return [member, kind === 'list' ? value.split(',').map((one) => one.trim()) : value]
    }),
  )
}

export function classMembers(typed: Typed): JsonMap {
  const own = PARAMETERS[typed['qdisc'] ?? ''] ?? []
  const others = Object.values(PARAMETERS)
    .flat()
    .filter((member) => !own.includes(member))
  return { ...membersOf(typed, CLASS_FIELDS), ...Object.fromEntries(others.map((member) => [member, null])) }
}

export function ruleMembers(typed: Typed, document: JsonMap | undefined): JsonMap {
  const plain = membersOf(typed, RULE_FIELDS)
  if (document !== undefined && beyondForm(document)) return plain
  const { condition = '', threshold = '', user = '' } = typed
  return {
    ...plain,
    conditions:
      condition === ''
        ? null
        : [{ kind: condition, threshold: threshold.trim() === '' ? null : amountOf(threshold.trim()) }],
    subjects: user.trim() === '' ? null : [{ ...firstOf(document ?? {}, 'subjects'), user: user.trim() }],
  }
}

/** The change that a form describes: an addition unless an object of that name is edited. */
export const changeOf = (kind: 'class' | 'rule', name: string, members: JsonMap, known: boolean): EtcdChange => ({
  action: known ? 'update' : 'add',
  kind,
  name,
  members,
})
