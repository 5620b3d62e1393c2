import type { FamilyType } from './page.ts'

export type FamilyUnit =
  | 'requests'
  | 'seats'
  | 'seat-seconds'
  | 'seconds'
  | 'ratio, weighted with nanoseconds'
  | 'watchers'
  | 'events'
  | 'none'

/** One metric family as the API server documents and exposes it (specification 8). */
export interface FamilyInfo {
  readonly name: string
  readonly type: FamilyType
  readonly unit: FamilyUnit
  readonly labels: readonly string[]
  readonly stability: 'ALPHA' | 'BETA' | 'STABLE' | 'none'
  /** First minor of Kubernetes 1 that has it; absent when it is older than anything the console meets. */
  readonly since?: number
  /** First minor that hides it unless `--show-hidden-metrics-for-version` asks for it. */
  readonly hiddenFrom?: number
  /** First minor without it. */
  readonly removedIn?: number
  /** `at-rest`: in every page of a server that has it. `after-event`: only after the first event of its kind. */
  readonly presence: 'at-rest' | 'after-event'
  /** Frames are built from it, or its absence is worth a notice. */
  readonly needed: boolean
  /** One sentence: what a value of it means. */
  readonly meaning: string
  /** One sentence: what must not be read into it. */
  readonly cannotShow: string
  /** One sentence for people whose server does not show it: what is unknown, or what is shown instead. */
  readonly whenMissing: string
}
