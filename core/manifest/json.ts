import { quoted } from '../config/finding.ts'

/** A value that JSON can express. */
export type Json = null | boolean | number | string | JsonList | JsonMap
export type JsonList = readonly Json[]
export interface JsonMap {
  readonly [key: string]: Json
}

export const isList = (value: Json): value is JsonList => Array.isArray(value)
export const isMap = (value: Json): value is JsonMap => typeof value === 'object' && value !== null && !isList(value)

/** What JSON keeps of a value: members that are `undefined` are absent, what it cannot express is `null`. */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== 'object') return null
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(members.map(([key, member]) => [key, toJson(member)]))
}

/** Whether two values are equal; the order of members does not matter. */
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

/** Keys and indices from the top of an object. */
export type FieldPath = readonly (string | number)[]

/**
 * Parses a path as the API server reports it: `spec.rules[0].subjects[1].user.name`. Brackets contain an index or, as
 * in `metadata.annotations[example.com/team]`, a key.
 */
export function parseField(field: string): FieldPath {
  const path: (string | number)[] = []
  // After the last closing bracket an opening one has no meaning; searching for its end would be wasted time.
  const end = field.lastIndexOf(']') + 1
  const steps = [
    ...field.slice(0, end).matchAll(/([^.[\]]+)|\[([^\]]*)\]/g),
    ...field.slice(end).matchAll(/([^.[\]]+)/g),
  ]
  for (const [, key, inBrackets] of steps) {
    if (key !== undefined) path.push(key)
    else if (inBrackets !== undefined) path.push(/^\d+$/.test(inBrackets) ? Number(inBrackets) : inBrackets)
  }
  return path
}

/** Writes a path as the API server reports it. */
export function fieldOf(path: FieldPath): string {
  return path.reduce<string>((field, step) => {
    if (typeof step === 'number') return `${field}[${step}]`
    if (/[.[\]]/.test(step)) return `${field}[${step}]`
    return field === '' ? step : `${field}.${step}`
  }, '')
}

export type Changed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

/** The value at a path; `undefined` where there is none. */
export function getIn(value: Json, path: FieldPath): Json | undefined {
  let found: Json | undefined = value
  for (const step of path) {
    if (found === undefined) return undefined
    if (typeof step === 'number') found = isList(found) ? found[step] : undefined
    else found = isMap(found) && Object.hasOwn(found, step) ? found[step] : undefined
  }
  return found
}

/** Replaces or removes the value at a path. Missing parents are created; removing a missing value is allowed. */
export function setIn(value: Json, path: FieldPath, wanted: Json | undefined): Changed {
  const [step, ...rest] = path
  if (step === undefined) return { ok: true, value: wanted ?? null }
  if (value === null)
    return wanted === undefined ? { ok: true, value } : setIn(typeof step === 'number' ? [] : {}, path, wanted)
  if (typeof step === 'number') {
    if (!isList(value)) return { ok: false, why: `There is no list that could have an entry ${step}.` }
    if (step > value.length)
      return { ok: false, why: `The list has ${value.length} entries; entry ${step} would leave a gap.` }
    if (wanted === undefined && step === value.length) return { ok: true, value }
    if (wanted === undefined && rest.length === 0) return { ok: true, value: value.toSpliced(step, 1) }
    const inner = setIn(value[step] ?? null, rest, wanted)
    return inner.ok ? { ok: true, value: value.toSpliced(step, 1, inner.value) } : inner
  }
  if (!isMap(value)) return { ok: false, why: `There is no map that could have a field ${quoted(step)}.` }
  const members = Object.entries(value)
  const present = Object.hasOwn(value, step)
  if (wanted === undefined && !present) return { ok: true, value }
  if (wanted === undefined && rest.length === 0) {
    return { ok: true, value: Object.fromEntries(members.filter(([key]) => key !== step)) }
  }
  const inner = setIn(present ? (value[step] ?? null) : null, rest, wanted)
  if (!inner.ok) return inner
  const changed = members.map(([key, member]) => [key, key === step ? inner.value : member] as const)
  return { ok: true, value: Object.fromEntries(present ? changed : [...members, [step, inner.value] as const]) }
}

/**
 * The JSON merge patch (RFC 7386) that changes one value into another: members that differ, `null` for removed ones,
 * lists whole; `undefined` if there is no difference. The values must contain no `null`.
 */
export function mergePatch(from: JsonMap, to: JsonMap): JsonMap | undefined {
  const set = Object.entries(to).flatMap(([key, value]): [string, Json][] => {
    const before = Object.hasOwn(from, key) ? from[key] : undefined
    if (before === undefined) return [[key, value]]
    if (!isMap(before) || !isMap(value)) return sameJson(before, value) ? [] : [[key, value]]
    const inner = mergePatch(before, value)
    return inner === undefined ? [] : [[key, inner]]
  })
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key))
  if (set.length === 0 && gone.length === 0) return undefined
  return Object.fromEntries([...set, ...gone.map((key) => [key, null] as const)])
}

export function applyMergePatch(value: Json, patch: Json): Json {
  if (!isMap(patch)) return patch
  const members = new Map(Object.entries(isMap(value) ? value : {}))
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) members.delete(key)
    else members.set(key, applyMergePatch(members.get(key) ?? null, change))
  }
  return Object.fromEntries(members)
}
