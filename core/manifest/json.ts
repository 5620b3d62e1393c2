/** A value as JSON has it. */
export type Json = null | boolean | number | string | JsonList | JsonMap
export type JsonList = readonly Json[]
export interface JsonMap {
  readonly [key: string]: Json
}

export const isList = (value: Json): value is JsonList => Array.isArray(value)
export const isMap = (value: Json): value is JsonMap => typeof value === 'object' && value !== null && !isList(value)

/** What JSON keeps of a value: members that are `undefined` are absent, what it cannot say is `null`. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object') return null
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([key, member]) => [key, toJson(member)]))
}

/** Whether two values say the same; the order of members does not matter. */
export function sameJson(a: Json, b: Json): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index] ?? null))
  if (!isMap(a)) return a === b
  if (!isMap(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] ?? null, b[key] ?? null))
  )
}
