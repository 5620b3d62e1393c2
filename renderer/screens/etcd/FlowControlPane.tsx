import type { EtcdState, EtcdUsage } from '../../../core/contract/etcd.ts'
import type { Connected } from '../../../core/contract/source.ts'
import { Button } from '../../components/Button.tsx'
import { Pane } from '../../components/Pane.tsx'
import { showConnection, useConnection } from '../../state/connection.ts'
import { openRequestText } from '../../state/request.ts'
import { openLive } from '../../state/route.ts'
import styles from './etcd.module.css'
import { knownResource } from '../../../core/classify/builtInResources.ts'

/** Where to see the requests of an API server on the same keys with their level and schema, if one is connected too. */
export function FlowControlPane({ rates }: Pick<EtcdState, 'rates'>) {
  const { connections } = useConnection()
  const servers = connections.filter(({ etcd }) => etcd !== true)
  const resources = resourcesOf(rates)
  if (servers.length === 0 || resources.length === 0) return null
  return (
    <Pane title="Flow control" note="level and schema of the same requests">
      {servers.map((server) => (
        <div key={server.id} className="pad-x pad-b-12">
          <p className={styles['small']}>
            {server.source.name}
            {server.requests !== true && ', for a list of all'}
          </p>
          <div className={styles['links']}>
            {resources.map((resource) => (
              <Button key={resource} onClick={() => open(server, resource)}>
                {resource}
              </Button>
            ))}
          </div>
        </div>
      ))}
    </Pane>
  )
}

function open({ id, requests }: Connected, resource: string): void {
  showConnection(id)
  if (requests === true) openLive(`resource:${resource}`)
  else openRequestText(`kubectl get ${resource} -A`)
}

/** Directories in etcd whose name differs from that of their resource. */
const RESOURCES: Readonly<Record<string, string>> = { minions: 'nodes', controllers: 'replicationcontrollers' }
const MOST_RESOURCES = 6

/**
 * Kubernetes resources whose keys are in use, the busiest first. An API server stores the built-in ones in
 * `/registry/RESOURCE/`; keys stored by API group are left out, because the prefixes of the traffic end there.
 */
export function resourcesOf(rates: readonly Pick<EtcdUsage, 'keys' | 'requests'>[]): readonly string[] {
  const requests = new Map<string, number>()
  for (const usage of rates) {
    const folder = /^\/registry\/([a-z]+)$/.exec(usage.keys)?.[1]
    if (folder === undefined) continue
    const resource = RESOURCES[folder] ?? folder
    // An API server stores more than resources: its own addresses, ranges of ports.
    if (knownResource(resource) === undefined) continue
    requests.set(resource, (requests.get(resource) ?? 0) + usage.requests)
  }
  return [...requests]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_RESOURCES)
    .map(([resource]) => resource)
}
