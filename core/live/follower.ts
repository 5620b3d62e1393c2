import {
  type ApfEngine,
  type ApfEngineOptions,
  type ConfigurationReport,
  type EngineConfiguration,
  createApfEngine,
} from '../engine/apfEngine.ts'
import type { EngineRequest, Ticket } from '../engine/ticket.ts'
import type { RejectReason } from '../frame/frame.ts'
import { shortened } from './keptText.ts'
import { EventQueue } from '../simulate/eventQueue.ts'

/** What the follower's engine decided about a request. */
export type Decision =
  | { readonly kind: 'bypassed' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'executing' }
  | { readonly kind: 'done' }
  | { readonly kind: 'rejected'; readonly reason: RejectReason; readonly retryAfter: number }

/** A request that the follower follows. */
export interface Followed {
  readonly ticket: Ticket<FollowedPayload> | undefined
  readonly decision: Decision
  /** Nanoseconds in its queue; `undefined` while it waits there, and where nothing was decided. */
  readonly waitNs: number | undefined
}

export interface FollowedPayload {
  readonly follow: Follow
}

/** Called for each decision made after `arrive` returned, at the instant of the engine's clock. */
export type OnDecision = (followed: Followed) => void

/** The same, written by the follower. */
class Follow implements Followed {
  readonly onDecision: OnDecision | undefined
  ticket: Ticket<FollowedPayload> | undefined
  decision: Decision = { kind: 'waiting' }
  waitNs: number | undefined
  /** How long it executes, once that is known: it is measured where the request really runs. */
  durationNs: number | undefined
  /** How long a watch goes on after it was initialised, where that is known beforehand. */
  watchNs: number | undefined
  /** The watch itself has ended. */
  over = false

  constructor(onDecision: OnDecision | undefined) {
    this.onDecision = onDecision
  }
}

export type FollowerOptions = Omit<ApfEngineOptions<FollowedPayload>, 'onDispatch' | 'onTimeOut'>

/**
 * An engine that decides about requests which run elsewhere: it is told of their arrivals and, later or at once, of how long
 * they took there, and lets them take as long from the moment at which it would have let them run. That is a model: a
 * server with another configuration would be busier or idler, and its requests slower or faster.
 */
export class Follower {
  readonly engine: ApfEngine<FollowedPayload>
  private readonly ends = new EventQueue()

  constructor(options: FollowerOptions) {
    this.engine = createApfEngine<FollowedPayload>({
      ...options,
      onDispatch: (ticket) => {
        const { follow } = ticket.payload.payload
        this.begin(follow, ticket)
        follow.onDecision?.(follow)
      },
      onTimeOut: (ticket, retryAfter) => {
        const { follow } = ticket.payload.payload
        follow.waitNs = this.engine.nowNs - ticket.arrivedNs
        follow.decision = { kind: 'rejected', reason: 'time-out', retryAfter }
        follow.onDecision?.(follow)
      },
    })
  }

  /** When `moveTo` has something to do; `Infinity` when nothing. */
  get nextNs(): number {
    return Math.min(this.engine.nextWakeNs(), this.ends.nextNs)
  }

  /** Lets everything happen that is due up to `ns`, each at its instant. Times before the present are the present. */
  moveTo(ns: number): void {
    const { engine, ends } = this
    for (let next = this.nextNs; next <= ns; next = this.nextNs) {
      engine.moveTo(Math.max(next, engine.nowNs))
      // Ends come first: what they release may be what a wait that ends now would have got.
      if (ends.nextNs <= next) ends.take()?.()
      else engine.wake()
    }
    engine.moveTo(Math.max(ns, engine.nowNs))
  }

  configure(configuration: EngineConfiguration): ConfigurationReport {
    return this.engine.configure(configuration)
  }

  arrive(request: Omit<EngineRequest<unknown>, 'payload'>, onDecision?: OnDecision): Followed {
    const follow = new Follow(onDecision)
    const asked = { ...request, payload: { follow } }
    const answer = this.engine.arrive(asked)
    // It is placed; what the engine holds on to may be shorter.
    const short = shortened(request)
    if (short !== request) Object.assign(asked, short)
    if (answer.kind === 'bypassed') {
      follow.decision = { kind: 'bypassed' }
      return follow
    }
    follow.ticket = answer.ticket
    if (answer.kind === 'executing') this.begin(follow, answer.ticket)
    else if (answer.kind === 'rejected') {
      follow.waitNs = 0
      follow.decision = { kind: 'rejected', reason: answer.reason, retryAfter: answer.retryAfter }
    }
    return follow
  }

  /**
   * It took so long where it ran; of a watch, until it was initialised, after which it goes on for `watchNs`, or until
   * `endWatch`. Only the first call counts.
   */
  lasted(followed: Followed, durationNs: number, watchNs?: number): void {
    const follow = ours(followed)
    if (follow.durationNs !== undefined) return
    follow.durationNs = durationNs
    follow.watchNs = watchNs
    if (follow.decision.kind === 'executing') this.planEnd(follow)
  }

  /** Its client went away; it needs no seats any more. */
  abandon(followed: Followed): void {
    const follow = ours(followed)
    if (follow.ticket === undefined) return
    if (follow.decision.kind === 'waiting') this.engine.cancel(follow.ticket)
    else this.lasted(follow, 0)
  }

  /** A watch that was initialised has ended. Nothing, when it was said beforehand how long it goes on. */
  endWatch(followed: Followed): void {
    const follow = ours(followed)
    if (follow.over || follow.watchNs !== undefined) return
    follow.over = true
    this.lasted(follow, 0)
    if (follow.decision.kind === 'done') this.forgetWatch(follow)
  }

  private begin(follow: Follow, ticket: Ticket<FollowedPayload>): void {
    follow.ticket = ticket
    follow.waitNs = this.engine.nowNs - ticket.arrivedNs
    follow.decision = { kind: 'executing' }
    if (follow.durationNs !== undefined) this.planEnd(follow)
  }

  private planEnd(follow: Follow): void {
    const { ticket, durationNs = 0 } = follow
    if (ticket === undefined) return
    this.ends.put(Math.max(this.engine.nowNs, ticket.startedNs + durationNs), () => {
      follow.decision = { kind: 'done' }
      follow.onDecision?.(follow)
      if (!ticket.kind.isWatch) return this.engine.finish(ticket)
      this.engine.watchInitialised(ticket)
      if (follow.over) this.forgetWatch(follow)
      else if (follow.watchNs !== undefined) {
        this.ends.put(this.engine.nowNs + follow.watchNs, () => this.forgetWatch(follow))
      }
    })
  }

  private forgetWatch({ ticket }: Follow): void {
    if (ticket?.kind.isWatch === true) this.engine.endWatch(ticket)
  }
}

function ours(followed: Followed): Follow {
  if (!(followed instanceof Follow)) throw new Error('the request is not followed here')
  return followed
}
