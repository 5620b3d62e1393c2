import { NAMESPACES, NODES } from './clusterParts.ts'
import { controlPlane, nodes } from './clusterSystem.ts'
import { others, tenants } from './clusterTenants.ts'
import { lognormal } from './distribution.ts'
import type { ServiceModel, Workload } from './workload.ts'

/** Comfortable up to 450 seats; a limit that lets 900 run makes everything six times slower. */
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

/**
 * The simulated cluster: a hundred nodes with what usually talks to an API server, and a crawler that lists everything.
 * It fits the default objects at 600 seats: all is quiet between the crawler's waves, and in them `workload-low` borrows
 * what it can, queues, and rejects.
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
