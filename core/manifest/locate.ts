import { parseField, type FieldPath } from './fieldPath.ts'
import type { TextRange } from './manifest.ts'
import type { Tree } from './tree.ts'

/** What a path leads to: the value, and the key or list entry that it belongs to. */
interface Found {
  readonly value: Tree
  /** Absent at the top and in lists. */
  readonly key?: TextRange
  /** Whether the whole path is there, not only a parent. */
  readonly whole: boolean
}

/** v1 fields that had another name in a beta version (specification 1.3). */
const EARLIER_NAMES: ReadonlyMap<string, string> = new Map([['nominalConcurrencyShares', 'assuredConcurrencyShares']])

export function find(tree: Tree, path: FieldPath): Found {
  let found: Found = { value: tree, whole: true }
  for (const step of path) {
    const next = child(found.value, step)
    if (next === undefined) return { ...found, whole: false }
    found = next
  }
  return found
}

function child(tree: Tree, step: string | number): Found | undefined {
  if (tree.type === 'list') {
    const value = typeof step === 'number' ? tree.items[step] : undefined
    return value === undefined ? undefined : { value, whole: true }
  }
  if (tree.type === 'scalar') return undefined
  const name = String(step)
  const entry = tree.entries.get(name) ?? tree.entries.get(EARLIER_NAMES.get(name) ?? name)
  return entry === undefined ? undefined : { value: entry.value, key: entry.key, whole: true }
}

/**
 * Where to point for a field: at the value of a scalar, at the key of a map or list, at the nearest parent of what is not
 * there. `atKey` points at the key in any case. An object without a key (a document, an entry of a list) is pointed at by
 * its first key.
 */
export function locate(tree: Tree, field: string, atKey = false): TextRange {
  const { value, key, whole } = find(tree, parseField(field))
  if (key !== undefined && (atKey || !whole || value.type !== 'scalar')) return key
  if (value.type !== 'mapping') return value.type === 'scalar' ? value.range : firstOf(value.range)
  const [first] = value.entries.values()
  return first === undefined ? firstOf(value.range) : first.key
}

const firstOf = ({ from, to }: TextRange): TextRange => ({ from, to: Math.min(from + 1, to) })
