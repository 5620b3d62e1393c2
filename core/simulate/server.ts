import type { ApfEngine } from '../engine/apfEngine.ts'
import type { Ticket } from '../engine/ticket.ts'
import { type Nanoseconds, type Seats, secondsToNs } from '../units.ts'
import type { Lengths, Seated } from '../run/candidate.ts'
import type { Length } from '../run/run.ts'
import { type CapacityCurve, slowdownAt, type PreparedCall } from './workload.ts'

/** How a call ended, as its client sees it. */
export type Outcome =
  | { readonly kind: 'served' }
  /** 429; `retryAfter` in seconds. */
  | { readonly kind: 'rejected'; readonly retryAfter: number }
  /** The handler did not return within the server's request timeout: 504. */
  | { readonly kind: 'expired' }

/** What became of the calls of one group of clients. Always: offered = served + rejected + expired + under way. */
export interface Tally {
  offered: number
  served: number
  rejected: number
  expired: number
}

export const emptyTally = (): Tally => ({ offered: 0, served: 0, rejected: 0, expired: 0 })

/** One attempt of one call. */
export interface Flight {
  /** The number of its client. */
  readonly client: number
  /** Its place among the calls of its client; of an informer 0 for the list and 1 for the watch. */
  readonly call: number
  /** Of a watch: how long it lasts after it was initialised. */
  readonly watchNs: Nanoseconds | undefined
  /** Attempts before this one that were refused. */
  readonly retries: number
}

/** A call on its way: what the engine's requests carry. */
export interface Call extends Flight {
  readonly sentNs: Nanoseconds
  /** How long its handler takes when nothing slows it down, nanoseconds. */
  readonly executionNs: Nanoseconds
}

/** What the server does later. */
export type ServerTask =
  /** `inTime`: the handler comes to its end. */
  | { readonly kind: 'handled'; readonly ticket: Ticket<Call>; readonly seats: Seats; readonly inTime: boolean }
  | { readonly kind: 'watch over'; readonly ticket: Ticket<Call> }
  /** Of what bypasses the engine. */
  | { readonly kind: 'bypass over'; readonly call: Call }
  /** The request timeout of a handler that waits for another request, unless it has gone on. */
  | ({ readonly kind: 'wait over' } & Pick<Call, 'client' | 'sentNs'>)

/** `--request-timeout` of the API server. */
const REQUEST_TIMEOUT_NS = secondsToNs(60)

/**
 * How long a handler that starts now is at work, nanoseconds: longer the more seats run, its own among them, and no longer
 * than the server lets it. `inTime` is whether it comes to its end.
 */
function handlerTime(
  { sentNs, executionNs }: Pick<Call, 'sentNs' | 'executionNs'>,
  { nowNs, runningSeats, capacity }: { nowNs: Nanoseconds; runningSeats: Seats; capacity: CapacityCurve },
): { readonly ns: Nanoseconds; readonly inTime: boolean } {
  const needed = Math.round(executionNs * slowdownAt(capacity, runningSeats))
  const left = Math.max(0, sentNs + REQUEST_TIMEOUT_NS - nowNs)
  return { ns: Math.min(needed, left), inTime: needed <= left }
}

export interface SimulatedServerOptions {
  readonly capacity: CapacityCurve
  /** Does something so many nanoseconds later, at the engine's time. */
  readonly later: (ns: Nanoseconds, task: ServerTask) => void
  readonly settle: (call: Call, outcome: Outcome) => void
  /** Whether the handler that begins has to wait for another request, which is then on its way. */
  readonly sendsFirst: (call: Call) => boolean
}

/** The API server around the engine: it runs what the engine lets run. */
export class SimulatedServer {
  private readonly options: SimulatedServerOptions
  private readonly engine: () => ApfEngine<Call>
  /** Seats of the requests whose handlers run now; those that only linger use nothing of the machine. */
  private running = 0
  private watches = new Set<Ticket<Call>>()
  /** Requests whose handlers wait for another one, by their client, which has no other request under way. */
  private waiting = new Map<number, Ticket<Call>>()

  /** The engine is asked for when it is needed: its callbacks are this server's methods. */
  constructor(engine: () => ApfEngine<Call>, options: SimulatedServerOptions) {
    this.engine = engine
    this.options = options
  }

  get runningSeats(): Seats {
    return this.running
  }

  /** Those that were initialised and go on. */
  get openWatches(): ReadonlySet<Ticket<Call>> {
    return this.watches
  }

  /** Those whose handlers wait for another request. */
  get waitingForOthers(): readonly Ticket<Call>[] {
    return [...this.waiting.values()]
  }

  /** Goes on where another one was, with tickets of the engine as it is now. */
  restore(
    runningSeats: Seats,
    openWatches: readonly Ticket<Call>[] = [],
    waitingForOthers: readonly Ticket<Call>[] = [],
  ): void {
    this.running = runningSeats
    this.watches = new Set(openWatches)
    this.waiting = new Map(waitingForOthers.map((ticket) => [ticket.payload.payload.client, ticket]))
  }

