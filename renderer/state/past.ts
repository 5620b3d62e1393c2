import { create } from 'zustand'
import type { ProcedureInput, ProcedureOutput } from '../../core/contract/contract.ts'
import type { Problem } from '../../core/errors.ts'
import type { ObjectsState } from '../../core/contract/objects.ts'
import type { Extent, Moment } from '../../core/contract/recording.ts'
import { ask } from './connection.ts'
import { instantOf, useTimePart } from './time.ts'

export interface PastState {
  /** The shown connection whose past it is. */
  readonly of?: number
  /** The connection to query for it, once it is open. */
  readonly connection?: number
  readonly extent?: Extent
  /** What the screens show in place of the present. */
  readonly moment?: Moment
  /** The last requested instant, if it cannot be shown, and why: the present stays. */
  readonly failedAt?: number
  readonly problem?: Problem
}

/** The past of the shown source: the data at the instant that `timeStore` names. */
export const pastStore = create<PastState>(() => ({}))

export const usePastPart = <T>(select: (past: PastState) => T): T => pastStore(select)

/** The connection to query for the shown data, where that is the past. */
export const askedOf = ({ connection, moment }: PastState): number | undefined =>
  moment === undefined ? undefined : connection

/**
 * The shown moment, once it matches the last requested instant: while a pointer moves, no further data is read for it.
 */
export function useSettledMoment(): Moment | undefined {
  const moment = usePastPart((past) => past.moment)
  const isSettled = useTimePart((time) => instantOf(time) === moment?.at)
  return isSettled ? moment : undefined
}

/** Procedures that also cover the past while it is shown. */
type OfTime = 'history.heatMap' | 'allocation.steps'

/** Calls a procedure for the source as it is shown. Rejects with `ProblemError`. */
export const askShown = <N extends OfTime>(
  name: N,
  input: Omit<ProcedureInput<N>, 'connection'>,
): Promise<ProcedureOutput<N>> => ask(name, input, askedOf(pastStore.getState()))

/** Why nothing can be changed. */
export const PAST_IS_READ = 'The screens show the past. Go back to live (L) to edit.'

/** The objects at the shown moment; nothing can be changed there. */
export function pastObjects(present: ObjectsState | undefined, { objects }: Moment): ObjectsState | undefined {
  if (present === undefined) return undefined
  const { problem: _, asOf: __, version: ___, waiting: ____, ...of } = present
  // An `impossible` of the present stays: no live editing could be resumed.
  const editing =
    present.editing.state === 'impossible' ? present.editing : ({ state: 'impossible', why: PAST_IS_READ } as const)
  return { ...of, state: 'unavailable', objects: { levels: [], schemas: [] }, ...objects, editing }
}
