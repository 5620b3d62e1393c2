import { pairedByName } from '../config/byName.ts'
import { sameContent } from '../config/content.ts'
import { defaultFlowSchema, defaultLevel } from '../config/defaulting.ts'
import type { FlowSchema, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'

/** One object that differs between two configurations; `null` where there is none. */
export type GuardChange =
  | {
      readonly kind: 'PriorityLevelConfiguration'
      readonly name: string
      readonly from: PriorityLevelConfiguration | null
      readonly to: PriorityLevelConfiguration | null
    }
  | {
      readonly kind: 'FlowSchema'
      readonly name: string
      readonly from: FlowSchema | null
      readonly to: FlowSchema | null
    }
export type LevelChange = Extract<GuardChange, { kind: 'PriorityLevelConfiguration' }>
export type SchemaChange = Extract<GuardChange, { kind: 'FlowSchema' }>

/**
 * What differs in spec or in the metadata that people write. Objects may be defaulted or not; those of the changes are.
 * Levels first, each kind by name.
 */
export function changesBetween(before: ObjectSet, after: ObjectSet): readonly GuardChange[] {
  const levels = differing(before.levels, after.levels, defaultLevel)
  const schemas = differing(before.schemas, after.schemas, defaultFlowSchema)
  return [
    ...levels.map((change): LevelChange => ({ kind: 'PriorityLevelConfiguration', ...change })),
    ...schemas.map((change): SchemaChange => ({ kind: 'FlowSchema', ...change })),
  ]
}

export const isLevelChange = (change: GuardChange): change is LevelChange =>
  change.kind === 'PriorityLevelConfiguration'

type Named = FlowSchema | PriorityLevelConfiguration

const differing = <T extends Named>(
  before: readonly T[],
  after: readonly T[],
  fill: (object: T) => T,
): { readonly name: string; readonly from: T | null; readonly to: T | null }[] =>
  pairedByName(before, after).flatMap(({ name, from: old, to: next }) => {
    // An editor keeps what it does not touch.
    if (old === next) return []
    const [from, to] = [old === undefined ? null : fill(old), next === undefined ? null : fill(next)]
    return from !== null && to !== null && sameContent({ ...from }, { ...to }) ? [] : [{ name, from, to }]
  })
