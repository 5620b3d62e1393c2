import {
  CATCH_ALL,
  EXEMPT,
  type FlowSchema,
  type ObjectSet,
  type PolicyRules,
  type PriorityLevelConfiguration,
  type Subject,
} from '../config/objects.ts'
import { draftOrder } from './classifyDraft.ts'
import { type Atom, type DraftFlowSchema, type DraftSet, negationOf, type RequestPriority } from './draftObjects.ts'
import { subjectOf } from '../classify/identity.ts'

/** What v1 objects cannot express. */
const LOSSES = {
  L1: 'a negated test',
  L2: 'a general pattern',
  L3: 'several tests of user and groups in one conjunction',
  L4: 'a test for several groups at once',
  L5: 'a transformed flow',
  L6: 'the catchAll flag',
  L7: 'a second exempt level',
  L8: 'precedences that differ beyond 2 to 9999',
  L9: 'a test of subresource, name or isResource',
  L10: 'shares of 0, which give no seats in v1',
} as const
export type LossCode = keyof typeof LOSSES

export interface Loss {
  readonly code: LossCode
  /** `FlowSchema workload-high`. */
  readonly object: string
  /** The test as text; empty where it concerns the whole object. */
  readonly atom: string
  /** What was done instead, in one sentence. */
  readonly instead: string
}

export const lossText = ({ code, object, atom, instead }: Loss): string =>
  `${code} ${object}: v1 has no equivalent of ${LOSSES[code]}${atom === '' ? '' : ` (${atom})`}. ${instead}`

export interface ConvertedDraft extends ObjectSet {
  readonly losses: readonly Loss[]
}

/** 1 is reserved for the schema `exempt`. */
const LEAST_PRECEDENCE = 2
const MOST_PRECEDENCE = 9_999
const EVERYBODY: readonly Subject[] = ['system:authenticated', 'system:unauthenticated'].map(groupSubject)

/**
 * The v1 objects that treat requests as a configuration of the draft does, as far as v1 allows. A conjunction that v1
 * cannot express is left out, never widened: its requests go to the schemas after it.
 */
export function convertDraft(set: DraftSet): ConvertedDraft {
  const losses: Loss[] = []
  const levels = set.levels.flatMap((level) => convertLevel(level, set, losses))
  const order = draftOrder(set)
  const schemas = order.flatMap((schema) => {
    const earlier = order.filter((one) => precedenceOf(one) < precedenceOf(schema))
    return convertSchema(schema, set, earlier, losses)
  })
  for (const level of set.levels) if (level.catchAll && !level.exempt) schemas.push(catchAllSchema(level, losses))
  for (const added of clamped(order)) losses.push(added)
  return { levels, schemas, losses }
}

function convertLevel(level: RequestPriority, { levels }: DraftSet, losses: Loss[]): PriorityLevelConfiguration[] {
  const object = `RequestPriority ${level.name}`
  if (level.exempt) {
    if (levels.find(({ exempt }) => exempt) !== level) {
      losses.push({ code: 'L7', object, atom: '', instead: `Its schemas go to the one level ${EXEMPT} of v1.` })
    }
    return []
  }
  if (level.assuredConcurrencyShares === 0) {
    losses.push({ code: 'L10', object, atom: '', instead: 'The level keeps 0 shares and has a nominal limit of 0.' })
  }
  const { queues, handSize, queueLengthLimit } = level
  return [
    {
      metadata: { name: level.name },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: level.assuredConcurrencyShares,
          lendablePercent: 0,
          borrowingLimitPercent: 0,
          limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } },
        },
      },
    },
  ]
}

function catchAllSchema({ name, queues }: RequestPriority, losses: Loss[]): FlowSchema {
  const schema = `${name}-${CATCH_ALL}`
  const instead = `The FlowSchema ${schema} sends it all requests that no other schema matches.`
  losses.push({ code: 'L6', object: `RequestPriority ${name}`, atom: '', instead })
  return {
    metadata: { name: schema },
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: MOST_PRECEDENCE,
      ...(queues > 1 && { distinguisherMethod: { type: 'ByUser' } }),
      rules: [rulesFor(EVERYBODY, {})],
    },
  }
}

const precedenceOf = ({ matchingPriority }: DraftFlowSchema): number =>
  Math.min(Math.max(matchingPriority, LEAST_PRECEDENCE), MOST_PRECEDENCE)

