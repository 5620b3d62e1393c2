import { API_VERSION } from '../../core/config/content.ts'
import { isJsonObject, type JsonObject } from '../../core/config/jsonValues.ts'
import type { Kind } from '../../core/config/objects.ts'
import type { Cluster } from './cluster.ts'
import { ADMIN } from './identities.ts'

const PLURAL = { FlowSchema: 'flowschemas', PriorityLevelConfiguration: 'prioritylevelconfigurations' } as const

export const LEVEL = 'PriorityLevelConfiguration'

/** The spec of a level that rejects when it is full. */
export const limited = (shares: number, more: object = {}): JsonObject => ({
  type: 'Limited',
  limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' }, ...more },
})

export const level = (name: string, spec: JsonObject, metadata: object = {}): JsonObject => ({
  apiVersion: API_VERSION,
  kind: LEVEL,
  metadata: { name, ...metadata },
  spec,
})

/** The flow-control objects of a cluster, past the console: what others read and write. */
export interface FlowControl {
  readonly read: (kind: Kind, name: string) => Promise<JsonObject | undefined>
  /** Server-side apply by another manager, as `kubectl apply --server-side --force-conflicts` does. */
  readonly applyAs: (manager: string, object: JsonObject) => Promise<JsonObject>
  readonly remove: (kind: Kind, name: string) => Promise<unknown>
}

export function flowControl(cluster: () => Cluster): FlowControl {
  const path = (kind: Kind, name: string): string => `/apis/${API_VERSION}/${PLURAL[kind]}/${name}`
  const objectIn = ({ status, body }: { readonly status: number; readonly body: string }): JsonObject => {
    const object: unknown = status > 299 ? undefined : JSON.parse(body)
    if (!isJsonObject(object)) throw new Error(`${status} ${body}`)
    return object
  }
  return {
    async read(kind, name) {
      const answer = await cluster().call(path(kind, name), ADMIN)
      return answer.status === 404 ? undefined : objectIn(answer)
    },
    async applyAs(manager, object) {
      const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {}
      const kind = object['kind'] === LEVEL ? LEVEL : 'FlowSchema'
      const query = `fieldManager=${manager}&force=true`
      const call = { method: 'PATCH', body: JSON.stringify(object), contentType: 'application/apply-patch+yaml' }
      return objectIn(await cluster().call(`${path(kind, String(metadata['name']))}?${query}`, ADMIN, call))
    },
    remove: (kind, name) => cluster().call(path(kind, name), ADMIN, { method: 'DELETE' }),
  }
}
