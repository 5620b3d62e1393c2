import type { EtcdAdvice, EtcdChange, EtcdChanged, EtcdPreview, EtcdState, EtcdTest } from '../../core/contract/etcd.ts'
import type { Problem } from '../../core/contract/errors.ts'
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
import type { ObjectDoor } from './objectDoor.ts'
import type { Subscribable } from './topic.ts'

/**
 * Something that turns an API server (or what is left of one) into events. Made by a plain function `(options) → Source`;
 * started once, ended by its signal. Whatever it has to say, it emits; the other members take wishes and answer questions.
 */
export interface Source {
  readonly info: SourceInfo
  /** A still source delivers once and never becomes stale. */
  readonly still: boolean
  /** Its flow-control objects, where it may have some; started by whoever shows them. */
  readonly objects?: ObjectDoor
  start(signal: AbortSignal, emit: Emit): void
  /** Forget the backoff and try now; all servers without an argument. */
  tryNow(server?: string): void
  setCadence(cadence: Cadence): void
  /** How often it has something new, where that is not for the console to choose. */
  readonly ownCadence?: Cadence
  /** Stops reading the past, where it does that; what has been read stays. */
  stopPast?(): void
  /** Tells whether somebody looks at the dumps: where they cost nothing, they then come oftener. */
  watchDumps?(watched: boolean): void
  /** All its servers in a few numbers, where there are more than it has frames of. */
  readonly whole?: Subscribable<readonly ServerSummary[]>
  /** Its single requests, where it sees them. */
  readonly live?: LiveTraffic
  /** Where it is a proxy in front of an etcd. */
  readonly etcd?: EtcdDesk
  /** Settles once everything that it took is given back, ports above all. */
  readonly closed?: Promise<void>
}

/** A proxy in front of an etcd, which limits requests by rules. All of it rejects with `ProblemError`. */
export interface EtcdDesk {
  state(): Promise<EtcdState>
  change(change: EtcdChange): Promise<EtcdChanged>
  preview(change: EtcdChange | undefined): Promise<EtcdPreview>
  advise(): Promise<readonly EtcdAdvice[]>
  test(record: JsonMap): Promise<EtcdTest>
}

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
  candidate(wish: CandidateWish): void
  /** Lets requests wait for the engine or pass it from now on; of proxies alone. */
  change?(mode: ProxyMode): void
  /** Nothing more comes: lets everything happen that is held back because earlier requests might still come. */
  finish?(): void
}

/** What of a simulated server is to be seen from outside. */
export interface SimulatedApiServer {
  readonly version: string
  readonly startUnixMs: UnixMs
  readonly engine: Pick<ApfEngine<ServerCall>, 'snapshot' | 'dump'>
  readonly objects: { readonly resourceVersion: string; readonly objects: EngineConfiguration }
  /** Calls after every change of the objects until the signal aborts. */
  onObjects(listener: () => void, signal: AbortSignal): void
}

/** The built-in simulated server as a source, with the means to handle it. */
export interface SimulationSource extends Source {
  /** The same server for whoever asks it over HTTP. */
  readonly server: SimulatedApiServer
  state(): SimulationState
  /** Throws `invalid-input` for a speed that is not possible. */
  control(change: SimulationControl): SimulationState
}

/** What a source reports when it cannot even be made, as a value. `simulation` is the source, when it is one. */
export type SourceResult =
  | {
      readonly ok: true
      readonly source: Source
      readonly simulation?: SimulationSource
      /** What was recorded, where the source is a recording. */
      readonly archive?: Archive
    }
  | { readonly ok: false; readonly problem: Problem }
