import fc from 'fast-check'

/** A user whom an administrator impersonates, with the requested groups. */
export interface Sender {
  readonly user: string
  readonly groups: readonly string[]
}

const NAMESPACES = ['ci', 'batch', 'kube-system', 'tenant-a'] as const
const USERS = ['alice', 'bob', 'system:kube-scheduler', 'system:node:n7', 'system:anonymous'] as const
const GROUPS = ['devs', 'ops', 'system:nodes', 'system:masters', 'system:authenticated'] as const
const RESOURCES = [
  'pods',
  'pods/status',
  'configmaps',
  'nodes',
  'namespaces',
  'deployments',
  'deployments/scale',
  'leases',
] as const
const API_GROUPS = ['', 'apps', 'coordination.k8s.io', 'example.com'] as const
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const
const URLS = ['/healthz', '/healthz/*', '/livez', '/version', '/apis/*', '/api', '/metrics', '/'] as const

const namespace = fc.constantFrom(...NAMESPACES)
const accountName = fc.constantFrom('builder', 'web')

export const sender: fc.Arbitrary<Sender> = fc.oneof(
  fc.record({ user: fc.constantFrom(...USERS), groups: fc.subarray(['devs', 'ops', 'system:nodes']) }),
  fc
    .tuple(namespace, accountName)
    .map(([where, name]) => ({ user: `system:serviceaccount:${where}:${name}`, groups: [] })),
  fc.record({ user: fc.constant('alice'), groups: fc.constant(['system:masters']) }),
)

/** Either everything, or some of the names. */
const some = (names: readonly string[]): fc.Arbitrary<readonly string[]> =>
  fc.oneof(fc.constant(['*']), fc.subarray([...names], { minLength: 1, maxLength: Math.min(4, names.length) }))

const subject = fc.oneof(
  fc.constantFrom('*', ...USERS).map((name) => ({ kind: 'User', user: { name } })),
  fc.constantFrom(...GROUPS).map((name) => ({ kind: 'Group', group: { name } })),
  fc
    .tuple(namespace, fc.oneof(fc.constant('*'), accountName))
    .map(([where, name]) => ({ kind: 'ServiceAccount', serviceAccount: { namespace: where, name } })),
)
const scope = fc.oneof(
  fc.record({ clusterScope: fc.constant(true), namespaces: fc.constant<readonly string[]>([]) }),
  fc.record({ clusterScope: fc.boolean(), namespaces: some(NAMESPACES) }),
)
const resourceRule = fc
  .tuple(some(VERBS), some(API_GROUPS), some(RESOURCES), scope)
  .map(([verbs, apiGroups, resources, where]) => ({ verbs, apiGroups, resources, ...where }))
const nonResourceRule = fc.record({ verbs: some(['get', 'delete', 'patch']), nonResourceURLs: some(URLS) })
const rule = fc
  .record({
    subjects: fc.array(subject, { minLength: 1, maxLength: 3 }),
    resourceRules: fc.array(resourceRule, { maxLength: 2 }),
    nonResourceRules: fc.array(nonResourceRule, { maxLength: 2 }),
  })
  .filter(({ resourceRules, nonResourceRules }) => resourceRules.length + nonResourceRules.length > 0)

/** Valid schemas without a name, on built-in levels and on one that does not exist, before global-default. */
export const flowSchemaManifest = fc
  .record({
    matchingPrecedence: fc.integer({ min: 2, max: 9_500 }),
    level: fc.constantFrom('workload-low', 'workload-high', 'global-default', 'system', 'catch-all', 'gone'),
    method: fc.constantFrom('ByUser', 'ByNamespace', undefined),
    rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
  })
  .map(({ matchingPrecedence, level, method, rules }) => ({
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    spec: {
      matchingPrecedence,
      priorityLevelConfiguration: { name: level },
      ...(method !== undefined && { distinguisherMethod: { type: method } }),
      rules,
    },
  }))

const place = fc.oneof(
  fc.constant(''),
  namespace.map((name) => `namespaces/${name}/`),
)
const reading = fc.oneof(
  place.map((where) => `/api/v1/${where}pods?limit=5`),
  place.map((where) => `/apis/apps/v1/${where}deployments?labelSelector=a%3Db`),
  place.map((where) => `/api/v1/${where}configmaps?watch=1&timeoutSeconds=1`),
  namespace.map((name) => `/api/v1/namespaces/${name}/pods/none/status`),
  namespace.map((name) => `/api/v1/namespaces/${name}`),
  namespace.map((name) => `/apis/apps/v1/namespaces/${name}/deployments/none/scale`),
  fc.constantFrom(
    '/api/v1/nodes?fieldSelector=metadata.name%3Dn1',
    '/api/v1/nodes/n1',
    '/api/v1/namespaces',
    '/apis/example.com/v1/widgets',
    '/apis/coordination.k8s.io/v1/leases',
    '/healthz',
    '/healthz/etcd',
    '/livez/ping',
    '/version',
    '/apis/apps/v1',
    '/api',
    '/metrics/slis',
    '/nothing/here?a=b',
    '/api//v1/pods/',
  ),
)
const DRY = 'dryRun=All'
const writing = fc.oneof(
  fc.tuple(
    fc.constant('POST'),
    namespace.map((name) => `/api/v1/namespaces/${name}/configmaps?${DRY}`),
  ),
  fc.tuple(
    fc.constantFrom('PUT', 'PATCH', 'DELETE'),
    namespace.map((name) => `/api/v1/namespaces/${name}/pods/none?${DRY}`),
  ),
  fc.tuple(
    fc.constantFrom('PATCH', 'PUT'),
    namespace.map((name) => `/apis/apps/v1/namespaces/${name}/deployments/none/scale?${DRY}`),
  ),
  fc.tuple(
    fc.constant('DELETE'),
    namespace.map((name) => `/api/v1/namespaces/${name}/configmaps?${DRY}`),
  ),
  fc.tuple(
    fc.constant('POST'),
    namespace.map((name) => `/apis/coordination.k8s.io/v1/namespaces/${name}/leases?${DRY}`),
  ),
  fc.tuple(fc.constantFrom('PATCH', 'DELETE'), fc.constant(`/api/v1/nodes/none?${DRY}`)),
)

/** Method and address; requests that would change something are dry runs. */
export const requestLine: fc.Arbitrary<readonly [method: string, url: string]> = fc.oneof(
  fc.tuple(fc.constantFrom('GET', 'GET', 'GET', 'HEAD'), reading),
  writing,
)
