import type { CheckedValue } from '../config/checkObject.ts'
import type { Finding } from '../config/finding.ts'
import type { ObjectRef } from '../guard/finding.ts'
import type { LocatedFinding, ManifestDocument, ManifestNote } from '../manifest/manifest.ts'
import { readManifests } from '../manifest/read.ts'
import type { DraftEntry } from './draft.ts'

/** An object whose text has the shape of its kind. */
export type CheckedObject = Extract<CheckedValue, { readonly object: object }>

/** An entry of a draft, understood. */
export interface ReadEntry {
  readonly entry: DraftEntry
  /** How the object is called now: what the text says, else the name under which it was begun. */
  readonly name: string
  readonly deleted: boolean
  /** The one object of the text. */
  readonly document?: ManifestDocument
  /** Present when no server would reject it. */
  readonly checked?: CheckedObject
  /** In the order of the text. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
}

/** Reads the text of one entry by the rules of a Kubernetes version. Never throws. */
export function readEntry(entry: DraftEntry, version: string): ReadEntry {
  if (entry.text === null) return { entry, name: entry.name, deleted: true, findings: [], notes: [] }
  const { documents, findings, notes } = readManifests(entry.text, { file: '', version })
  const [document, second] = documents
  const own = [
    ...(document === undefined && findings.length === 0 ? [nothing()] : []),
    ...(second === undefined ? [] : [several(second)]),
    ...(document === undefined ? [] : identityFindings(entry, document)),
  ]
  const all = [...own, ...findings].toSorted((a, b) => a.line - b.line || a.column - b.column)
  const valid = all.every(({ severity }) => severity !== 'error')
  const checked = document?.checked
  return {
    entry,
    name: document === undefined || document.name === '' ? entry.name : document.name,
    deleted: false,
    ...(document !== undefined && { document }),
    ...(valid && checked?.object !== undefined && { checked }),
    findings: all,
    notes,
  }
}

export const errorsOf = ({ findings }: ReadEntry): readonly LocatedFinding[] =>
  findings.filter(({ severity }) => severity === 'error')
export const warningsOf = ({ findings }: ReadEntry): readonly LocatedFinding[] =>
  findings.filter(({ severity }) => severity === 'warning')

const START = { file: '', kind: '', name: '', line: 1, column: 1 }
const error = (finding: Omit<Finding, 'severity'>): Finding => ({ ...finding, severity: 'error' })

const nothing = (): LocatedFinding => ({
  ...START,
  ...error({ field: '', reason: 'Malformed', message: 'The text holds no object: write one, or revert the change.' }),
})

const several = (second: ManifestDocument): LocatedFinding => ({
  ...START,
  ...second.positionOf(''),
  ...error({
    field: '',
    reason: 'Malformed',
    message: 'Each object of a draft has its own text: paste several with “Paste manifests”.',
  }),
})

/** What the text may not change: which object it is. */
function identityFindings({ kind, name, base }: DraftEntry, document: ManifestDocument): readonly LocatedFinding[] {
  const at = (field: string, message: string): LocatedFinding => ({
    ...START,
    ...document.positionOf(field),
    ...error({ field, reason: 'FieldValueForbidden', message }),
  })
  return [
    ...(document.kind === '' || document.kind === kind
      ? []
      : [at('kind', `This is the text of a ${kind}: make a new object for another kind.`)]),
    ...(base === undefined || document.name === '' || document.name === name
      ? []
      : [
          at('metadata.name', `An object cannot be renamed: duplicate ${name} under the new name and delete this one.`),
        ]),
  ]
}

/** New objects that have come to bear the name of another one. */
export function nameClash(read: ReadEntry, others: readonly ObjectRef[]): LocatedFinding | undefined {
  const { entry, name, document } = read
  if (entry.base !== undefined || document === undefined) return undefined
  if (!others.some((other) => other.kind === entry.kind && other.name === name)) return undefined
  return {
    ...START,
    ...document.positionOf('metadata.name'),
    ...error({
      field: 'metadata.name',
      reason: 'FieldValueDuplicate',
      message: `There is another ${entry.kind} called ${name}: give this one a name of its own.`,
    }),
  }
}
