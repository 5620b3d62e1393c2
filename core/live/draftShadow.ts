import type { LiveRequest, ShadowReport } from '../contract/live.ts'
import type { ApfEngine, EngineConfiguration } from '../engine/apfEngine.ts'
import type { EngineRequest } from '../engine/ticket.ts'
import type { Lengths } from './durations.ts'
import { type Decision, type Followed, Follower, type FollowerOptions } from './follower.ts'
import { RecentCount } from './recentCount.ts'
import type { LiveRow } from './requestLog.ts'
import { type ServerFacts, tellFacts } from './serverFacts.ts'
import { SideTally, WINDOW_NS } from './sideTally.ts'

export type ShadowedRequest = Omit<EngineRequest<unknown>, 'payload'>

/** What of a request is compared: the first engine's decision, kept by its owner, and the second's, written here. */
export type Compared = Pick<LiveRow, 'state' | 'level' | 'schema' | 'shadow' | 'reason'>

/** Receives each step of the requests of a live source, for a second engine. */
export interface ArrivalListener<R = LiveRow> {
  /** The first engine has just answered its arrival, or is about to. */
  arrived(row: R, request: ShadowedRequest): void
  /** The first engine has let it run, or refused it, after it had waited. */
  decided(row: R): void
  /** It took so long where it ran; of a watch, until it was initialised. */
  lasted(row: R, durationNs: number): void
  /** Its client went away. */
  abandoned(row: R): void
  watchEnded(row: R): void
}

/** A request that waits or runs at the first engine when the second begins. */
export interface UnderWay<R> {
  readonly row: R
  readonly request: ShadowedRequest
}

export interface DraftShadowOptions<R extends Compared> {
  /** Like that of the first engine, and with its start. */
  readonly engine: FollowerOptions
  readonly configuration: EngineConfiguration
  /** The first engine. */
  readonly first: ApfEngine<unknown>
  readonly lengths: Lengths<R>
  /** The row was written to. */
  readonly touch: (row: R) => void
  /** What is known of the server, and of the requests that are under way, oldest first. */
  readonly known?: ServerFacts | undefined
  readonly underWay?: Iterable<UnderWay<R>> | undefined
}

const NS_PER_MS = 1e6
const MOST_UNDECIDED = 50_000

/**
 * A second engine with a draft of the objects, on the same arrivals, and how the two differ. It begins like a server that
 * has just started and is asked at once for all that is under way, as far as that is known.
 */
export class DraftShadow<R extends Compared = LiveRow> implements ArrivalListener<R> {
  private readonly first: ApfEngine<unknown>
  private readonly follower: Follower
  private readonly lengths: Lengths<R>
  private readonly shadowed = new WeakMap<R, Followed>()
  /** Requests about which one of the two has not decided yet. */
  private readonly undecided = new Set<R>()
  private readonly touch: (row: R) => void
  private readonly sides: { readonly a: SideTally; readonly b: SideTally }
  private readonly differences = new RecentCount(WINDOW_NS)
  private closed = false

  constructor({ engine, configuration, first, lengths, touch, known, underWay = [] }: DraftShadowOptions<R>) {
    this.first = first
    this.lengths = lengths
    this.touch = touch
    this.follower = new Follower(engine)
    // An instant before the present: so what is under way came before anything is counted.
    this.follower.engine.moveTo(Math.max(0, first.nowNs - 1))
    this.follower.configure(configuration)
    if (known !== undefined) this.know(known)
    for (const { row, request } of underWay) this.follow(row, request)
    this.settle()
    // Once more, for limits are computed with it: by what is wanted now, instead of after ten seconds.
    this.follower.configure(configuration)
    this.sides = { a: new SideTally(first), b: new SideTally(this.follower.engine) }
  }

  /** Other objects from now on; what was counted before is forgotten. */
  configure(configuration: EngineConfiguration): void {
    this.settle()
    this.follower.configure(configuration)
    this.sides.a.forgetAll()
    this.sides.b.forgetAll()
    this.undecided.clear()
    this.differences.forgetAll()
  }

  /** What the server told of its objects and watches. */
  know(facts: ServerFacts): void {
    tellFacts(this.follower.engine, facts)
  }

  /** Lets everything happen up to the time of the first engine. */
  settle(): void {
    if (!this.closed) this.follower.moveTo(this.first.nowNs)
  }

