import { fewOf } from '../text/text.ts'
import { ProblemError } from '../errors.ts'
import { quoted } from '../config/finding.ts'
import type { JsonObject } from '../config/jsonValues.ts'
import type { LocatedFinding } from '../manifest/manifest.ts'
import { isList, isMap, type Json, type JsonMap, toJson } from '../manifest/json.ts'
import { DEFAULT_GROUPS, type GroupBy, type QosClass, type QosConfiguration, type QosRule } from './configuration.ts'
import { readRules } from './read.ts'

/** Classes and rules as in files: the input of `readRules`. */
export interface RulesDocument {
  readonly classes: readonly JsonMap[]
  readonly rules: readonly JsonMap[]
  readonly [setting: string]: Json
}

/** Lists of the document, and the name of one entry in each. */
export const KINDS = { class: 'classes', rule: 'rules' } as const
export type Kind = keyof typeof KINDS

/** A change of one class or rule, or of everything at once. */
export type RulesChange =
  /** An update changes only the given members; `null` removes one. */
  | { readonly action: 'add' | 'update'; readonly kind: Kind; readonly name: string; readonly members: JsonObject }
  | { readonly action: 'remove'; readonly kind: Kind; readonly name: string }
  | { readonly action: 'import'; readonly document: Json }

/** A configuration, the equivalent document, and its findings. */
export interface ChangedRules {
  readonly configuration: QosConfiguration
  readonly warnings: readonly LocatedFinding[]
}

/** `readRules` restores it exactly. Defaults are left out. */
export function documentOf({ classes, rules, settings }: QosConfiguration): RulesDocument {
  return {
    classes: classes.map(classDocument),
    rules: rules.map(ruleDocument),
    ...(settings.composite !== 'warn' && { validation: { composite: settings.composite } }),
    tracker: { capacity: settings.trackerCapacity, estimator: settings.estimator },
    ...(settings.message !== 'etcd' && { message: settings.message }),
  }
}

export const classDocument = ({ name, limiter, overflow, cost, groupBy, maxGroups }: QosClass): JsonMap => ({
  name,
  ...limiter,
  ...(overflow.action === 'delay' && overflow),
  ...(cost !== 'requests' && { cost }),
  ...(groupBy.by !== 'none' && { groupBy: groupByText(groupBy) }),
  ...(maxGroups !== DEFAULT_GROUPS && { maxGroups }),
})

const groupByText = (groupBy: GroupBy): string => (groupBy.by === 'prefix' ? `prefix:${groupBy.segments}` : groupBy.by)

export function ruleDocument(rule: QosRule): JsonMap {
  const { name, qClassName, priority, enabled, keyMatch, minRetry, scope } = rule
  const lists = LISTS.filter((list) => rule[list].length > 0).map((list): [string, Json] => [list, toJson(rule[list])])
  return {
    name,
    qClassName,
    priority,
    ...(!enabled && { enabled }),
    ...Object.fromEntries(lists),
    ...(keyMatch !== 'overlap' && { keyMatch }),
    ...(minRetry > 0 && { minRetry }),
    ...(scope !== 'class' && { scope }),
    ...(lists.length === 0 && minRetry === 0 && { allowAll: true }),
  }
}

const LISTS = ['subjects', 'prefixPaths', 'ranges', 'ops', 'methods', 'conditions'] as const

/**
 * The configuration after a change, validated as a whole: the change is applied entirely or not at all (QoS
 * specification 4).
 *
 * @throws ProblemError `not-found`, `forbidden` for a class that rules still reference, `invalid-input` with every
 *   error
 */
export function changeRules(configuration: QosConfiguration, change: RulesChange): ChangedRules {
  const text = JSON.stringify(changed(documentOf(configuration), change))
  const { configuration: next, findings } = readRules([{ file: 'rules', text }])
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (next === undefined) {
    const sentences = errors.slice(0, MOST_SENTENCES).map(findingSentence)
    const more = errors.length - sentences.length
    throw new ProblemError(
      'invalid-input',
      [...sentences, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ') || 'The rules cannot be read.',
    )
  }
  return { configuration: next, warnings: findings }
}

const MOST_SENTENCES = 5

/** The problem, and the class or rule that has it. */
export const findingSentence = ({ kind, name, message }: LocatedFinding): string =>
  kind === '' || message.includes(quoted(name)) ? message : `${kind} ${quoted(name)}: ${message}`

function changed(document: RulesDocument, change: RulesChange): Json {
  if (change.action === 'import') return imported(change.document)
  const { action, kind, name } = change
  const list = KINDS[kind]
  const index = document[list].findIndex((one) => one['name'] === name)
  const found = document[list][index]
  if (action === 'add') {
    if (found !== undefined)
      throw new ProblemError(
        'invalid-input',
        `There is a ${kind} ${quoted(name)} already; update it, or choose another name.`,
      )
    return { ...document, [list]: [...document[list], without({ ...change.members, name })] }
  }
  if (found === undefined) throw new ProblemError('not-found', `There is no ${kind} ${quoted(name)}.`)
  if (action === 'update')
    return { ...document, [list]: document[list].with(index, without({ ...found, ...change.members, name })) }
  const users = document.rules
    .filter(({ qClassName }) => qClassName === name)
    .flatMap(({ name: rule }) => (typeof rule === 'string' ? [quoted(rule)] : []))
  if (kind === 'class' && users.length > 0)
    throw new ProblemError(
      'forbidden',
      `The class ${quoted(name)} is in use by ${fewOf(users)}; change or remove those rules first.`,
    )
  return { ...document, [list]: document[list].toSpliced(index, 1) }
}

function imported(document: Json): Json {
  if (isMap(document) && (isList(document['classes'] ?? null) || isList(document['rules'] ?? null))) return document
  throw new ProblemError('invalid-input', 'Rules to import are a map with the lists classes and rules.')
}

/** An update removes members with `null`. */
const without = (members: JsonObject): JsonMap =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [key, toJson(value)]),
  )
