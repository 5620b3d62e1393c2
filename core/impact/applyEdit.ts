import { byName } from '../config/byName.ts'
import type { FlowSchema, ObjectMeta, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'

/**
 * A configuration with objects of an edit in the place of those of their names, new ones at the end. As `kubectl apply`
 * does, labels and annotations that the edit does not name stay, and so does what the server keeps by itself.
 */
export const withEdit = (objects: ObjectSet, edit: ObjectSet): ObjectSet => ({
  levels: replaced(objects.levels, edit.levels),
  schemas: replaced(objects.schemas, edit.schemas),
})

type Named = FlowSchema | PriorityLevelConfiguration

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
