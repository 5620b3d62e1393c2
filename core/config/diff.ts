import { byCodeUnits } from '../text/text.ts'
import { isJsonObject } from './jsonValues.ts'
import { defaultFlowSchema, defaultLevel } from './defaulting.ts'
import { memberNames, ownMember, specEquals } from './content.ts'
import type { FlowSchema, Kind, ObjectMeta, ObjectSet, PriorityLevelConfiguration } from './objects.ts'
import { entry, member } from './finding.ts'

/** One field that differs; `undefined` where it is absent. A list that changed its length is one field. */
export interface FieldChange {
  /** Path as the API server writes it: `spec.limited.nominalConcurrencyShares`. */
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** An object that is in only one of two configurations, or in both and not the same. */
export type ObjectDifference =
  | { readonly change: 'added' | 'removed'; readonly kind: Kind; readonly name: string }
  | { readonly change: 'changed'; readonly kind: Kind; readonly name: string; readonly fields: readonly FieldChange[] }

type AnyObject = FlowSchema | PriorityLevelConfiguration

/**
 * What differs between two configurations: levels first, each kind in the order of names. Compared is what people write,
 * with defaults filled in: spec, labels, annotations, finalizers and owners (specification 1.2 to 1.4).
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

/** Objects of one kind by their name; of the same name twice, the later one. */
export const byName = <T extends Named>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map((object) => [object.metadata.name, object]))

/** One name of two sets of objects; `undefined` where the set has no object of it. */
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
