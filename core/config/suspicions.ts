import { isMandatory, isSuggested, type ValidationRules } from './builtIn.ts'
import { type Finding, quoted, repeated, suspicious, entry, member } from './finding.ts'
import {
  AUTOUPDATE_ANNOTATION,
  CATCH_ALL,
  EXEMPT,
  type FlowSchema,
  type Kind,
  type ObjectMeta,
  type PriorityLevelConfiguration,
  type NonResourceRule,
  type PolicyRules,
  type ResourceRule,
  type Subject,
} from './objects.ts'
import { listed } from '../text/text.ts'
import { WILDCARD } from './validateRules.ts'

/**
 * Values of a level that a server accepts but that are probably a mistake, as far as the object alone shows it. What
 * depends on other objects is for the guard rails.
 */
export const levelSuspicions = (level: PriorityLevelConfiguration, rules: ValidationRules): Finding[] => [
  ...metadataSuspicions('PriorityLevelConfiguration', level.metadata, rules),
  ...emptyExemption(level),
  ...noShares(level),
]

/** The same for a schema. */
export const flowSchemaSuspicions = (schema: FlowSchema, rules: ValidationRules): Finding[] => [
  ...metadataSuspicions('FlowSchema', schema.metadata, rules),
  ...behindCatchAll(schema),
  ...ruleSuspicions(schema.spec.rules ?? []),
]

const metadataSuspicions = (kind: Kind, metadata: ObjectMeta, rules: ValidationRules): Finding[] => [
  ...autoupdateSuspicions(kind, metadata, rules),
  ...repeated(metadata.finalizers ?? [], 'metadata.finalizers'),
  ...repeated(metadata.ownerReferences?.map(({ uid }) => uid) ?? [], 'metadata.ownerReferences'),
]

/** Values that the reconciler parses as true (specification 7.8). */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

function autoupdateSuspicions(
  kind: Kind,
  { name, annotations = {} }: ObjectMeta,
  { minor }: ValidationRules,
): Finding[] {
  const value = Object.hasOwn(annotations, AUTOUPDATE_ANNOTATION) ? annotations[AUTOUPDATE_ANNOTATION] : undefined
  if (value === undefined || !TRUE.has(value)) return []
  if (isMandatory(kind, name) || isSuggested(kind, name, `1.${minor}`)) return []
  const message = `The annotation ${quoted(AUTOUPDATE_ANNOTATION)} claims that the object is built in and ${quoted(name)} is not, so the server deletes it within a minute: remove the annotation.`
  return [suspicious(`metadata.annotations[${AUTOUPDATE_ANNOTATION}]`, message)]
}

/** Specification 1.3, 7.2. */
function emptyExemption({ metadata, spec }: PriorityLevelConfiguration): Finding[] {
  if (metadata.name !== EXEMPT || spec.type !== 'Exempt' || spec.exempt !== undefined) return []
  const message =
    'Without spec.exempt the level is accepted but not used until the server has repaired it: add exempt, at least as {}.'
  return [suspicious('spec.exempt', message, 'FieldValueRequired')]
}

function noShares({ spec }: PriorityLevelConfiguration): Finding[] {
  const { limited } = spec
  if (limited?.nominalConcurrencyShares !== 0) return []
  const rejecting = limited.limitResponse.type === 'Reject'
  const runs =
    limited.borrowingLimitPercent !== undefined || rejecting
      ? 'can run almost nothing'
      : 'runs only on seats that other levels lend'
  const message = `With 0 shares the level has no seats of its own and ${runs}: set 1 or more unless its requests are meant to ${rejecting ? 'be rejected' : 'wait'}.`
  return [suspicious('spec.limited.nominalConcurrencyShares', message)]
}

/** Schemas of one precedence are matched in the order of their names (specification 2.2). */
function behindCatchAll({ metadata, spec }: FlowSchema): Finding[] {
  if (spec.matchingPrecedence !== 10_000 || metadata.name <= CATCH_ALL) return []
  const message = `At precedence 10000 the schema “${CATCH_ALL}” comes first, and it matches every request: set 9999 or less.`
  return [suspicious('spec.matchingPrecedence', message)]
}

/**
 * Rules that a server accepts but that match nothing, or something other than they appear to (specification 2.3 to
 * 2.5).
 */
function ruleSuspicions(rules: readonly PolicyRules[]): Finding[] {
  if (rules.length === 0) {
    const message = 'A schema without rules matches no requests: add a rule, or delete the schema.'
    return [suspicious('spec.rules', message, 'FieldValueRequired')]
  }
  return rules.flatMap(({ subjects, resourceRules = [], nonResourceRules = [] }, index) => {
    const at = entry('spec.rules', index)
    return [
      ...subjects.flatMap((subject, i) => subjectSuspicions(subject, entry(member(at, 'subjects'), i))),
      ...resourceRules.flatMap((rule, i) => resourceSuspicions(rule, entry(member(at, 'resourceRules'), i))),
      ...nonResourceRules.flatMap((rule, i) => nonResourceSuspicions(rule, entry(member(at, 'nonResourceRules'), i))),
    ]
  })
}

