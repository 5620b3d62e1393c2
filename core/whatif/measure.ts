import type { ApfEngine } from '../engine/apfEngine.ts'
import type { EngineEvent } from '../engine/events.ts'
import type { Ticket } from '../engine/ticket.ts'
import type { RejectReason } from '../frame/frame.ts'
import { isReadOnly } from '../request/requestInfo.ts'
import { type Nanoseconds, nsToMs, secondsToNs } from '../units.ts'

/** Requests of one client in one flow of one level, counted by what happened within the measured period. */
export interface Cell {
  readonly level: string
  readonly schema: string
  /** Distinguisher. */
  readonly flow: string
  readonly client: string
  /** Seats that its requests held, multiplied by time. */
  seatNs: number
  offered: number
  served: number
  /** The handler did not end before the server's request timeout, or before the server restarted. */
  expired: number
  /** Execution time of what ended, and what it would have been if nothing slowed it down; 0 where that is unknown. */
  executedNs: number
  plannedNs: number
  readonly rejected: Record<RejectReason, number>
  /** Waits of dispatched requests, 0 for those that ran at once. Milliseconds, in order of dispatch. */
  readonly waitsMs: number[]
}

export interface MeasureOptions<T> {
  readonly clientOf: (payload: T) => string
  /** Start of the counted period. */
  readonly fromNs: Nanoseconds
  readonly untilNs: Nanoseconds
  /**
   * For simulated handlers, which end at the server's request timeout: their execution time when nothing slows them
   * down, to distinguish those that take exactly that long from those that are cut off.
   */
  readonly executionNsOf?: ((payload: T) => Nanoseconds) | undefined
  /** Is told of every request that ends, also before the counted period. */
  readonly course?: { count(client: string, nowNs: Nanoseconds, outcome: 'served' | 'failed'): void } | undefined
}

/** `--request-timeout` of the API server. */
const REQUEST_TIMEOUT_NS = secondsToNs(60)

const noRejections = (): Record<RejectReason, number> => ({ 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 })

/** Counts the events of one engine: the same for a list of arrivals and for reactive clients. */
export class Measure<T> {
  private readonly engine: ApfEngine<T>
  private readonly options: MeasureOptions<T>
  private readonly all: Cell[] = []
  /** By lane (or pool), flow and client: looked up for every request, without building a string key. */
  private readonly cells = new Map<unknown, Map<string, Map<string, Cell>>>()
  /** Waiting or running requests. */
  private readonly open = new Map<Ticket<T>, Cell>()
  private readonly leave: () => void

  constructor(engine: ApfEngine<T>, options: MeasureOptions<T>) {
    this.engine = engine
    this.options = options
    this.leave = engine.subscribe((event) => this.hear(event))
  }

  /** Ends counting: requests that still run have held their seats until the end of the period. */
  end(): readonly Cell[] {
    this.leave()
    this.close(this.options.untilNs)
    return this.all
  }

  /** The server restarts: waiting and running requests end without a response, and count as expired. */
  lose(): void {
    for (const cell of this.open.values()) {
      this.ended(cell, 'failed')
      if (this.counts) cell.expired += 1
    }
    this.close(this.engine.nowNs)
  }

  private close(endNs: Nanoseconds): void {
    for (const [ticket, cell] of this.open) {
      if (ticket.state !== 'executing') continue
      this.addSeats(cell, ticket, endNs)
      // One that should have ended: perhaps it never will.
      const plannedNs = this.options.executionNsOf?.(ticket.payload.payload) ?? Infinity
      if (endNs - ticket.startedNs > plannedNs) this.addExecution(cell, ticket, endNs)
    }
    this.open.clear()
  }

  private hear(event: EngineEvent<T>): void {
    switch (event.kind) {
      case 'arrived':
        return this.arrived(event.ticket)
      case 'dispatched':
        return this.dispatched(event.ticket)
      case 'rejected': {
        const cell = this.open.get(event.ticket)
        this.open.delete(event.ticket)
        if (cell === undefined) return
        this.ended(cell, 'failed')
        if (this.counts) cell.rejected[event.reason] += 1
        return
      }
      case 'finished':
        return this.finished(event.ticket)
      default:
    }
  }

