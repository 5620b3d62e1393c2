import { checkObject, GROUP } from '../config/checkObject.ts'
import { entry, type Finding, member as memberOf, quoted, rejected } from '../config/finding.ts'
import { KINDS } from '../config/objects.ts'
import type { FieldPath } from './json.ts'
import { byPosition, locate, located, locatedProblem, textDocuments } from './locate.ts'
import { positionsIn, malformed, type TextProblem, type Tree, jsonOfMapping, type Mapping } from './tree.ts'
import type { LocatedFinding, ManifestDocument, ManifestNote, Manifests, Position, TextRange } from './manifest.ts'
import { changesIn, PATCH } from './unrendered.ts'

export interface ReadOptions {
  /** Name of the file, for findings. A file that ends in `.json` is read only as JSON. */
  readonly file: string
  /** Kubernetes version whose rules apply: `v1.36` or `v1.36.3`. */
  readonly version: string
}

/** Nobody reads more of them, and those of a hostile text would take minutes. */
const MOST_FINDINGS = 10_000

/**
 * Reads every flow-control object of a YAML text (several documents, lists, comments) or a JSON one (an object, an
 * array or several consecutive objects). Objects of other groups are skipped with a note. Never throws: a problem of
 * the text is a finding.
 */
export function readManifests(text: string, options: ReadOptions): Manifests {
  const { file } = options
  const positionOf = positionsIn(text)
  const context: Context = { ...options, positionOf }
  const documents: ManifestDocument[] = []
  const findings: LocatedFinding[] = []
  const notes: ManifestNote[] = []
  for (const { tree, problems } of textDocuments(text, file)) {
    const found = tree === undefined ? undefined : partsOf(tree)
    const objects = new Set([...(found?.parts ?? []), ...(found?.skipped ?? [])].map(({ path }) => keyOf(path)))
    // Problems inside objects of another group are not reported.
    const within = Map.groupBy(problems, ({ path }) => objectAt(path, objects))
    for (const problem of [...(within.get(undefined) ?? []), ...(found?.problems ?? [])]) {
      findings.push(locatedProblem(problem, { file, kind: '', name: '', positionOf }))
    }
    for (const { at, message } of found?.notes ?? []) notes.push(noteAt('text', at, message, context))
    for (const { at, message } of found?.skipped ?? []) notes.push(noteAt('skipped', at, message, context))
    for (const part of found?.parts ?? []) {
      if (findings.length > MOST_FINDINGS) break
      const document = readPart(part, within.get(keyOf(part.path)) ?? [], context)
      documents.push(document)
      for (const finding of document.findings) findings.push(finding)
      for (const note of document.notes) notes.push(note)
    }
    if (findings.length > MOST_FINDINGS) {
      const message = `These are more than ${MOST_FINDINGS} problems; objects after them were not checked.`
      const end = { from: text.length, to: text.length }
      findings.push(locatedProblem(malformed(end, message), { file, kind: '', name: '', positionOf }))
      break
    }
  }
  return { file, documents, findings: findings.toSorted(byPosition), notes: notes.toSorted(byPosition) }
}

interface Context extends ReadOptions {
  readonly positionOf: (offset: number) => Position
}

const keyOf = (path: FieldPath): string => JSON.stringify(path)

/** The one of these objects, none of which is part of another, that contains a path. */
const objectAt = (path: FieldPath, objects: ReadonlySet<string>): string | undefined =>
  [path.length, ...path.keys()].map((steps) => keyOf(path.slice(0, steps))).find((key) => objects.has(key))

const noteAt = (
  about: ManifestNote['about'],
  at: TextRange,
  message: string,
  { file, positionOf }: Context,
): ManifestNote => ({ file, ...positionOf(at.from), about, message })

function readPart(part: Part, problems: readonly TextProblem[], context: Context): ManifestDocument {
  const { tree, value } = part
  const { file, version } = context
  const checked = checkObject(value, version)
  const { kind, name } = checked
  const identity = { file, kind, name }
  const places = { ...identity, positionOf: context.positionOf }
  const rangeOf = (field: string): TextRange => locate(tree, field)
  const positionOf = (field: string): Position => context.positionOf(rangeOf(field).from)
  const own = problems.map((problem) =>
    locatedProblem({ ...problem, path: problem.path.slice(part.path.length) }, places),
  )
  const judged = [...checked.findings, ...fractionsIn(tree, '')].map((finding) => located(tree, finding, places))
  return {
    ...identity,
    value,
    ...(checked.object !== undefined && { checked }),
    findings: [...own, ...judged].toSorted(byPosition),
    notes: checked.notes.map((message) => noteAt('object', rangeOf('apiVersion'), message, context)),
    positionOf,
    rangeOf,
  }
}

