import { formatPatch, structuredPatch } from 'diff'
import { API_VERSION } from '../config/content.ts'
import { editManifest, type Edited } from './edit.ts'
import { defaultPath, type DraftChange } from './exportYaml.ts'
import { findObject, type FoundObject } from './findObject.ts'
import { isMap, type Json, type JsonMap } from './json.ts'
import { applyMergePatch, mergePatch } from './mergePatch.ts'
import { cleanManifest, writeManifest } from './write.ts'

/** A file of the repository for which the diff is meant. */
export interface RepositoryFile {
  /** As the repository has it, with slashes. */
  readonly path: string
  readonly text: string
}

export interface ExportedDiff {
  /** For `git apply`; empty when nothing changes. */
  readonly text: string
  /** What the diff does not say, in sentences. */
  readonly notes: readonly string[]
}

/**
 * A unified diff for a pull request. An object that one of `files` holds is edited there, with its comments, and only in
 * what the draft changes. The others are files of their own: `flowschemas/NAME.yaml`.
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

/** What the draft changes, and nothing else: the file need not write out what the server has set by default. */
function changedIn(value: JsonMap, from: JsonMap | undefined, to: JsonMap): Json {
  if (from !== undefined && value['apiVersion'] === API_VERSION)
    return applyMergePatch(value, mergePatch(from, to) ?? {})
  const { metadata = {}, ...others } = to
  const kept = value['metadata'] ?? {}
  return { ...value, ...others, metadata: { ...(isMap(kept) && kept), ...(isMap(metadata) && metadata) } }
}

/** The document goes with one of its markers; a file that holds nothing else becomes empty. */
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
