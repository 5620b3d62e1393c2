import type { Timed } from '../engine/timers.ts'
import type { ClientTask } from './clients.ts'
import type { Call, ServerTask } from './server.ts'

/** What happens later: data, so that a checkpoint can hold it. */
export type Task =
  | ClientTask
  | ServerTask
  /** The server counts the objects of a kind, by its place in the workload. */
  | { readonly kind: 'count'; readonly object: number }
  | { readonly kind: 'minute' }

export const isOfServer = (task: Task): boolean =>
  task.kind === 'handled' || task.kind === 'watch over' || task.kind === 'bypass over' || task.kind === 'wait over'

/** The request that a task brings to its end. */
export const callsEndedBy = (task: Task): readonly Call[] => {
  if (task.kind === 'bypass over') return [task.call]
  return task.kind === 'handled' || task.kind === 'watch over' ? [task.ticket.payload.payload] : []
}

/** A task among what the engine itself waits for: of one instant in the order of planning. */
export interface Planned extends Timed {
  readonly task: Task
}
export const isPlanned = (due: Timed): due is Planned => 'task' in due
