import type { ApfEngine, EngineConfiguration } from '../../core/engine/apfEngine.ts'
import type { Call } from '../../core/simulate/server.ts'

/** What of a simulated server is to be seen from outside. */
export interface SimulatedApiServer {
  readonly version: string
  readonly startUnixMs: number
  readonly engine: Pick<ApfEngine<Call>, 'snapshot' | 'dump'>
  readonly objects: { readonly resourceVersion: string; readonly objects: EngineConfiguration }
  /** Calls after every change of the objects until the signal aborts. */
  onObjects(listener: () => void, signal: AbortSignal): void
}
