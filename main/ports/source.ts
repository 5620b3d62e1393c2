import type {
  EtcdAdvice,
  EtcdChange,
  EtcdChanged,
  EtcdMonitor,
  EtcdPreview,
  EtcdRequest,
  EtcdState,
  EtcdTest,
} from '../../core/contract/etcd.ts'
import type { Problem } from '../../core/errors.ts'
import type { JsonMap } from '../../core/manifest/json.ts'
import type { SimulationControl, SimulationState } from '../../core/contract/simulation.ts'
import type { Cadence } from '../../core/contract/source.ts'
import type { ApfEngine, EngineConfiguration } from '../../core/engine/apfEngine.ts'
import type { SourceInfo } from '../../core/frame/frame.ts'
import type { Emit } from '../../core/source/sourceEvent.ts'
import type { CandidateWish, LiveState, ProxyMode } from '../../core/contract/live.ts'
import type { Outcome } from '../../core/live/outcome.ts'
import type { RequestLog } from '../../core/live/requestLog.ts'
import type { ServerCall } from '../../core/simulate/server.ts'
import type { ServerSummary } from '../../core/contract/fleet.ts'
import type { UnixMs } from '../../core/units.ts'
import type { Archive } from './archive.ts'
import type { ObjectGateway } from './objectGateway.ts'
import type { Subscribable } from './topic.ts'

/**
 * Turns an API server (or what is left of one) into events. Created by a plain function `(options) → Source`; started
 * once, ended by its signal. All output is emitted as events; the other members accept commands and return data.
 */
export interface Source {
  readonly info: SourceInfo
  /** A still source delivers once and never becomes stale. */
  readonly still: boolean
  /** Its flow-control objects, if it may have any; started by the consumer that shows them. */
  readonly objects?: ObjectGateway
  start(signal: AbortSignal, emit: Emit): void
  /** Drops the backoff and tries now; all servers without an argument. Absent where nothing is tried again. */
  tryNow?(server?: string): void
  /** Absent where the source has a pace of its own. */
  setCadence?(cadence: Cadence): void
  /** How often it has new data, where the console does not determine that. */
  readonly ownCadence?: Cadence
  /** Stops reading the past, where it does that; what has been read stays. */
  stopPast?(): void
  /** Sets whether a consumer shows the dumps: where dumps cost nothing, they are then more frequent. */
  watchDumps?(watched: boolean): void
  /** Key figures of all its servers, where it has more servers than it emits frames for. */
  readonly whole?: Subscribable<readonly ServerSummary[]>
  /** Its individual requests, where it observes them. */
  readonly live?: LiveTraffic
  /** Present where the source is a proxy in front of an etcd. */
  readonly etcd?: EtcdControl
  /** Settles once everything that it acquired is released, ports above all. */
  readonly closed?: Promise<void>
}

/** A proxy in front of an etcd, which limits requests by rules. All methods reject with `ProblemError`. */
export interface EtcdControl {
  state(): Promise<EtcdState>
  change(change: EtcdChange): Promise<EtcdChanged>
  preview(change: EtcdChange | undefined): Promise<EtcdPreview>
  advise(): Promise<readonly EtcdAdvice[]>
  requests(wanted: EtcdMonitor): Promise<readonly EtcdRequest[]>
  test(record: JsonMap): Promise<EtcdTest>
}

/** The individual requests of a source, and the engine that decides about them. */
export interface LiveTraffic {
  readonly log: RequestLog
  /** gitVersion whose behaviour the engine follows. */
  readonly version: string
  /** The instance changes whenever a feed leaps in time or a proxy changes its mode: read it each time. */
  readonly engine: Pick<ApfEngine<unknown>, 'snapshot'>
  /** What engines before this one decided, where a feed made leaps. */
  readonly before?: Outcome
  /** Advances engine and rows to the current time; call it before reading anything of them. */
  settle(): void
  state(): LiveState
  /** Starts, changes or ends the second engine; throws `invalid-input` for a draft that a server would reject. */
  candidate(wish: CandidateWish): void
  /** Whether requests wait for the engine or pass it from now on; only for proxies. */
  change?(mode: ProxyMode): void
  /** No more requests will arrive: processes everything that is held back because earlier requests might still arrive. */
  finish?(): void
}

/** The public interface of a simulated server. */
export interface SimulatedApiServer {
  readonly version: string
  readonly startUnixMs: UnixMs
  readonly engine: Pick<ApfEngine<ServerCall>, 'snapshot' | 'dump'>
  readonly objects: { readonly resourceVersion: string; readonly objects: EngineConfiguration }
  /** Calls `listener` after every change of the objects until the signal aborts. */
  onObjects(listener: () => void, signal: AbortSignal): void
}

/** The built-in simulated server as a source, with the means to control it. */
export interface SimulationSource extends Source {
  /** The same server for HTTP clients. */
  readonly server: SimulatedApiServer
  state(): SimulationState
  /** Throws `invalid-input` for a speed that is not possible. */
  control(change: SimulationControl): SimulationState
}

/**
 * The result of creating a source: a problem if it cannot even be created. `simulation` is the source, when it is one.
 */
export type SourceResult =
  | {
      readonly ok: true
      readonly source: Source
      readonly simulation?: SimulationSource
      /** The recorded data, where the source is a recording. */
      readonly archive?: Archive
    }
  | { readonly ok: false; readonly problem: Problem }

/** How the note begins that what is shown of levels is not read: nothing is missing. */
export const OF_LOGS = 'Logs tell requests only'
