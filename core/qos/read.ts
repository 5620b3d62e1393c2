import { entry, type Finding, rejected } from '../config/finding.ts'
import { isJsonObject, readAmount, readFlag, readText, type Read } from '../config/jsonValues.ts'
import { readAs } from '../config/members.ts'
import { byPosition, located, locatedProblem, textDocuments } from '../manifest/locate.ts'
import type { LocatedFinding } from '../manifest/manifest.ts'
import { jsonOf, positionsIn, type Tree } from '../manifest/tree.ts'
import { checkConfiguration, type Written, type WrittenSettings } from './check.ts'
import type { WrittenClass } from './checkClass.ts'
import type { WrittenRule } from './checkRule.ts'
import type { QosConfiguration, Subject } from './configuration.ts'
import type { Placed } from './judge.ts'

/** A text with rules, and the name of its file. */
export interface RuleText {
  readonly file: string
  readonly text: string
}

/** The content of all texts. A configuration is present if and only if no finding is an error: all or nothing. */
export interface ReadRules {
  readonly configuration?: QosConfiguration
  /** By file, in text order; `kind` is `Class`, `Rule` or empty. */
  readonly findings: readonly LocatedFinding[]
  readonly classes: number
  readonly rules: number
}

/**
 * Reads classes and rules from texts of YAML (several documents) or JSON, which together form one configuration (QoS
 * specification 1, 4). Never throws.
 */
export function readRules(texts: readonly RuleText[]): ReadRules {
  const documents = texts.flatMap(documentsOf)
  const trees = documents.map(({ tree }, document) => decode(tree, document))
  const written: Written = {
    classes: trees.flatMap(({ classes }) => classes),
    rules: trees.flatMap(({ rules }) => rules),
    settings: trees.flatMap(({ settings }) => settings),
    unreadClasses: trees.flatMap(({ unreadClasses }) => unreadClasses),
  }
  const checked = checkConfiguration(written)
  const found = documents.map(({ problems }) => [...problems])
  for (const { document, ...finding } of [...trees.flatMap(({ findings }) => findings), ...checked.findings]) {
    const source = documents[document]
    if (source !== undefined) found[document]?.push(locatedIn(source, finding))
  }
  const findings = texts.flatMap(({ file }) =>
    documents.flatMap((one, index) => (one.file === file ? (found[index] ?? []) : [])).toSorted(byPosition),
  )
  const broken = findings.some(({ severity }) => severity === 'error')
  return {
    ...(!broken && checked.configuration && { configuration: checked.configuration }),
    findings,
    classes: written.classes.length,
    rules: written.rules.length,
  }
}

interface Document extends RuleText {
  readonly tree?: Tree
  readonly positionOf: ReturnType<typeof positionsIn>
  readonly problems: readonly LocatedFinding[]
}

/** The manifest reader's text describes how kubectl and servers treat it. */
const SECOND = 'Duplicate key: remove one.'

function documentsOf({ file, text }: RuleText): readonly Document[] {
  const positionOf = positionsIn(text)
  return textDocuments(text, file).map(({ tree, problems }) => ({
    file,
    text,
    positionOf,
    ...(tree && { tree }),
    problems: problems.map((problem) => {
      const { reason, severity, message } = problem
      const said = reason === 'FieldValueDuplicate' && severity === 'error' ? SECOND : message
      return locatedProblem({ ...problem, message: said }, { file, kind: '', name: '', positionOf })
    }),
  }))
}

function locatedIn(
  { file, tree, positionOf }: Document,
  finding: Omit<LocatedFinding, 'file' | 'line' | 'column'>,
): LocatedFinding {
  const { kind, name } = finding
  return tree === undefined
    ? { ...finding, file, ...positionOf(0) }
    : located(tree, finding, { file, kind, name, positionOf })
}

interface Decoded extends Written {
  readonly findings: readonly (Finding & { readonly document: number; readonly kind: string; readonly name: string })[]
}

const readSubject: Read<Subject> = readAs((members) => ({
  ...members.given('user', readText),
  ...members.given('clientIP', readText),
}))

const readRange: Read<WrittenRule['ranges'][number]> = readAs((members) => ({
  key: members.text('key'),
  ...members.given('rangeEnd', readText),
}))

