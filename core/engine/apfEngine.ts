import type { FlowSchema, PriorityLevelConfiguration, Condition } from '../config/objects.ts'
import type { RejectReason } from '../frame/frame.ts'
import type { Nanoseconds, UnixMs, Seats } from '../units.ts'
import type { Adjustment } from './ledger.ts'
import type { EngineCheckpoint, GraphClass } from './checkpoint.ts'
import type { Corrections, VersionProfile } from './profiles.ts'
import type { EngineDump } from './dump.ts'
import type { EngineListener } from './events.ts'
import { FairEngine } from './fairEngine.ts'
import { InFlightEngine } from './inFlightEngine.ts'
import type { ObjectStatisticsTracker, ExplainedEstimate } from './workEstimator.ts'
import type { PriorityLevel, RefusedLevel } from './priorityLevels.ts'
import type { EngineSnapshot } from './snapshot.ts'
import type { EngineRequest, Ticket } from './ticket.ts'
import type { Timed, Timers } from './timers.ts'

/** UIDs of the objects that classified a request; empty for an object that the API does not have (trap T71). */
export interface ObjectUids {
  readonly level: string
  readonly schema: string
}

/** What becomes of a request at its arrival. */
export type Answer<T> =
  /** Long-running and no watch (under the max-in-flight filter: long-running): it is served without a ticket (4.13). */
  | { readonly kind: 'bypassed' }
  /** It may run now; whoever runs it calls `finish` when its handler has returned. */
  | {
      readonly kind: 'executing'
      readonly ticket: Ticket<T>
      readonly estimate: ExplainedEstimate
      readonly uids: ObjectUids | undefined
    }
  /** It waits; `onDispatch` or `onTimeOut` will tell. */
  | {
      readonly kind: 'waiting'
      readonly ticket: Ticket<T>
      readonly estimate: ExplainedEstimate
      readonly uids: ObjectUids | undefined
    }
  /** To be answered with 429 (`httpAnswer`). `time-out` when its wait had ended before it came. */
  | {
      readonly kind: 'rejected'
      readonly ticket: Ticket<T>
      readonly estimate: ExplainedEstimate
      readonly uids: ObjectUids | undefined
      readonly reason: RejectReason
      /** Seconds. */
      readonly retryAfter: number
    }

export type EngineMode = 'priority-and-fairness' | 'max-in-flight'

export interface ApfEngineOptions<T> {
  readonly mode: EngineMode
  /** The server's two flags. Their sum is what Priority and Fairness distributes (specification 9). */
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
  /** An appointment of the caller's is due. It may call the engine. */
  readonly onAppointment?: (appointment: Timed) => void
  /** Classes of payloads and appointments that are no plain data, so that checkpoints can hold them. */
  readonly payloadClasses?: readonly GraphClass[]
  /** `--request-timeout`, nanoseconds; 60 s without. */
  readonly requestTimeoutNs?: Nanoseconds
  /** Whether lists without a version come from the cache, as from any present etcd (5.4); so without. */
  readonly consistentReadsFromCache?: boolean
  /** Recomputations of the limits that are kept; 360, which is an hour, without. */
  readonly keepAdjustments?: number
  /** Flows that are remembered with their hash, for each schema and level: between this many and twice; 2^20 without. */
  readonly rememberedFlows?: number
}

/** The objects of an API server, in any order. They are taken as they are: nothing is defaulted or validated. */
export interface EngineConfiguration {
  readonly levels: readonly PriorityLevelConfiguration[]
  readonly schemas: readonly FlowSchema[]
}

/** What came of a configuration (specification 7). */
export interface ConfigurationReport {
  /** Objects that are treated as if they did not exist. */
  readonly refused: readonly RefusedLevel[]
  /** Names of the flow schemas in matching order, mandatory ones that were added included. */
  readonly order: readonly string[]
  /** Names of the flow schemas that refer to no level that an object stands for. */
  readonly dangling: readonly string[]
  /** Conditions that a server would write now, by flow schema. */
  readonly conditions: readonly { readonly schema: string; readonly condition: Condition }[]
  /** Levels without an object that still serve what they hold. */
  readonly quiescing: readonly string[]
}