  private get counts(): boolean {
    return this.engine.nowNs >= this.options.fromNs && this.engine.nowNs <= this.options.untilNs
  }

  private arrived(ticket: Ticket<T>): void {
    const cell = this.cellOf(ticket)
    this.open.set(ticket, cell)
    if (this.counts) cell.offered += 1
  }

  private dispatched(ticket: Ticket<T>): void {
    if (!this.counts) return
    this.open.get(ticket)?.waitsMs.push(nsToMs(this.engine.nowNs - ticket.arrivedNs))
  }

  private finished(ticket: Ticket<T>): void {
    const cell = this.open.get(ticket)
    if (cell === undefined) return
    this.open.delete(ticket)
    const { nowNs } = this.engine
    this.addSeats(cell, ticket, nowNs + ticket.additionalLatency)
    const isCut = this.isCut(ticket)
    this.ended(cell, isCut ? 'failed' : 'served')
    if (!this.counts) return
    if (isCut) cell.expired += 1
    else cell.served += 1
    this.addExecution(cell, ticket, nowNs)
  }

  private ended({ client }: Cell, outcome: 'served' | 'failed'): void {
    this.options.course?.count(client, this.engine.nowNs, outcome)
  }

  private isCut(ticket: Ticket<T>): boolean {
    const { executionNsOf } = this.options
    if (executionNsOf === undefined || ticket.kind.isWatch) return false
    const { nowNs } = this.engine
    if (nowNs - ticket.arrivedNs < REQUEST_TIMEOUT_NS) return false
    return nowNs - ticket.startedNs !== executionNsOf(ticket.payload.payload)
  }

  private addExecution(cell: Cell, ticket: Ticket<T>, endNs: Nanoseconds): void {
    const { executionNsOf } = this.options
    if (executionNsOf === undefined || ticket.kind.isWatch) return
    cell.executedNs += endNs - ticket.startedNs
    cell.plannedNs += executionNsOf(ticket.payload.payload)
  }

  private addSeats(cell: Cell, ticket: Ticket<T>, endNs: Nanoseconds): void {
    const { fromNs, untilNs } = this.options
    const heldNs = Math.min(endNs, untilNs) - Math.max(ticket.startedNs, fromNs)
    if (heldNs > 0) cell.seatNs += heldNs * ticket.maxSeats
  }

  private cellOf(ticket: Ticket<T>): Cell {
    const client = this.options.clientOf(ticket.payload.payload)
    const isFair = this.engine.mode !== 'max-in-flight'
    const place = isFair ? ticket.lane : poolOf(ticket)
    const flow = isFair ? (ticket.flow?.distinguisher ?? '') : ''
    const byClient = inner(inner(this.cells, place), flow)
    const known = byClient.get(client)
    if (known !== undefined) return known
    const level = isFair ? ticket.lane.level.plan.name : poolOf(ticket)
    const schema = isFair ? ticket.lane.schema : ''
    const cell = newCell({ level, schema, flow, client })
    byClient.set(client, cell)
    this.all.push(cell)
    return cell
  }
}

/** Nothing of this client has been counted yet. */
export const newCell = (of: Pick<Cell, 'level' | 'schema' | 'flow' | 'client'>): Cell => ({
  ...of,
  seatNs: 0,
  offered: 0,
  served: 0,
  expired: 0,
  executedNs: 0,
  plannedNs: 0,
  rejected: noRejections(),
  waitsMs: [],
})

/** The inner map for a key of the outer one. */
function inner<K, L, V>(outer: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = outer.get(key)
  if (known !== undefined) return known
  const made = new Map<L, V>()
  outer.set(key, made)
  return made
}

/** The max-in-flight filter has two counters, which replace levels in the results. */
export const poolOf = <T>({ payload }: Ticket<T>): string =>
  isReadOnly(payload.info) ? 'read-only requests' : 'mutating requests'
