import { BYPASSED } from './fairEngine.ts'
import { isLongRunning, isReadOnly } from '../request/requestInfo.ts'
import type { Nanoseconds } from '../units.ts'
import type { Adjustment } from './ledger.ts'
import type { Answer, ApfEngine, ApfEngineOptions, ConfigurationReport } from './apfEngine.ts'
import {
  type EngineCheckpoint,
  type InFlightState,
  engineVocabulary,
  type GraphVocabulary,
  readGraph,
  writeGraph,
} from './checkpoint.ts'
import { Clock } from './clock.ts'
import type { EngineDump } from './dump.ts'
import { EventHub, type EngineListener } from './events.ts'
import { ObjectStatisticsTracker, ONE_SEAT } from './workEstimator.ts'
import type { PriorityLevel } from './priorityLevels.ts'
import { ServerMeters } from './serverMeters.ts'
import { type EngineSnapshot, takeSnapshot } from './snapshot.ts'
import { type EngineRequest, Ticket } from './ticket.ts'
import { type Timed, Timers } from './timers.ts'

/** The constant Retry-After of a rejected request, in seconds. */
const RETRY_AFTER = 1
/** Its members are served even when the server is full, and are not counted then. */
const MASTERS = 'system:masters'

/**
 * The filter of a server without Priority and Fairness, behind the same interface (specification 9): two counters, no
 * queue, no levels. Configuration has no effect on it.
 */
export class InFlightEngine<T> implements ApfEngine<T> {
  readonly mode = 'max-in-flight'
  objectStatistics: ObjectStatisticsTracker
  private readonly options: ApfEngineOptions<T>
  private readonly vocabulary: GraphVocabulary<InFlightState<T>>
  private clock = new Clock()
  /** The caller's appointments; nothing else ever becomes due here. */
  private timers = new Timers<Timed>()
  private meters: ServerMeters
  private readonly events = new EventHub<T>()
  /** Requests that were served without being counted. */
  private uncounted = new Set<Ticket<T>>()
  private tally = { dispatched: 0, rejected: 0 }

  constructor(options: ApfEngineOptions<T>) {
    this.options = options
    this.vocabulary = engineVocabulary({}, options.payloadClasses)
    this.objectStatistics = new ObjectStatisticsTracker(this.clock)
    this.meters = new ServerMeters(this.clock)
    this.meters.setDenominators({
      waiting: 1,
      readOnly: options.maxRequestsInFlight,
      mutating: options.maxMutatingRequestsInFlight,
    })
  }

  get nowNs(): Nanoseconds {
    return this.clock.nanoseconds
  }

  moveTo(ns: Nanoseconds): void {
    this.clock.moveTo(ns)
  }

  nextWakeNs(): Nanoseconds {
    return this.timers.nextNs
  }

  wake(): boolean {
    const due = this.timers.takeDue(this.nowNs)
    if (due !== undefined) this.options.onAppointment?.(due)
    return due !== undefined
  }

  get appointments(): Timers<Timed> {
    return this.timers
  }

  configure(): ConfigurationReport {
    return { refused: [], order: [], dangling: [], conditions: [], quiescing: [] }
  }

  arrive(request: EngineRequest<T>): Answer<T> {
    const { info, user } = request
    if (isLongRunning(info)) return BYPASSED
    const limit = isReadOnly(info) ? this.options.maxRequestsInFlight : this.options.maxMutatingRequestsInFlight
    // A limit of 0 disables limiting, and nothing is counted then.
    if (limit === 0) return BYPASSED
    const ticket = new Ticket(request, ONE_SEAT, this.meters.kindOf(info), undefined)
    ticket.arrivedHi = this.clock.hi
    ticket.arrivedLo = this.clock.lo
    const common = { ticket, estimate: ONE_SEAT, uids: undefined }
    if (!this.events.silent) this.events.tell({ kind: 'arrived', ticket, estimate: ONE_SEAT })
    const { executing } = ticket.kind
    if (executing.value < limit) {
      executing.add(1)
    } else if (user.groups.includes(MASTERS)) {
      this.uncounted.add(ticket)
    } else {
      ticket.state = 'rejected'
      this.tally.rejected += 1
      const refusal = { reason: 'concurrency-limit', retryAfter: RETRY_AFTER } as const
      if (!this.events.silent) this.events.tell({ kind: 'rejected', ticket, ...refusal })
      return { kind: 'rejected', ...common, ...refusal }
    }
    ticket.state = 'executing'
    this.tally.dispatched += 1
    ticket.startedHi = this.clock.hi
    ticket.startedLo = this.clock.lo
    if (!this.events.silent) this.events.tell({ kind: 'dispatched', ticket })
    return { kind: 'executing', ...common }
  }

  finish(ticket: Ticket<T>): void {
    if (ticket.state !== 'executing') throw new Error(`the request is not executing, but ${ticket.state}`)
    ticket.state = 'done'
    if (!this.uncounted.delete(ticket)) ticket.kind.executing.add(-1)
    if (!this.events.silent) this.events.tell({ kind: 'finished', ticket })
  }

  cancel(): boolean {
    return false
  }

  /** Nothing is estimated here. */
  setWatches(): void {}

  watchInitialised(): never {
    throw new Error('a watch has no ticket here')
  }

  endWatch(): never {
    throw new Error('a watch has no ticket here')
  }

  checkpoint(tickets: readonly Ticket<T>[]): EngineCheckpoint {
    const { clock, timers, meters, uncounted, tally, objectStatistics } = this
    const state: InFlightState<T> = { tickets, clock, timers, meters, uncounted, tally, objectStatistics }
    return { mode: this.mode, graph: writeGraph(state, this.vocabulary) }
  }

  restore(checkpoint: EngineCheckpoint): readonly Ticket<T>[] {
    if (checkpoint.mode !== this.mode) throw new Error('the checkpoint is from an engine of the other mode')
    const { tickets, ...state } = readGraph(checkpoint.graph, this.vocabulary)
    Object.assign(this, state)
    return tickets
  }

  subscribe(listener: EngineListener<T>): () => void {
    return this.events.subscribe(listener)
  }

  snapshot(): EngineSnapshot {
    const { startUnixMs, maxRequestsInFlight, maxMutatingRequestsInFlight } = this.options
    const snapshot = takeSnapshot<T>({
      mode: this.mode,
      atNs: this.nowNs,
      startUnixMs,
      serverLimit: maxRequestsInFlight + maxMutatingRequestsInFlight,
      allocation: undefined,
      series: [],
      levelNamed: () => undefined,
      retryAfter: () => RETRY_AFTER,
      correctExemptTarget: false,
      meters: this.meters,
    })
    return { ...snapshot, filter: { ...this.tally } }
  }

  dump(): EngineDump<T> {
    return { startUnixMs: this.options.startUnixMs, levels: [], queues: [], requests: [] }
  }

  levels(): readonly PriorityLevel<Ticket<T>>[] {
    return []
  }

  adjustments(): readonly Adjustment[] {
    return []
  }

  handOf(): readonly number[] {
    return []
  }
}
