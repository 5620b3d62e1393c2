import type { Kind } from '../config/objects.ts'
import { valueOf } from './edit.ts'
import type { FieldPath } from './fieldPath.ts'
import { isList, isMap, type Json, type JsonMap } from './json.ts'
import { getIn } from './setIn.ts'

/** A stretch of a text that is one YAML document; `marker` is where the `---` before it begins. */
interface Stretch {
  readonly marker: number
  readonly from: number
  readonly to: number
}

/** An object in a text: the document that holds it, and the way to it, which is empty when it is the document. */
export interface FoundObject {
  readonly document: Stretch
  /** The documents of the text that hold something. */
  readonly documents: number
  readonly path: FieldPath
  readonly value: JsonMap
}

interface Identity {
  readonly kind: Kind
  readonly name: string
}

/** Finds an object by kind and name, in any document of a text and in lists. */
export function findObject(text: string, wanted: Identity): FoundObject | undefined {
  const stretches = documentsIn(text).flatMap((document) => {
    const read = valueOf(text.slice(document.from, document.to))
    return read.ok && read.value !== null ? [{ document, value: read.value }] : []
  })
  for (const { document, value } of stretches) {
    const path = pathTo(value, wanted, undefined)
    const found = path === undefined ? undefined : getIn(value, path)
    if (path !== undefined && found !== undefined && isMap(found)) {
      return { document, documents: stretches.length, path, value: found }
    }
  }
  return undefined
}

/** `listKind` is the kind that a typed list gives to items without one. */
function pathTo(value: Json, wanted: Identity, listKind: string | undefined): FieldPath | undefined {
  if (isList(value)) return firstPath(value, [], wanted, undefined)
  if (!isMap(value)) return undefined
  const { kind = listKind, metadata = null, items = null } = value
  if (typeof kind === 'string' && kind.endsWith('List') && isList(items)) {
    return firstPath(items, ['items'], wanted, kind.slice(0, -'List'.length))
  }
  return kind === wanted.kind && isMap(metadata) && metadata['name'] === wanted.name ? [] : undefined
}

function firstPath(
  items: readonly Json[],
  before: FieldPath,
  wanted: Identity,
  kind: string | undefined,
): FieldPath | undefined {
  for (const [index, item] of items.entries()) {
    const path = pathTo(item, wanted, kind)
    if (path !== undefined) return [...before, index, ...path]
  }
  return undefined
}

/** A line that only marks the start of a document. */
const MARKER = /^---[ \t]*(?:#.*)?\r?$/gm

function documentsIn(text: string): readonly Stretch[] {
  const markers = [...text.matchAll(MARKER)].map(({ index, 0: line }) => ({
    marker: index,
    from: Math.min(index + line.length + 1, text.length),
  }))
  const starts = [{ marker: 0, from: 0 }, ...markers]
  return starts.map((start, index) => ({ ...start, to: starts[index + 1]?.marker ?? text.length }))
}
