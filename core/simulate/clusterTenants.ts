import type { User } from '../request/match.ts'
import { apps, call, core, informers, namespaced, renewing, serviceAccount } from './clusterParts.ts'
import { exponential, uniform } from './distribution.ts'
import type { ClientGroup, Waves } from './workload.ts'

const TENANTS = 12

/** Begins 15 s before the ten minutes of history end that a console sees first. */
const CRAWL: Waves = { firstMs: 25_000, activeMs: 55_000, periodMs: 140_000 }

const HUMAN: User = { name: 'person-{i}@example.com', groups: ['developers', 'system:authenticated'] }
const ADMINISTRATOR: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] }
const ANYBODY: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/** Service accounts: operators, CI, and the crawler. */
export const tenants: readonly ClientGroup[] = [
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
    // More threads than a hand of full queues and the seats beside them hold: it is answered queue-full.
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
export const others: readonly ClientGroup[] = [
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
