import type { Problem } from '../../core/contract/errors.ts'
import type { SimulationControl, SimulationState } from '../../core/contract/simulation.ts'
import type { Cadence, ServerHealth } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame, SourceInfo } from '../../core/frame/frame.ts'
import type { ServerFacts } from '../../core/engine/serverFacts.ts'
import type { LiveTraffic } from '../live/traffic.ts'
import type { SimulatedApiServer } from '../simulated/apiServer.ts'
import type { ObjectDoor } from './objectDoor.ts'

/** Where a source delivers. Each call is complete in itself; nothing has to be answered. */
export interface SourceSink {
  onServerFrame(frame: ServerFrame): void
  onDump(dump: DumpFrame): void
  /** Health of one server, whenever it changes. */
  onHealth(health: ServerHealth): void
}

/**
 * Something that turns an API server (or what is left of one) into frames. Made by a plain function `(options) → Source`;
 * started once, ended by its signal.
 */
export interface Source {
  readonly info: SourceInfo
  /** A still source delivers once and never becomes stale. */
  readonly still: boolean
  /** Its flow-control objects, where it may have some; started by whoever shows them. */
  readonly objects?: ObjectDoor
  start(signal: AbortSignal, sink: SourceSink): void
  /** Forget the backoff and try now; all servers without an argument. */
  tryNow(server?: string): void
  setCadence(cadence: Cadence): void
  /** What the server stores and who watches it, where the source reports that. */
  facts?(server: string): ServerFacts | undefined
  /** Tells whether somebody looks at the dumps: where they cost nothing, they then come oftener. */
  watchDumps?(watched: boolean): void
  /** Its single requests, where it sees them. */
  readonly live?: LiveTraffic
  /** Everything that there was to read was read. */
  ended?(): boolean
  /** It is not wanted after all: gives back what it took when it was made. Only instead of `start`. */
  discard?(): void
  /** Settles once everything that it took is given back, ports above all. */
  readonly closed?: Promise<void>
}

/** The built-in simulated server as a source, with the means to handle it. */
export interface SimulationSource extends Source {
  /** The same server for whoever asks it over HTTP. */
  readonly server: SimulatedApiServer
  /** Where its history ends, which it tells first; Unix milliseconds. */
  readonly presentUnixMs: number
  state(): SimulationState
  /** Throws `invalid-input` for a speed that is not possible. */
  control(change: SimulationControl): SimulationState
}

/** What a source reports when it cannot even be made, as a value. `simulation` is the source, when it is one. */
export type SourceResult =
  | { readonly ok: true; readonly source: Source; readonly simulation?: SimulationSource }
  | { readonly ok: false; readonly problem: Problem }

/** Time and chance, passed in: only the outermost edge reads the real ones. */
export interface Environment {
  /** Unix milliseconds. */
  readonly now: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
  /** Calls back once after `ms` unless the returned function was called. */
  readonly after: (ms: number, callback: () => void) => () => void
}
