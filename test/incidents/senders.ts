import type { LoadClient, Plan } from '../cluster/load.ts'
import { around } from '../cluster/profiles.ts'

/** Namespaces that the requests are about. */
export const NAMESPACES = ['shop', 'catalog', 'team-a', 'team-b'] as const

/** Whoever sends: a user whom the administrator impersonates. */
export interface Who {
  readonly user: string
  readonly groups: readonly string[]
}

export const account = (namespace: string, name: string): Who => ({
  user: `system:serviceaccount:${namespace}:${name}`,
  groups: [],
})
/** In a group that may read and write what the load needs. */
export const person = (user: string): Who => ({ user, groups: ['devs'] })
export const master = (user: string): Who => ({ user, groups: ['system:masters'] })
export const component = (name: string): Who => ({ user: `system:kube-${name}`, groups: [] })
export const node = (name: string): Who => ({ user: `system:node:${name}`, groups: ['system:nodes'] })

/** How often, from when to when, and by how many workers. */
export type Pace = Omit<LoadClient, 'plan'>

interface Write {
  /** Median of the milliseconds for which a request occupies its seat. */
  readonly holdMs: number
  readonly namespace?: string
  /** Begins with an ampersand. */
  readonly query?: string
}

const client = (pace: Pace, plan: LoadClient['plan']): LoadClient => ({ ...pace, plan })

const creation = (
  who: Who,
  path: string,
  object: object,
  { holdMs, query = '' }: Pick<Write, 'holdMs' | 'query'>,
): Plan => ({
  ...who,
  path: `${path}?dryRun=All${query}`,
  method: 'POST',
  body: JSON.stringify(object),
  holdMs: around(holdMs),
  holdsOnceAsked: true,
})

const configMaps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`

/** Creations that keep a seat for a while; nothing is stored. */
export const writes = (who: Who, pace: Pace, { namespace = 'shop', ...how }: Write): LoadClient =>
  client(pace, (worker, turn) =>
    creation(
      who,
      configMaps(namespace),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `w-${worker}-${turn}` } },
      how,
    ),
  )

/** Reads of single objects. */
export const reads = (who: Who, pace: Pace): LoadClient =>
  client(pace, () => ({ ...who, path: `${configMaps('kube-system')}/extension-apiserver-authentication` }))

/** Lists of everything that is stored, or a page of `limit` of them. */
export const lists = (
  who: Who,
  pace: Pace,
  how: { readonly limit?: number; readonly unreadMs?: number } = {},
): LoadClient =>
  client(pace, () => ({
    ...who,
    path: configMaps('catalog') + (how.limit === undefined ? '' : `?limit=${how.limit}`),
    ...(how.unreadMs !== undefined && { unreadMs: how.unreadMs }),
  }))

/** Watches that want all objects first, of a client that takes a while to read them and then begins again. */
export const watches = (
  who: Who,
  pace: Pace,
  how: { readonly unreadMs: number; readonly hangUpMs: number },
): LoadClient =>
  client(pace, () => ({
    ...who,
    path: `${configMaps('catalog')}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    unreadMs: around(how.unreadMs),
    hangUpMs: around(how.hangUpMs),
  }))

/** Renewals of a lease: of a leader in `kube-system`, of a node in `kube-node-lease`. */
export const leases = (who: Who, pace: Pace, { namespace = 'kube-system', ...how }: Write): LoadClient =>
  client(pace, (worker, turn) =>
    creation(
      who,
      `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: `l-${worker}-${turn}`, namespace },
        spec: { holderIdentity: who.user },
      },
      how,
    ),
  )

/** What every cluster does all day: leaders, nodes, an operator, two people. */
export const everyday = (nodes = 3): readonly LoadClient[] => [
  leases(component('controller-manager'), { workers: 1, thinkMs: 2_000 }, { holdMs: 5 }),
  leases(component('scheduler'), { workers: 1, thinkMs: 2_000 }, { holdMs: 5 }),
  ...Array.from({ length: nodes }, (_, index) =>
    leases(node(`worker-${index + 1}`), { workers: 1, thinkMs: 3_000 }, { holdMs: 5, namespace: 'kube-node-lease' }),
  ),
  writes(account('kube-system', 'coredns-operator'), { workers: 1, thinkMs: 900 }, { holdMs: 40 }),
  reads(person('alice'), { workers: 1, thinkMs: 1_100 }),
  reads(person('bob'), { workers: 1, thinkMs: 1_400 }),
]
