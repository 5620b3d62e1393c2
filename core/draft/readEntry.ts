import type { Finding } from '../config/finding.ts'
import type { CheckedObject, LocatedFinding, ManifestDocument, ManifestNote } from '../manifest/manifest.ts'
import { readManifests } from '../manifest/read.ts'
import { manifestOf, versionOf, sameContent } from '../config/content.ts'
import {
  type ObjectSet,
  type FlowSchema,
  type ObjectMeta,
  type PriorityLevelConfiguration,
  defaultFlowSchema,
  defaultLevel,
  objectOf,
} from '../config/objects.ts'
import type { ObjectChange } from '../contract/objects.ts'
import type { DraftChange } from '../manifest/export.ts'
import type { ObjectRef } from '../guard/finding.ts'
import type { JsonObject } from '../config/jsonValues.ts'
import type { DraftEntry } from './draft.ts'

/** A parsed entry of a draft. */
export interface ReadEntry {
  readonly entry: DraftEntry
  /** The current name of the object: the one in the text, else the one under which it was begun. */
  readonly name: string
  readonly deleted: boolean
  /** The one object in the text. */
  readonly document?: ManifestDocument
  /** Present when no server would reject it. */
  readonly checked?: CheckedObject
  /** In the order of the text. */
  readonly findings: readonly LocatedFinding[]
  readonly notes: readonly ManifestNote[]
}

/** Parses the text of one entry by the rules of a Kubernetes version. Never throws. */
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

const START = { file: '', kind: '', name: '', line: 1, column: 1 }
const error = (finding: Omit<Finding, 'severity'>): Finding => ({ ...finding, severity: 'error' })

const nothing = (): LocatedFinding => ({
  ...START,
  ...error({
    field: '',
    reason: 'Malformed',
    message: 'The text contains no object: write one, or revert the change.',
  }),
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

/** The identity of the object, which the text must not change. */
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

/** New objects whose current name is that of another object. */
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
      message: `There is another ${entry.kind} named ${name}: give this one a name of its own.`,
    }),
  }
}

/**
 * The changes for the server, in an order in which no schema ever references a missing level: levels are created before
 * schemas and deleted after them. An object whose content equals the base of the edit is used in its present version,
 * so that a new status does not cause a conflict. Entries with errors are left out.
 */
export function changesOf(reads: readonly ReadEntry[], current: ObjectSet): readonly ObjectChange[] {
  return reads
    .flatMap((read): ObjectChange[] => {
      const { entry, name, deleted, checked } = read
      const { kind } = entry
      if (!deleted && checked === undefined) return []
      const base = baseVersion(read, current)
      const object = checked === undefined ? null : { ...manifestOf(kind, checked.object) }
      return [{ kind, name, object, ...(base !== undefined && { base }) }]
    })
    .toSorted((a, b) => turnOf(a) - turnOf(b))
}

const turnOf = ({ kind, object }: ObjectChange): number => {
  const level = kind === 'PriorityLevelConfiguration'
  return object === null ? (level ? 3 : 2) : level ? 0 : 1
}

function baseVersion({ entry, name }: ReadEntry, current: ObjectSet): ObjectChange['base'] {
  if (entry.base === undefined) return undefined
  const now = objectOf(current, { kind: entry.kind, name })
  const firm = now !== undefined && footingOf(entry, name, current).kind === 'firm'
  return versionOf(firm ? { ...now } : entry.base)
}

/** The same for export: as manifests, with the base of the edit. */
export const exportedChanges = (reads: readonly ReadEntry[]): readonly DraftChange[] =>
  reads.flatMap(({ entry, name, deleted, checked }): DraftChange[] => {
    const from: JsonObject | null = entry.base ?? null
    if (deleted) return [{ kind: entry.kind, name, from, to: null }]
    return checked === undefined ? [] : [{ kind: entry.kind, name, from, to: checked.object }]
  })

/** The configuration that a draft results in. */
export interface Proposal {
  /** Defaults filled in. */
  readonly objects: ObjectSet
  /** Objects whose text has errors: their last valid values are used, if there are any. */
  readonly stale: readonly ObjectRef[]
}

/** `lastGood`: the last valid result of parsing an entry's text. */
export function proposalOf(
  current: ObjectSet,
  reads: readonly ReadEntry[],
  lastGood: (entry: DraftEntry) => CheckedObject | undefined,
): Proposal {
  const levels = new Map(current.levels.map((level) => [level.metadata.name, defaultLevel(level)]))
  const schemas = new Map(current.schemas.map((schema) => [schema.metadata.name, defaultFlowSchema(schema)]))
  const stale: ObjectRef[] = []
  for (const read of reads) {
    const { entry, deleted } = read
    if (deleted) {
      if (entry.kind === 'FlowSchema') schemas.delete(entry.name)
      else levels.delete(entry.name)
      continue
    }
    const good = read.checked ?? lastGood(entry)
    if (read.checked === undefined) stale.push({ kind: entry.kind, name: entry.name })
    if (good === undefined) continue
    if (good.kind === 'FlowSchema') place(schemas, good.defaulted)
    else place(levels, good.defaulted)
  }
  return { objects: { levels: [...levels.values()], schemas: [...schemas.values()] }, stale }
}

/** Replaces the object with the same name. The fields that the server maintains are kept. */
function place<T extends FlowSchema | PriorityLevelConfiguration>(objects: Map<string, T>, object: T): void {
  const { name } = object.metadata
  const kept = objects.get(name)?.metadata
  objects.set(name, { ...object, metadata: { ...identityOf(kept), ...object.metadata } })
}

const identityOf = (metadata: ObjectMeta | undefined): Partial<ObjectMeta> => ({
  ...(metadata?.uid !== undefined && { uid: metadata.uid }),
  ...(metadata?.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
})

/** Whether an edit is still based on the current object. */
export type Footing =
  | { readonly kind: 'firm' }
  /** The content of the object has changed. */
  | { readonly kind: 'moved'; readonly theirs: JsonObject }
  /** It was deleted. */
  | { readonly kind: 'gone' }
  /** An object that the draft creates was created by someone else. */
  | { readonly kind: 'exists'; readonly theirs: JsonObject }

/** `name`: the current name of the entry's object. */
export function footingOf({ kind, base }: DraftEntry, name: string, objects: ObjectSet): Footing {
  const found = objectOf(objects, { kind, name })
  if (found === undefined) return { kind: base === undefined ? 'firm' : 'gone' }
  const theirs: JsonObject = { ...found }
  if (base === undefined) return { kind: 'exists', theirs }
  return sameContent(base, theirs) ? { kind: 'firm' } : { kind: 'moved', theirs }
}
