import type { Finding } from '../config/finding.ts'
import { parseField } from './fieldPath.ts'
import { find } from './locate.ts'
import { isBooleanWord, resolvePlain } from './plainScalar.ts'
import type { Tree } from './tree.ts'

/** What the spelling has to do with a value of a wrong type: a sentence to add, or nothing. */
export function hintFor(tree: Tree, { field, reason }: Finding): string {
  if (reason !== 'Malformed') return ''
  const { value, whole } = find(tree, parseField(field))
  if (!whole || value.type !== 'scalar') return ''
  const { plain } = value
  if (plain !== undefined && isBooleanWord(plain)) {
    return ` Without quotes ${plain} means ${String(value.value)} in YAML; “${plain}” is the word.`
  }
  if (plain !== undefined && Number.isInteger(value.value)) return ` Without quotes it is a number; “${plain}” is text.`
  if (typeof value.value !== 'string' || plain !== undefined) return ''
  const meant = resolvePlain(value.value)
  return typeof meant === 'number' || typeof meant === 'boolean'
    ? ` In quotes it is text; without them it is ${meant}.`
    : ''
}
