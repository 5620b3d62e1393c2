import type { Problem } from '../../core/contract/errors.ts'
import type { Cadence, ServerHealth } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { ServerFrame, SourceInfo } from '../../core/frame/frame.ts'

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
  start(signal: AbortSignal, sink: SourceSink): void
  /** Forget the backoff and try now; all servers without an argument. */
  tryNow(server?: string): void
  setCadence(cadence: Cadence): void
}

/** What a source reports when it cannot even be made, as a value. */
export type SourceResult =
  { readonly ok: true; readonly source: Source } | { readonly ok: false; readonly problem: Problem }

/** Time and chance, passed in: only the outermost edge reads the real ones. */
export interface Environment {
  /** Unix milliseconds. */
  now(): number
  /** Uniform in [0, 1). */
  random(): number
  /** Calls back once after `ms` unless the returned function was called. */
  after(ms: number, callback: () => void): () => void
}
