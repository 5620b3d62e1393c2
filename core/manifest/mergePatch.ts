import { isMap, sameJson, type Json, type JsonMap } from './json.ts'

/**
 * What changes one value into another as a JSON merge patch (RFC 7386): members that differ, `null` for those that are
 * gone, lists whole; `undefined` when nothing does. The values must hold no `null`.
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
