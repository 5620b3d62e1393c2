import { LAST_APPLIED, manifestOf, withoutNulls } from '../config/content.ts'
import type { Kind } from '../config/objects.ts'
import { emitFlow, emitLines } from './emit.ts'
import { isMap, toJson, type Json, type JsonMap } from './json.ts'

/** Any FlowSchema or PriorityLevelConfiguration, as the API or a manifest has it. */
export interface WritableObject {
  readonly metadata?: unknown
  readonly spec?: unknown
}

/** The annotation that kubectl keeps for itself. */

/**
 * One object as YAML for people and for `kubectl apply`: apiVersion v1, kind, the metadata that people write, spec; members
 * in the order of the API. What the server keeps by itself (uid, resourceVersion, managedFields, status …) is left out.
 */
export function writeManifest(kind: Kind, object: WritableObject): string {
  return writeYaml(cleanManifest(kind, object))
}

/** Several objects as one text of several documents. */
export function writeManifests(objects: readonly { readonly kind: Kind; readonly object: WritableObject }[]): string {
  return objects.map(({ kind, object }) => writeManifest(kind, object)).join('---\n')
}

/** What of an object goes into a manifest, in the order of the API. */
export function cleanManifest(kind: Kind, object: WritableObject): JsonMap {
  const manifest = toJson(withoutNulls(manifestOf(kind, object)))
  const metadata = isMap(manifest) ? (manifest['metadata'] ?? {}) : {}
  if (!isMap(manifest) || !isMap(metadata)) return {}
  const { annotations = {}, ...others } = metadata
  const own = Object.entries(isMap(annotations) ? annotations : {}).filter(([key]) => key !== LAST_APPLIED)
  return { ...manifest, metadata: { ...others, ...(own.length > 0 && { annotations: Object.fromEntries(own) }) } }
}

/** A JSON value as a YAML document. */
export function writeYaml(value: Json): string {
  return `${(emitLines(value) ?? [emitFlow(value)]).join('\n')}\n`
}
