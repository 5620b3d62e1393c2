import { defaultFlowSchema, defaultLevel } from '../config/defaulting.ts'
import type { FlowSchema, ObjectMeta, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import type { ObjectRef } from '../guard/finding.ts'
import type { DraftEntry } from './draft.ts'
import type { CheckedObject, ReadEntry } from './readEntry.ts'

/** The configuration that a draft proposes. */
export interface Proposal {
  /** Defaults filled in. */
  readonly objects: ObjectSet
  /** Objects whose text has errors: their last valid values are used, if there are any. */
  readonly stale: readonly ObjectRef[]
}

/** `lastGood`: the last valid reading of an entry's text. */
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

/** Puts an object in the place of the one of its name. The server goes on keeping what it keeps by itself. */
function place<T extends FlowSchema | PriorityLevelConfiguration>(objects: Map<string, T>, object: T): void {
  const { name } = object.metadata
  const kept = objects.get(name)?.metadata
  objects.set(name, { ...object, metadata: { ...identityOf(kept), ...object.metadata } })
}

const identityOf = (metadata: ObjectMeta | undefined): Partial<ObjectMeta> => ({
  ...(metadata?.uid !== undefined && { uid: metadata.uid }),
  ...(metadata?.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
})