  send({ user, info, query }: PreparedCall, flight: Flight, executionNs: Nanoseconds): void {
    const engine = this.engine()
    const { settle, later } = this.options
    const payload: Call = { ...flight, sentNs: engine.nowNs, executionNs }
    const answer = engine.arrive({ user, info, query, payload })
    switch (answer.kind) {
      case 'bypassed':
        return later(executionNs, { kind: 'bypass over', call: payload })
      case 'executing':
        return this.execute(answer.ticket)
      case 'rejected':
        return settle(payload, { kind: 'rejected', retryAfter: answer.retryAfter })
      case 'waiting':
    }
  }

  /** The engine's `onDispatch`, and what becomes of those that did not wait. */
  execute(ticket: Ticket<Call>): void {
    this.running += ticket.maxSeats
    const call = ticket.payload.payload
    if (!this.options.sendsFirst(call)) return this.handle(ticket)
    const { client, sentNs } = call
    this.waiting.set(client, ticket)
    const leftNs = Math.max(0, sentNs + REQUEST_TIMEOUT_NS - this.engine().nowNs)
    this.options.later(leftNs, { kind: 'wait over', client, sentNs })
  }

  /** Whether the handler of this request waits for another one. */
  waits({ client, sentNs }: Pick<Call, 'client' | 'sentNs'>): boolean {
    return this.waiting.get(client)?.payload.payload.sentNs === sentNs
  }

  /** What the handler of this request waited for was served; nothing, if it does not wait any more. */
  goOn(call: Pick<Call, 'client' | 'sentNs'>): void {
    const ticket = this.waiting.get(call.client)
    if (ticket === undefined || !this.waits(call)) return
    this.waiting.delete(call.client)
    this.handle(ticket)
  }

  private handle(ticket: Ticket<Call>): void {
    const { later, capacity } = this.options
    const { nowNs } = this.engine()
    const { ns, inTime } = handlerTime(ticket.payload.payload, { nowNs, runningSeats: this.running, capacity })
    later(ns, { kind: 'handled', ticket, seats: ticket.maxSeats, inTime })
  }

  /** The engine's `onTimeOut`. */
  refuse(ticket: Ticket<Call>, retryAfter: number): void {
    this.options.settle(ticket.payload.payload, { kind: 'rejected', retryAfter })
  }

  due(task: ServerTask): void {
    const { settle, later } = this.options
    switch (task.kind) {
      case 'bypass over':
        return settle(task.call, { kind: 'served' })
      case 'handled': {
        const { ticket, seats, inTime } = task
        const call = ticket.payload.payload
        this.running -= seats
        if (call.watchNs === undefined || !inTime) {
          this.engine().finish(ticket)
          return settle(call, { kind: inTime ? 'served' : 'expired' })
        }
        this.engine().watchInitialised(ticket)
        this.watches.add(ticket)
        return later(call.watchNs, { kind: 'watch over', ticket })
      }
      case 'wait over': {
        const ticket = this.waiting.get(task.client)
        if (ticket === undefined || !this.waits(task)) return
        this.waiting.delete(task.client)
        return this.due({ kind: 'handled', ticket, seats: ticket.maxSeats, inTime: false })
      }
      case 'watch over':
        this.watches.delete(task.ticket)
        this.engine().endWatch(task.ticket)
        return settle(task.ticket.payload.payload, { kind: 'served' })
    }
  }
}

/** A request of a simulated client: how long its handler takes is known before it runs. */
export interface Working {
  readonly work: Pick<Call, 'executionNs' | 'watchNs'>
}

type Modelled<R> = Extract<Lengths<R>, { kind: 'modelled' }>

/**
 * How long requests take at a simulated server with other objects: as much work as at the first one, on a machine of its
 * own, which is slower or faster by the seats that run there.
 */
export class SimulatedLengths implements Modelled<Working> {
  readonly kind = 'modelled'
  private readonly capacity: CapacityCurve
  private runningSeats = 0

  constructor(capacity: CapacityCurve) {
    this.capacity = capacity
  }

  begun({ work: { executionNs, watchNs } }: Working, { maxSeats, arrivedNs, startedNs }: Seated): Length {
    this.runningSeats += maxSeats
    const { capacity, runningSeats } = this
    const { ns, inTime } = handlerTime({ sentNs: arrivedNs, executionNs }, { nowNs: startedNs, runningSeats, capacity })
    return { durationNs: ns, watchNs: inTime ? (watchNs ?? 0) : 0 }
  }

  ended(_row: Working, { maxSeats }: Seated): void {
    this.runningSeats -= maxSeats
  }

  /** Seats that run now: all that it knows, so that a run can be taken back. */
  get running(): Seats {
    return this.runningSeats
  }

  restore(running: Seats): void {
    this.runningSeats = running
  }
}
