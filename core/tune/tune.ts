import type { Assertion, Measured } from '../scenario/scenario.ts'
import type { Parameter } from '../sweep/sweep.ts'

/** A setting of a level that tuning may change. */
export interface Knob extends Parameter {
  readonly of: NonNullable<Parameter['of']>
  /** Its value before; absent if the object has none. */
  readonly present?: number
}

/** A measure that the edit may not raise, of one subject or of each level. */
export interface NoRise extends Pick<Measured, 'measure'> {
  readonly mayNotRise: true
  readonly of: Measured['of'] | 'each level'
}

export type GuardRail = Assertion | NoRise

/** The problem that tuning solves (docs/tune.md). */
export interface TunePlan {
  readonly name: string
  /** Conditions that must hold. */
  readonly goals: readonly Assertion[]
  /** Conditions that must also hold, or at least not get worse if they do not hold before. */
  readonly guardRails: readonly GuardRail[]
  readonly knobs: readonly Knob[]
  /** Maximum number of runs, over all islands. */
  readonly evaluations: number
  readonly seed: number
  /** Number of seeds with which the best edits are run, including the base's; recorded requests have none. */
  readonly seeds: number
}

/** One value for each knob; `undefined` leaves it unchanged. */
export type Choice = readonly (number | undefined)[]

/** The quality of a choice. Lower is better; the first difference decides. */
export interface Score {
  /** By how much guard rails are violated; 0 when they hold. */
  readonly guardRails: number
  /** By how much goals are missed; 0 when they are met. */
  readonly goals: number
  /** The amount of change, plus the Editor's guard-rail warnings about it. */
  readonly change: number
}

export interface Judged {
  readonly choice: Choice
  readonly score: Score
}

export function better(a: Score, b: Score): number {
  return a.guardRails - b.guardRails || a.goals - b.goals || a.change - b.change
}

export const isMet = ({ guardRails, goals }: Score): boolean => guardRails === 0 && goals === 0