  arrived(row: R, request: ShadowedRequest): void {
    if (this.closed) return
    this.settle()
    this.undecided.add(row)
    if (this.undecided.size > MOST_UNDECIDED) this.giveUpOldest()
    this.follow(row, request)
  }

  decided(row: R): void {
    this.compare(row)
    const followed = this.shadowed.get(row)
    if (row.state !== 'rejected' || followed?.ticket?.kind.isWatch !== true) return
    // Nobody will say when a watch has ended that never began; one that still waits is told so when it begins.
    if (followed.decision.kind !== 'waiting') this.follower.endWatch(followed)
  }

  lasted(row: R, durationNs: number): void {
    this.settle()
    this.lengths.measured(row, durationNs)
    const followed = this.shadowed.get(row)
    if (followed !== undefined) this.follower.lasted(followed, durationNs)
  }

  abandoned(row: R): void {
    this.undecided.delete(row)
    const followed = this.shadowed.get(row)
    if (followed === undefined) return
    this.settle()
    this.follower.abandon(followed)
  }

  watchEnded(row: R): void {
    const followed = this.shadowed.get(row)
    if (followed === undefined) return
    this.settle()
    this.follower.endWatch(followed)
  }

  report(): ShadowReport {
    this.settle()
    for (const row of this.undecided) this.compare(row)
    return {
      seconds: this.sides.a.seconds,
      a: this.sides.a.read(),
      b: this.sides.b.read(),
      different: this.differences.read(this.first.nowNs),
    }
  }

  /** It decides nothing more; rows keep what was decided. */
  close(): void {
    this.closed = true
    this.sides.a.close()
    this.sides.b.close()
  }

  private follow(row: R, request: ShadowedRequest): void {
    const followed = this.follower.arrive(request, (changed) => this.changed(row, changed))
    this.shadowed.set(row, followed)
    this.changed(row, followed)
  }

  private changed(row: R, followed: Followed): void {
    if (this.closed) return
    const { ticket, decision } = followed
    if (ticket !== undefined && decision.kind === 'executing') {
      const length = this.lengths.begun(row, ticket)
      if (length !== undefined) this.follower.lasted(followed, length.durationNs, length.watchNs)
    } else if (ticket !== undefined && decision.kind === 'done') this.lengths.ended(row, ticket)
    row.shadow = shadowOf(followed)
    this.touch(row)
    this.compare(row)
  }

  /** Once both have decided. */
  private compare(row: R): void {
    const { shadow } = row
    if (shadow === undefined || shadow.state === 'waiting' || row.state === 'waiting') return
    // The first has not written down yet where it put the request.
    if (row.state === 'bypassed' && shadow.state !== 'bypassed') return
    if (this.undecided.delete(row) && !sameDecision(row, shadow)) this.differences.add(this.follower.engine.nowNs)
  }

  private giveUpOldest(): void {
    const [oldest] = this.undecided
    if (oldest !== undefined) this.undecided.delete(oldest)
  }
}

/** Whether both put a request, about which both have decided, into one schema and level, and both or neither refused it. */
export const sameDecision = (row: Compared, shadow: NonNullable<LiveRequest['shadow']>): boolean =>
  row.level === shadow.level && row.schema === shadow.schema && isRefused(row) === isRefused(shadow)

/** Where an engine only watches, a refused request goes on, and its client may leave. */
const isRefused = ({ state, reason }: Pick<Compared, 'state' | 'reason'>): boolean =>
  state === 'rejected' || reason !== undefined

const STATES = {
  bypassed: 'bypassed',
  waiting: 'waiting',
  executing: 'executing',
  done: 'served',
  rejected: 'rejected',
} as const satisfies Readonly<Record<Decision['kind'], LiveRequest['state']>>

function shadowOf({ ticket, decision, waitNs }: Followed): NonNullable<LiveRequest['shadow']> {
  return {
    level: ticket?.lane.level.plan.name ?? '',
    schema: ticket?.lane.schema ?? '',
    state: STATES[decision.kind],
    ...(waitNs !== undefined && decision.kind !== 'bypassed' && { waitMs: waitNs / NS_PER_MS }),
    ...(decision.kind === 'rejected' && { reason: decision.reason }),
  }
}