/** Schemas whose order the clamp loses: several at one end that differed. */
function clamped(order: readonly DraftFlowSchema[]): Loss[] {
  return order.flatMap((schema): Loss[] => {
    const at = precedenceOf(schema)
    if (at === schema.matchingPriority) return []
    const others = order.filter((one) => precedenceOf(one) === at && one.matchingPriority !== schema.matchingPriority)
    if (others.length === 0) return []
    const instead = `Its precedence is ${at}, the same as that of ${others.map(({ name }) => name).join(', ')}; names decide between them.`
    return [{ code: 'L8', object: `FlowSchema ${schema.name}`, atom: String(schema.matchingPriority), instead }]
  })
}

function convertSchema(
  schema: DraftFlowSchema,
  { levels }: DraftSet,
  earlier: readonly DraftFlowSchema[],
  losses: Loss[],
): FlowSchema[] {
  const object = `FlowSchema ${schema.name}`
  const level = levels.find(({ name }) => name === schema.level)
  const rules = schema.match.flatMap((atoms): PolicyRules[] => {
    const converted = convertConjunction(atoms, earlier)
    for (const loss of converted.losses) losses.push({ object, ...loss })
    return converted.rules === undefined ? [] : [converted.rules]
  })
  if (rules.length === 0) return []
  const { flowDistinguisher: flow } = schema
  const distinguishes = flow !== undefined && level !== undefined && !level.exempt && level.queues > 1
  if (distinguishes && flow.transform !== undefined) {
    const instead = `Each ${flow.source} is a separate flow.`
    losses.push({ code: 'L5', object, atom: flow.transform.source, instead })
  }
  return [
    {
      metadata: { name: schema.name },
      spec: {
        priorityLevelConfiguration: { name: level?.exempt === true ? EXEMPT : schema.level },
        matchingPrecedence: precedenceOf(schema),
        ...(distinguishes && { distinguisherMethod: { type: flow.source === 'user' ? 'ByUser' : 'ByNamespace' } }),
        rules,
      },
    },
  ]
}

/** What a conjunction requires of a request: lists of allowed values; absent where any value is allowed. */
interface Work {
  readonly verbs?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly namespaces?: readonly string[]
  readonly urls?: readonly string[]
}

type Part = Pick<Loss, 'code' | 'atom' | 'instead'>

const DROPPED = 'The conjunction is left out.'

/** What one atom requires: the subject, the target, nothing at all, or a loss. */
type Asked =
  | { readonly kind: 'subjects'; readonly subjects: readonly Subject[] }
  | { readonly kind: 'work'; readonly of: keyof Work; readonly values: readonly string[] }
  | { readonly kind: 'anything' }
  | { readonly kind: 'lost'; readonly code: LossCode }

function convertConjunction(
  atoms: readonly Atom[],
  earlier: readonly DraftFlowSchema[],
): { readonly rules?: PolicyRules; readonly losses: readonly Part[] } {
  const losses: Part[] = []
  let subjects: readonly Subject[] | undefined
  const work: { -readonly [K in keyof Work]: Work[K] } = {}
  for (const atom of atoms) {
    if (atom.negated && isCovered(atom, earlier)) {
      const instead = 'Not needed: an earlier schema takes the requests that this test excludes.'
      losses.push({ code: 'L1', atom: atomText(atom), instead })
      continue
    }
    const asked = askedBy(atom)
    if (asked.kind === 'lost')
      return { losses: [...losses, { code: asked.code, atom: atomText(atom), instead: DROPPED }] }
    if (asked.kind === 'subjects') {
      if (subjects !== undefined) return { losses: [...losses, { code: 'L3', atom: atomText(atom), instead: DROPPED }] }
      subjects = asked.subjects
    } else if (asked.kind === 'work') {
      const before = work[asked.of]
      work[asked.of] = before === undefined ? asked.values : both(before, asked.values)
    }
  }
  // A conjunction that no request can match needs no rule: one without any allowed value, or for resources and paths at
  // once.
  const forResources = work.resources ?? work.apiGroups ?? work.namespaces
  const isEmpty = Object.values(work).some(({ length }) => length === 0) || subjects?.length === 0
  if (isEmpty || (forResources !== undefined && work.urls !== undefined)) return { losses }
  return { rules: rulesFor(subjects ?? EVERYBODY, work), losses }
}

const isAny = (values: readonly string[]): boolean => values.length === 1 && values[0] === '*'

const both = (a: readonly string[], b: readonly string[]): readonly string[] =>
  isAny(a) ? b : isAny(b) ? a : a.filter((value) => b.includes(value))

