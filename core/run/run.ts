import {
  type Answer,
  type ApfEngine,
  type ApfEngineOptions,
  type ConfigurationReport,
  type EngineConfiguration,
} from '../engine/apfEngine.ts'
import { runTo, stepOf } from '../engine/step.ts'
import { createApfEngine } from '../engine/createEngine.ts'
import type { EngineRequest, Ticket } from '../engine/ticket.ts'
import type { Timed } from '../engine/timers.ts'
import type { RejectReason } from '../frame/frame.ts'
import type { Nanoseconds } from '../units.ts'
import { shortened } from './keptText.ts'

/** The decision of a run's engine about a request. */
export type Decision =
  | { readonly kind: 'bypassed' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'executing' }
  | { readonly kind: 'done' }
  | { readonly kind: 'rejected'; readonly reason: RejectReason; readonly retryAfter: number }

/** Each of these is shared: a run of millions of requests allocates none of them anew. */
const BYPASSED: Decision = { kind: 'bypassed' }
const WAITING: Decision = { kind: 'waiting' }
const EXECUTING: Decision = { kind: 'executing' }
const DONE: Decision = { kind: 'done' }

/** How long a request takes. Nanoseconds. */
export interface Length {
  /** For a watch: until it is initialised. `Infinity`: until its client leaves. */
  readonly durationNs: Nanoseconds
  /** How long a watch goes on after that; if absent, the caller reports when it has ended. */
  readonly watchNs?: Nanoseconds | undefined
}

/** Its duration is not known yet, but it will not end within this many nanoseconds of its start. */
export interface AtLeast {
  readonly atLeastNs: Nanoseconds
}

export type RunRequest = Omit<EngineRequest<unknown>, 'payload'>

/** One request in a run. `owner` is the sender's reference to it. */
export class Call<O = unknown> implements Timed {
  readonly owner: O
  /** Absent for requests that bypass the engine. */
  ticket: Ticket<Call<O>> | undefined
  decision: Decision = WAITING
  /** Nanoseconds in its queue; `undefined` while it waits there, and without a decision. */
  waitNs: Nanoseconds | undefined
  length: Length | undefined
  /** A watch itself has ended, though it may not have begun here. */
  over = false
  /** Of its one appointment: its end, or the end of its watch, or the time at which its duration must be known. */
  timerPlace = -1

  constructor(owner: O) {
    this.owner = owner
  }
}

export type RunOptions = Omit<ApfEngineOptions<never>, 'onDispatch' | 'onTimeOut' | 'onAppointment' | 'payloadClasses'>

export interface RunHooks<O> {
  /** Called for each decision that is made after `arrive` returned, and when a request is done. */
  readonly onDecision?: (call: Call<O>) => void
  /**
   * The engine dispatches it now, and `lasted` was not called: returns how long it will take, or at least will take;
   * `undefined` if that is reported later, when it is over.
   */
  readonly lengthOf?: (call: Call<O>) => Length | AtLeast | undefined
  /** The request, and its watch, has ended: the engine holds nothing of it except lingering seats. */
  readonly onEnded?: (call: Call<O>) => void
  /** Another appointment in the engine is due. */
  readonly onAppointment?: (due: Timed) => void
}

/**
 * The single driver: passes requests through an engine, in the time of its caller. Arrivals come from outside; the
 * duration of a request is known in advance, or at dispatch, or, if it runs on a real server, when it is over. The
 * duration then counts from the moment at which this engine dispatched it.
 *
 * Things that are due at one instant happen in the order in which they were set; external inputs at that instant
 * follow, in the order of the calls: the rule of the conformance protocol (specification 13, ordering note).
 */
export class Run<O = unknown> {
  readonly engine: ApfEngine<Call<O>>
  private readonly hooks: RunHooks<O>
  /** The duration of a request must be known and is not: nothing happens until it is. */
  private stalled = false

  constructor(options: RunOptions, hooks: RunHooks<O> = {}) {
    this.hooks = hooks
    this.engine = createApfEngine<Call<O>>({
      ...options,
      onDispatch: (ticket) => {
        const call = ticket.payload.payload
        this.begin(call, ticket)
        hooks.onDecision?.(call)
      },
      onTimeOut: (ticket, retryAfter, reason) => {
        const call = ticket.payload.payload
        call.waitNs = this.engine.nowNs - ticket.arrivedNs
        call.decision = { kind: 'rejected', reason, retryAfter }
        hooks.onDecision?.(call)
      },
      onAppointment: (appointment) => {
        if (appointment instanceof Call) this.due(appointment)
        else hooks.onAppointment?.(appointment)
      },
      payloadClasses: [Call],
    })
  }

  /** When `moveTo` has something to do; `Infinity` when there is nothing. */
  get nextNs(): Nanoseconds {
    return this.engine.nextWakeNs()
  }

