import type { User } from '../request/match.ts'
import { uniform } from './distribution.ts'
import type { CallKind, ClientGroup } from './workload.ts'

/** Nodes, and namespaces `app-0` and so on, of the simulated cluster. */
export const NODES = 100
export const NAMESPACES = 20

export const serviceAccount = (namespace: string, name: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
})

export const core = (path: string): string => `/api/v1/${path}`
export const apps = (path: string): string => `/apis/apps/v1/${path}`
export const namespaced = (path: string): string => `namespaces/app-{n:${NAMESPACES}}/${path}`
export const lease = (namespace: string, name: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`

export const call = (weight: number, method: string, target: string): CallKind => ({ weight, method, target })

export const renewing = (name: string, user: User, namespace: string, holder: string): ClientGroup => ({
  name,
  clients: 1,
  user,
  behaviour: {
    kind: 'open',
    arrivals: { kind: 'regular', periodMs: 2_000, jitter: 0.1 },
    calls: [call(1, 'GET', lease(namespace, holder)), call(1, 'PUT', lease(namespace, holder))],
  },
})

export const informers = (name: string, clients: number, user: User, targets: readonly string[]): ClientGroup => ({
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
