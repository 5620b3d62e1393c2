import type { ObjectSet, Condition } from '../config/objects.ts'
import type { RejectReason } from '../frame/frame.ts'
import type { Nanoseconds, UnixMs } from '../units.ts'
import type { Adjustment } from './ledger.ts'
import type { EngineCheckpoint, GraphClass } from './checkpoint.ts'
import type { Corrections, EngineMode, VersionProfile } from './profiles.ts'
import type { EngineDump } from './dump.ts'
import type { ObjectUids } from './compiledSchemas.ts'
import type { EngineListener } from './events.ts'
import type { ObjectStatisticsTracker, ExplainedEstimate } from './workEstimator.ts'
import type { PriorityLevel, RefusedLevel } from './priorityLevels.ts'
import type { EngineSnapshot } from './snapshot.ts'
import type { EngineRequest, Ticket } from './ticket.ts'
import type { Timed, Timers } from './timers.ts'

/** The engine's decision when a request arrives. */
export type Answer<T> =
  /**
   * Long-running but not a watch (under the max-in-flight filter: long-running): it is served without a ticket (4.13).
   */
  | { readonly kind: 'bypassed' }
  /** It may run now; the caller that runs it calls `finish` when its handler has returned. */
  | {
      readonly kind: 'executing'
      readonly ticket: Ticket<T>
      readonly estimate: ExplainedEstimate
      readonly uids: ObjectUids | undefined
    }
  /** It waits; `onDispatch` or `onTimeOut` follows. */
  | {
      readonly kind: 'waiting'
      readonly ticket: Ticket<T>
      readonly estimate: ExplainedEstimate
      readonly uids: ObjectUids | undefined
    }
  /** To be answered with 429 (`httpAnswer`). `time-out` when its wait had ended before it arrived. */
  | {
      readonly kind: 'rejected'
      readonly ticket: Ticket<T>
      readonly estimate: ExplainedEstimate
      readonly uids: ObjectUids | undefined
      readonly reason: RejectReason
      /** Seconds. */
      readonly retryAfter: number
    }

export interface ApfEngineOptions<T> {
  readonly mode: EngineMode
  /** The server's two flags. Priority and Fairness distributes their sum (specification 9). */
  readonly maxRequestsInFlight: number
  readonly maxMutatingRequestsInFlight: number
  readonly profile: VersionProfile
  readonly corrections: Corrections
  /** Unix milliseconds at which the engine's clock is 0. */
  readonly startUnixMs: UnixMs
  /** A request that waited may run now. It may call the engine. */
  readonly onDispatch: (ticket: Ticket<T>) => void
  /**
   * The wait of a request ended, or `cancel` ended it, or, with an algorithm that evicts the oldest, another took its place:
   * it is answered with 429. It may call the engine.
   */
  readonly onTimeOut: (ticket: Ticket<T>, retryAfter: number, reason: RejectReason) => void
  /** An appointment of the caller is due. It may call the engine. */
  readonly onAppointment?: (appointment: Timed) => void
  /** Classes of payloads and appointments that are not plain data, so that checkpoints can include them. */
  readonly payloadClasses?: readonly GraphClass[]
  /** `--request-timeout`, nanoseconds; 60 s if absent. */
  readonly requestTimeoutNs?: Nanoseconds
  /** Whether lists without a version come from the cache (5.4); by the profile if absent. */
  readonly consistentReadsFromCache?: boolean
  /** How many recomputations of the limits are kept; 360, which is an hour, if absent. */
  readonly keepAdjustments?: number
  /** Flows whose hash is cached, for each schema and level: between this many and twice as many; 2^20 if absent. */
  readonly rememberedFlows?: number
}

/** The objects of an API server, in any order. They are used as they are: nothing is defaulted or validated. */
export type EngineConfiguration = ObjectSet

/** The result of a configuration (specification 7). */
export interface ConfigurationReport {
  /** Objects that are treated as if they did not exist. */
  readonly refused: readonly RefusedLevel[]
  /** Names of the flow schemas in matching order, including mandatory ones that were added. */
  readonly order: readonly string[]
  /** Names of the flow schemas that refer to a level without an object. */
  readonly dangling: readonly string[]
  /** Conditions that a server would write now, by flow schema. */
  readonly conditions: readonly { readonly schema: string; readonly condition: Condition }[]
  /** Levels without an object that still serve their remaining requests. */
  readonly quiescing: readonly string[]
}