  /**
   * Processes everything that is due up to `ns`, each at its instant. An earlier time counts as the present. `false`
   * when the duration of a request must be known first: the present is then the instant at which it must be.
   */
  moveTo(ns: Nanoseconds): boolean {
    this.stalled = false
    return runTo(this.engine, ns, () => !this.stalled)
  }

  /** Processes the next thing that is due by `untilNs`; `false` when nothing is due. */
  step(untilNs: Nanoseconds): boolean {
    return stepOf(this.engine, untilNs)
  }

  configure(configuration: EngineConfiguration): ConfigurationReport {
    return this.engine.configure(configuration)
  }

  /** `onAnswer` receives the engine's answer, before anything follows from it. */
  arrive(request: RunRequest, owner: O, onAnswer?: (answer: Answer<Call<O>>) => void): Call<O> {
    const call = new Call(owner)
    const asked = { ...request, payload: call }
    const answer = this.engine.arrive(asked)
    // It is placed; the texts that the engine keeps may be shorter.
    const short = shortened(request)
    if (short !== request) Object.assign(asked, short)
    onAnswer?.(answer)
    if (answer.kind === 'bypassed') {
      call.decision = BYPASSED
      return call
    }
    call.ticket = answer.ticket
    if (answer.kind === 'executing') this.begin(call, answer.ticket)
    else if (answer.kind === 'rejected') {
      call.waitNs = 0
      call.decision = { kind: 'rejected', reason: answer.reason, retryAfter: answer.retryAfter }
    }
    return call
  }

  /**
   * It took this long where it ran; for a watch, until it was initialised, after which it goes on for `watchNs`, or
   * until `endWatch`. Only the first call counts.
   */
  lasted(call: Call<O>, length: Length): void {
    if (call.length !== undefined) return
    call.length = length
    if (call.decision.kind === 'executing') this.planEnd(call)
  }

  /** Its client disconnected: it needs no seats any more, and its watch ends. */
  abandon(call: Call<O>): void {
    const { ticket, decision } = call
    if (ticket === undefined) return
    if (decision.kind === 'waiting') this.engine.cancel(ticket)
    else if (decision.kind === 'executing') {
      call.over = true
      call.length = { durationNs: 0 }
      this.planEnd(call)
    } else if (decision.kind === 'done') this.endWatch(call)
  }

  /** An initialised watch has ended. No effect if its duration was given in advance. */
  endWatch(call: Call<O>): void {
    if (call.over || call.length?.watchNs !== undefined) return
    call.over = true
    this.lasted(call, { durationNs: 0 })
    if (call.decision.kind === 'done') this.forgetWatch(call)
  }

  private begin(call: Call<O>, ticket: Ticket<Call<O>>): void {
    const { engine, hooks } = this
    call.ticket = ticket
    call.waitNs = engine.nowNs - ticket.arrivedNs
    call.decision = EXECUTING
    if (call.length !== undefined) return this.planEnd(call)
    const length = hooks.lengthOf?.(call)
    if (length === undefined) return
    if ('atLeastNs' in length) return engine.appointments.set(call, engine.nowNs + Math.max(0, length.atLeastNs))
    call.length = length
    this.planEnd(call)
  }

  private planEnd(call: Call<O>): void {
    const { ticket, length } = call
    if (ticket === undefined || length === undefined) return
    const endNs = Math.max(this.engine.nowNs, ticket.startedNs + length.durationNs)
    // Its position among the things due at that instant was taken when it began, if its duration was requested then.
    if (call.timerPlace !== -1) this.engine.appointments.putOff(call, endNs)
    else this.engine.appointments.set(call, endNs)
  }

  private due(call: Call<O>): void {
    const { engine, hooks } = this
    const { ticket, length } = call
    if (ticket === undefined) return
    if (call.decision.kind === 'done') return this.forgetWatch(call)
    if (length === undefined) return this.askAgain(call, ticket)
    call.decision = DONE
    hooks.onDecision?.(call)
    if (!ticket.kind.isWatch) {
      engine.finish(ticket)
      hooks.onEnded?.(call)
      return
    }
    engine.watchInitialised(ticket)
    if (call.over) this.forgetWatch(call)
    else if (length.watchNs !== undefined) engine.appointments.set(call, engine.nowNs + length.watchNs)
  }

  private askAgain(call: Call<O>, ticket: Ticket<Call<O>>): void {
    const { engine, hooks } = this
    const length = hooks.lengthOf?.(call)
    if (length !== undefined && !('atLeastNs' in length)) {
      call.length = length
      engine.appointments.putOff(call, Math.max(engine.nowNs, ticket.startedNs + length.durationNs))
      return
    }
    const atLeastNs = ticket.startedNs + (length?.atLeastNs ?? 0)
    if (atLeastNs <= engine.nowNs) this.stalled = true
    engine.appointments.putOff(call, Math.max(engine.nowNs, atLeastNs))
  }

  private forgetWatch(call: Call<O>): void {
    if (call.ticket?.kind.isWatch !== true) return
    this.engine.endWatch(call.ticket)
    this.hooks.onEnded?.(call)
  }
}
