import type { LiveShadow, LiveState, ProxyMode } from '../../core/contract/live.ts'
import type { ApfEngine } from '../../core/engine/apfEngine.ts'
import type { Outcome } from '../../core/live/outcome.ts'
import type { RequestLog } from '../../core/live/requestLog.ts'

/** The single requests of a source, and the engine that decides about them. */
export interface LiveTraffic {
  readonly log: RequestLog
  /** gitVersion that the engine behaves like. */
  readonly version: string
  /** Another one whenever a feed makes a leap in time or a proxy changes its mode: ask each time. */
  readonly engine: Pick<ApfEngine<unknown>, 'snapshot'>
  /** What engines before this one decided, where a feed made leaps. */
  readonly before?: Outcome
  /** Brings engine and rows to the present; before anything of them is read. */
  settle(): void
  state(): LiveState
  /** Begins, changes or ends the second engine; throws `invalid-input` for a draft that no server would take. */
  shadow(wish: LiveShadow): void
  /** Lets requests wait for the engine or pass it from now on; of proxies alone. */
  change?(mode: ProxyMode): void
  /** Nothing more comes: lets everything happen that is held back because earlier requests might still come. */
  finish?(): void
}
