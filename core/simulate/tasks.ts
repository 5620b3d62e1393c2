import type { Timed } from '../engine/timers.ts'
import type { ClientTask } from './clients.ts'
import { type Call, isCallOfServer, type ServerTask } from './server.ts'

/** A later action: data, so that a checkpoint can include it. */
export type Task =
  | ClientTask
  | ServerTask
  /** The server counts the objects of a kind, by its position in the workload. */
  | { readonly kind: 'count'; readonly object: number }
  | { readonly kind: 'minute' }

/** A task among the engine's own timers: at one instant, in the order of planning. */
export interface Planned extends Timed {
  readonly task: Task
}
export const isPlanned = (due: Timed): due is Planned => 'task' in due

export const isOfServer = ({ kind }: Task): boolean => kind === 'bypass over' || kind === 'wait over'

/** The request that this task finishes. */
export function callsEndedBy(due: Timed): readonly Call[] {
  if (isCallOfServer(due)) return [due.owner]
  return isPlanned(due) && due.task.kind === 'bypass over' ? [due.task.call] : []
}
