import { formatPatch, structuredPatch } from 'diff'
import { shownLine } from '../text/text.ts'
import type { Kind } from '../config/objects.ts'
import { API_VERSION } from '../config/content.ts'
import { writeManifest, type WritableObject, cleanManifest, writeYaml } from './write.ts'
import { isMap, type JsonMap, mergePatch, type FieldPath, isList, type Json, getIn, applyMergePatch } from './json.ts'
import { valueOf, editManifest, type Edited } from './edit.ts'

/** One object of a draft: created when `from` is null, deleted when `to` is. */
export interface DraftChange {
  readonly kind: Kind
  readonly name: string
  readonly from: WritableObject | null
  readonly to: WritableObject | null
}

export interface ExportedFile {
  /** Relative, with slashes. */
  readonly path: string
  readonly text: string
}

/** Plural of the kind, as in the paths of the API. */
const pluralOf = (kind: Kind): string => `${kind.toLowerCase()}s`

/** Path of an object whose file is not specified: `flowschemas/NAME.yaml`. */
const defaultPath = ({ kind, name }: Pick<DraftChange, 'kind' | 'name'>): string =>
  `${pluralOf(kind)}/${encodeURIComponent(name.toWellFormed())}.yaml`

/** Objects to apply, as one text for `kubectl apply`; a deletion is a comment with its command. */
export function exportYaml(changes: readonly DraftChange[]): string {
  const gone = changes.filter(({ to }) => to === null)
  const commands = gone.map(({ kind, name }) => `#   kubectl delete ${kind.toLowerCase()} ${shownLine(name)}\n`)
  const head =
    commands.length === 0
      ? ''
      : `# Applying this text deletes nothing. To delete what the draft deletes:\n${commands.join('')}`
  const documents = changes.flatMap(({ kind, to }) => (to === null ? [] : [writeManifest(kind, to)]))
  return [...(head === '' ? [] : [head]), ...documents].join('---\n')
}

/**
 * A Kustomize folder: new objects as resources, changed ones as strategic merge patches of what `base` (a folder or
 * file with the current objects) provides, deleted ones as `$patch: delete`. Kustomize has no schema of version v1 of
 * the group: it merges maps, replaces lists, and `null` removes.
 */
export function exportKustomize(changes: readonly DraftChange[], base = '../base'): readonly ExportedFile[] {
  const files: ExportedFile[] = []
  const resources: string[] = []
  const patches: string[] = []
  for (const change of changes) {
    const { kind, name, from, to } = change
    if (from === null) {
      if (to === null) continue
      const path = defaultPath(change)
      resources.push(path)
      files.push({ path, text: writeManifest(kind, to) })
      continue
    }
    const patch =
      to === null ? deletion(kind, name) : mergePatchOf(kind, name, cleanManifest(kind, from), cleanManifest(kind, to))
    if (patch === undefined) continue
    const path = `patches/${pluralOf(kind)}-${encodeURIComponent(name)}.yaml`
    patches.push(path)
    files.push({ path, text: writeYaml(patch) })
  }
  const kustomization: JsonMap = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...(patches.length > 0 ? [base] : []), ...resources],
    ...(patches.length > 0 && { patches: patches.map((path) => ({ path })) }),
  }
  return [{ path: 'kustomization.yaml', text: writeYaml(kustomization) }, ...files]
}

const identity = (kind: Kind, name: string): JsonMap => ({ apiVersion: API_VERSION, kind, metadata: { name } })

const deletion = (kind: Kind, name: string): JsonMap => ({ ...identity(kind, name), $patch: 'delete' })

/** The patch from one manifest to the other, with the identity that Kustomize matches; `undefined` if equal. */
function mergePatchOf(kind: Kind, name: string, from: JsonMap, to: JsonMap): JsonMap | undefined {
  const changed = mergePatch(from, to)
  if (changed === undefined) return undefined
  const { metadata = {}, ...others } = changed
  return { ...identity(kind, name), ...others, metadata: { name, ...(isMap(metadata) && metadata) } }
}

/** The range of one YAML document in a text; `marker` is the start of the `---` before it. */
interface Stretch {
  readonly marker: number
  readonly from: number
  readonly to: number
}

