import type { CheckedValue } from '../config/checkObject.ts'
import { type Finding, quoted } from '../config/finding.ts'
import { type Kind, type ObjectSet, CATCH_ALL, EXEMPT } from '../config/objects.ts'
import { builtInObjects } from '../config/builtIn.ts'

/** A position in a text: line and column count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Offsets into a text, in UTF-16 code units; `to` is not included. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/** A finding and its position; `kind` and `name` are empty where the text specifies none. */
export interface LocatedFinding extends Finding, Position {
  readonly file: string
  readonly kind: string
  readonly name: string
}

/** Information that is not a problem: what was converted, what was skipped. One sentence. */
export interface ManifestNote extends Position {
  readonly file: string
  /** `skipped`: an object of another group, which was not checked. */
  readonly about: 'text' | 'object' | 'skipped'
  readonly message: string
}

/** An object that has the shape of its kind, converted to v1: as written, and as the server would store it. */
export type CheckedObject = Extract<CheckedValue, { readonly object: object }>

/** One flow-control object of a text: a YAML document, a JSON value, or an item of a list in one. */
export interface ManifestDocument {
  readonly file: string
  /** Empty when the text specifies no kind of the group. */
  readonly kind: Kind | ''
  readonly name: string
  /** As written. */
  readonly value: unknown
  /** Present when the value has the shape of its kind, even if the server would reject it. */
  readonly checked?: CheckedObject
  /** In text order. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
  /**
   * Position of a field in the API server's notation (`spec.rules[0].subjects[1].user.name`); for a missing field, of
   * its nearest parent. A scalar is at its value; a map or list, and every unknown field, at its key.
   */
  readonly positionOf: (field: string) => Position
  /** The same as a range of the text, to underline. */
  readonly rangeOf: (field: string) => TextRange
}

/** The content of one text. */
export interface Manifests {
  readonly file: string
  readonly documents: readonly ManifestDocument[]
  /** All findings, including those of the documents, in text order. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
}

/** A text with its name. */
export interface ManifestFile {
  readonly file: string
  readonly text: string
}

/** The configuration that the documents define, with defaults. If an object occurs twice, the later one counts. */
export function objectsOf(documents: readonly ManifestDocument[]): ObjectSet {
  const levels = new Map<string, ObjectSet['levels'][number]>()
  const schemas = new Map<string, ObjectSet['schemas'][number]>()
  for (const { checked } of documents) {
    if (checked?.kind === 'FlowSchema') schemas.set(checked.name, checked.defaulted)
    else if (checked !== undefined) levels.set(checked.name, checked.defaulted)
  }
  return { levels: [...levels.values()], schemas: [...schemas.values()] }
}

interface SetOptions {
  /** Kubernetes version. Every server has its built-in levels. */
  readonly version: string
  /**
   * Whether the files contain the server's complete configuration, so that what they do not define does not exist. If
   * absent, it is derived from the files: they are complete if they define both mandatory levels.
   */
  readonly complete?: boolean
}

/** Warnings about the files as a whole: the same object twice, references to undefined levels. */
export function checkSet(manifests: readonly Manifests[], options: SetOptions): readonly LocatedFinding[] {
  const documents = manifests.flatMap((one) => one.documents)
  return [...duplicates(documents), ...dangling(documents, options)]
}

function duplicates(documents: readonly ManifestDocument[]): readonly LocatedFinding[] {
  const seen = new Map<string, ManifestDocument>()
  return documents.flatMap((document) => {
    if (document.kind === '' || document.name === '') return []
    const key = `${document.kind}/${document.name}`
    const before = seen.get(key)
    seen.set(key, document)
    if (before === undefined) return []
    const where = before.file === document.file ? 'line' : `${before.file}, line`
    const message = `${document.kind} ${document.name} is also defined in ${where} ${before.positionOf('metadata.name').line}; the last one applied wins.`
    return [warning(document, 'metadata.name', 'FieldValueDuplicate', message)]
  })
}

function dangling(
  documents: readonly ManifestDocument[],
  { version, complete }: SetOptions,
): readonly LocatedFinding[] {
  const levels = new Set(documents.flatMap(({ kind, name }) => (kind === 'PriorityLevelConfiguration' ? [name] : [])))
  if (!(complete ?? [EXEMPT, CATCH_ALL].every((name) => levels.has(name)))) return []
  for (const { metadata } of builtInObjects(version).levels) levels.add(metadata.name)
  return documents.flatMap((document) => {
    if (document.checked?.kind !== 'FlowSchema') return []
    const { name } = document.checked.object.spec.priorityLevelConfiguration
    if (name === '' || levels.has(name)) return []
    const message = `There is no PriorityLevelConfiguration ${quoted(name)}, so the server skips this FlowSchema. Define the level or name another one.`
    return [warning(document, 'spec.priorityLevelConfiguration.name', 'FieldValueNotFound', message)]
  })
}

const warning = (
  document: ManifestDocument,
  field: string,
  reason: LocatedFinding['reason'],
  message: string,
): LocatedFinding => ({
  file: document.file,
  kind: document.kind,
  name: document.name,
  ...document.positionOf(field),
  field,
  reason,
  severity: 'warning',
  message,
})
