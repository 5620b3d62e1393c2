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
} from './objects.ts'

/**
 * The objects that an API server makes by itself (specification 10). Mandatory ones are imagined by the engine when they
 * are missing; suggested ones are only created.
 */
const metadata = (name: string) => ({ name, annotations: { [AUTOUPDATE_ANNOTATION]: 'true' } })

const level = (name: string, spec: PriorityLevelSpec): PriorityLevelConfiguration => ({
  metadata: metadata(name),
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

const group = (name: string): Subject => ({ kind: 'Group', group: { name } })
const user = (name: string): Subject => ({ kind: 'User', user: { name } })
const serviceAccounts = (namespace: string, name = '*'): Subject => ({
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

const schema = (
  name: string,
  matchingPrecedence: number,
  levelName: string,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  rules: PolicyRules,
): FlowSchema => ({
  metadata: metadata(name),
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence,
    ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
    rules: [rules],
  },
})

export const mandatorySchemas: readonly FlowSchema[] = [
  schema(EXEMPT, 1, EXEMPT, undefined, everything([group('system:masters')])),
  schema(CATCH_ALL, 10_000, CATCH_ALL, 'ByUser', everything(EVERYBODY)),
]

export const suggestedSchemas: readonly FlowSchema[] = [
  schema('system-nodes', 500, 'system', 'ByUser', everything([group('system:nodes')])),
  schema('system-node-high', 400, 'node-high', 'ByUser', {
    subjects: [group('system:nodes')],
    resourceRules: [
      resources([''], ['nodes', 'nodes/status'], ['*'], true),
      resources(['coordination.k8s.io'], ['leases'], ['*'], false),
    ],
  }),
  schema('probes', 2, EXEMPT, undefined, {
    subjects: EVERYBODY,
    nonResourceRules: [nonResources(['get'], ['/healthz', '/readyz', '/livez'])],
  }),
  schema('system-leader-election', 100, 'leader-election', 'ByUser', {
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), serviceAccounts('kube-system')],
    resourceRules: [resources(['coordination.k8s.io'], ['leases'], ['get', 'create', 'update'], false)],
  }),
  schema(
    'kube-controller-manager',
    800,
    'workload-high',
    'ByNamespace',
    everything([user('system:kube-controller-manager')]),
  ),
  schema('kube-scheduler', 800, 'workload-high', 'ByNamespace', everything([user('system:kube-scheduler')])),
  schema(
    'kube-system-service-accounts',
    900,
    'workload-high',
    'ByNamespace',
    everything([serviceAccounts('kube-system')]),
  ),
  schema('service-accounts', 9_000, 'workload-low', 'ByUser', everything([group('system:serviceaccounts')])),
  schema('global-default', 9_900, 'global-default', 'ByUser', everything(EVERYBODY)),
]

/** What releases up to 1.33 had besides (specification 10.3), for leader elections on endpoints and configmaps. */
export const earlierSuggestedSchemas: readonly FlowSchema[] = [
  schema('workload-leader-election', 200, 'leader-election', 'ByUser', {
    subjects: [serviceAccounts('kube-system')],
    resourceRules: [
      resources([''], ['endpoints', 'configmaps'], ['get', 'create', 'update'], false),
      resources(['coordination.k8s.io'], ['leases'], ['get', 'create', 'update'], false),
    ],
  }),
  schema('endpoint-controller', 150, 'workload-high', 'ByUser', {
    subjects: [
      user('system:kube-controller-manager'),
      serviceAccounts('kube-system', 'endpoint-controller'),
      serviceAccounts('kube-system', 'endpointslicemirroring-controller'),
    ],
    resourceRules: [resources([''], ['endpoints'], ['get', 'create', 'update'], false)],
  }),
]