/** Whether the conversion of a schema tried earlier takes everything that a negated test excludes. */
const isCovered = (atom: Atom, earlier: readonly DraftFlowSchema[]): boolean =>
  earlier.some(({ match }) =>
    match.some(([first, ...more]) => {
      if (more.length > 0) return false
      if (first === undefined) return true
      return askedBy(first).kind !== 'lost' && atomText(first) === atomText({ ...atom, negated: false })
    }),
  )

function rulesFor(subjects: readonly Subject[], work: Work): PolicyRules {
  const { verbs = ['*'], apiGroups, resources, namespaces, urls } = work
  const forResources = apiGroups ?? resources ?? namespaces
  return {
    subjects,
    ...(urls === undefined && {
      resourceRules: [
        {
          verbs,
          apiGroups: apiGroups ?? ['*'],
          resources: resources ?? ['*'],
          ...(namespaces === undefined ? { clusterScope: true, namespaces: ['*'] } : { namespaces }),
        },
      ],
    }),
    ...(forResources === undefined && { nonResourceRules: [{ verbs, nonResourceURLs: urls ?? ['*'] }] }),
  }
}

const WORK: Readonly<Partial<Record<Atom['field'], keyof Work>>> = {
  verb: 'verbs',
  apiGroup: 'apiGroups',
  resource: 'resources',
  namespace: 'namespaces',
  path: 'urls',
}

function askedBy(atom: Atom): Asked {
  const { field } = atom
  if (field === 'subresource' || field === 'name' || field === 'isResource') return { kind: 'lost', code: 'L9' }
  if (atom.negated) return { kind: 'lost', code: 'L1' }
  if (atom.test === 'patternMatch') return askedByPattern(field, atom.pattern.source, atom.pattern.literal)
  if (field === 'groups') return askedByGroups(atom)
  // A text is a set of one, so it never holds two different names.
  const values =
    atom.test === 'equals' ? [atom.value] : atom.test === 'superSet' && new Set(atom.set).size > 1 ? [] : atom.set
  if (atom.test === 'superSet' && atom.set.length === 0) return anyOf(field)
  return askedByValues(field, [...new Set(values)])
}

function askedByGroups(atom: Atom): Asked {
  const groups = atom.test === 'superSet' ? [...new Set(atom.set)] : []
  const [group, second] = groups
  if (group === undefined) return { kind: 'anything' }
  if (second !== undefined) return { kind: 'lost', code: 'L4' }
  return { kind: 'subjects', subjects: [groupSubject(group)] }
}

function askedByValues(field: Atom['field'], values: readonly string[]): Asked {
  const of = WORK[field]
  if (of !== undefined) return { kind: 'work', of, values }
  return { kind: 'subjects', subjects: values.map(subjectOf) }
}

/** Patterns of service accounts, of all namespaces or of one. */
const SERVICE_ACCOUNTS = /^system:serviceaccount:(?:([a-z0-9-]+):)?\.\*$/
/** A folder of paths: in v1 objects a prefix must end with a slash. */
const FOLDER = /^(\/(?:[\w-]+\/)*)\.\*$/

function askedByPattern(field: Atom['field'], source: string, literal: string | undefined): Asked {
  if (literal !== undefined) return askedByValues(field, [literal])
  if (source === '.*') return anyOf(field)
  const accounts = field === 'user' ? SERVICE_ACCOUNTS.exec(source) : null
  if (accounts !== null) {
    const [, namespace] = accounts
    const group = namespace === undefined ? 'system:serviceaccounts' : `system:serviceaccounts:${namespace}`
    return { kind: 'subjects', subjects: [groupSubject(group)] }
  }
  const [, folder] = field === 'path' ? (FOLDER.exec(source) ?? []) : []
  if (folder !== undefined) return { kind: 'work', of: 'urls', values: [folder === '/' ? '*' : `${folder}*`] }
  return { kind: 'lost', code: 'L2' }
}

/** Any value; a request without one does not match. */
function anyOf(field: Atom['field']): Asked {
  if (field === 'user' || field === 'verb') return { kind: 'anything' }
  return { kind: 'work', of: field === 'path' ? 'urls' : 'resources', values: ['*'] }
}

function groupSubject(name: string): Subject {
  return { kind: 'Group', group: { name } }
}

/** `user notPatternMatch system:.*`. */
export function atomText(atom: Atom): string {
  const test = atom.negated ? negationOf(atom.test) : atom.test
  const operand =
    atom.test === 'equals'
      ? atom.value
      : atom.test === 'patternMatch'
        ? atom.pattern.source
        : `{${atom.set.join(', ')}}`
  return `${atom.field} ${test} ${operand}`
}
