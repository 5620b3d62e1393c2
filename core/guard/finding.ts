import type { FlowSchema, Kind, PriorityLevelConfiguration } from '../config/objects.ts'

/**
 * - `blocks`: applying it breaks something; fix it first.
 * - `warns`: probably a mistake.
 * - `expected`: a consequence to be aware of.
 * - `passes`: checked, without a finding.
 */
export const GUARD_SEVERITIES = ['blocks', 'warns', 'expected', 'passes'] as const
export type GuardSeverity = (typeof GUARD_SEVERITIES)[number]

/** In display order. */
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

/** The rail and its check: `reconciler/put-back`. */
export type GuardCode = `${GuardRail}/${string}`

export interface ObjectRef {
  readonly kind: Kind
  readonly name: string
}
export const levelRef = (name: string): ObjectRef => ({ kind: 'PriorityLevelConfiguration', name })
export const schemaRef = (name: string): ObjectRef => ({ kind: 'FlowSchema', name })

/** A change of the draft that fixes a finding. `path` as for `editManifest`: missing parents are created. */
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

/** Only what is worse than now is a risk of the edit. */
export type GuardResult = 'worse' | 'better' | 'former' | 'upstream'

const RESULT_TEXT: Readonly<Record<GuardResult, string>> = {
  worse: 'That is worse than now.',
  better: 'That is better than now.',
  former: 'So it was before the last edit.',
  upstream: 'So upstream intends it.',
}

/** The finding, and how what it is about compares. */
export const guardText = ({ message, result }: Pick<GuardFinding, 'message' | 'result'>): string =>
  result === undefined ? message : `${message} ${RESULT_TEXT[result]}`

export interface GuardFinding {
  readonly code: GuardCode
  readonly severity: GuardSeverity
  readonly objects: readonly ObjectRef[]
  /** One sentence. */
  readonly message: string
  readonly remedy?: GuardRemedy
  /** Where the finding is about the state that the edit leads to: how that compares. */
  readonly result?: GuardResult
  /** Of findings that differ by degree: the larger, the worse. */
  readonly risk?: number
  /** The facts behind it, one each. */
  readonly evidence: readonly string[]
}
