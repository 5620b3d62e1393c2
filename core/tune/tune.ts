import type { Assertion, Measured } from '../scenario/scenario.ts'
import type { Parameter } from '../sweep/sweep.ts'

/** A setting of a level that tuning may change. */
export interface Knob extends Parameter {
  readonly of: NonNullable<Parameter['of']>
  /** Its value before; absent where the object has none. */
  readonly present?: number
}

/** A measure that the edit may not raise, of one subject or of each level. */
export interface NoRise extends Pick<Measured, 'measure'> {
  readonly mayNotRise: true
  readonly of: Measured['of'] | 'each level'
}

export type GuardRail = Assertion | NoRise

/** What tuning looks for (docs/tune.md). */
export interface TunePlan {
  readonly name: string
  /** What has to hold. */
  readonly goals: readonly Assertion[]
  /** What has to hold as well, or must at least not get worse where it does not hold before. */
  readonly guardRails: readonly GuardRail[]
  readonly knobs: readonly Knob[]
  /** Runs at most, of all islands together. */
  readonly evaluations: number
  readonly seed: number
  /** With how many seeds the best edits are run, that of the base included; recorded requests have none. */
  readonly seeds: number
}

/** One value for each knob; `undefined` leaves it as it is. */
export type Choice = readonly (number | undefined)[]

/** How good a choice is. Lower is better, the first difference decides. */
export interface Score {
  /** By how much guard rails are crossed; 0 when they hold. */
  readonly guardRails: number
  /** By how much goals are missed; 0 when they are met. */
  readonly goals: number
  /** How much is changed, and how many warnings of the guard rails of the Editor that gives. */
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
