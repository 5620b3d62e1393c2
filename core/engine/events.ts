import type { RejectReason } from '../frame/frame.ts'
import type { Adjustment } from './ledger.ts'
import type { Ticket } from './ticket.ts'
import type { ExplainedEstimate } from './workEstimator.ts'

/**
 * What happens in the engine, in the order in which it happens; the engine's clock says when. A ticket is as it stands
 * right after the event. A listener only looks: it must not call what changes the engine.
 */
export type EngineEvent<T> =
  /** The request has a ticket, a flow schema, a priority level, a flow and an estimate. */
  | { readonly kind: 'arrived'; readonly ticket: Ticket<T>; readonly estimate: ExplainedEstimate }
  /** It entered its queue, which is `length` long with it; it may leave it at the same instant. */
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
  /** Its object is gone; it serves what it holds and then leaves (specification 7.4). */
  | { readonly kind: 'level-quiescing'; readonly level: string }
  | { readonly kind: 'level-removed'; readonly level: string }
  /** An object that the engine treats as if it did not exist (specification 7.2). */
  | { readonly kind: 'level-refused'; readonly level: string; readonly reason: string }
  /** Upstream would have removed another queue than the one that emptied (trap T29). */
  | { readonly kind: 'stale-removal-guarded'; readonly ticket: Ticket<T> }

export type EngineListener<T> = (event: EngineEvent<T>) => void

/** Who listens to an engine. Whoever tells an event asks `silent` first, so that nobody listening costs nothing. */
export class EventHub<T> {
  private listeners: readonly EngineListener<T>[] = []
  silent = true

  subscribe(listener: EngineListener<T>): () => void {
    // An own function, so that the same listener may subscribe twice.
    const told: EngineListener<T> = (event) => listener(event)
    this.listeners = [...this.listeners, told]
    this.silent = false
    return () => {
      this.listeners = this.listeners.filter((other) => other !== told)
      this.silent = this.listeners.length === 0
    }
  }

  tell(event: EngineEvent<T>): void {
    for (const listener of this.listeners) listener(event)
  }
}