/** Integers that JSON spells as fractions: kubectl converts them, and the API server rejects them as they are. */
function fractionsIn(tree: Tree, at: string): readonly Finding[] {
  if (tree.type === 'mapping')
    return [...tree.entries].flatMap(([key, { value }]) => fractionsIn(value, at === '' ? key : memberOf(at, key)))
  if (tree.type === 'list') return tree.items.flatMap((item, index) => fractionsIn(item, entry(at, index)))
  if (tree.fraction === undefined) return []
  const message = `${at} is an integer, and in JSON the API server does not accept ${tree.fraction} for it: write ${String(tree.value)}.`
  return [rejected(at, 'Malformed', message)]
}

/** One flow-control object in a document. */
interface Part {
  readonly tree: Mapping
  /** Its path in the document: empty, or `items`, 3. */
  readonly path: FieldPath
  /** As written. An item of a typed list inherits kind and version from the list, as in kubectl. */
  readonly value: Readonly<Record<string, unknown>>
}

/** The objects of a document, in its order. */
interface Parts {
  readonly parts: readonly Part[]
  /** Objects of other groups. */
  readonly skipped: readonly { readonly at: TextRange; readonly path: FieldPath; readonly message: string }[]
  readonly problems: readonly TextProblem[]
  readonly notes: readonly { readonly at: TextRange; readonly message: string }[]
}

/** Kind and version that a list passes to its items. */
interface Inherited {
  readonly apiVersion?: string
  readonly kind?: string
}

/** Finds the flow-control objects of a document: itself, or what a List or a JSON array holds. */
function partsOf(tree: Tree): Parts {
  const found: Collected = { parts: [], skipped: [], problems: [], notes: [] }
  collect(tree, [], {}, found)
  return found
}

type Collected = { -readonly [K in keyof Parts]: Parts[K][number][] }

function collect(tree: Tree, path: FieldPath, inherited: Inherited, found: Collected): void {
  if (tree.type === 'list' && path.length === 0) {
    if (tree.items.every((item) => item.type === 'mapping' && textAt(item, 'op') !== undefined)) {
      found.notes.push({ at: tree.range, message: `This is a JSON patch, ${PATCH}` })
      return
    }
    found.notes.push({
      at: tree.range,
      message: 'kubectl does not accept an array of objects. Wrap them in a List.',
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
  // What `kubectl get --watch --output-watch-events` prints.
  const watched = tree.entries.get('object')?.value
  if (watched !== undefined && /^(?:ADDED|MODIFIED)$/.test(textAt(tree, 'type') ?? '')) {
    collect(watched, [...path, 'object'], {}, found)
    return
  }
  if (kind === 'Status') {
    const reason = [tree.entries.get('code')?.value, tree.entries.get('reason')?.value]
      .flatMap((value) => (value?.type === 'scalar' ? String(value.value) : []))
      .join(' ')
    const message = `This is a response of the API server, ${reason}: ${textAt(tree, 'message') ?? ''}. Correct that, and save the objects again.`
    found.problems.push(malformed(tree.range, message, path))
    return
  }
  const changes = changesIn(tree)
  if (changes.length > 0)
    found.notes.push({
      at: tree.range,
      message: `This kustomization changes objects (${changes.join(', ')}): build it with kustomize build (or kubectl kustomize), and read the result (- is standard input).`,
    })
  found.skipped.push({ at: tree.range, path, message: skippedMessage(tree, kind) })
}

/** Whether the spec has fields of no other kind: an object whose kind was forgotten. */
function looksLikeOurs(tree: Mapping): boolean {
  const spec = tree.entries.get('spec')?.value
  return spec?.type === 'mapping' && TELLING_MEMBERS.some((member) => spec.entries.has(member))
}

const TELLING_MEMBERS = ['matchingPrecedence', 'priorityLevelConfiguration', 'distinguisherMethod', 'limited', 'exempt']

function skippedMessage(tree: Mapping, kind: string | undefined): string {
  if (kind === undefined) return 'This is not a Kubernetes object (it has no kind) and was not checked.'
  const metadata = tree.entries.get('metadata')?.value
  const name = metadata?.type === 'mapping' ? textAt(metadata, 'name') : undefined
  return `${kind}${name === undefined ? '' : ` ${quoted(name)}`} is not a flow-control object and was not checked.`
}

/** A text member. Anything else counts as absent here and is reported as a finding elsewhere. */
function textAt(tree: Mapping, key: string): string | undefined {
  const value = tree.entries.get(key)?.value
  return value?.type === 'scalar' && typeof value.value === 'string' ? value.value : undefined
}
