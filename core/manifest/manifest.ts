import type { CheckedValue } from '../config/checkObject.ts'
import type { Finding } from '../config/finding.ts'
import type { Kind } from '../config/objects.ts'

/** A place in a text: line and column count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Offsets into a text, in UTF-16 code units; `to` is not included. */
export interface TextRange {
  readonly from: number
  readonly to: number
}

/** A finding and where it is; `kind` and `name` are empty where the text says none. */
export interface LocatedFinding extends Finding, Position {
  readonly file: string
  readonly kind: string
  readonly name: string
}

/** Something worth knowing that is no problem: what was converted, what was skipped. One sentence. */
export interface ManifestNote extends Position {
  readonly file: string
  /** `skipped`: an object of another group, which was not checked. */
  readonly about: 'text' | 'object' | 'skipped'
  readonly message: string
}

/** An object that has the shape of its kind: as version v1 has it, as written and as the server would store it. */
export type CheckedObject = Extract<CheckedValue, { readonly object: object }>

/** One flow-control object of a text: a YAML document, a JSON value, or an item of a list in one. */
export interface ManifestDocument {
  readonly file: string
  /** Empty when the text says none that the group has. */
  readonly kind: Kind | ''
  readonly name: string
  /** As written. */
  readonly value: unknown
  /** Present when the value has the shape of its kind, even if the server would reject it. */
  readonly checked?: CheckedObject
  /** In the order of the text. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
  /**
   * Where a field is, given as the API server reports it (`spec.rules[0].subjects[1].user.name`). Of a field that is not
   * there, its nearest parent that is. A scalar is at its value; a map or list, and every unknown field, at its key.
   */
  readonly positionOf: (field: string) => Position
  /** The same place as a range of the text, to underline. */
  readonly rangeOf: (field: string) => TextRange
}

/** Everything that one text holds. */
export interface Manifests {
  readonly file: string
  readonly documents: readonly ManifestDocument[]
  /** All of them, those of the documents included, in the order of the text. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
}
