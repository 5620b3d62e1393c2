import type { LiveRequest, ShadowReport } from '../contract/live.ts'
import type { ApfEngine, EngineConfiguration } from '../engine/apfEngine.ts'
import type { EngineRequest } from '../engine/ticket.ts'
import { Durations } from './durations.ts'
import { type Decision, type Followed, Follower, type FollowerOptions } from './follower.ts'
import type { LiveRow } from './requestLog.ts'
import { type ServerFacts, tellFacts } from './serverFacts.ts'
import { SideTally } from './sideTally.ts'

/** Hears what becomes of the requests of a live source: what a second engine needs to know. */
export interface ArrivalListener {
  /** The first engine has just answered its arrival. */
  arrived(row: LiveRow, request: Omit<EngineRequest<unknown>, 'payload'>): void
  /** The first engine has let it run, or refused it, after it had waited. */
  decided(row: LiveRow): void
  /** It took so long where it ran; of a watch, until it was initialised. */
  lasted(row: LiveRow, durationNs: number): void
  /** Its client went away. */
  abandoned(row: LiveRow): void
  watchEnded(row: LiveRow): void
}

export interface DraftShadowOptions {
  /** Like that of the first engine, and with its start. */
  readonly engine: FollowerOptions
  readonly configuration: EngineConfiguration
  /** The first engine. */
  readonly first: ApfEngine<unknown>
  /** The first engine holds requests back and refuses them, so that some run later or never. */
  readonly holdsBack: boolean
  /** The row was written to. */
  readonly touch: (row: LiveRow) => void
}

const NS_PER_MS = 1e6
/** Of decisions that differ, how long they count. */
const WINDOW_NS = 300e9
const BUCKET_NS = 5e9
const MOST_UNDECIDED = 50_000

/**
 * A second engine with a draft of the objects, on the same arrivals, and how the two differ. A request takes as long in it
 * as where it really runs; one that the first engine refuses, or lets run only later, as long as others of its kind did
 * lately. Requests that were under way when it began are unknown to it.
 */
export class DraftShadow implements ArrivalListener {
  private readonly first: ApfEngine<unknown>
  private readonly follower: Follower
  private readonly durations = new Durations()
  private readonly holdsBack: boolean
  private readonly shadowed = new WeakMap<LiveRow, Followed>()
  /** Requests about which one of the two has not decided yet. */
  private readonly undecided = new Set<LiveRow>()
  private readonly touch: (row: LiveRow) => void
  private readonly sides: { readonly a: SideTally; readonly b: SideTally }
  private closed = false
  private differences: { readonly from: number; count: number }[] = []

  constructor({ engine, configuration, first, holdsBack, touch }: DraftShadowOptions) {
    this.first = first
    this.holdsBack = holdsBack
    this.follower = new Follower(engine)
    this.follower.configure(configuration)
    this.touch = touch
    this.settle()
    this.sides = { a: new SideTally(first), b: new SideTally(this.follower.engine) }
  }

  /** Other objects from now on; what was counted before is forgotten. */
  configure(configuration: EngineConfiguration): void {
    this.settle()
    this.follower.configure(configuration)
    this.sides.a.forgetAll()
    this.sides.b.forgetAll()
    this.undecided.clear()
    this.differences = []
  }

  /** What the server told of its objects and watches. */
  know(facts: ServerFacts): void {
    tellFacts(this.follower.engine, facts)
  }

  /** Lets everything happen up to the time of the first engine. */
  settle(): void {
    if (!this.closed) this.follower.moveTo(this.first.nowNs)
  }

  arrived(row: LiveRow, request: Omit<EngineRequest<unknown>, 'payload'>): void {
    this.settle()
    const followed = this.follower.arrive(request, (changed) => this.changed(row, changed))
    this.shadowed.set(row, followed)
    this.undecided.add(row)
    if (this.undecided.size > MOST_UNDECIDED) this.giveUpOldest()
    this.changed(row, followed)
  }

  decided(row: LiveRow): void {
    this.compare(row)
  }

  lasted(row: LiveRow, durationNs: number): void {
    this.settle()
    this.durations.note(row, durationNs)
    const followed = this.shadowed.get(row)
    if (followed !== undefined) this.follower.lasted(followed, durationNs)
  }

  abandoned(row: LiveRow): void {
    this.undecided.delete(row)
    const followed = this.shadowed.get(row)
    if (followed === undefined) return
    this.settle()
    this.follower.abandon(followed)
  }

  watchEnded(row: LiveRow): void {
    const followed = this.shadowed.get(row)
    if (followed === undefined) return
    this.settle()
    this.follower.endWatch(followed)
  }

  report(): ShadowReport {
    this.settle()
    for (const row of this.undecided) this.compare(row)
    this.forget()
    return {
      a: this.sides.a.read(),
      b: this.sides.b.read(),
      different: this.differences.reduce((sum, { count }) => sum + count, 0),
    }
  }

  /** It decides nothing more; rows keep what was decided. */
  close(): void {
    this.closed = true
    this.sides.a.close()
    this.sides.b.close()
  }

  private changed(row: LiveRow, followed: Followed): void {
    if (this.closed) return
    const runsElsewhere = row.state !== 'waiting' && row.state !== 'rejected'
    if (this.holdsBack && followed.decision.kind === 'executing' && !runsElsewhere) {
      this.follower.lasted(followed, this.durations.expected(row))
    }
    row.shadow = shadowOf(followed)
    this.touch(row)
    this.compare(row)
  }

  /** Once both have decided. */
  private compare(row: LiveRow): void {
    const { shadow } = row
    if (shadow === undefined || shadow.state === 'waiting' || row.state === 'waiting') return
    // The first has not written down yet where it put the request.
    if (row.state === 'bypassed' && shadow.state !== 'bypassed') return
    if (!this.undecided.delete(row) || sameDecision(row, shadow)) return
    const from = Math.floor(this.follower.engine.nowNs / BUCKET_NS) * BUCKET_NS
    const last = this.differences.at(-1)
    if (last?.from === from) last.count += 1
    else this.differences.push({ from, count: 1 })
    this.forget()
  }

  private giveUpOldest(): void {
    const [oldest] = this.undecided
    if (oldest !== undefined) this.undecided.delete(oldest)
  }

  private forget(): void {
    const since = this.follower.engine.nowNs - WINDOW_NS
    const [oldest] = this.differences
    if (oldest !== undefined && oldest.from + BUCKET_NS <= since) {
      this.differences = this.differences.filter(({ from }) => from + BUCKET_NS > since)
    }
  }
}

const sameDecision = (row: LiveRow, shadow: NonNullable<LiveRequest['shadow']>): boolean =>
  row.level === shadow.level &&
  row.schema === shadow.schema &&
  (row.state === 'rejected') === (shadow.state === 'rejected')

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
