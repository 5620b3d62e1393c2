import type { SimulatedApiServer } from '../ports/source.ts'
import { objectsByName, type Plural } from './answers.ts'

/**
 * Tells what changes of one kind from now on, as events of a watch. From another version than the present one a watch
 * cannot begin: as on a server that has forgotten it, the list is to be read anew (410).
 */
export function watchKind(
  server: SimulatedApiServer,
  plural: Plural,
  resourceVersion: string | null,
  tell: (event: object) => void,
  signal: AbortSignal,
): void {
  if (resourceVersion !== null && resourceVersion !== server.objects.resourceVersion) {
    tell({
      type: 'ERROR',
      object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410 },
    })
    return
  }
  let known = objectsByName(server, plural)
  const compare = (): void => {
    const now = objectsByName(server, plural)
    for (const [name, object] of now) {
      const before = known.get(name)
      if (before === undefined) tell({ type: 'ADDED', object })
      else if (before.metadata.resourceVersion !== object.metadata.resourceVersion) tell({ type: 'MODIFIED', object })
    }
    for (const [name, object] of known) {
      if (!now.has(name)) {
        const metadata = { ...object.metadata, resourceVersion: server.objects.resourceVersion }
        tell({ type: 'DELETED', object: { ...object, metadata } })
      }
    }
    known = now
    // What changed of the other kind counts too: the version is one for both.
    tell({ type: 'BOOKMARK', object: { metadata: { resourceVersion: server.objects.resourceVersion } } })
  }
  server.onObjects(compare, signal)
}
