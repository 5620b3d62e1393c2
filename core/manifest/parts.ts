import { GROUP } from '../config/convert.ts'
import { KINDS } from '../config/objects.ts'
import { quoted } from '../config/problems.ts'
import type { FieldPath } from './fieldPath.ts'
import type { TextRange } from './manifest.ts'
import { jsonOfMapping, malformed, type Mapping, type TextProblem, type Tree } from './tree.ts'

/** One flow-control object in a document. */
export interface Part {
  readonly tree: Mapping
  /** Where in the document it is: empty, or `items`, 3. */
  readonly path: FieldPath
  /** As written; an item of a typed list takes kind and version from it, as kubectl has it. */
  readonly value: Readonly<Record<string, unknown>>
}

/** What was found in a document, in its order. */
export interface Parts {
  readonly parts: readonly Part[]
  /** Objects of other groups. */
  readonly skipped: readonly { readonly at: TextRange; readonly path: FieldPath; readonly message: string }[]
  readonly problems: readonly TextProblem[]
  readonly notes: readonly { readonly at: TextRange; readonly message: string }[]
}

/** Type and version that a list gives to its items. */
interface Inherited {
  readonly apiVersion?: string
  readonly kind?: string
}

/** Finds the flow-control objects of a document: itself, or what a List or a JSON array holds. */
export function partsOf(tree: Tree): Parts {
  const found: Collected = { parts: [], skipped: [], problems: [], notes: [] }
  collect(tree, [], {}, found)
  return found
}

type Collected = { -readonly [K in keyof Parts]: Parts[K][number][] }

function collect(tree: Tree, path: FieldPath, inherited: Inherited, found: Collected): void {
  if (tree.type === 'list' && path.length === 0) {
    found.notes.push({
      at: tree.range,
      message: 'kubectl does not take an array of objects; to it, wrap them in a List.',
    })
    for (const [index, item] of tree.items.entries()) collect(item, [index], {}, found)
    return
  }
  if (tree.type !== 'mapping') {
    found.problems.push(
      malformed(tree.range, 'A manifest is an object with apiVersion, kind, metadata and spec.', path),
    )
    return
  }
  const apiVersion = textAt(tree, 'apiVersion') ?? inherited.apiVersion
  const kind = textAt(tree, 'kind') ?? inherited.kind
  const items = tree.entries.get('items')?.value
  const ours = apiVersion?.startsWith(`${GROUP}/`) === true
  if (kind?.endsWith('List') === true && items?.type === 'list') {
    const given = ours ? { ...(apiVersion !== undefined && { apiVersion }), kind: kind.slice(0, -'List'.length) } : {}
    for (const [index, item] of items.items.entries()) collect(item, [...path, 'items', index], given, found)
    return
  }
  if (ours || KINDS.some((known) => known === kind) || (kind === undefined && looksLikeOurs(tree))) {
    found.parts.push({ tree, path, value: { ...inherited, ...jsonOfMapping(tree) } })
    return
  }
  found.skipped.push({ at: tree.range, path, message: skippedMessage(tree, kind) })
}

/** What no other kind has in its spec: an object whose kind was forgotten. */
function looksLikeOurs(tree: Mapping): boolean {
  const spec = tree.entries.get('spec')?.value
  return spec?.type === 'mapping' && TELLING_MEMBERS.some((member) => spec.entries.has(member))
}

const TELLING_MEMBERS = ['matchingPrecedence', 'priorityLevelConfiguration', 'distinguisherMethod', 'limited', 'exempt']

function skippedMessage(tree: Mapping, kind: string | undefined): string {
  if (kind === undefined) return 'This is no Kubernetes object (it has no kind) and was not checked.'
  const metadata = tree.entries.get('metadata')?.value
  const name = metadata?.type === 'mapping' ? textAt(metadata, 'name') : undefined
  return `${kind}${name === undefined ? '' : ` ${quoted(name)}`} is no flow-control object and was not checked.`
}

/** A member that is text; anything else counts as absent here and is a finding elsewhere. */
export function textAt(tree: Mapping, key: string): string | undefined {
  const value = tree.entries.get(key)?.value
  return value?.type === 'scalar' && typeof value.value === 'string' ? value.value : undefined
}
