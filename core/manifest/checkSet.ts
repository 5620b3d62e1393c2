import { builtInObjects } from '../config/builtInByVersion.ts'
import { CATCH_ALL, EXEMPT } from '../config/objects.ts'
import { quoted } from '../config/problems.ts'
import type { LocatedFinding, ManifestDocument, Manifests } from './manifest.ts'

export interface SetOptions {
  /** Kubernetes version, whose built-in levels every server has. */
  readonly version: string
  /**
   * Whether the files are everything that the server has, so that what they do not define does not exist. Otherwise it
   * is taken from them: whoever has written down both mandatory levels has written down everything.
   */
  readonly complete?: boolean
}

/** Warnings about files taken together: the same object twice, references to levels that nothing defines. */
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
    const message = `There is no PriorityLevelConfiguration ${quoted(name)}; while it is missing, the server passes over this FlowSchema. Define the level or name another one.`
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
