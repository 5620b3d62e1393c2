import type { ConfigurationReport, EngineConfiguration } from '../engine/apfEngine.ts'
import {
  type Condition,
  type FlowSchema,
  type ObjectMeta,
  AUTOUPDATE_ANNOTATION,
  type ObjectSet,
  type PriorityLevelConfiguration,
  objectNamed,
} from '../config/objects.ts'
import { specEquals } from '../config/content.ts'
import { builtInObjects } from '../config/builtIn.ts'
import { predictReconcile } from '../guard/reconciler.ts'
import { namedRandom } from './random.ts'

interface Stored {
  readonly metadata: ObjectMeta
  readonly spec: unknown
}

/**
 * What the simulated server stores about its objects beyond the applied fields: UIDs, generations (which count changes
 * of the spec) and resource versions (which count every write) as an API server assigns them. Object kinds are
 * distinguished by their plural.
 */
export class ObjectStore {
  private readonly seed: number
  private version = 1
  /** How often an object of a kind and name was deleted: if created again, it is a new object. */
  private readonly deletions = new Map<string, number>()
  private held: EngineConfiguration = { levels: [], schemas: [] }

  constructor(seed: number) {
    this.seed = seed
  }

  /** Resource version of the latest change. */
  get resourceVersion(): string {
    return String(this.version)
  }

  get objects(): EngineConfiguration {
    return this.held
  }

  /** Replaces all objects; those that did not change keep their version. */
  replace({ levels, schemas }: EngineConfiguration): EngineConfiguration {
    this.noteDeleted('prioritylevelconfigurations', this.held.levels, levels)
    this.noteDeleted('flowschemas', this.held.schemas, schemas)
    this.held = {
      levels: levels.map((level) => this.adopt('prioritylevelconfigurations', level, this.held.levels)),
      schemas: schemas.map((schema) => this.adopt('flowschemas', schema, this.held.schemas)),
    }
    return this.held
  }

  writeConditions(conditions: ConfigurationReport['conditions'], at: string): void {
    const bySchema = new Map(conditions.map(({ schema, condition }) => [schema, condition]))
    if (bySchema.size === 0) return
    this.version += 1
    const { resourceVersion } = this
    const schemas = this.held.schemas.map((schema) => {
      const condition = bySchema.get(schema.metadata.name)
      if (condition === undefined) return schema
      const written = withCondition(schema, { ...condition, lastTransitionTime: at })
      return { ...written, metadata: { ...schema.metadata, resourceVersion } }
    })
    this.held = { ...this.held, schemas }
  }

  private adopt<O extends Stored>(plural: string, given: O, present: readonly O[]): O {
    const { name } = given.metadata
    const before = objectNamed(present, name)
    const specStays = before !== undefined && specEquals(before.spec, given.spec)
    if (before !== undefined && specStays && sameWritten(before.metadata, given.metadata)) return before
    this.version += 1
    const { uid = this.uid(plural, name), generation = 0, creationTimestamp } = before?.metadata ?? {}
    const metadata = {
      ...given.metadata,
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      uid,
      resourceVersion: this.resourceVersion,
      generation: specStays ? generation : generation + 1,
    }
    return { ...before, ...given, metadata }
  }

  private noteDeleted(plural: string, before: readonly Stored[], after: readonly Stored[]): void {
    const kept = new Set(after.map(({ metadata }) => metadata.name))
    const gone = before.filter(({ metadata }) => !kept.has(metadata.name))
    if (gone.length > 0) this.version += 1
    for (const { metadata } of gone) {
      const key = `${plural}/${metadata.name}`
      this.deletions.set(key, (this.deletions.get(key) ?? 0) + 1)
    }
  }

  /** A UID of version 4 that is the same in every run. */
  private uid(plural: string, name: string): string {
    const key = `${plural}/${name}`
    const deletions = this.deletions.get(key)
    const random = namedRandom(this.seed, `uid of ${key}${deletions === undefined ? '' : `, made again ${deletions}`}`)
    const hex = Array.from({ length: 32 }, (_, at) => {
      const digit = Math.floor(random() * 16)
      return (at === 12 ? 4 : at === 16 ? 8 + (digit % 4) : digit).toString(16)
    }).join('')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }
}

/** A flow schema with this condition replacing the one of its type: each type has its own writer. */
export function withCondition(schema: FlowSchema, condition: Condition): FlowSchema {
  const others = (schema.status?.conditions ?? []).filter(({ type }) => type !== condition.type)
  return { ...schema, status: { conditions: [...others, condition] } }
}

/** Whether labels and annotations are the same. */
const sameWritten = (a: ObjectMeta, b: ObjectMeta): boolean =>
  specEquals(a.labels ?? {}, b.labels ?? {}) && specEquals(a.annotations ?? {}, b.annotations ?? {})

/**
 * One pass of the API server's bootstrap controller over the objects (specification 7.8): missing built-in ones are
 * created, those that follow the release are reverted, and those that only claim to be built in are deleted. Returns
 * the same set when there is nothing to do.
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
    const model = objectNamed(builtIn, object.metadata.name)
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
