import type { Reason } from '../config/finding.ts'
import { lowerBound } from '../search.ts'
import type { FieldPath } from './json.ts'
import type { TextRange, Position } from './manifest.ts'

/**
 * The value of a text, YAML or JSON, with positions. The value of an alias is the tree of its anchor, so a tree may
 * occur in several places; `size` counts it in each of them.
 */
export type Tree = Scalar | Mapping | List

export interface Scalar {
  readonly type: 'scalar'
  readonly value: null | boolean | number | string
  readonly range: TextRange
  readonly size: 1
  /** The unquoted spelling in YAML; absent for a quoted string and in JSON. */
  readonly plain?: string
  /** The spelling of a whole number in JSON that has a fraction or an exponent: `3.0`. */
  readonly fraction?: string
}
export interface Mapping {
  readonly type: 'mapping'
  readonly entries: ReadonlyMap<string, Entry>
  readonly range: TextRange
  readonly size: number
}
export interface Entry {
  readonly key: TextRange
  readonly value: Tree
}
export interface List {
  readonly type: 'list'
  readonly items: readonly Tree[]
  readonly range: TextRange
  readonly size: number
}

/** A problem of a text as such. */
export interface TextProblem {
  readonly at: TextRange
  readonly path: FieldPath
  readonly reason: Reason
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/** One document of a text; without a tree when it is empty or cannot be read. */
export interface TextDocument {
  readonly tree?: Tree
  readonly problems: readonly TextProblem[]
}

/** Deeper nesting than this is an attack or an accident: an object of the group has about ten levels. */
export const MOST_NESTED = 100
export const NESTED_TOO_DEEP = `Values are nested more than ${MOST_NESTED} deep.`

/** The value as JSON. A key like `__proto__` is an ordinary key. */
export function jsonOf(tree: Tree): unknown {
  switch (tree.type) {
    case 'scalar':
      return tree.value
    case 'list':
      return tree.items.map(jsonOf)
    case 'mapping':
      return jsonOfMapping(tree)
  }
}

export const jsonOfMapping = (tree: Mapping): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...tree.entries].map(([key, { value }]) => [key, jsonOf(value)]))

export const sizeOf = (trees: Iterable<Tree>): number => {
  let size = 1
  for (const tree of trees) size += tree.size
  return size
}

/** A problem that makes a server reject the text before it validates anything. */
export const malformed = (at: TextRange, message: string, path: FieldPath = []): TextProblem => ({
  at,
  path,
  reason: 'Malformed',
  severity: 'error',
  message,
})

/** A text that is not read, because reading it would take long. */
export const TOO_LARGE: TextDocument = {
  problems: [
    malformed(
      { from: 0, to: 0 },
      'The text is too large to read whole. Export the flow-control objects alone: kubectl get flowschemas,prioritylevelconfigurations -o yaml.',
    ),
  ],
}

export const BYTE_ORDER_MARK = '\uFEFF'

/** Of these lines the first is remembered, so that a text of short lines takes no multiple of its size. */
const LINES = 64

/** Turns offsets into lines and columns. A byte order mark takes no column. */
export function positionsIn(text: string): (offset: number) => Position {
  const starts = [0]
  let lines = 1
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    if (lines % LINES === 0) starts.push(end + 1)
    lines += 1
  }
  const marked = text.startsWith(BYTE_ORDER_MARK)
  return (offset) => {
    const block = lowerBound(1, starts.length, (one) => (starts[one] ?? 0) > offset) - 1
    let [line, from] = [block * LINES + 1, starts[block] ?? 0]
    for (let end = text.indexOf('\n', from); end !== -1 && end < offset; end = text.indexOf('\n', from)) {
      line += 1
      from = end + 1
    }
    const column = offset - from + 1
    return { line, column: marked && line === 1 && column > 1 ? column - 1 : column }
  }
}
