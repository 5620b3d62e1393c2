import { knownResource } from '../../../core/classify/builtInResources.ts'
import type { EtcdUsage } from '../../../core/contract/etcd.ts'

/** Folders of etcd that have another name than the resource in them. */
const RESOURCES: Readonly<Record<string, string>> = { minions: 'nodes', controllers: 'replicationcontrollers' }
const MOST = 6

/**
 * Kubernetes resources whose keys are in use, the busiest first. An API server keeps the built-in ones in `/registry/RESOURCE/`;
 * what it keeps by API group is left out, as the prefixes of the traffic end there.
 */
export function resourcesOf(rates: readonly Pick<EtcdUsage, 'keys' | 'requests'>[]): readonly string[] {
  const requests = new Map<string, number>()
  for (const usage of rates) {
    const folder = /^\/registry\/([a-z]+)$/.exec(usage.keys)?.[1]
    if (folder === undefined) continue
    const resource = RESOURCES[folder] ?? folder
    // An API server keeps more than resources: addresses of its own, ranges of ports.
    if (knownResource(resource) === undefined) continue
    requests.set(resource, (requests.get(resource) ?? 0) + usage.requests)
  }
  return [...requests]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([resource]) => resource)
}
