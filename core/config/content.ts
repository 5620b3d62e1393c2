import { specEquals } from './equality.ts'
import { isJsonObject, type JsonObject } from './jsonValues.ts'
import type { Kind } from './objects.ts'

export const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1'

/** Where `kubectl apply` notes what it applied last. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object of the group, of whatever shape its parts are. */
export interface ObjectLike {
  readonly metadata?: unknown
  readonly spec?: unknown
}

/** Metadata that people and their tools write; the server keeps the rest by itself. */
const WRITTEN = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** An object as a manifest: what people wrote of it, without what the server keeps by itself. */
export function manifestOf(kind: Kind, object: ObjectLike): JsonObject {
  const metadata = metadataOf(object)
  const written = WRITTEN.flatMap((key) => (isEmpty(metadata[key]) ? [] : [[key, metadata[key]] as const]))
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: { name: metadata['name'], ...Object.fromEntries(written) },
    ...(object.spec !== undefined && { spec: object.spec }),
  }
}

/** An object as the server has it, for people: with its kind, without the sets of owned fields. */
export function shownObject(kind: Kind, object: JsonObject): JsonObject {
  const { managedFields: _managed, ...metadata } = metadataOf(object)
  return { ...object, apiVersion: API_VERSION, kind, metadata }
}

/** Whether two objects say the same, each with its defaults: labels, annotations, finalizers, owners and spec. */
export function sameContent(a: ObjectLike, b: ObjectLike): boolean {
  const [ours, theirs] = [metadataOf(a), metadataOf(b)]
  const sameMetadata = WRITTEN.every((key) => specEquals(filled(ours[key]), filled(theirs[key])))
  return sameMetadata && specEquals(a.spec, b.spec)
}

const metadataOf = ({ metadata }: ObjectLike): JsonObject => (isJsonObject(metadata) ? metadata : {})

/** Of labels and annotations an empty map is none. */
const filled = (value: unknown): unknown => (isEmpty(value) ? undefined : value)

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0)

/** Without members that are `null`, at any depth: the API gives them where it means absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]))
}

/** Which object, and which version of it. */
export interface ObjectVersion {
  readonly uid: string
  readonly resourceVersion: string
}

/** `undefined` for an object that no server keeps. */
export function versionOf({ metadata }: ObjectLike): ObjectVersion | undefined {
  if (!isJsonObject(metadata)) return undefined
  const { uid, resourceVersion } = metadata
  return typeof uid === 'string' && typeof resourceVersion === 'string' ? { uid, resourceVersion } : undefined
}
