import { COVERED_MINORS, isCovered, parseKubernetesVersion, ruledBy } from '../metrics/versions.ts'
import {
  AUTOUPDATE_ANNOTATION,
  CATCH_ALL,
  EXEMPT,
  type FlowSchema,
  type LimitedSpec,
  type NonResourceRule,
  type PolicyRules,
  type PriorityLevelConfiguration,
  type PriorityLevelSpec,
  type ResourceRule,
  type Subject,
  type Kind,
  type ObjectSet,
  objectOf,
} from './objects.ts'
import type { Reason } from './finding.ts'

/** Validation rules that differ between servers of different Kubernetes versions (specification 1.5, 1.6). */
export interface ValidationRules {
  /** Minor of Kubernetes 1. */
  readonly minor: number
  /** Versions of the group that are served, newest first. */
  readonly apiVersions: readonly string[]
  /** The error for a level whose type, or whose limit response's type, is empty. */
  readonly emptyType: Reason
  /**
   * Whether the server also validates declaratively: members that belong to another type are rejected whatever the type
   * is, and an owner reference is reported by its index.
   */
  readonly declarative: boolean
  /** Whether a Limited level may have 0 shares: in 1.29 only with a feature gate that is off by default. */
  readonly zeroShares: boolean
}

/** First and last minor that serve each version of the group. */
const SERVED: readonly (readonly [version: string, first: number, last: number])[] = [
  ['v1', 29, Infinity],
  ['v1beta3', 26, 31],
  ['v1beta2', 23, 28],
  ['v1beta1', 20, 25],
]

const ZERO_SHARES_SINCE = 30
const EMPTY_TYPE_REQUIRED_SINCE = 36
const DECLARATIVE_SINCE = 37

/**
 * The rules of a server's gitVersion (`v1.36.3`, `1.36`). One that cannot be parsed is treated as the newest known one.
 */
export function validationRules(version: string): ValidationRules {
  const minor = minorOf(version)
  return {
    minor,
    apiVersions: SERVED.flatMap(([name, first, last]) => (minor >= first && minor <= last ? [name] : [])),
    emptyType: minor >= EMPTY_TYPE_REQUIRED_SINCE ? 'FieldValueRequired' : 'FieldValueNotSupported',
    declarative: minor >= DECLARATIVE_SINCE,
    zeroShares: minor >= ZERO_SHARES_SINCE,
  }
}

/** Minor of Kubernetes 1 in a gitVersion; the newest known one if it cannot be parsed. */
function minorOf(version: string): number {
  const parsed = parseKubernetesVersion(version)
  if (parsed === undefined || parsed.major > 1) return COVERED_MINORS.newest
  return parsed.major < 1 ? 0 : parsed.minor
}

/** Releases in which a version of the group is or was served: `1.26 to 1.31`; `undefined` for an unknown one. */
export function servedIn(apiVersion: string): string | undefined {
  const found = SERVED.find(([name]) => name === apiVersion)
  if (found === undefined) return undefined
  const [, first, last] = found
  return last === Infinity ? `since 1.${first}` : `from 1.${first} to 1.${last}`
}

/**
 * The objects that an API server creates by itself (specification 10). Mandatory ones are replaced by built-in copies
 * in the engine when they are missing; suggested ones are only created.
 */
const updated = (name: string) => ({ name, annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } })

const level = (name: string, spec: PriorityLevelSpec): PriorityLevelConfiguration => ({
  metadata: updated(name),
  spec,
})

const queueing = (
  name: string,
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queues: number,
  handSize: number,
): PriorityLevelConfiguration => {
  const limited: LimitedSpec = {
    nominalConcurrencyShares,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent,
  }
  return level(name, { type: 'Limited', limited })
}

