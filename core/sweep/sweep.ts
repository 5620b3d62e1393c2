import type { Measured, Scenario, ScenarioVariant } from '../scenario/scenario.ts'
import type { Arrivals } from '../whatif/arrivals.ts'
import type { SimulatedTraffic } from '../whatif/simulated.ts'
import type { Variant } from '../whatif/variant.ts'

/** The configuration that every point of a sweep changes. */
export type SweepBase =
  | { readonly kind: 'scenario'; readonly scenario: Scenario; readonly variant: ScenarioVariant }
  /** Recorded requests, which are the same at every point. */
  | { readonly kind: 'requests'; readonly arrivals: Arrivals; readonly variant: Variant }
  /** Simulated clients without a scenario, as in a twin. */
  | { readonly kind: 'clients'; readonly traffic: SimulatedTraffic; readonly variant: Variant }

/** A setting that can differ from point to point. */
export interface Setting {
  /** A level or a group of clients; `undefined` for a setting of the server or of the run. */
  readonly of: { readonly kind: 'clients' | 'level'; readonly name: string } | undefined
  /** A name of `FIELDS`. */
  readonly field: string
}

export interface Parameter extends Setting {
  /** At least one, in the order of the file. */
  readonly values: readonly number[]
}

export type Search =
  /** Every combination of the values. The last parameter changes from one point to the next. */
  | { readonly kind: 'grid' }
  /** This many points, each with a value of each parameter, drawn independently. */
  | { readonly kind: 'random'; readonly count: number; readonly seed: number }

/** What a sweep varies and measures (docs/sweeps.md). */
export interface SweepPlan {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly search: Search
  /** The numbers to keep for each point. */
  readonly results: readonly Measured[]
}

/** `workload-low.queues`, `maxRequestsInFlight`. */
export const settingName = ({ of, field }: Setting): string => named(of, field)

/** `workload-low.waitP99`, `waitP99`. */
export const resultName = ({ of, measure }: Measured): string => named(of, measure)

const named = (of: Measured['of'], what: string): string => (of === undefined ? what : `${of.name}.${what}`)
