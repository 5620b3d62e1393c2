import type { RejectReason } from '../frame/frame.ts'
import type { Adjustment } from './ledger.ts'
import type { Ticket } from './ticket.ts'
import type { ExplainedEstimate } from './workEstimator.ts'

/**
 * What happens in the engine, in the order in which it happens, at the time of the engine's clock. The state of a
 * ticket is that right after the event. A listener is read-only: it must not call anything that changes the engine.
 */
export type EngineEvent<T> =
  /** The request has a ticket, a flow schema, a priority level, a flow and an estimate. */
  | { readonly kind: 'arrived'; readonly ticket: Ticket<T>; readonly estimate: ExplainedEstimate }
  /** It entered its queue, whose length with it is `length`; it may leave at the same instant. */
  | { readonly kind: 'enqueued'; readonly ticket: Ticket<T>; readonly length: number }
  | { readonly kind: 'dispatched'; readonly ticket: Ticket<T> }
  /** Also when its wait ended, with reason `time-out`. `retryAfter` is in seconds. */
  | {
      readonly kind: 'rejected'
      readonly ticket: Ticket<T>
      readonly reason: RejectReason
      readonly retryAfter: number
    }
  /** The head that was selected was too wide, so nothing was dispatched (specification 4.6). */
  | { readonly kind: 'did-not-fit'; readonly ticket: Ticket<T> }
  /** Its execution, or a watch's initialisation, has ended: the last event in which it is still `executing`. */
  | { readonly kind: 'finished'; readonly ticket: Ticket<T> }
  | { readonly kind: 'seats-released'; readonly ticket: Ticket<T> }
  | { readonly kind: 'limits-adjusted'; readonly adjustment: Adjustment }
  | { readonly kind: 'epoch-advanced'; readonly level: string; readonly success: boolean }
  /** Its object is gone; it serves its remaining requests and then leaves (specification 7.4). */
  | { readonly kind: 'level-quiescing'; readonly level: string }
  | { readonly kind: 'level-removed'; readonly level: string }
  /** An object that the engine treats as if it did not exist (specification 7.2). */
  | { readonly kind: 'level-refused'; readonly level: string; readonly reason: string }
  /** Upstream would have removed a different queue from the one that emptied (trap T29). */
  | { readonly kind: 'stale-removal-guarded'; readonly ticket: Ticket<T> }

export type EngineListener<T> = (event: EngineEvent<T>) => void

/** The listeners of an engine. Emitters check `silent` first, so that events without listeners cost nothing. */
export class EventHub<T> {
  private listeners: readonly EngineListener<T>[] = []
  silent = true

  subscribe(listener: EngineListener<T>): () => void {
    // A function of its own, so that the same listener may subscribe twice.
    const own: EngineListener<T> = (event) => listener(event)
    this.listeners = [...this.listeners, own]
    this.silent = false
    return () => {
      this.listeners = this.listeners.filter((other) => other !== own)
      this.silent = this.listeners.length === 0
    }
  }

  tell(event: EngineEvent<T>): void {
    for (const listener of this.listeners) listener(event)
  }
}