function subjectSuspicions(subject: Subject, at: string): Finding[] {
  return (['user', 'group'] as const).flatMap((key) => {
    const name = subject[key]?.name ?? ''
    if (name === WILDCARD || !name.includes(WILDCARD)) return []
    const message = `“*” is a wildcard only by itself: the ${key} ${quoted(name)} is one with exactly this name.`
    return [suspicious(member(member(at, key), 'name'), message)]
  })
}

/** Their requests have no namespace. Those about a namespace are missing: they have its name. */
const OF_THE_CLUSTER = new Set(
  'nodes persistentvolumes storageclasses volumeattachments csinodes clusterroles clusterrolebindings customresourcedefinitions apiservices flowschemas prioritylevelconfigurations validatingwebhookconfigurations mutatingwebhookconfigurations certificatesigningrequests tokenreviews subjectaccessreviews'.split(
    ' ',
  ),
)
/** Requests without a namespace match with `clusterScope` only (specification 2.4). */
function scopeSuspicions({ verbs, resources, namespaces = [], clusterScope = false }: ResourceRule, at: string) {
  if (clusterScope || namespaces.length === 0) return []
  const ofCluster = resources.filter((resource) => OF_THE_CLUSTER.has(resource.split('/', 1)[0] ?? ''))
  const across =
    namespaces.includes(WILDCARD) &&
    (resources.includes(WILDCARD) || ['list', 'watch'].some((verb) => verbs.includes(verb)))
  if (ofCluster.length === 0 && !across) return []
  const missed =
    ofCluster.length > 0
      ? `requests for ${listed(ofCluster)}, which have no namespace`
      : 'requests without a namespace, such as a list of all namespaces (kubectl get -A, informers)'
  return [suspicious(member(at, 'clusterScope'), `The rule misses ${missed}: set clusterScope to true.`)]
}

const resourceSuspicions = (rule: ResourceRule, at: string): Finding[] => {
  const { verbs, apiGroups, resources, namespaces = [] } = rule
  return [
    ...scopeSuspicions(rule, at),
    ...repeated(verbs, member(at, 'verbs')),
    ...repeated(apiGroups, member(at, 'apiGroups')),
    ...eachOf(apiGroups, member(at, 'apiGroups'), groupProblem),
    ...repeated(resources, member(at, 'resources')),
    ...eachOf(resources, member(at, 'resources'), resourceProblem),
    ...repeated(namespaces, member(at, 'namespaces')),
  ]
}

function groupProblem(group: string): string | undefined {
  if (group === 'core' || group === 'v1') return 'The name of the core group is empty: write “”.'
  if (group.includes('/'))
    return `${quoted(group)} matches no requests: name the group without its version, ${quoted(group.split('/', 1)[0] ?? '')}.`
  return starProblem(group)
}

function resourceProblem(resource: string): string | undefined {
  if (/[A-Z]/.test(resource))
    return `${quoted(resource)} matches no requests: write the resource as in paths, in lower case and plural.`
  if (resource.includes('.'))
    return `${quoted(resource)} matches no requests: write the resource alone and its group in apiGroups.`
  const [parent, subresource] = resource.split('/', 2)
  if (subresource === WILDCARD)
    return `${quoted(resource)} matches no requests, because “*” is a wildcard only by itself: list each subresource, such as ${quoted(`${parent}/status`)}.`
  return starProblem(resource)
}

const starProblem = (value: string): string | undefined =>
  value !== WILDCARD && value.includes(WILDCARD)
    ? `${quoted(value)} matches no requests, because “*” is a wildcard only by itself: list the names.`
    : undefined

/** Verbs that exist but are not HTTP methods; the verbs of non-resource requests are HTTP methods. */
const NO_METHODS = new Set(['list', 'create', 'update', 'deletecollection', 'watch', 'proxy'])

const nonResourceSuspicions = ({ verbs, nonResourceURLs }: NonResourceRule, at: string): Finding[] => [
  ...repeated(verbs, member(at, 'verbs')),
  ...repeated(nonResourceURLs, member(at, 'nonResourceURLs')),
  ...eachOf(verbs, member(at, 'verbs'), (verb) =>
    NO_METHODS.has(verb)
      ? `${quoted(verb)} matches no requests: the verb of a request for a path is its HTTP method, so write “get”, “patch”, “delete” or “*”.`
      : undefined,
  ),
  ...eachOf(nonResourceURLs, member(at, 'nonResourceURLs'), (path) =>
    path === '/'
      ? '“/” matches every path, not only the root: write “*” if that is meant, or list the paths.'
      : undefined,
  ),
]

const eachOf = (values: readonly string[], at: string, problem: (value: string) => string | undefined): Finding[] =>
  values.flatMap((value, index) => {
    const message = problem(value)
    return message === undefined ? [] : [suspicious(entry(at, index), message)]
  })
