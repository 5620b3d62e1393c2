import type { FlowSchema, Kind, PriorityLevelConfiguration } from '../config/objects.ts'

/**
 * - `blocks`: applying it breaks something; not before it is mended.
 * - `warns`: likely not what is meant.
 * - `expected`: a consequence to know of.
 * - `passes`: checked, without a finding.
 */
export const GUARD_SEVERITIES = ['blocks', 'warns', 'expected', 'passes'] as const
export type GuardSeverity = (typeof GUARD_SEVERITIES)[number]

/** In the order in which they are shown. */
export const GUARD_RAILS = [
  'reconciler',
  'vendor',
  'references',
  'system-traffic',
  'own-access',
  'saved-tests',
  'matching',
  'seats',
  'inversion',
  'sharding',
  'queues',
] as const
export type GuardRail = (typeof GUARD_RAILS)[number]

/** Which rail, and what of it: `reconciler/put-back`. */
export type GuardCode = `${GuardRail}/${string}`

export interface ObjectRef {
  readonly kind: Kind
  readonly name: string
}
export const levelRef = (name: string): ObjectRef => ({ kind: 'PriorityLevelConfiguration', name })
export const schemaRef = (name: string): ObjectRef => ({ kind: 'FlowSchema', name })

/** A change of the draft that mends a finding. `path` as for `editManifest`: parents that are missing are made. */
export type GuardFix =
  | {
      readonly action: 'set'
      readonly object: ObjectRef
      readonly path: readonly (string | number)[]
      readonly value: string | number
    }
  | { readonly action: 'add'; readonly kind: Kind; readonly object: FlowSchema | PriorityLevelConfiguration }

export interface GuardRemedy {
  /** Imperative. */
  readonly sentence: string
  readonly fix?: GuardFix
}

export interface GuardFinding {
  readonly code: GuardCode
  readonly severity: GuardSeverity
  readonly objects: readonly ObjectRef[]
  /** One sentence. */
  readonly message: string
  readonly remedy?: GuardRemedy
  /** What it follows from, a fact each. */
  readonly evidence: readonly string[]
}
