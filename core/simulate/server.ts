import type { EngineRequest, Ticket } from '../engine/ticket.ts'
import type { Timed } from '../engine/timers.ts'
import { type Nanoseconds, type Seats, secondsToNs } from '../units.ts'
import type { Lengths, Seated } from '../run/candidate.ts'
import { Call as RunCall, type Length, Run, type RunOptions } from '../run/run.ts'
import { type CapacityCurve, slowdownAt, type PreparedCall } from './workload.ts'

/** How a call ended, as its client sees it. */
export type Outcome =
  | { readonly kind: 'served' }
  /** 429; `retryAfter` in seconds. */
  | { readonly kind: 'rejected'; readonly retryAfter: number }
  /** The handler did not return within the server's request timeout: 504. */
  | { readonly kind: 'expired' }

/** Outcomes of the calls of one group of clients. Always: offered = served + rejected + expired + under way. */
export interface Tally {
  offered: number
  served: number
  rejected: number
  expired: number
}

export const emptyTally = (): Tally => ({ offered: 0, served: 0, rejected: 0, expired: 0 })

/** One attempt of one call. */
export interface Flight {
  readonly client: number
  /** Its position among the calls of its client; for an informer, 0 is the list and 1 the watch. */
  readonly call: number
  /** For a watch: how long it lasts after it was initialised. */
  readonly watchNs: Nanoseconds | undefined
  /** Attempts before this one that were rejected. */
  readonly retries: number
}

/** A call on its way. */
export interface Call extends Flight {
  readonly sentNs: Nanoseconds
  /** How long its handler takes when nothing slows it down, nanoseconds. */
  readonly executionNs: Nanoseconds
  /** Its handler does not finish within the server's request timeout. */
  late: boolean
}

export type ServerCall = RunCall<Call>

/** Later actions of the server, in addition to those of a run. */
export type ServerTask =
  /** For a request that bypasses the engine. */
  | { readonly kind: 'bypass over'; readonly call: Call }
  /** The request timeout of a handler that waits for another request, unless it has gone on. */
  | ({ readonly kind: 'wait over' } & Pick<Call, 'client' | 'sentNs'>)

/** `--request-timeout` of the API server. */
const REQUEST_TIMEOUT_NS = secondsToNs(60)

export interface SimulatedServerOptions {
  readonly capacity: CapacityCurve
  /** Runs a task after this many nanoseconds, at the engine's time. */
  readonly later: (ns: Nanoseconds, task: ServerTask) => void
  readonly settle: (call: Call, outcome: Outcome) => void
  /** Whether the starting handler has to wait for another request, which is then on its way. */
  readonly sendsFirst: (call: Call) => boolean
  /** Another appointment in the engine is due. */
  readonly onAppointment: (due: Timed) => void
}

/** The API server around a run: it handles the requests that the engine dispatches. */
export class SimulatedServer {
  readonly run: Run<Call>
  private readonly options: SimulatedServerOptions
  private readonly machine: SimulatedLengths
  /** Watches that were initialised and are still open. */
  private watches = new Set<ServerCall>()
  /** Requests whose handlers wait for another one, by their client, which has no other request under way. */
  private waiting = new Map<number, ServerCall>()

  constructor(engine: RunOptions, options: SimulatedServerOptions) {
    this.options = options
    this.machine = new SimulatedLengths(options.capacity)
    this.run = new Run(engine, {
      lengthOf: (call) => this.begun(call),
      onDecision: (call) => this.decided(call),
      onEnded: (call) => {
        this.watches.delete(call)
        this.options.settle(call.owner, { kind: call.owner.late ? 'expired' : 'served' })
      },
      onAppointment: options.onAppointment,
    })
  }

  /** Seats of the requests whose handlers run now; requests that only linger use nothing of the machine. */
  get runningSeats(): Seats {
    return this.machine.running
  }

  get openWatches(): readonly EngineRequest<unknown>[] {
    return [...this.watches].flatMap(({ ticket }) => ticket?.payload ?? [])
  }

  /** Requests whose handlers wait for another request. */
  get waitingForOthers(): readonly Ticket<ServerCall>[] {
    return [...this.waiting.values()].flatMap(({ ticket }) => ticket ?? [])
  }

  /** Continues from the state of another one, with what its engine holds now. */
  restore(runningSeats: Seats, waitingForOthers: readonly Ticket<ServerCall>[] = []): void {
    const planned = this.run.engine.appointments.all()
    this.machine.restore(runningSeats)
    this.watches = new Set(
      planned.flatMap(({ owner }) => (isCallOfServer(owner) && owner.decision.kind === 'done' ? [owner] : [])),
    )
    this.waiting = new Map(waitingForOthers.map(({ payload: { payload } }) => [payload.owner.client, payload]))
  }

  send({ user, info, query }: PreparedCall, flight: Flight, executionNs: Nanoseconds): void {
    const { run, options } = this
    const owner: Call = { ...flight, sentNs: run.engine.nowNs, executionNs, late: false }
    const { decision } = run.arrive({ user, info, query }, owner)
    if (decision.kind === 'bypassed') options.later(executionNs, { kind: 'bypass over', call: owner })
    else if (decision.kind === 'rejected') options.settle(owner, { kind: 'rejected', retryAfter: decision.retryAfter })
  }

