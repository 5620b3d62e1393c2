import type { RejectReason } from '../frame/frame.ts'
import { MS_PER_SECOND, type UnixMs, unixMsAfter } from '../units.ts'
import type { Clock } from './clock.ts'
import { EventHub } from './events.ts'
import type { LevelHub } from './levelMonitor.ts'
import { ServerMeters } from './serverMeters.ts'
import type { Ticket } from './ticket.ts'
import type { Timed, Timers } from './timers.ts'
import { type RegisteredWatch, WatchTracker } from './watchTracker.ts'

/**
 * A request that waited and whose owner must be notified of its outcome. `refusal` is `undefined` for one that may run.
 */
interface Message<T> {
  readonly ticket: Ticket<T>
  readonly refusal: Refusal | undefined
}

/** Why a request was rejected, and its Retry-After. */
export interface Refusal {
  readonly reason: RejectReason
  /** Seconds. */
  readonly retryAfter: number
}

/** Counts the reports of the levels for the whole server, and passes them on to listeners. */
export class Reporter<T> implements LevelHub<T> {
  private readonly clock: Clock
  private readonly startUnixMs: UnixMs
  private readonly timers: Timers<Ticket<T> | Timed>
  readonly meters: ServerMeters
  readonly events = new EventHub<T>()
  readonly outbox = new Outbox<Message<T>>()
  readonly droppedRequests = new DroppedRequests()
  readonly watchTracker = new WatchTracker()
  /** Watches that are being served. */
  readonly watches = new Map<Ticket<T>, RegisteredWatch>()
  /** The request that is arriving: its outcome is in the answer to its arrival, not in a callback. */
  arriving: Ticket<T> | undefined
  /** Its rejection, if it was rejected. */
  refusal: Refusal | undefined

  constructor(clock: Clock, startUnixMs: UnixMs, timers: Timers<Ticket<T> | Timed>) {
    this.clock = clock
    this.startUnixMs = startUnixMs
    this.timers = timers
    this.meters = new ServerMeters(clock)
  }

  enqueued(ticket: Ticket<T>): void {
    ticket.kind.waiting.add(1)
    if (this.events.silent) return
    this.events.tell({ kind: 'enqueued', ticket, length: ticket.queue?.waiting.length ?? 0 })
  }

  dispatched(ticket: Ticket<T>): void {
    const { kind } = ticket
    if (ticket.queue !== undefined) kind.waiting.add(-1)
    kind.executing.add(1)
    this.timers.remove(ticket)
    if (kind.isWatch) {
      const { info, query } = ticket.payload
      const watch = this.watchTracker.register(info, query)
      if (watch !== undefined) this.watches.set(ticket, watch)
    }
    if (ticket !== this.arriving) this.outbox.post({ ticket, refusal: undefined })
    if (!this.events.silent) this.events.tell({ kind: 'dispatched', ticket })
  }

  rejected(ticket: Ticket<T>, reason: RejectReason): void {
    const level = ticket.lane.level.plan.name
    this.droppedRequests.record(level, this.unixSeconds())
    const retryAfter = this.droppedRequests.retryAfter(level)
    if (ticket.queue !== undefined) ticket.kind.waiting.add(-1)
    this.timers.remove(ticket)
    const refusal = { reason, retryAfter }
    if (ticket === this.arriving) this.refusal = refusal
    else this.outbox.post({ ticket, refusal })
    if (!this.events.silent) this.events.tell({ kind: 'rejected', ticket, reason, retryAfter })
  }

  /** The execution ends; its seats are still to be released, and others to be dispatched. */
  finished(ticket: Ticket<T>): void {
    ticket.kind.executing.add(-1)
    if (!this.events.silent) this.events.tell({ kind: 'finished', ticket })
  }

  didNotFit(ticket: Ticket<T>): void {
    if (!this.events.silent) this.events.tell({ kind: 'did-not-fit', ticket })
  }

  released(ticket: Ticket<T>): void {
    if (!this.events.silent) this.events.tell({ kind: 'seats-released', ticket })
  }

  epochAdvanced(level: string, success: boolean): void {
    if (!this.events.silent) this.events.tell({ kind: 'epoch-advanced', level, success })
  }

  staleRemovalGuarded(ticket: Ticket<T>): void {
    if (!this.events.silent) this.events.tell({ kind: 'stale-removal-guarded', ticket })
  }

  private unixSeconds(): number {
    return Math.floor(unixMsAfter(this.startUnixMs, this.clock.nanoseconds) / MS_PER_SECOND)
  }
}

/**
 * Callbacks that are deferred until the engine's state is consistent again, in the order in which they were posted.
 * Those that they post themselves follow after.
 */
export class Outbox<M> {
  private messages: M[] = []
  private read = 0
  private delivering = false

  /** Whether callbacks are running or pending. */
  get busy(): boolean {
    return this.messages.length > 0
  }

  post(message: M): void {
    this.messages.push(message)
  }

  /** Delivers everything, except when called during a delivery, which then continues with the new messages. */
  deliver(to: (message: M) => void): void {
    if (this.delivering || this.messages.length === 0) return
    this.delivering = true
    try {
      while (this.read < this.messages.length) {
        const message = this.messages[this.read]
        this.read += 1
        if (message !== undefined) to(message)
      }
      this.messages = []
      this.read = 0
    } finally {
      this.delivering = false
    }
  }
}

/** Upper bound of Retry-After, in seconds. */
const MAX_RETRY_AFTER = 32

interface LevelState {
  retryAfter: number
  lastIncrease: number
  second: number
  count: number
  history: { readonly at: number; readonly count: number }[]
}

/**
 * Retry-After for the rejected requests of a level (specification 4.14): doubled when drops keep coming at the present
 * value, decremented when they become few. It changes only when the first drop of a new second is recorded.
 */
export class DroppedRequests {
  private readonly levels = new Map<string, LevelState>()

  /** Retry-After, in seconds, of a request of this level that is rejected now. */
  retryAfter(level: string): number {
    return this.levels.get(level)?.retryAfter ?? 1
  }

  /** Records one drop; `unixSeconds` is whole. */
  record(level: string, unixSeconds: number): void {
    let state = this.levels.get(level)
    if (state === undefined) {
      state = { retryAfter: 1, lastIncrease: 0, second: 0, count: 0, history: [] }
      this.levels.set(level, state)
    }
    if (unixSeconds === state.second) {
      state.count += 1
      return
    }
    state.history.push({ at: state.second, count: state.count })
    const keep = Math.min(2 * state.retryAfter, MAX_RETRY_AFTER)
    const second = state.second
    state.history = state.history.slice(state.history.findIndex(({ at }) => second - at <= keep))
    state.second = unixSeconds
    state.count = 1
    this.adapt(state)
  }

  private adapt(state: LevelState): void {
    const { second, retryAfter } = state
    let dropped = 0
    for (const { at, count } of state.history.toReversed()) {
      if (second - at > retryAfter) break
      if (at < second) dropped += count
    }
    if (second - state.lastIncrease >= retryAfter && dropped >= 3 * retryAfter) {
      state.retryAfter = Math.min(MAX_RETRY_AFTER, 2 * retryAfter)
      state.lastIncrease = second
    } else if (dropped < retryAfter && retryAfter > 1) {
      state.retryAfter -= 1
    }
  }
}
