import { manifestOf } from '../../../core/config/content.ts'
import type { ElsewhereObjects } from '../../../core/contract/objects.ts'
import { NEWEST_VERSION } from '../../../core/engine/profiles.ts'
import type { SentFile, UploadedFile } from '../../../core/contract/source.ts'
import { readManifests } from '../../../core/manifest/read.ts'
import { textsOf } from '../../files/archives.ts'
import { stillObjects, type ObjectGateway } from '../../ports/objectGateway.ts'
import type { ObjectsReading } from '../../../core/source/sourceEvent.ts'
import { readStored, type StoredSet } from '../../../core/config/schema.ts'

/** Flow-control objects of manifest files, and sentences about the parts that could not be read. */
export interface ManifestObjects {
  readonly objects: StoredSet
  readonly notes: readonly string[]
}

/** Objects of version v1, those of older versions converted. Of two with the same name, the later one counts. */
export function objectsOfManifests(files: readonly UploadedFile[], version: string = NEWEST_VERSION): ManifestObjects {
  const levels = new Map<string, StoredSet['levels'][number]>()
  const schemas = new Map<string, StoredSet['schemas'][number]>()
  const notes: string[] = []
  for (const { name: file, text } of files) {
    const { documents, findings } = readManifests(text, { file, version })
    for (const { checked, kind, name } of documents) {
      if (checked?.object === undefined) {
        if (kind !== '') notes.push(`${file}: ${kind} ${name} does not have the fields of its kind and is left out.`)
      } else if (checked.kind === 'FlowSchema')
        put(schemas, readStored(checked.kind, manifestOf(checked.kind, checked.object)))
      else put(levels, readStored(checked.kind, manifestOf(checked.kind, checked.object)))
    }
    if (documents.length > 0) continue
    const [first] = findings
    notes.push(
      first === undefined ? `${file} holds no flow-control objects.` : `${file}, line ${first.line}: ${first.message}`,
    )
  }
  return { objects: { levels: [...levels.values()], schemas: [...schemas.values()] }, notes }
}

function put<O extends StoredSet['levels'][number] | StoredSet['schemas'][number]>(
  objects: Map<string, O>,
  object: O | undefined,
): void {
  if (object !== undefined) objects.set(object.metadata.name, object)
}

/** The objects in the form of a source's objects: for display and as the base of a draft. */
export function fileObjects(
  files: readonly UploadedFile[],
  { objects, notes }: ManifestObjects,
  known: Pick<ObjectsReading, 'asOf' | 'version'>,
): ObjectGateway {
  const problem = notes.length === 0 ? {} : { problem: { code: 'bad-answer' as const, message: notes.join(' ') } }
  const names = files.map(({ name }) => name).toSorted()
  return stillObjects({
    target: nameOf(files),
    targetKey: `files ${names.join(', ')}`,
    reading: { state: 'current', ...known, ...problem, objects },
    impossible: 'These are files, so there is no server to apply to: save the changed objects as YAML.',
  })
}

const nameOf = (files: readonly UploadedFile[]): string => {
  const [first] = files
  return files.length === 1 && first !== undefined ? first.name : `${files.length} files`
}

/** Manifests to compare with; a file without objects is valid. */
export async function readManifestFiles(sent: readonly SentFile[]): Promise<ElsewhereObjects> {
  const files = await textsOf(sent)
  const { objects, notes } = objectsOfManifests(files)
  return {
    name: nameOf(files),
    objects,
    notes: [...files.flatMap(({ problem = [] }) => problem), ...notes],
  }
}
