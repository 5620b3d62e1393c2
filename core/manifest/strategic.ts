import { isMap, sameJson, type Json } from './json.ts'

/**
 * Lists that the types of the API merge (`patchStrategy: merge`), by the key of their entries; those of texts have none.
 * Every other list of the two kinds is replaced as a whole, its rules included.
 */
const MERGED: Readonly<Record<string, string | undefined>> = {
  'metadata.finalizers': undefined,
  'metadata.ownerReferences': 'uid',
  'status.conditions': 'type',
}

const PATCH = '$patch'
const RETAIN = '$retainKeys'
const DELETE_FROM = '$deleteFromPrimitiveList/'

/** Whether there is a directive of strategic merge patches in it: what it omits then stays. */
export const isStrategicPatch = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(isStrategicPatch)
    : isMap(value) && Object.entries(value).some(([key, member]) => key.startsWith('$') || isStrategicPatch(member))

/** Whether a patch deletes an object, or an entry of a list, as a whole. */
export const deletes = (patch: Json): boolean => isMap(patch) && patch[PATCH] === 'delete'

/**
 * A value after a strategic merge patch. Entries of merged lists may be in another order than a server has them in.
 * `field` is the place of the value in its object.
 */
export function applyStrategicPatch(value: Json | undefined, patch: Json, field = ''): Json {
  if (Array.isArray(patch)) return Object.hasOwn(MERGED, field) ? mergedList(value, patch, field) : replacing(patch)
  if (!isMap(patch)) return patch
  if (deletes(patch)) return {}
  const retained = patch[RETAIN]
  const present = value !== undefined && isMap(value) && patch[PATCH] !== 'replace' ? value : {}
  const members = new Map(Object.entries(present).filter(([key]) => !Array.isArray(retained) || retained.includes(key)))
  for (const [key, change] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM)) {
      const list = key.slice(DELETE_FROM.length)
      members.set(list, without(members.get(list), change))
    }
    if (key.startsWith('$')) continue
    if (change === null) members.delete(key)
    else members.set(key, applyStrategicPatch(members.get(key), change, join(field, key)))
  }
  return Object.fromEntries(members)
}

const join = (field: string, key: string): string => (field === '' ? key : `${field}.${key}`)
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const without = (list: Json | undefined, gone: Json): Json =>
  listOf(list).filter((one) => !listOf(gone).some((other) => sameJson(one, other)))

/** The entries of a list that replaces another, without directives. */
const replacing = (patch: readonly Json[]): Json =>
  patch.filter((entry) => !isDirective(entry)).map((entry) => applyStrategicPatch(undefined, entry))

/** An entry that is nothing but a directive for its list. */
const isDirective = (entry: Json): boolean => isMap(entry) && PATCH in entry && Object.keys(entry).length === 1

function mergedList(value: Json | undefined, patch: readonly Json[], field: string): Json {
  const key = MERGED[field]
  const same = (a: Json, b: Json): boolean =>
    key === undefined ? sameJson(a, b) : isMap(a) && isMap(b) && a[key] !== undefined && a[key] === b[key]
  let list = patch.some((entry) => isDirective(entry) && isMap(entry) && entry[PATCH] === 'replace')
    ? []
    : listOf(value)
  for (const entry of patch) {
    if (isDirective(entry)) continue
    const before = list.find((one) => same(one, entry))
    const after = deletes(entry) ? [] : [applyStrategicPatch(before, entry)]
    list = before === undefined ? [...list, ...after] : list.flatMap((one) => (one === before ? after : [one]))
  }
  return [...list]
}
