import { checkObject, type CheckedValue, convertToV1 } from '../config/checkObject.ts'
import { LAST_APPLIED, manifestOf, byName } from '../config/content.ts'
import type { FlowSchema, ObjectSet, PriorityLevelConfiguration, ObjectMeta } from '../config/objects.ts'
import {
  getIn,
  isMap,
  parseField,
  toJson,
  type Json,
  type JsonMap,
  applyMergePatch,
  mergePatch,
} from '../manifest/json.ts'
import { applyStrategicPatch, deletes, isStrategicPatch } from '../manifest/strategic.ts'
import type { CheckedObject, LocatedFinding, ManifestDocument } from '../manifest/manifest.ts'

export interface ApplyOptions {
  /** Kubernetes version whose rules apply. */
  readonly version: string
  /**
   * How the objects before the edit were created: `applied` from the manifests that they are read from, so that what an
   * edit omits is removed; `live`, where only the fields recorded by the last apply in an annotation are removed. With
   * `patched` the manifests are strategic merge patches, which remove nothing that they omit.
   */
  readonly before: 'applied' | 'live' | 'patched'
}

export interface Applied {
  readonly objects: ObjectSet
  /** Why the server would reject the result of applying a manifest, although it would accept the manifest by itself. */
  readonly findings: readonly LocatedFinding[]
  /** Errors of manifests by themselves that do not apply to the result: the object has the members that they omit. */
  readonly supplied: ReadonlySet<LocatedFinding>
}

/**
 * A configuration after `kubectl apply` of manifests: fields that a manifest omits keep their values unless an earlier
 * apply had set them.
 */
export function applyManifests(
  before: ObjectSet,
  documents: readonly ManifestDocument[],
  options: ApplyOptions,
): Applied {
  let objects = before
  const findings: LocatedFinding[] = []
  const supplied = new Set<LocatedFinding>()
  for (const document of documents) {
    const { checked } = document
    if (checked === undefined) continue
    const present = presentOf(objects, checked)
    if (present !== undefined && deletes(toJson(document.value))) {
      objects = without(objects, checked)
      for (const own of document.findings) supplied.add(own)
      continue
    }
    const merged =
      present === undefined ? undefined : checkObject(merge(present, document.value, options), options.version)
    objects = withEdit(objects, setOf(merged?.object === undefined ? checked : merged))
    if (merged === undefined) continue
    for (const added of newErrors(document, merged)) findings.push(added)
    if (merged.object === undefined) continue
    const still = new Set(merged.findings.map(({ field, reason }) => `${field} ${reason}`))
    for (const own of document.findings) if (!still.has(`${own.field} ${own.reason}`)) supplied.add(own)
  }
  return { objects, findings, supplied }
}

type Named = FlowSchema | PriorityLevelConfiguration

export const setOf = (checked: CheckedObject): ObjectSet =>
  checked.kind === 'FlowSchema'
    ? { levels: [], schemas: [checked.defaulted] }
    : { levels: [checked.defaulted], schemas: [] }

function presentOf({ levels, schemas }: ObjectSet, { kind, name }: CheckedObject): JsonMap | undefined {
  const same = ({ metadata }: Named): boolean => metadata.name === name
  const found = kind === 'FlowSchema' ? schemas.find(same) : levels.find(same)
  return found === undefined ? undefined : mapOf(toJson(manifestOf(kind, found)))
}

function merge(present: JsonMap, value: unknown, { before }: ApplyOptions): Json {
  const written = mapOf(toJson(convertToV1(value).value))
  if (before === 'patched' || isStrategicPatch(written)) return applyStrategicPatch(present, written)
  const original = before === 'applied' ? present : lastApplied(present)
  const withoutRemoved = applyMergePatch(present, mergePatch(original, written) ?? {})
  return applyStrategicPatch(withoutRemoved, written)
}

function without({ levels, schemas }: ObjectSet, { kind, name }: CheckedObject): ObjectSet {
  const isOther = ({ metadata }: Named): boolean => metadata.name !== name
  return kind === 'FlowSchema'
    ? { levels, schemas: schemas.filter(isOther) }
    : { levels: levels.filter(isOther), schemas }
}

/** The fields set by the last `kubectl apply`; none if there was none, or its annotation cannot be parsed. */
function lastApplied({ metadata = {} }: JsonMap): JsonMap {
  const note = mapOf(mapOf(metadata)['annotations'] ?? {})[LAST_APPLIED]
  if (typeof note !== 'string') return {}
  try {
    return mapOf(toJson(convertToV1(JSON.parse(note)).value))
  } catch {
    return {}
  }
}

const mapOf = (value: Json): JsonMap => (isMap(value) ? value : {})

function newErrors(document: ManifestDocument, { findings }: CheckedValue): readonly LocatedFinding[] {
  const own = new Set(document.checked?.findings.map(({ field, reason }) => `${field} ${reason}`))
  return findings
    .filter(({ severity, field, reason }) => severity === 'error' && !own.has(`${field} ${reason}`))
    .map((finding) => ({
      ...finding,
      message:
        getIn(toJson(document.value), parseField(finding.field)) === undefined
          ? `${finding.message} kubectl apply keeps what a manifest leaves out; to remove a field, write it as null.`
          : finding.message,
      file: document.file,
      kind: document.kind,
      name: document.name,
      ...document.positionOf(finding.field),
    }))
}

/**
 * A configuration in which the objects of an edit replace those of the same name, new ones at the end. As with `kubectl
 * apply`, labels and annotations that the edit does not name are kept, and so are fields that the server maintains.
 */
export const withEdit = (objects: ObjectSet, edit: ObjectSet): ObjectSet => ({
  levels: replaced(objects.levels, edit.levels),
  schemas: replaced(objects.schemas, edit.schemas),
})

function replaced<T extends Named>(present: readonly T[], edit: readonly T[]): readonly T[] {
  const edited = byName(edit)
  const known = new Set(present.map(({ metadata }) => metadata.name))
  return [
    ...present.map((object) => {
      const next = edited.get(object.metadata.name)
      return next === undefined ? object : { ...next, metadata: mergedMetadata(object.metadata, next.metadata) }
    }),
    ...edit.filter(({ metadata }) => !known.has(metadata.name)),
  ]
}

function mergedMetadata(present: ObjectMeta, next: ObjectMeta): ObjectMeta {
  const labels = { ...present.labels, ...next.labels }
  const annotations = { ...present.annotations, ...next.annotations }
  return {
    ...present,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
}