/** An object in a text: the document that contains it, and its path, which is empty when it is the document. */
interface FoundObject {
  readonly document: Stretch
  /** Number of documents in the text that are not empty. */
  readonly documents: number
  readonly path: FieldPath
  readonly value: JsonMap
}

interface Identity {
  readonly kind: Kind
  readonly name: string
}

/** Finds an object by kind and name, in any document of a text and in lists. */
function findObject(text: string, wanted: Identity): FoundObject | undefined {
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

/** A file of the target repository. */
export interface RepositoryFile {
  /** As in the repository, with slashes. */
  readonly path: string
  readonly text: string
}

interface ExportedDiff {
  /** For `git apply`; empty when nothing changes. */
  readonly text: string
  /** What the diff does not include, in sentences. */
  readonly notes: readonly string[]
}

/**
 * A unified diff for a pull request. An object that one of `files` contains is edited there: its comments stay, and
 * only what the draft changes is written. Each other object gets its own file: `flowschemas/NAME.yaml`.
 */
export function exportDiff(changes: readonly DraftChange[], files: readonly RepositoryFile[] = []): ExportedDiff {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const before = new Map(texts)
  const notes: string[] = []
  for (const change of changes) {
    const path = files.find(({ text }) => findObject(text, change) !== undefined)?.path
    if (path === undefined) {
      const own = defaultPath(change)
      if (change.from !== null) before.set(own, writeManifest(change.kind, change.from))
      texts.set(own, change.to === null ? '' : writeManifest(change.kind, change.to))
      continue
    }
    const edited = editIn(texts.get(path) ?? '', change)
    if (edited.ok) texts.set(path, edited.text)
    else notes.push(`${change.kind} ${change.name} in ${path} is not part of the diff: ${edited.why}`)
  }
  const patches = [...texts].flatMap(([path, text]) => {
    const old = before.get(path)
    return old === text ? [] : [patchOf(path, old, text)]
  })
  return { text: patches.join(''), notes }
}

function editIn(text: string, { kind, name, from, to }: DraftChange): Edited {
  const found = findObject(text, { kind, name })
  if (found === undefined) return { ok: false, why: 'an earlier change has removed it.' }
  const { document, path, value } = found
  if (to === null && path.length === 0) return { ok: true, text: withoutDocument(text, found) }
  const clean = to === null ? undefined : cleanManifest(kind, to)
  const changed =
    clean === undefined ? undefined : changedIn(value, from === null ? undefined : cleanManifest(kind, from), clean)
  const edited = editManifest(text.slice(document.from, document.to), path, changed)
  if (!edited.ok) return edited
  return { ok: true, text: text.slice(0, document.from) + edited.text + text.slice(document.to) }
}

/** Only what the draft changes: the file need not spell out the server's defaults. */
function changedIn(value: JsonMap, from: JsonMap | undefined, to: JsonMap): Json {
  if (from !== undefined && value['apiVersion'] === API_VERSION)
    return applyMergePatch(value, mergePatch(from, to) ?? {})
  const { metadata = {}, ...others } = to
  const kept = value['metadata'] ?? {}
  return { ...value, ...others, metadata: { ...(isMap(kept) && kept), ...(isMap(metadata) && metadata) } }
}

/** Removes the document with one of its markers. A file that contains nothing else becomes empty. */
function withoutDocument(text: string, { document, documents }: FoundObject): string {
  if (documents === 1) return ''
  if (document.from > 0) return text.slice(0, document.marker) + text.slice(document.to)
  return text.slice(document.to).replace(/^---.*\n/, '')
}

function patchOf(path: string, old: string | undefined, text: string): string {
  const patch = structuredPatch(`a/${path}`, `b/${path}`, old ?? '', text, undefined, undefined, { context: 3 })
  return formatPatch({
    ...patch,
    isGit: true,
    ...(old === undefined && { isCreate: true, newMode: '100644', oldFileName: '/dev/null' }),
    ...(text === '' && { isDelete: true, oldMode: '100644', newFileName: '/dev/null' }),
  })
}