const readCondition: Read<WrittenRule['conditions'][number]> = readAs((members) => ({
  kind: members.text('kind'),
  ...members.given('threshold', readAmount),
}))

const readClass: Read<WrittenClass> = readAs((members) => ({
  name: members.text('name'),
  qdisc: members.text('qdisc'),
  ...members.given('qps', readAmount),
  ...members.given('burst', readAmount),
  ...members.given('num', readAmount),
  ...members.given('limit', readAmount),
  ...members.given('windowMs', readAmount),
  ...members.given('action', readText),
  ...members.given('maxDelayMs', readAmount),
  ...members.given('maxWaiting', readAmount),
  ...members.given('cost', readText),
  ...members.given('groupBy', readText),
  ...members.given('maxGroups', readAmount),
}))

const readRule: Read<WrittenRule> = readAs((members) => ({
  name: members.text('name'),
  qClassName: members.text('qClassName'),
  ...members.given('priority', readAmount),
  ...members.given('enabled', readFlag),
  subjects: members.list('subjects', readSubject),
  prefixPaths: members.list('prefixPaths', readText),
  ranges: members.list('ranges', readRange),
  ...members.given('keyMatch', readText),
  ops: members.list('ops', readText),
  methods: members.list('methods', readText),
  ...members.given('minRetry', readAmount),
  conditions: members.list('conditions', readCondition),
  ...members.given('scope', readText),
  ...members.given('allowAll', readFlag),
}))

const readValidation = readAs((members) => members.given('composite', readText))
const readTracker = readAs((members) => ({
  ...members.given('capacity', readAmount),
  ...members.given('estimator', readText),
}))

const readDocument = readAs((members) => {
  const { composite } = members.nested('validation', readValidation)
  const { capacity, estimator } = members.nested('tracker', readTracker)
  const settings: WrittenSettings = {
    ...(composite !== undefined && { composite }),
    ...(capacity !== undefined && { trackerCapacity: capacity }),
    ...(estimator !== undefined && { estimator }),
    ...members.given('message', readText),
  }
  return { classes: members.list('classes', readClass), rules: members.list('rules', readRule), settings }
})

/** Gives every member its type. A member of a wrong type is a finding, and not validated further. */
function decode(tree: Tree | undefined, document: number): Decoded {
  const nothing = { classes: [], rules: [], settings: [], unreadClasses: [] }
  if (tree === undefined) return { ...nothing, findings: [] }
  if (tree.type !== 'mapping') {
    const message = 'Rules must be a map with the lists classes and rules.'
    return { ...nothing, findings: [{ ...rejected('', 'Malformed', message), document, kind: '', name: '' }] }
  }
  const findings: Finding[] = []
  const value = jsonOf(tree)
  const { classes, rules, settings } = readDocument(value, '', findings)
  const unread = (at: string): boolean =>
    findings.some(
      ({ field, reason }) =>
        reason !== 'FieldUnknown' && (field === at || field.startsWith(`${at}.`) || field.startsWith(`${at}[`)),
    )
  const placed = <T>(list: string, values: readonly T[]): readonly Placed<T>[] =>
    values.flatMap((one, index) => {
      const at = entry(list, index)
      return unread(at) ? [] : [{ value: one, document, at }]
    })
  return {
    classes: placed('classes', classes),
    rules: placed('rules', rules),
    settings:
      unread('validation') || unread('tracker') || unread('message') ? [] : [{ value: settings, document, at: '' }],
    unreadClasses: classes.flatMap(({ name }, index) => (unread(entry('classes', index)) ? [name] : [])),
    findings: findings.map((finding) => ({ ...finding, document, ...subjectOf(value, finding.field) })),
  }
}

/** The class or rule that a finding is about, as far as it can be read. */
function subjectOf(value: unknown, field: string): { readonly kind: string; readonly name: string } {
  const [, list, index] = /^(classes|rules)\[(\d+)\]/.exec(field) ?? []
  if (list === undefined || !isJsonObject(value)) return { kind: '', name: '' }
  const items: unknown = value[list]
  const item: unknown = Array.isArray(items) ? items[Number(index)] : undefined
  const name: unknown = isJsonObject(item) ? item['name'] : undefined
  return { kind: list === 'classes' ? 'Class' : 'Rule', name: typeof name === 'string' ? name : '' }
}
