import type { LocatedFinding, ManifestDocument, ManifestFile, ManifestNote } from '../manifest/manifest.ts'
import { readManifests } from '../manifest/read.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { GuardFix } from '../guard/finding.ts'
import { editManifest } from '../manifest/edit.ts'
import { writeManifest } from '../manifest/write.ts'
import { withText, type DraftEntries, freeName, textOf } from './draft.ts'

/** Manifests that were pasted or dropped, as steps of a draft. */
export interface Imported {
  readonly entries: DraftEntries
  /** Number of imported objects. */
  readonly taken: number
  /** Conversions and skipped parts. */
  readonly notes: readonly ManifestNote[]
  /** Texts in which no object could be recognised. */
  readonly findings: readonly LocatedFinding[]
}

/**
 * Imports every object of some manifests. Each YAML document keeps its comments; objects of earlier versions are
 * rewritten as v1, and so are those in lists and JSON. Errors in an object are left for the editor to show.
 */
export function importManifests(
  entries: DraftEntries,
  objects: ObjectSet,
  files: readonly ManifestFile[],
  version: string,
): Imported {
  let next = entries
  let taken = 0
  const notes: ManifestNote[] = []
  const findings: LocatedFinding[] = []
  for (const { file, text } of files.flatMap(piecesOf)) {
    const read = readManifests(text, { file, version })
    for (const note of read.notes) notes.push(note)
    const known = read.documents.filter(({ kind, name }) => kind !== '' && name !== '')
    if (known.length === 0) for (const finding of read.findings) findings.push(finding)
    for (const document of known) {
      if (document.kind === '') continue
      const own = ownText(document, read.documents.length === 1 && read.notes.length === 0 ? text : undefined)
      if (own === undefined) {
        for (const finding of document.findings) findings.push(finding)
        continue
      }
      taken += 1
      next = withText(next, objects, { kind: document.kind, name: document.name }, own)
    }
  }
  return { entries: next, taken, notes, findings }
}

/** The documents of a YAML text, each with its comments; JSON is one piece. */
function piecesOf({ file, text }: ManifestFile): readonly ManifestFile[] {
  if (/^\s*[[{]/.test(text)) return [{ file, text }]
  return text
    .split(/^---(?:[ \t].*)?\r?\n/m)
    .filter((piece) => piece.trim() !== '')
    .map((piece) => ({ file, text: piece }))
}

/** The text of the entry: as given if possible, else rewritten from its value. */
function ownText({ kind, checked }: ManifestDocument, given: string | undefined): string | undefined {
  if (given !== undefined && !/^\s*[[{]/.test(given)) return given.endsWith('\n') ? given : `${given}\n`
  return checked?.object === undefined || kind === '' ? undefined : writeManifest(kind, checked.object)
}

/** The fix of a guard rail, as a step of the draft; the same entries when the text cannot be changed. */
export function applyFix(entries: DraftEntries, objects: ObjectSet, fix: GuardFix): DraftEntries {
  switch (fix.action) {
    case 'set': {
      const text = textOf(entries, objects, fix.object)
      const edited = text === undefined ? undefined : editManifest(text, fix.path, fix.value)
      return edited?.ok === true ? withText(entries, objects, fix.object, edited.text) : entries
    }
    case 'add': {
      const { kind, object } = fix
      const name = freeName(entries, objects, kind, object.metadata.name)
      const named = { ...object, metadata: { ...object.metadata, name } }
      return withText(entries, objects, { kind, name }, writeManifest(kind, named))
    }
  }
}
