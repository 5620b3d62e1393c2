import { pairedByName } from '../config/diff.ts'
import { sameContent } from '../config/content.ts'
import { defaultFlowSchema, defaultLevel } from '../config/defaulting.ts'
import type { FlowSchema, ObjectSet, PriorityLevelConfiguration } from '../config/objects.ts'
import { isMandatory, isSuggested } from '../config/builtIn.ts'
import type { ServerFrame } from '../frame/frame.ts'
import type { ObjectRef } from './finding.ts'

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

/** A change that is applied only after its name was typed. */
export interface Confirmation extends ObjectRef {
  /** Sentences. */
  readonly reasons: readonly string[]
}

/** Changes of built-in objects, deletions, and changes of levels that hold requests now. In the order of the changes. */
export function confirmationsFor(
  changes: readonly GuardChange[],
  {
    version = '',
    servers = [],
  }: { readonly version?: string | undefined; readonly servers?: readonly ServerFrame[] | undefined },
): readonly Confirmation[] {
  return changes.flatMap((change) => {
    const { kind, name, from, to } = change
    if (from === null && to === null) return []
    const reasons = [
      ...(isMandatory(kind, name) ? [`${name} is mandatory: no server can do without it.`] : []),
      ...(isSuggested(kind, name, version) ? [`${name} is one of Kubernetes’ own objects.`] : []),
      ...(to === null ? [`${name} is deleted.`] : []),
      ...(kind === 'PriorityLevelConfiguration' && from !== null ? traffic(name, servers) : []),
    ]
    return reasons.length === 0 ? [] : [{ kind, name, reasons }]
  })
}

function traffic(name: string, servers: readonly ServerFrame[]): readonly string[] {
  let [executing, queued] = [0, 0]
  for (const { levels } of servers) {
    const requests = levels.find((level) => level.name === name)?.requests
    executing += requests?.executing ?? 0
    queued += requests?.queued ?? 0
  }
  return executing + queued === 0 ? [] : [`${name} holds ${executing} executing and ${queued} waiting requests now.`]
}
