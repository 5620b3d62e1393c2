/**
 * The difference between two pieces of JSON data. Most of what a source emits repeats earlier data, with a few numbers
 * advanced, so the changes are many times smaller than the data and compress far better.
 */

/** JSON data. Properties that are `undefined` count as absent. */
export type Data = string | number | boolean | null | readonly Data[] | { readonly [key: string]: Data | undefined }

/**
 * - A number was added to an integer.
 * - A list with one item is a new value, an empty list a removed value.
 * - An object contains the changes of members by key, or by index for a list of the same length. Everything that it
 *   omits is unchanged. In a list of integers, `from` contains by index the number that was added to that item and all
 *   after it, which is most of the growth of a cumulative histogram.
 */
export type Change = number | readonly [] | readonly [Data] | { readonly [key: string]: Change }

const SAME: Change = {}
const GONE: Change = []

export const isList = (data: Data | undefined): data is readonly Data[] => Array.isArray(data)
export const isObject = (data: Data | undefined): data is { readonly [key: string]: Data | undefined } =>
  typeof data === 'object' && data !== null && !isList(data)

/** Changes with which `applyChange` turns `before` into exactly `now`; `before` is `undefined` if there was nothing. */
export function changeBetween(before: Data | undefined, now: Data): Change {
  if (typeof before === 'number' && typeof now === 'number') {
    if (Object.is(before, now)) return SAME
    const difference = now - before
    return [before, now, difference].every(Number.isSafeInteger) && !Object.is(now, -0) ? difference : [now]
  }
  if (isList(before) && isList(now)) {
    if (before.length !== now.length) return [now]
    const steps = stepsBetween(before, now)
    if (steps !== undefined) return steps
    return Object.fromEntries(now.flatMap((item, index) => changed(String(index), before[index], item)))
  }
  if (isObject(before) && isObject(now)) {
    const [old, members] = [membersOf(before), membersOf(now)]
    return Object.fromEntries([
      ...[...old.keys()].filter((key) => !members.has(key)).map((key) => [key, GONE] as const),
      ...[...members].flatMap(([key, value]) => changed(key, old.get(key), value)),
    ])
  }
  return before === now ? SAME : [now]
}

/** Only its own members, whatever their names. */
const membersOf = (object: { readonly [key: string]: Data | undefined }): Map<string, Data> =>
  new Map(Object.entries(object).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))

const changed = (key: string, before: Data | undefined, now: Data): [string, Change][] => {
  const change = changeBetween(before, now)
  return isSame(change) ? [] : [[key, change]]
}

/** For lists of integers of equal length; `undefined` for others. */
function stepsBetween(before: readonly Data[], now: readonly Data[]): Change | undefined {
  const steps: [string, number][] = []
  let added = 0
  for (const [index, value] of now.entries()) {
    const change = changeBetween(before[index], value)
    const more = isSame(change) && typeof value === 'number' ? 0 : change
    if (typeof more !== 'number' || !Number.isSafeInteger(more - added)) return undefined
    if (more !== added) steps.push([String(index), more - added])
    added = more
  }
  return steps.length === 0 ? SAME : { from: Object.fromEntries(steps) }
}

const isSame = (change: Change): boolean =>
  typeof change === 'object' && !Array.isArray(change) && Object.keys(change).length === 0

/** `change` may be any JSON; throws RangeError if it is not a valid change of such data. */
export function applyChange(before: Data | undefined, change: Data): Data | undefined {
  if (typeof change === 'number') {
    if (typeof before === 'number') return before + change
    throw new RangeError('a number is added to something else')
  }
  if (isList(change)) return change[0]
  if (!isObject(change)) throw new RangeError('a change is a number, a list or an object')
  const keys = Object.keys(change)
  if (keys.length === 0) return before
  if (isList(before)) return listOf(before, change, keys)
  if (!isObject(before)) throw new RangeError('the change has members, but the value has none')
  const members: Record<string, Data | undefined> = { ...before }
  for (const key of keys) {
    const own = change[key]
    if (own === undefined) continue
    const now = applyChange(memberOf(before, key), own)
    if (now === undefined) delete members[key]
    else put(members, key, now)
  }
  return members
}

type Members = Readonly<Record<string, Data | undefined>>

const memberOf = (object: Members, key: string): Data | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** A member with this name would set the prototype. */
const PROTOTYPE = '__proto__'

function put(members: Record<string, Data | undefined>, key: string, value: Data): void {
  if (key !== PROTOTYPE) members[key] = value
  else Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true })
}

function listOf(before: readonly Data[], change: Members, keys: readonly string[]): Data[] {
  const list = [...before]
  const from = memberOf(change, 'from')
  const set = (index: number, own: Data): void => {
    const now = applyChange(before[index], own)
    if (now === undefined) throw new RangeError('an item of a list is missing')
    list[index] = now
  }
  if (isObject(from)) {
    let added = 0
    for (const index of before.keys()) {
      const step = memberOf(from, String(index)) ?? 0
      added += typeof step === 'number' ? step : Number.NaN
      if (Number.isNaN(added)) throw new RangeError('the added value is not a number')
      if (added !== 0) set(index, added)
    }
    return list
  }
  for (const key of keys) {
    const index = Number(key)
    const own = change[key]
    // An index of no existing item changes nothing.
    if (own !== undefined && Object.hasOwn(before, key) && String(index) === key) set(index, own)
  }
  return list
}
