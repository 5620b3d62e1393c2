import { pairedByName, sameContent } from '../config/content.ts'
import {
  defaultFlowSchema,
  defaultLevel,
  type FlowSchema,
  type ObjectSet,
  type PriorityLevelConfiguration,
} from '../config/objects.ts'
import { isMandatory, isSuggested } from '../config/builtIn.ts'
import { type ClassifyingConfiguration, classifyingConfiguration } from '../classify/configuration.ts'
import type { RequestTest } from '../contract/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { type SeatImpact, seatImpact } from '../impact/seatImpact.ts'
import type { Seats } from '../units.ts'
import type { ObjectRef, GuardFinding } from './finding.ts'

/** One object that differs between two configurations; `null` if there is none. */
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
 * Differences in spec or in the metadata that people write. Objects may be defaulted or not; those of the changes are.
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
    // An editor keeps everything that it does not change.
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
  return executing + queued === 0 ? [] : [`${name} holds ${executing} executing and ${queued} queued requests now.`]
}

/** The available data about the server that an edit is for. */
export interface GuardContext {
  /** gitVersion; absent: the newest known behaviour. */
  readonly version?: string | undefined
  /** Seats of one server. */
  readonly serverLimit: Seats
  /**
   * `files`: no server runs yet. The console’s own engine, of the simulated server and of a proxy, is free of trap T29;
   * that of a proxy has no reconciler.
   */
  readonly origin: 'cluster' | 'simulation' | 'proxy' | 'files'
  /** The objects before the last edit, where they were seen. */
  readonly former?: ObjectSet | undefined
  /** Newest frames of its servers, for the present traffic. */
  readonly servers?: readonly ServerFrame[] | undefined
  /** The user that the server authenticates the console as. */
  readonly user?: { readonly name: string; readonly groups: readonly string[] } | undefined
  /** The operator’s own regression tests. */
  readonly tests?: readonly RequestTest[] | undefined
}

export interface GuardQuestion {
  readonly before: ObjectSet
  readonly after: ObjectSet
  readonly context: GuardContext
}

/** A configuration with its defaults, prepared for classification. */
export interface Side {
  readonly objects: ObjectSet
  readonly configuration: ClassifyingConfiguration
}

/** The input of every rail. */
export interface RailInput {
  readonly changes: readonly GuardChange[]
  readonly before: Side
  readonly after: Side
  readonly impact: SeatImpact
  readonly context: GuardContext
}
export type Rail = (input: RailInput) => readonly GuardFinding[]

export const defaulted = ({ levels, schemas }: ObjectSet): ObjectSet => ({
  levels: levels.map(defaultLevel),
  schemas: schemas.map(defaultFlowSchema),
})

export const sideOf = (objects: ObjectSet, serverLimit?: Seats): Side => ({
  objects,
  configuration: classifyingConfiguration(objects, serverLimit),
})

export function railInput({ before, after, context }: GuardQuestion): RailInput {
  const { serverLimit, version } = context
  const [was, is] = [defaulted(before), defaulted(after)]
  return {
    changes: changesBetween(before, after),
    before: sideOf(was, serverLimit),
    after: sideOf(is, serverLimit),
    impact: seatImpact({ before: was, after: is, serverLimit, version }),
    context,
  }
}