export const mandatoryLevels: readonly PriorityLevelConfiguration[] = [
  level(CATCH_ALL, {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
  }),
  level(EXEMPT, { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
]

export const suggestedLevels: readonly PriorityLevelConfiguration[] = [
  queueing('system', 30, 33, 64, 6),
  queueing('node-high', 40, 25, 64, 6),
  queueing('leader-election', 10, 0, 16, 4),
  queueing('workload-high', 40, 50, 128, 6),
  queueing('workload-low', 100, 90, 128, 6),
  queueing('global-default', 20, 50, 128, 6),
]

export const group = (name: string): Subject => ({ kind: 'Group', group: { name } })
const user = (name: string): Subject => ({ kind: 'User', user: { name } })
export const serviceAccounts = (namespace: string, name = '*'): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
})
const EVERYBODY = [group('system:unauthenticated'), group('system:authenticated')]

const resources = (
  apiGroups: readonly string[],
  names: readonly string[],
  verbs: readonly string[],
  clusterScope: boolean,
): ResourceRule => ({
  verbs,
  apiGroups,
  resources: names,
  ...(clusterScope ? { clusterScope } : {}),
  namespaces: ['*'],
})
const nonResources = (verbs: readonly string[], nonResourceURLs: readonly string[]): NonResourceRule => ({
  verbs,
  nonResourceURLs,
})
const everything = (subjects: readonly Subject[]): PolicyRules => ({
  subjects,
  resourceRules: [resources(['*'], ['*'], ['*'], true)],
  nonResourceRules: [nonResources(['*'], ['*'])],
})

/** A schema with one rule. */
export const schemaOf = (
  metadata: FlowSchema['metadata'],
  matchingPrecedence: number,
  levelName: string,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  rules: PolicyRules,
): FlowSchema => ({
  metadata,
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence,
    ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
    rules: [rules],
  },
})

export const mandatorySchemas: readonly FlowSchema[] = [
  schemaOf(updated(EXEMPT), 1, EXEMPT, undefined, everything([group('system:masters')])),
  schemaOf(updated(CATCH_ALL), 10_000, CATCH_ALL, 'ByUser', everything(EVERYBODY)),
]

export const suggestedSchemas: readonly FlowSchema[] = [
  schemaOf(updated('system-nodes'), 500, 'system', 'ByUser', everything([group('system:nodes')])),
  schemaOf(updated('system-node-high'), 400, 'node-high', 'ByUser', {
    subjects: [group('system:nodes')],
    resourceRules: [
      resources([''], ['nodes', 'nodes/status'], ['*'], true),
      resources(['coordination.k8s.io'], ['leases'], ['*'], false),
    ],
  }),
  schemaOf(updated('probes'), 2, EXEMPT, undefined, {
    subjects: EVERYBODY,
    nonResourceRules: [nonResources(['get'], ['/healthz', '/readyz', '/livez'])],
  }),
  schemaOf(updated('system-leader-election'), 100, 'leader-election', 'ByUser', {
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), serviceAccounts('kube-system')],
    resourceRules: [resources(['coordination.k8s.io'], ['leases'], ['get', 'create', 'update'], false)],
  }),
  schemaOf(
    updated('kube-controller-manager'),
    800,
    'workload-high',
    'ByNamespace',
    everything([user('system:kube-controller-manager')]),
  ),
  schemaOf(updated('kube-scheduler'), 800, 'workload-high', 'ByNamespace', everything([user('system:kube-scheduler')])),
  schemaOf(
    updated('kube-system-service-accounts'),
    900,
    'workload-high',
    'ByNamespace',
    everything([serviceAccounts('kube-system')]),
  ),
  schemaOf(updated('service-accounts'), 9_000, 'workload-low', 'ByUser', everything([group('system:serviceaccounts')])),
  schemaOf(updated('global-default'), 9_900, 'global-default', 'ByUser', everything(EVERYBODY)),
]