  /** Whether the handler of this request waits for another one. */
  waits({ client, sentNs }: Pick<Call, 'client' | 'sentNs'>): boolean {
    return this.waiting.get(client)?.owner.sentNs === sentNs
  }

  /** The request that the handler of this one waited for was served; no effect if it does not wait any more. */
  goOn(call: Pick<Call, 'client' | 'sentNs'>): void {
    const waited = this.takeWaiting(call)
    if (waited?.ticket === undefined) return
    const { durationNs, watchNs } = this.handle(waited.owner, this.run.engine.nowNs)
    this.run.lasted(waited, { durationNs: this.ranNs(waited.ticket) + durationNs, watchNs })
  }

  due(task: ServerTask): void {
    if (task.kind === 'bypass over') return this.options.settle(task.call, { kind: 'served' })
    const late = this.takeWaiting(task)
    if (late?.ticket === undefined) return
    late.owner.late = true
    this.run.lasted(late, { durationNs: this.ranNs(late.ticket), watchNs: 0 })
  }

  private begun(call: ServerCall): Length | undefined {
    const { ticket, owner } = call
    if (ticket === undefined) return undefined
    this.machine.take(ticket)
    if (!this.options.sendsFirst(owner)) return this.handle(owner, ticket.startedNs)
    const { client, sentNs } = owner
    this.waiting.set(client, call)
    const leftNs = Math.max(0, sentNs + REQUEST_TIMEOUT_NS - ticket.startedNs)
    this.options.later(leftNs, { kind: 'wait over', client, sentNs })
    return undefined
  }

  private handle(owner: Call, nowNs: Nanoseconds): Length {
    const handler = this.machine.handlerOf(owner, nowNs)
    owner.late = handler.late
    return handler
  }

  private decided(call: ServerCall): void {
    const { decision, ticket, owner } = call
    if (decision.kind === 'rejected')
      return this.options.settle(owner, { kind: 'rejected', retryAfter: decision.retryAfter })
    if (decision.kind !== 'done' || ticket === undefined) return
    this.machine.ended(call, ticket)
    if (ticket.kind.isWatch) this.watches.add(call)
  }

  private takeWaiting(call: Pick<Call, 'client' | 'sentNs'>): ServerCall | undefined {
    const waited = this.waits(call) ? this.waiting.get(call.client) : undefined
    if (waited !== undefined) this.waiting.delete(call.client)
    return waited
  }

  private ranNs({ startedNs }: Pick<Ticket<unknown>, 'startedNs'>): Nanoseconds {
    return this.run.engine.nowNs - startedNs
  }
}

export const isCallOfServer = (due: Timed): due is ServerCall => due instanceof RunCall

/** A request of a simulated client: the duration of its handler is known before it runs. */
export interface Working {
  readonly work: Pick<Call, 'executionNs' | 'watchNs'>
}

/** How long a handler runs, and whether the server cuts it off. */
type Handler = Length & Pick<Call, 'late'>

type Modelled<R> = Extract<Lengths<R>, { kind: 'modelled' }>

/**
 * Durations of requests at a simulated server with other objects: as much work as at the first one, on a separate
 * machine, whose speed depends on the seats in use there.
 */
export class SimulatedLengths implements Modelled<Working> {
  readonly kind = 'modelled'
  private readonly capacity: CapacityCurve
  private runningSeats = 0

  constructor(capacity: CapacityCurve) {
    this.capacity = capacity
  }

  begun({ work }: Working, seated: Seated): Length {
    this.take(seated)
    const { durationNs, watchNs } = this.handlerOf({ ...work, sentNs: seated.arrivedNs }, seated.startedNs)
    return { durationNs, watchNs }
  }

  /** A request occupies its seats of the machine from now on. */
  take({ maxSeats }: Pick<Seated, 'maxSeats'>): void {
    this.runningSeats += maxSeats
  }

  /**
   * Its handler starts: its duration grows with the seats in use, its own included, up to the server's request timeout.
   */
  handlerOf(work: Pick<Call, 'sentNs' | 'executionNs' | 'watchNs'>, nowNs: Nanoseconds): Handler {
    const needed = Math.round(work.executionNs * slowdownAt(this.capacity, this.runningSeats))
    const left = Math.max(0, work.sentNs + REQUEST_TIMEOUT_NS - nowNs)
    const late = needed > left
    return { durationNs: Math.min(needed, left), watchNs: late ? 0 : (work.watchNs ?? 0), late }
  }

  ended(_row: unknown, { maxSeats }: Pick<Seated, 'maxSeats'>): void {
    this.runningSeats -= maxSeats
  }

  /** Seats in use now: its only state, so that a run can be taken back. */
  get running(): Seats {
    return this.runningSeats
  }

  restore(running: Seats): void {
    this.runningSeats = running
  }
}
