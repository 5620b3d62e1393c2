import type { DerivedLevel } from './derived.ts'
import { isExempt, type LevelFrame } from './frame.ts'
import { allRejected } from './recent.ts'

/** What a level does. `unknown`: the server does not report its seats. */
export type LevelState = 'rejecting' | 'queueing' | 'flowing' | 'idle' | 'no-limit' | 'unknown'

/**
 * The states of a level, the worst first: the only definition, for every list, sentence and mark.
 *
 * - `rejecting`: the server rejected a request of the level within the window of `recent.ts`, about 10 s.
 * - `queueing`: requests wait in the newest sample. A level may reject and queue at once.
 * - `flowing`, `idle`: neither; and requests execute in the newest sample or were dispatched within the window, or not.
 * - `no-limit`: the Exempt level, which neither queues nor rejects.
 */
export function levelStates(
  level: Pick<LevelFrame, 'name' | 'seats' | 'requests'>,
  derived: Pick<DerivedLevel, 'recent'> | undefined,
): readonly LevelState[] {
  if (isExempt(level)) return ['no-limit']
  const { rejected, dispatched } = derived?.recent ?? {}
  const states: LevelState[] = []
  if (rejected !== undefined && allRejected(rejected) > 0) states.push('rejecting')
  if ((level.requests.queued ?? level.seats.queued ?? 0) > 0) states.push('queueing')
  if (states.length > 0) return states
  if (level.seats.executing === undefined) return ['unknown']
  return [level.seats.executing > 0 || (dispatched ?? 0) > 0 ? 'flowing' : 'idle']
}

/** The state to look into, when there is one. */
export const troubleOf = (states: readonly LevelState[]): 'rejecting' | 'queueing' | undefined =>
  states.find((state) => state === 'rejecting' || state === 'queueing')
