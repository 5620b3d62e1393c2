import type { User } from '../request/match.ts'
import { apps, call, core, informers, lease, namespaced, NODES, renewing, serviceAccount } from './clusterParts.ts'
import { exponential, lognormal } from './distribution.ts'
import type { CallKind, ClientGroup, Waves } from './workload.ts'

/** Pods made by the hundred, at times while the crawler is at work. */
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

/** Nodes: leases, status, and what each of them watches. */
export const nodes: readonly ClientGroup[] = [
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
export const controlPlane: readonly ClientGroup[] = [
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
