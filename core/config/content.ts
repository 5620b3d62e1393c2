import type { Kind } from './objects.ts'
import { isJsonObject, type JsonObject } from './jsonValues.ts'

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

/**
 * Whether two specs mean the same to the API server (specification 1.4): `null`, an empty list and an absent one are the
 * same, and so is `false` (of `clusterScope`, which is left out then); the order of members does not count, that in lists
 * does. Fill in defaults first.
 */
export function specEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b)
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => specEquals(item, b[index]))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  return memberNames(a, b).every((key) => specEquals(ownMember(a, key), ownMember(b, key)))
}

/** A list without entries counts as absent; an object without members does not: `exempt: {}`. */
const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)

/** Names of the members of either of two objects. */
export const memberNames = (a: object, b: object): string[] => [
  ...Object.keys(a),
  ...Object.keys(b).filter((key) => !Object.hasOwn(a, key)),
]

/** A member that an object has itself, not one that it inherits. */
export const ownMember = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

/**
 * Remembers what objects said at the versions in which they were seen. The server writes the status of objects too,
 * which changes their version though nothing was edited: somebody who began from such a version has lost nothing.
 */
export interface ObjectVersions {
  see(object: JsonObject): void
  /** Whether that version of an object said the same as `present`; `false` too when it is not remembered. */
  saidTheSame(base: ObjectVersion, present: JsonObject): boolean
}

/** Those that are in force are held anyway; earlier ones are about 2 kB each. */
const MOST = 12_000

export function createObjectVersions(): ObjectVersions {
  const known = new Map<string, JsonObject>()
  return {
    see(object) {
      const version = versionOf(object)
      if (version === undefined) return
      known.set(keyOf(version), object)
      if (known.size <= MOST) return
      const [oldest] = known.keys()
      if (oldest !== undefined) known.delete(oldest)
    },
    saidTheSame(base, present) {
      const then = known.get(keyOf(base))
      return then !== undefined && sameContent(then, present)
    },
  }
}

const keyOf = ({ uid, resourceVersion }: ObjectVersion): string => `${uid}/${resourceVersion}`
