import { byCodeUnits } from '../text/text.ts'
import {
  type Kind,
  defaultFlowSchema,
  defaultLevel,
  type FlowSchema,
  type ObjectMeta,
  type ObjectSet,
  type PriorityLevelConfiguration,
} from './objects.ts'
import { isJsonObject, type JsonObject } from './jsonValues.ts'
import { entry, member } from './finding.ts'

export const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1'

/** The annotation in which `kubectl apply` records what it applied last. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object of the group with unvalidated parts. */
export interface ObjectLike {
  readonly metadata?: unknown
  readonly spec?: unknown
}

/** Metadata written by people and their tools; the rest is maintained by the server. */
const WRITTEN = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** An object as a manifest: the part that people wrote, without fields that the server maintains. */
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

/** An object as stored by the server, for display: with its kind, without the sets of owned fields. */
export function shownObject(kind: Kind, object: JsonObject): JsonObject {
  const { managedFields: _managed, ...metadata } = metadataOf(object)
  return { ...object, apiVersion: API_VERSION, kind, metadata }
}

/**
 * Whether two objects have the same content, each with its defaults: labels, annotations, finalizers, owners and spec.
 */
export function sameContent(a: ObjectLike, b: ObjectLike): boolean {
  const [ours, theirs] = [metadataOf(a), metadataOf(b)]
  const sameMetadata = WRITTEN.every((key) => specEquals(filled(ours[key]), filled(theirs[key])))
  return sameMetadata && specEquals(a.spec, b.spec)
}

const metadataOf = ({ metadata }: ObjectLike): JsonObject => (isJsonObject(metadata) ? metadata : {})

/** An empty map of labels or annotations counts as absent. */
const filled = (value: unknown): unknown => (isEmpty(value) ? undefined : value)

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0)

/** Without members that are `null`, at any depth: the API returns them where it means absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined)
  return Object.fromEntries(members.map(([key, inner]) => [key, withoutNulls(inner)]))
}

/** Identifies an object and its version. */
export interface ObjectVersion {
  readonly uid: string
  readonly resourceVersion: string
}

/** `undefined` for an object that no server stores. */
export function versionOf({ metadata }: ObjectLike): ObjectVersion | undefined {
  if (!isJsonObject(metadata)) return undefined
  const { uid, resourceVersion } = metadata
  return typeof uid === 'string' && typeof resourceVersion === 'string' ? { uid, resourceVersion } : undefined
}

/**
 * Whether two specs are equivalent to the API server (specification 1.4): `null`, an empty list and an absent one are
 * the same, and so is `false` (of `clusterScope`, which is left out then); the order of members does not count, that in
 * lists does. Fill in defaults first.
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

const memberNames = (a: object, b: object): string[] => [
  ...Object.keys(a),
  ...Object.keys(b).filter((key) => !Object.hasOwn(a, key)),
]

const ownMember = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

/**
 * Remembers the content of objects at the versions in which they were seen. The server also writes the status of
 * objects, which changes their version without an edit: an edit that started from such a version is not outdated.
 */
export interface ObjectVersions {
  see(object: JsonObject): void
  /** Whether that version of an object had the same content as `present`; also `false` when it is not remembered. */
  saidTheSame(base: ObjectVersion, present: JsonObject): boolean
}

/** The current ones are stored anyway; earlier ones are about 2 kB each. */
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

/** One field that differs; `undefined` where it is absent. A list whose length changed is one field. */
export interface FieldChange {
  /** Path in the notation of the API server: `spec.limited.nominalConcurrencyShares`. */
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** An object that is in only one of two configurations, or differs between them. */
export type ObjectDifference =
  | { readonly change: 'added' | 'removed'; readonly kind: Kind; readonly name: string }
  | { readonly change: 'changed'; readonly kind: Kind; readonly name: string; readonly fields: readonly FieldChange[] }

type AnyObject = FlowSchema | PriorityLevelConfiguration

/**
 * What differs between two configurations: levels first, each kind in the order of names. It compares what people
 * write, with defaults filled in: spec, labels, annotations, finalizers and owners (specification 1.2 to 1.4).
 */
export const configDiff = (before: ObjectSet, after: ObjectSet): ObjectDifference[] => [
  ...kindDiff('PriorityLevelConfiguration', before.levels.map(defaultLevel), after.levels.map(defaultLevel)),
  ...kindDiff('FlowSchema', before.schemas.map(defaultFlowSchema), after.schemas.map(defaultFlowSchema)),
]

const kindDiff = (kind: Kind, before: readonly AnyObject[], after: readonly AnyObject[]): ObjectDifference[] =>
  pairedByName(before, after).flatMap(({ name, from, to }): ObjectDifference[] => {
    if (from === undefined) return [{ change: 'added', kind, name }]
    if (to === undefined) return [{ change: 'removed', kind, name }]
    const fields = objectDiff(from, to)
    return fields.length === 0 ? [] : [{ change: 'changed', kind, name, fields }]
  })

/** What differs between two objects of one kind; defaults must be filled in. */
const objectDiff = (from: AnyObject, to: AnyObject): FieldChange[] => [
  ...mapDiff(from.metadata, to.metadata, 'labels'),
  ...mapDiff(from.metadata, to.metadata, 'annotations'),
  ...valueDiff(from.metadata.finalizers, to.metadata.finalizers, 'metadata.finalizers'),
  ...valueDiff(from.metadata.ownerReferences, to.metadata.ownerReferences, 'metadata.ownerReferences'),
  ...valueDiff(from.spec, to.spec, 'spec'),
]

function mapDiff(from: ObjectMeta, to: ObjectMeta, key: 'labels' | 'annotations'): FieldChange[] {
  const [old, fresh] = [from[key] ?? {}, to[key] ?? {}]
  return memberNames(old, fresh).flatMap((name) =>
    changeOf(ownMember(old, name), ownMember(fresh, name), `metadata.${key}[${name}]`),
  )
}

const changeOf = (from: unknown, to: unknown, field: string): FieldChange[] =>
  specEquals(from, to) ? [] : [{ field, from, to }]

function valueDiff(from: unknown, to: unknown, at: string): FieldChange[] {
  if (from === to) return []
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return from.flatMap((item, index) => valueDiff(item, to[index], entry(at, index)))
  if (isJsonObject(from) && isJsonObject(to))
    return memberNames(from, to).flatMap((key) => valueDiff(ownMember(from, key), ownMember(to, key), member(at, key)))
  return changeOf(from, to, at)
}

interface Named {
  readonly metadata: { readonly name: string }
}

/** Objects of one kind by their name; if two have the same name, the later one. */
export const byName = <T extends Named>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map((object) => [object.metadata.name, object]))

/** One name of two sets of objects; `undefined` where the set has no object of that name. */
interface NamedPair<T> {
  readonly name: string
  readonly from: T | undefined
  readonly to: T | undefined
}

/** The objects of one kind in two sets, side by side in the order of their names. */
export function pairedByName<T extends Named>(before: readonly T[], after: readonly T[]): readonly NamedPair<T>[] {
  const [old, fresh] = [byName(before), byName(after)]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].toSorted(byCodeUnits)
  return names.map((name) => ({ name, from: old.get(name), to: fresh.get(name) }))
}
