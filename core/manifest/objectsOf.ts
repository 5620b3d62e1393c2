import type { ObjectSet } from '../config/objects.ts'
import type { ManifestDocument } from './manifest.ts'

/** The configuration that documents make up, defaulted; of the same object twice, the later one. */
export function objectsOf(documents: readonly ManifestDocument[]): ObjectSet {
  const levels = new Map<string, ObjectSet['levels'][number]>()
  const schemas = new Map<string, ObjectSet['schemas'][number]>()
  for (const { checked } of documents) {
    if (checked?.kind === 'FlowSchema') schemas.set(checked.name, checked.defaulted)
    else if (checked !== undefined) levels.set(checked.name, checked.defaulted)
  }
  return { levels: [...levels.values()], schemas: [...schemas.values()] }
}