/**
 * API Priority and Fairness as one API server does it, decision for decision (specification 2 – 7, 9), fed by its caller:
 * the engine owns no timer and reads no clock.
 *
 * Whoever drives it calls `moveTo` and then what happens at that instant, and `wake` when `nextWakeNs` is reached. Several
 * things at one instant happen in the order of the calls. What `wake` has to do, the caller's own appointments among it,
 * happens in the order in which it was set (specification 13, ordering note).
 * Callbacks come before the call that caused them returns, when the engine's state is consistent again; they may call
 * the engine, and what they cause follows after.
 */
export interface ApfEngine<T> {
  readonly mode: EngineMode
  /** Nanoseconds since the engine's start: an integer below 2^53. */
  readonly nowNs: Nanoseconds
  /** Object counts and sizes that list estimates look at (specification 5.7). */
  readonly objectStatistics: ObjectStatisticsTracker
  /**
   * Sets the server's total watch count for a resource, including the watches that the engine knows. Where only some
   * requests pass through the engine, its estimates count the others as well (specification 5.6).
   */
  setWatches(apiGroup: string, resource: string, total: number): void
  moveTo(ns: Nanoseconds): void
  /**
   * When `wake` wants to be called next; `Infinity` when there is nothing to wait for. There may turn out to be nothing to
   * do then.
   */
  nextWakeNs(): Nanoseconds
  /**
   * Does the first thing that is due: an ended wait, seats that have lingered, the recomputation of limits every 10 s, an
   * appointment. `false` when nothing is.
   */
  wake(): boolean
  /**
   * What the caller wants to be woken for (`onAppointment`), each at one instant at most, among the engine's own; one that is
   * put off, also while it is told, keeps its place in the order.
   */
  readonly appointments: Pick<Timers<Timed>, 'set' | 'putOff' | 'remove' | 'all'>
  /** Takes the objects over at once (specification 7). Requests that wait or run are not touched. */
  configure(configuration: EngineConfiguration): ConfigurationReport
  arrive(request: EngineRequest<T>): Answer<T>
  /** The handler has returned. Throws unless the request executes. Of a watch it ends what `endWatch` ends. */
  finish(ticket: Ticket<T>): void
  /** The client went away: ends the wait, as its deadline would (trap T24). `false` when it does not wait. */
  cancel(ticket: Ticket<T>): boolean
  /** A watch has sent its initial events: its execution ends, the watch itself goes on. Throws unless it executes. */
  watchInitialised(ticket: Ticket<T>): void
  /** A watch has ended: it is not counted any more, and ends executing if it was never initialised. */
  endWatch(ticket: Ticket<T>): void
  /**
   * The engine as it is now, as structured-cloneable data; it goes on undisturbed. `tickets` are those that the caller
   * holds and wants to find again. Payloads must be plain data, or of `payloadClasses`. Throws within a callback, when the engine's state is not
   * consistent, and `TypeError` for a payload that holds a function.
   */
  checkpoint(tickets: readonly Ticket<T>[]): EngineCheckpoint
  /**
   * Makes this engine, made with the same options, continue where the checkpoint was taken; listeners stay. Answers the
   * tickets that the checkpoint was given, in their order; earlier ones mean nothing any more.
   */
  restore(checkpoint: EngineCheckpoint): readonly Ticket<T>[]
  /** Tells every event to the listener until the returned function is called. */
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

export function createApfEngine<T>(options: ApfEngineOptions<T>): ApfEngine<T> {
  return options.mode === 'max-in-flight' ? new InFlightEngine(options) : new FairEngine(options)
}

/**
 * Lets everything happen that is due up to `ns`, each thing at its instant, and moves there; times before the present are the
 * present. `false` when `mayGoOn`, asked before each thing, ended it: the rest is then still to be done.
 */
export function runTo<T>(engine: ApfEngine<T>, ns: Nanoseconds, mayGoOn: () => boolean = () => true): boolean {
  for (let next = engine.nextWakeNs(); next <= ns; next = engine.nextWakeNs()) {
    if (!mayGoOn()) return false
    engine.moveTo(Math.max(next, engine.nowNs))
    engine.wake()
  }
  engine.moveTo(Math.max(ns, engine.nowNs))
  return true
}

/** Lets the next thing happen that is due by `untilNs`; `false` when nothing is. */
export function stepOf<T>(engine: ApfEngine<T>, untilNs: Nanoseconds): boolean {
  for (let next = engine.nextWakeNs(); next <= untilNs; next = engine.nextWakeNs()) {
    engine.moveTo(Math.max(next, engine.nowNs))
    if (engine.wake()) return true
  }
  return false
}

/** What a server's own metrics tell of what it stores and who watches that: what estimates of seats depend on. */
export interface ServerFacts {
  /** By `resource` or `resource.group`; sizes in bytes (specification 5.7). */
  readonly objects: ReadonlyMap<string, { readonly count: number; readonly averageSize: number }>
  /** Watches of all objects of a resource (specification 5.6). */
  readonly watches: readonly { readonly apiGroup: string; readonly resource: string; readonly total: number }[]
  /** When its process began, Unix milliseconds; absent where it does not tell. */
  readonly startedMs?: number
  /** Seats of the whole server, by what its exempt level may borrow (specification 6.1); absent where it does not tell. */
  readonly seats?: Seats
}

/** Lets an engine estimate by the facts; to be repeated, because they are believed for three minutes only. */
export function tellFacts(
  engine: Pick<ApfEngine<unknown>, 'objectStatistics' | 'setWatches'>,
  { objects, watches }: ServerFacts,
): void {
  for (const [key, { count, averageSize }] of objects) engine.objectStatistics.set(key, count, averageSize)
  for (const { apiGroup, resource, total } of watches) engine.setWatches(apiGroup, resource, total)
}

/** What a server answers before, or instead of, the handler's own answer. Header names are in canonical form. */
export interface HttpAnswer {
  /** Absent while the handler is to answer. */
  readonly status?: 429
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Headers that name the objects by which a request was classified (specification 4.14). */
const PRIORITY_LEVEL_UID_HEADER = 'X-Kubernetes-Pf-Prioritylevel-Uid'
const FLOW_SCHEMA_UID_HEADER = 'X-Kubernetes-Pf-Flowschema-Uid'

const BODY = 'Too many requests, please try again later.\n'

/** The HTTP side of an answer (specification 4.14; 9 for the max-in-flight filter, which sets no UIDs). */
export function httpAnswer<T>(answer: Answer<T>): HttpAnswer {
  switch (answer.kind) {
    case 'bypassed':
      return { headers: {} }
    case 'executing':
    case 'waiting':
      return { headers: uidHeaders(answer) }
    case 'rejected':
      return refusalAnswer(answer.retryAfter, uidHeaders(answer))
  }
}

/** The answer to a request that is rejected now or whose wait ended. `retryAfter` is in seconds. */
export function refusalAnswer(retryAfter: number, uids: Readonly<Record<string, string>>): HttpAnswer {
  return {
    status: 429,
    headers: {
      ...uids,
      'Retry-After': String(retryAfter),
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    },
    body: BODY,
  }
}

/** The empty text is the UID of an object that the API does not have (trap T71). */
function uidHeaders<T>({ uids }: Exclude<Answer<T>, { kind: 'bypassed' }>): Readonly<Record<string, string>> {
  if (uids === undefined) return {}
  return { [PRIORITY_LEVEL_UID_HEADER]: uids.level, [FLOW_SCHEMA_UID_HEADER]: uids.schema }
}
