import type { User } from '../request/match.ts'
import { lognormal, uniform, exponential } from './random.ts'
import type { ServiceModel, Workload, CallKind, ClientGroup, Waves } from './workload.ts'
import { accountName, identityOf } from '../classify/identity.ts'

/** Nodes, and namespaces `app-0` and so on, of the simulated cluster. */
const NODES = 100
const NAMESPACES = 20

function serviceAccount(namespace: string, name: string): User {
  const user = accountName(namespace, name)
  return { name: user, groups: identityOf(user).groups }
}

const core = (path: string): string => `/api/v1/${path}`
const apps = (path: string): string => `/apis/apps/v1/${path}`
const namespaced = (path: string): string => `namespaces/app-{n:${NAMESPACES}}/${path}`
const lease = (namespace: string, name: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`

const call = (weight: number, method: string, target: string): CallKind => ({ weight, method, target })

const renewing = (name: string, user: User, namespace: string, holder: string): ClientGroup => ({
  name,
  clients: 1,
  user,
  behaviour: {
    kind: 'open',
    arrivals: { kind: 'regular', periodMs: 2_000, jitter: 0.1 },
    calls: [call(1, 'GET', lease(namespace, holder)), call(1, 'PUT', lease(namespace, holder))],
  },
})

const informers = (name: string, clients: number, user: User, targets: readonly string[]): ClientGroup => ({
  name,
  clients,
  user,
  behaviour: {
    kind: 'informer',
    targets,
    start: uniform(0, 20_000),
    watchLife: uniform(300_000, 600_000),
    relistChance: 0.02,
  },
})

/** Without slowdown up to 450 seats; a limit that allows 900 makes everything six times slower. */
const service: ServiceModel = {
  byVerb: {
    get: lognormal(4, 0.6),
    list: lognormal(900, 0.6),
    watch: lognormal(20, 0.5),
    create: lognormal(16, 0.6),
    update: lognormal(14, 0.6),
    patch: lognormal(16, 0.6),
    delete: lognormal(20, 0.6),
  },
  otherwise: lognormal(5, 0.6),
  bytesPerSecond: 8_000_000,
  capacity: [
    { seats: 450, slowdown: 1 },
    { seats: 600, slowdown: 2 },
    { seats: 900, slowdown: 6 },
  ],
}

/** Pods created by the hundred, sometimes while the crawler is at work. */
const ROLLOUT: Waves = { firstMs: 70_000, activeMs: 30_000, periodMs: 180_000 }

const component = (name: string): User => ({ name: `system:${name}`, groups: ['system:authenticated'] })
const NODE: User = { name: 'system:node:node-{i}', groups: ['system:nodes', 'system:authenticated'] }
const SERVER_ITSELF: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] }
const slices = (path: string): string => `/apis/discovery.k8s.io/v1/${path}`

const controller = (name: string, threads: number, calls: readonly CallKind[]): ClientGroup => ({
  name,
  clients: 1,
  user: serviceAccount('kube-system', name),
  behaviour: { kind: 'closed', threads, think: exponential(300), calls },
})

/** Nodes: leases, status, and their watches. */
const nodes: readonly ClientGroup[] = [
  {
    name: 'node leases',
    clients: NODES,
    user: NODE,
    behaviour: {
      kind: 'open',
      arrivals: { kind: 'regular', periodMs: 10_000, jitter: 0.2 },
      calls: [call(1, 'PUT', lease('kube-node-lease', 'node-{i}'))],
    },
  },
  {
    name: 'node status',
    clients: NODES,
    user: NODE,
    behaviour: {
      kind: 'open',
      arrivals: { kind: 'poisson', perSecond: 0.2 },
      calls: [
        call(1, 'PATCH', core('nodes/node-{i}/status')),
        call(4, 'PATCH', core(namespaced('pods/pod-{i}/status'))),
        call(2, 'GET', core(namespaced('pods/pod-{i}'))),
        call(2, 'POST', core(namespaced('events'))),
      ],
    },
  },
  informers('node informers', NODES, NODE, [
    core('pods?fieldSelector=spec.nodeName%3Dnode-{i}'),
    core('nodes?fieldSelector=metadata.name%3Dnode-{i}'),
    core('services'),
  ]),
  informers('kube-proxy', NODES, serviceAccount('kube-system', 'kube-proxy'), [slices('endpointslices')]),
]

const WATCHED_BY_CONTROLLERS = [
  ...['pods', 'nodes', 'services', 'namespaces', 'secrets', 'configmaps', 'serviceaccounts'].map(core),
  ...['deployments', 'replicasets', 'statefulsets', 'daemonsets'].map(apps),
  slices('endpointslices'),
  '/apis/batch/v1/jobs',
  '/apis/coordination.k8s.io/v1/leases',
]

/** Controllers, scheduler, leader election, and the server's own watches. */
const controlPlane: readonly ClientGroup[] = [
  informers('controller manager informers', 1, component('kube-controller-manager'), WATCHED_BY_CONTROLLERS),
  informers('scheduler informers', 1, component('kube-scheduler'), [core('pods'), core('nodes'), core('services')]),
  informers('server informers', 1, SERVER_ITSELF, [core('namespaces'), core('secrets'), core('serviceaccounts')]),
  renewing('controller manager lease', component('kube-controller-manager'), 'kube-system', 'kube-controller-manager'),
  renewing('scheduler lease', component('kube-scheduler'), 'kube-system', 'kube-scheduler'),
  {
    name: 'controller manager',
    clients: 1,
    user: component('kube-controller-manager'),
    behaviour: {
      kind: 'open',
      arrivals: { kind: 'poisson', perSecond: 12 },
      calls: [
        call(2, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews'),
        call(3, 'PUT', core(namespaced('resourcequotas/quota/status'))),
        call(2, 'GET', core(namespaced('serviceaccounts/default'))),
      ],
    },
  },
  {
    name: 'scheduler',
    clients: 1,
    user: component('kube-scheduler'),
    behaviour: {
      kind: 'open',
      arrivals: { kind: 'bursts', waves: { firstMs: 4_000, periodMs: 12_000 }, count: 60, spreadMs: 3_000 },
      calls: [
        call(2, 'POST', core(namespaced('pods/pod/binding'))),
        call(1, 'PATCH', core(namespaced('pods/pod/status'))),
        call(2, 'POST', core(namespaced('events'))),
      ],
    },
  },
  controller('deployment-controller', 5, [
    call(3, 'PUT', apps(namespaced('deployments/web/status'))),
    call(1, 'PUT', apps(namespaced('replicasets/web'))),
  ]),
  controller('replicaset-controller', 5, [
    call(2, 'POST', core(namespaced('pods'))),
    call(2, 'PUT', apps(namespaced('replicasets/web/status'))),
    call(1, 'DELETE', core(namespaced('pods/pod'))),
  ]),
  {
    name: 'rollouts',
    clients: 6,
    user: serviceAccount('kube-system', 'job-controller'),
    behaviour: {
      kind: 'closed',
      threads: 30,
      think: exponential(100),
      waves: ROLLOUT,
      calls: [{ ...call(1, 'POST', core(namespaced('pods'))), execution: lognormal(300, 0.4) }],
    },
  },
  controller('endpointslice-controller', 2, [call(1, 'PUT', slices(namespaced('endpointslices/web')))]),
  controller('generic-garbage-collector', 4, [
    call(3, 'GET', core(namespaced('pods/pod'))),
    call(1, 'DELETE', core(namespaced('pods/pod'))),
  ]),
]

const TENANTS = 12

/** Begins 15 s before the end of the ten minutes of history that a console shows first. */
const CRAWL: Waves = { firstMs: 25_000, activeMs: 55_000, periodMs: 140_000 }

const HUMAN: User = { name: 'person-{i}@example.com', groups: ['developers', 'system:authenticated'] }
const ADMINISTRATOR: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
const ANYBODY: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Service accounts: operators, CI, and the crawler. */
const tenants: readonly ClientGroup[] = [
  renewing('operator leases', serviceAccount('app-0', 'operator'), 'app-0', 'operator'),
  {
    name: 'operators',
    clients: TENANTS,
    user: serviceAccount('app-{i}', 'operator'),
    behaviour: {
      kind: 'closed',
      threads: 4,
      think: exponential(600),
      calls: [
        call(6, 'GET', core('namespaces/app-{i}/configmaps/settings')),
        call(3, 'GET', core('namespaces/app-{i}/pods')),
        call(3, 'PATCH', apps('namespaces/app-{i}/statefulsets/database/status')),
        call(1, 'POST', core('namespaces/app-{i}/events')),
      ],
    },
  },
  informers('operator informers', TENANTS, serviceAccount('app-{i}', 'operator'), [
    core('namespaces/app-{i}/pods'),
    apps('namespaces/app-{i}/statefulsets'),
  ]),
  {
    name: 'deployments by CI',
    clients: 1,
    user: serviceAccount('ci', 'deployer'),
    behaviour: {
      kind: 'open',
      arrivals: { kind: 'bursts', waves: { firstMs: 10_000, periodMs: 45_000 }, count: 200, spreadMs: 2_500 },
      calls: [
        call(2, 'PATCH', apps(namespaced('deployments/web'))),
        call(1, 'PATCH', core(namespaced('configmaps/settings'))),
        call(1, 'GET', apps(namespaced('deployments/web'))),
      ],
    },
  },
  informers('monitoring', 1, serviceAccount('monitoring', 'prometheus'), [
    core('pods'),
    core('services'),
    core('nodes'),
  ]),
  {
    // More threads than a hand of full queues and the seats next to them can hold: they are rejected with queue-full.
    name: 'crawler',
    clients: 1,
    user: serviceAccount('inventory', 'crawler'),
    behaviour: {
      kind: 'closed',
      threads: 560,
      think: exponential(200),
      waves: CRAWL,
      calls: [
        call(4, 'GET', core('pods?limit=50')),
        call(2, 'GET', core('configmaps?limit=50')),
        call(1, 'GET', core('secrets?limit=50')),
        call(2, 'GET', core(`${namespaced('pods')}?limit=50`)),
      ],
    },
  },
]

/** People and probes. */
const others: readonly ClientGroup[] = [
  {
    name: 'people',
    clients: 15,
    user: HUMAN,
    behaviour: {
      kind: 'closed',
      threads: 2,
      think: uniform(1_000, 6_000),
      calls: [
        call(4, 'GET', core(`${namespaced('pods')}?limit=50`)),
        call(1, 'GET', core('pods?limit=500')),
        call(2, 'GET', apps(namespaced('deployments/web'))),
        call(1, 'GET', core(namespaced('pods/pod/log'))),
        call(1, 'GET', '/apis'),
      ],
    },
  },
  {
    name: 'administrator',
    clients: 1,
    user: ADMINISTRATOR,
    behaviour: {
      kind: 'open',
      arrivals: { kind: 'poisson', perSecond: 1.5 },
      calls: [call(2, 'GET', core('nodes')), call(1, 'GET', core(namespaced('pods')))],
    },
  },
  {
    name: 'probes',
    clients: 3,
    user: ANYBODY,
    behaviour: {
      kind: 'open',
      arrivals: { kind: 'regular', periodMs: 5_000, jitter: 0.1 },
      calls: [call(1, 'GET', '/livez'), call(1, 'GET', '/readyz')],
    },
  },
]

/**
 * The simulated cluster: a hundred nodes with the usual clients of an API server, and a crawler that lists everything.
 * It fits the default objects at 600 seats: between the crawler's waves nothing waits, and during them `workload-low`
 * borrows as much as it can, queues, and rejects.
 */
export const CLUSTER: Workload = {
  namespaces: NAMESPACES,
  objects: [
    { key: 'pods', count: 3_000, averageSize: 4_200 },
    { key: 'nodes', count: NODES, averageSize: 9_000 },
    { key: 'services', count: 240, averageSize: 1_500 },
    { key: 'namespaces', count: NAMESPACES + 10, averageSize: 600 },
    { key: 'secrets', count: 1_800, averageSize: 3_000 },
    { key: 'configmaps', count: 1_200, averageSize: 3_500 },
    { key: 'serviceaccounts', count: 260, averageSize: 700 },
    { key: 'events', count: 9_000, averageSize: 900 },
    { key: 'deployments.apps', count: 400, averageSize: 3_800 },
    { key: 'replicasets.apps', count: 1_600, averageSize: 3_200 },
    { key: 'statefulsets.apps', count: 60, averageSize: 3_500 },
    { key: 'daemonsets.apps', count: 12, averageSize: 3_500 },
    { key: 'endpointslices.discovery.k8s.io', count: 260, averageSize: 2_600 },
    { key: 'jobs.batch', count: 80, averageSize: 2_500 },
    { key: 'leases.coordination.k8s.io', count: NODES + 14, averageSize: 500 },
  ],
  service,
  groups: [...nodes, ...controlPlane, ...tenants, ...others],
}
