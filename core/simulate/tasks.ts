import type { Timed } from '../engine/timers.ts'
import type { ClientTask } from './clients.ts'
import { type Call, isCallOfServer, type ServerTask } from './server.ts'

/** What happens later: data, so that a checkpoint can hold it. */
export type Task =
  | ClientTask
  | ServerTask
  /** The server counts the objects of a kind, by its place in the workload. */
  | { readonly kind: 'count'; readonly object: number }
  | { readonly kind: 'minute' }

/** A task among what the engine itself waits for: of one instant in the order of planning. */
export interface Planned extends Timed {
  readonly task: Task
}
export const isPlanned = (due: Timed): due is Planned => 'task' in due

export const isOfServer = ({ kind }: Task): boolean => kind === 'bypass over' || kind === 'wait over'

/** The request that this brings to its end. */
export function callsEndedBy(due: Timed): readonly Call[] {
  if (isCallOfServer(due)) return [due.owner]
  return isPlanned(due) && due.task.kind === 'bypass over' ? [due.task.call] : []
}
