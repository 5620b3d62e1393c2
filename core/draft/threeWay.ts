import { editManifest, type Edited } from '../manifest/edit.ts'
import { fieldOf, type FieldPath, isMap, sameJson, type Json, type JsonMap, getIn, setIn } from '../manifest/json.ts'

/** One field that differs between versions. Lists are compared as wholes: an entry of one has no name of its own. */
export interface FieldDifference {
  readonly path: FieldPath
  /** `spec.limited.lendablePercent`. */
  readonly field: string
  /** `undefined`: absent. */
  readonly base: Json | undefined
  readonly yours: Json | undefined
  readonly theirs: Json | undefined
  /** Who changed it; `conflict`: both, to different values. */
  readonly changedBy: 'you' | 'them' | 'both' | 'conflict'
}

/**
 * The fields in which three versions of an object differ: the base of the edit, the edited one, and the current one.
 * All three are manifests, without the fields that the server maintains.
 */
export function differingFields(base: JsonMap, yours: JsonMap, theirs: JsonMap): readonly FieldDifference[] {
  const paths = new Map([base, theirs, yours].flatMap((one) => leavesOf(one, []).map((path) => [fieldOf(path), path])))
  return [...paths].flatMap(([field, path]): FieldDifference[] => {
    const values = { base: getIn(base, path), yours: getIn(yours, path), theirs: getIn(theirs, path) }
    const [mine, their] = [!same(values.base, values.yours), !same(values.base, values.theirs)]
    if (!mine && !their) return []
    const changedBy = mine && their ? (same(values.yours, values.theirs) ? 'both' : 'conflict') : mine ? 'you' : 'them'
    return [{ path, field, ...values, changedBy }]
  })
}

const same = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameJson(a, b)

function leavesOf(value: Json, path: FieldPath): readonly FieldPath[] {
  if (!isMap(value) || (Object.keys(value).length === 0 && path.length > 0)) return [path]
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]))
}

/**
 * The edited text, merged with the fields that someone else changed. Of fields that both changed, those named in
 * `takeTheirs` are taken from the other side. `value` is the value of the text.
 */
export function mergedText(
  text: string,
  value: Json,
  differences: readonly FieldDifference[],
  takeTheirs: ReadonlySet<string>,
): Edited {
  let wanted = value
  for (const { path, field, theirs, changedBy } of differences) {
    if (changedBy !== 'them' && !(changedBy === 'conflict' && takeTheirs.has(field))) continue
    const set = setIn(wanted, path, theirs)
    if (!set.ok) return set
    wanted = theirs === undefined ? withoutEmptyParent(set.value, path.slice(0, -1)) : set.value
  }
  return editManifest(text, [], wanted)
}

/** A map whose last member is removed is removed too. */
function withoutEmptyParent(value: Json, path: FieldPath): Json {
  const parent = getIn(value, path)
  if (path.length === 0 || parent === undefined || !isMap(parent) || Object.keys(parent).length > 0) return value
  const set = setIn(value, path, undefined)
  return set.ok ? withoutEmptyParent(set.value, path.slice(0, -1)) : value
}
