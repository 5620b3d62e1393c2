import { isJsonObject, type JsonObject } from './jsonValues.ts'

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
