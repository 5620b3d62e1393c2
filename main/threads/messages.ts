import type { MessagePort } from 'node:worker_threads'
import type { Problem } from '../../core/errors.ts'
import type { Connected, SourceSpec } from '../../core/contract/source.ts'
import type { ConsentRequest } from '../cluster/consent.ts'

/** Start data of a thread: what its sources need of this machine. */
export interface ThreadData {
  readonly stateDir: string
  /** File of the recorded demo. */
  readonly recording: string
  /** The command line of the process: files that the operator named there need no consent. */
  readonly words: readonly string[]
}

/** A source that a thread connects; its wishes and news take the line. Without one, the thread ends after its sources. */
export type Assignment = { readonly id: number; readonly spec: SourceSpec; readonly line: MessagePort } | null

/** Messages from the process to a source in a thread. */
export type Wish =
  /** A page gets its own line from now on. */
  | { readonly kind: 'line'; readonly line: MessagePort }
  /** Answered with text: the engine's page of metrics. */
  | { readonly kind: 'metrics'; readonly answer: MessagePort }
  /** Answered with text: the address of the simulated server. */
  | { readonly kind: 'serve-simulation'; readonly port: number; readonly answer: MessagePort }
  /** The source closes its line once everything is released. */
  | { readonly kind: 'end' }

/** Messages from a source in a thread to the process. The first is `connected` or `refused`. */
export type News =
  | {
      readonly kind: 'connected'
      readonly connection: Connected
      readonly port: number | undefined
      readonly has: { readonly metrics: boolean; readonly simulation: boolean }
    }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'connection'; readonly connection: Connected }
  | { readonly kind: 'notices'; readonly notices: readonly Problem[] }
  /** Answered once the operator has allowed it. */
  | { readonly kind: 'consent'; readonly request: ConsentRequest; readonly answer: MessagePort }