/**
 * API Priority and Fairness of one API server, decision for decision (specification 2 – 7, 9), driven by its caller:
 * the engine has no timer and reads no clock.
 *
 * The driver calls `moveTo`, then reports what happens at that instant, and calls `wake` when `nextWakeNs` is reached.
 * Several things at one instant happen in the order of the calls. The work of `wake`, including the caller's own
 * appointments, happens in the order in which it was set (specification 13, ordering note). Callbacks run before the
 * call that caused them returns, when the engine's state is consistent again; they may call the engine, and their
 * effects follow after.
 */
export interface ApfEngine<T> {
  readonly mode: EngineMode
  /** Nanoseconds since the engine's start: an integer below 2^53. */
  readonly nowNs: Nanoseconds
  /** Object counts and sizes that list estimates depend on (specification 5.7). */
  readonly objectStatistics: ObjectStatisticsTracker
  /**
   * Sets the server's total watch count for a resource, including the watches registered with the engine. Where only
   * some requests pass through the engine, its estimates count the others as well (specification 5.6).
   */
  setWatches(apiGroup: string, resource: string, total: number): void
  moveTo(ns: Nanoseconds): void
  /**
   * When `wake` must be called next; `Infinity` when nothing is planned. There may turn out to be nothing to do then.
   */
  nextWakeNs(): Nanoseconds
  /**
   * Performs the first thing that is due: an ended wait, seats that have lingered, the recomputation of limits every 10
   * s, an appointment. `false` when nothing is due.
   */
  wake(): boolean
  /**
   * The caller's appointments (`onAppointment`), each at one instant at most, ordered among the engine's own. One that
   * is put off, even during its own callback, keeps its place in the order.
   */
  readonly appointments: Pick<Timers<Timed>, 'set' | 'putOff' | 'remove' | 'all'>
  /** Adopts the objects at once (specification 7). Requests that wait or run are not affected. */
  configure(configuration: EngineConfiguration): ConfigurationReport
  arrive(request: EngineRequest<T>): Answer<T>
  /**
   * The handler has returned. Throws unless the request executes. For a watch, `finish` also does the work of
   * `endWatch`.
   */
  finish(ticket: Ticket<T>): void
  /** The client disconnected: ends the wait, as its deadline would (trap T24). `false` when it does not wait. */
  cancel(ticket: Ticket<T>): boolean
  /** A watch has sent its initial events: its execution ends, the watch itself continues. Throws unless it executes. */
  watchInitialised(ticket: Ticket<T>): void
  /** A watch has ended: it is no longer counted, and stops executing if it was never initialised. */
  endWatch(ticket: Ticket<T>): void
  /**
   * The engine's present state, as structured-cloneable data; the engine itself is unchanged. `tickets` are those that
   * the caller holds and needs after a restore. Payloads must be plain data, or of `payloadClasses`. Throws within a
   * callback, when the engine's state is not consistent, and `TypeError` for a payload that holds a function.
   */
  checkpoint(tickets: readonly Ticket<T>[]): EngineCheckpoint
  /**
   * Makes this engine, created with the same options, continue from the checkpoint; listeners stay. Returns the tickets
   * that were passed to the checkpoint, in their order; earlier tickets become invalid.
   */
  restore(checkpoint: EngineCheckpoint): readonly Ticket<T>[]
  /** Passes every event to the listener until the returned function is called. */
  subscribe(listener: EngineListener<T>): () => void
  /** All numbers, as of now. */
  snapshot(): EngineSnapshot
  /** Levels, queues and requests, one by one, as of now; nothing under the max-in-flight filter. */
  dump(): EngineDump<T>
  /** The levels with their queues and requests, by name, read-only; none under the max-in-flight filter. */
  levels(): readonly PriorityLevel<Ticket<T>>[]
  /** The last recomputations of the limits, oldest first. */
  adjustments(): readonly Adjustment[]
  /** The queues that a flow with this hash may use in a level, in deal order; empty where there are none. */
  handOf(level: string, hash: { readonly hi: number; readonly lo: number }): readonly number[]
}
