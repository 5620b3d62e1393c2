import { builtInObjects } from '../config/builtInByVersion.ts'
import {
  AUTOUPDATE_ANNOTATION,
  type FlowSchema,
  type ObjectSet,
  type PriorityLevelConfiguration,
} from '../config/objects.ts'
import { predictReconcile } from '../guard/reconciler.ts'

/**
 * One pass of the API server's bootstrap controller over the objects (specification 7.8): built-in ones that are missing
 * are made, those that are to follow the release are put back, and those that only claim to be built in are deleted.
 * Gives back the same set when there is nothing to do.
 */
export function reconcile(objects: ObjectSet, version: string): ObjectSet {
  const builtIn = builtInObjects(version)
  const levels = pass(objects.levels, builtIn.levels, (level) => judgeLevel(level, version))
  const schemas = pass(objects.schemas, builtIn.schemas, (schema) => judgeSchema(schema, version))
  return levels === objects.levels && schemas === objects.schemas ? objects : { levels, schemas }
}

type Prediction = ReturnType<typeof predictReconcile>

const judgeLevel = (level: PriorityLevelConfiguration, version: string): Prediction =>
  predictReconcile({ kind: 'PriorityLevelConfiguration', name: level.metadata.name, from: level, to: level }, version)
const judgeSchema = (schema: FlowSchema, version: string): Prediction =>
  predictReconcile({ kind: 'FlowSchema', name: schema.metadata.name, from: schema, to: schema }, version)

function pass<O extends FlowSchema | PriorityLevelConfiguration>(
  present: readonly O[],
  builtIn: readonly O[],
  judge: (object: O) => Prediction,
): readonly O[] {
  const names = new Set(present.map(({ metadata }) => metadata.name))
  const missing = builtIn.filter(({ metadata }) => !names.has(metadata.name))
  const after = present.flatMap((object) => {
    const model = builtIn.find(({ metadata }) => metadata.name === object.metadata.name)
    return become(object, model, judge(object))
  })
  const same =
    missing.length === 0 && after.length === present.length && after.every((object, at) => object === present[at])
  return same ? present : [...after, ...missing]
}

function become<O extends FlowSchema | PriorityLevelConfiguration>(
  object: O,
  model: O | undefined,
  { verdict, annotation }: Prediction,
): readonly O[] {
  if (verdict === 'deleted') return []
  const spec = verdict === 'put-back' && model !== undefined ? { spec: model.spec } : {}
  const annotations = { ...object.metadata.annotations, ...(annotation && { [AUTOUPDATE_ANNOTATION]: annotation }) }
  const written = annotation === undefined ? {} : { metadata: { ...object.metadata, annotations } }
  return verdict === 'kept' ? [object] : [{ ...object, ...spec, ...written }]
}