/** Additional objects of releases up to 1.33 (specification 10.3), for leader elections on endpoints and configmaps. */
const earlierSuggestedSchemas: readonly FlowSchema[] = [
  schemaOf(updated('workload-leader-election'), 200, 'leader-election', 'ByUser', {
    subjects: [serviceAccounts('kube-system')],
    resourceRules: [
      resources([''], ['endpoints', 'configmaps'], ['get', 'create', 'update'], false),
      resources(['coordination.k8s.io'], ['leases'], ['get', 'create', 'update'], false),
    ],
  }),
  schemaOf(updated('endpoint-controller'), 150, 'workload-high', 'ByUser', {
    subjects: [
      user('system:kube-controller-manager'),
      serviceAccounts('kube-system', 'endpoint-controller'),
      serviceAccounts('kube-system', 'endpointslicemirroring-controller'),
    ],
    resourceRules: [resources([''], ['endpoints'], ['get', 'create', 'update'], false)],
  }),
]

/** Last minor with the schemas for leader elections on endpoints and configmaps. */
const LAST_WITH_EARLIER_SCHEMAS = 33
/** In the order of those releases, they precede this one. */
const FOLLOWING = 'kube-controller-manager'

/**
 * The objects that a server of a version creates by itself, with defaults filled in (specification 10): mandatory ones
 * first.
 */
export const builtInObjects = (version: string): ObjectSet => ({
  levels: [...mandatoryLevels, ...suggestedLevels],
  schemas: [...mandatorySchemas, ...suggestedSchemasOf(minorOf(ruledBy(version)))],
})

/** A configuration and those of other objects that it does not name. */
export function completedWith(others: ObjectSet, { levels, schemas }: ObjectSet): ObjectSet {
  const lacking = <T extends { readonly metadata: { readonly name: string } }>(all: readonly T[], own: readonly T[]) =>
    all.filter(({ metadata }) => !own.some((one) => one.metadata.name === metadata.name))
  return {
    levels: [...lacking(others.levels, levels), ...levels],
    schemas: [...lacking(others.schemas, schemas), ...schemas],
  }
}

/** A configuration with the mandatory objects that it lacks, which the server creates again. */
export const withMandatory = (objects: ObjectSet): ObjectSet =>
  completedWith({ levels: mandatoryLevels, schemas: mandatorySchemas }, objects)

/**
 * A label for the objects of `builtInObjects`: for a version whose own objects are unknown, it names the version that
 * they belong to.
 */
export const builtInName = (version: string): string =>
  isCovered(version)
    ? `the built-in objects of ${version}`
    : `the built-in objects of ${ruledBy(version)}, because those of ${version} are unknown`

/** The built-in object of a kind and name in a version; `undefined` for a name that is not built in. */
export function builtInObject(kind: 'FlowSchema', name: string, version: string): FlowSchema | undefined
export function builtInObject(
  kind: 'PriorityLevelConfiguration',
  name: string,
  version: string,
): PriorityLevelConfiguration | undefined
export function builtInObject(
  kind: Kind,
  name: string,
  version: string,
): FlowSchema | PriorityLevelConfiguration | undefined
export function builtInObject(
  kind: Kind,
  name: string,
  version: string,
): FlowSchema | PriorityLevelConfiguration | undefined {
  return objectOf(builtInObjects(version), { kind, name })
}

/** Whether the engine requires the object: it must not be changed, and is created again when it is deleted. */
export const isMandatory = (kind: Kind, name: string): boolean =>
  hasName(kind === 'FlowSchema' ? mandatorySchemas : mandatoryLevels, name)

/**
 * Whether a server of the version creates the object when it is missing, and restores it unless an annotation disables
 * that.
 */
export const isSuggested = (kind: Kind, name: string, version: string): boolean =>
  hasName(kind === 'FlowSchema' ? suggestedSchemasOf(minorOf(version)) : suggestedLevels, name)

/** Upstream's order, in which a server creates them. */
function suggestedSchemasOf(minor: number): readonly FlowSchema[] {
  if (minor > LAST_WITH_EARLIER_SCHEMAS) return suggestedSchemas
  return suggestedSchemas.toSpliced(
    suggestedSchemas.findIndex(({ metadata }) => metadata.name === FOLLOWING),
    0,
    ...earlierSuggestedSchemas,
  )
}

const hasName = (objects: ObjectSet['levels'] | ObjectSet['schemas'], name: string): boolean =>
  objects.some(({ metadata }) => metadata.name === name)
