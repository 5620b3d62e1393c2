import type { LiveRequest, CandidateReport } from '../contract/live.ts'
import { type ApfEngine, type EngineConfiguration } from '../engine/apfEngine.ts'
import { type ServerFacts, tellFacts } from '../engine/facts.ts'
import type { Ticket } from '../engine/ticket.ts'
import { type Nanoseconds, nsToMs } from '../units.ts'
import { Fifo } from './fifo.ts'
import { type AtLeast, type Call, type Decision, type Length, Run, type RunOptions, type RunRequest } from './run.ts'
import { RecentCount, BUCKET_NS, SideTally } from './sideTally.ts'

/** The compared parts of a request: the baseline's decision, kept by its owner, and the candidate's, written here. */
export type Compared = Pick<LiveRequest, 'state' | 'level' | 'schema' | 'reason'> & {
  candidate?: LiveRequest['candidate']
}

/** Receives each step of the requests of a baseline, at the baseline's present. */
export interface ArrivalListener<R> {
  /** The baseline has just answered its arrival, or is about to. */
  arrived(row: R, request: RunRequest): void
  /** The baseline has dispatched or rejected it, after it had waited. */
  decided(row: R): void
  /** It took this long where it ran; for a watch, until it was initialised. */
  lasted(row: R, durationNs: Nanoseconds): void
  /** Its client disconnected. */
  abandoned(row: R): void
  watchEnded(row: R): void
}

/** The fields of its ticket that affect how long a request takes. */
export type Seated = Pick<Ticket<unknown>, 'maxSeats' | 'arrivedNs' | 'startedNs'>

/** How long the requests of a candidate take. */
export type Lengths<R> =
  /**
   * From a model that depends on when and alongside what they run: each on a machine like the baseline's, but its own.
   */
  | {
      readonly kind: 'modelled'
      begun(row: R, seated: Seated): Length
      /** It has run there; called once for each that was begun. */
      ended(row: R, seated: Seated): void
    }
  /** As long as on the real server. */
  | {
      readonly kind: 'measured'
      /**
       * When they really begin: when the baseline dispatches them, or when they arrive, so that one that has not ended
       * lasts at least since then; or at the time in a record, which contains nothing before its end.
       */
      readonly from: 'dispatch' | 'arrival' | 'record'
      /** For those that never ran: recent durations of others of their kind. */
      readonly usual: { note(row: R, durationNs: Nanoseconds): void; of(row: R): Nanoseconds }
    }

/** A request that waits or runs at the baseline when the candidate begins. */
export interface UnderWay<R> {
  readonly row: R
  readonly request: RunRequest
}

export interface CandidateOptions<R extends Compared> {
  /** Like that of the baseline, and with its start. */
  readonly engine: RunOptions
  readonly configuration: EngineConfiguration
  readonly baseline: ApfEngine<unknown>
  readonly lengths: Lengths<R>
  /** Called after each change of the row. */
  readonly touch: (row: R) => void
  /** The available facts about the server, and the requests under way, oldest first. */
  readonly known?: ServerFacts | undefined
  readonly underWay?: Iterable<UnderWay<R>> | undefined
}

/** A request of the baseline, with what the candidate needs. */
interface Entry<R> {
  readonly row: R
  readonly request: RunRequest
  readonly arrivedNs: Nanoseconds
  /** When the baseline dispatched it. */
  startedNs: Nanoseconds | undefined
  length: Length | undefined
  call: Call<Entry<R>> | undefined
}

/** External inputs of the candidate, in the order in which they came to the baseline. */
type Outside<R> = { readonly atNs: Nanoseconds } & (
  | { readonly kind: 'arrives' | 'leaves' | 'watch ends'; readonly entry: Entry<R> }
  | { readonly kind: 'configuration'; readonly configuration: EngineConfiguration }
  | { readonly kind: 'facts'; readonly facts: ServerFacts }
)

/**
 * Most inputs that are kept while a candidate waits for the duration of a request; beyond, the usual duration is used.
 */
const MOST_BEHIND = 200_000

/**
 * Another configuration on the requests of a baseline, and how the two differ. It decides as a baseline of its own
 * would on the same arrivals and durations: where it dispatches a request before its duration is known, it waits for
 * the duration, and is behind. It begins like a server that has just started and receives at once all requests under
 * way, as far as known.
 */
export class Candidate<R extends Compared> implements ArrivalListener<R> {
  private readonly baseline: ApfEngine<unknown>
  private readonly run: Run<Entry<R>>
  private readonly lengths: Lengths<R>
  private readonly entries = new WeakMap<R, Entry<R>>()
  private readonly outside = new Fifo<Outside<R>>()
  /** Requests about which one of the two has not decided yet. */
  private readonly undecided = new Set<R>()
  private readonly touch: (row: R) => void
  private readonly sides: { readonly a: SideTally; readonly b: SideTally }
  private readonly differences = new RecentCount()
  private assumed = 0
  private closed = false

  constructor({ engine, configuration, baseline, lengths, touch, known, underWay = [] }: CandidateOptions<R>) {
    this.baseline = baseline
    this.lengths = lengths
    this.touch = touch
    this.run = new Run<Entry<R>>(engine, {
      onDecision: (call) => this.changed(call),
      lengthOf: (call) => this.lengthOf(call),
    })
    // An instant before the present: so the requests under way arrived before counting began.
    this.run.engine.moveTo(Math.max(0, baseline.nowNs - 1))
    this.run.configure(configuration)
    if (known !== undefined) tellFacts(this.run.engine, known)
    for (const { row, request } of underWay) this.arrive(this.enter(row, request))
    this.settle()
    // Once more, because limits are computed with it: by the present demand, instead of after ten seconds.
    this.run.configure(configuration)
    this.sides = { a: new SideTally(baseline), b: new SideTally(this.run.engine) }
  }

  /** Sets other objects from now on; earlier counts are dropped. */
  configure(configuration: EngineConfiguration): void {
    this.hear({ kind: 'configuration', atNs: this.baseline.nowNs, configuration })
    this.sides.a.forgetAll()
    this.undecided.clear()
    this.differences.forgetAll()
    this.settle()
  }

  /** The server's reported objects and watches. */
  know(facts: ServerFacts): void {
    this.hear({ kind: 'facts', atNs: this.baseline.nowNs, facts })
  }

  /** Processes everything up to the baseline's present, or until the duration of a request must be known. */
  settle(): void {
    if (this.closed) return
    for (let { next } = this.outside; next !== undefined; { next } = this.outside) {
      if (!this.run.moveTo(next.atNs)) return
      this.outside.shift()
      this.happen(next)
    }
    this.run.moveTo(this.baseline.nowNs)
  }

  arrived(row: R, request: RunRequest): void {
    if (this.closed) return
    this.undecided.add(row)
    if (this.undecided.size > MOST_BEHIND) this.giveUpOldest()
    this.hear({ kind: 'arrives', atNs: this.baseline.nowNs, entry: this.enter(row, request) })
    this.settle()
  }

  decided(row: R): void {
    const entry = this.entries.get(row)
    if (entry !== undefined) this.noteDecision(entry)
    this.compare(row)
  }

  lasted(row: R, durationNs: Nanoseconds): void {
    const entry = this.entries.get(row)
    if (this.lengths.kind === 'measured') this.lengths.usual.note(row, durationNs)
    if (entry !== undefined) this.learn(entry, { durationNs })
  }

  abandoned(row: R): void {
    this.undecided.delete(row)
    const entry = this.entries.get(row)
    if (entry === undefined) return
    const { lengths } = this
    const neverRan = lengths.kind === 'measured' && lengths.from === 'dispatch' && entry.startedNs === undefined
    // A request that ran would have gone on; one that never ran takes its usual time, unless its client leaves before.
    this.learn(
      entry,
      neverRan ? { durationNs: lengths.usual.of(row), watchNs: 0 } : { durationNs: Number.POSITIVE_INFINITY },
    )
    this.hear({ kind: 'leaves', atNs: this.baseline.nowNs, entry })
    this.settle()
  }

  watchEnded(row: R): void {
    const entry = this.entries.get(row)
    if (entry === undefined) return
    this.hear({ kind: 'watch ends', atNs: this.baseline.nowNs, entry })
    this.settle()
  }

  report(): CandidateReport {
    this.settle()
    for (const row of this.undecided) this.compare(row)
    const { a, b } = this.sides
    const { nowNs } = this.run.engine
    const behindMs = Math.round(nsToMs(this.baseline.nowNs - nowNs))
    // Both at the same time.
    const untilNs = behindMs > 0 ? Math.floor(nowNs / BUCKET_NS) * BUCKET_NS : Number.POSITIVE_INFINITY
    return {
      seconds: b.seconds,
      a: a.read(untilNs),
      b: b.read(untilNs),
      different: this.differences.read(nowNs),
      ...(behindMs > 0 && { behindMs }),
      ...(this.assumed > 0 && { assumed: this.assumed }),
    }
  }

  /** It makes no further decisions; rows keep the past ones. */
  close(): void {
    this.closed = true
    this.outside.clear()
    this.sides.a.close()
    this.sides.b.close()
  }

  private enter(row: R, request: RunRequest): Entry<R> {
    const arrivedNs = this.baseline.nowNs
    const entry: Entry<R> = { row, request, arrivedNs, startedNs: undefined, length: undefined, call: undefined }
    this.entries.set(row, entry)
    row.candidate = BEHIND
    this.touch(row)
    this.noteDecision(entry)
    return entry
  }

  /** The duration implied by the baseline's decision, where requests run when the baseline dispatches them. */
  private noteDecision(entry: Entry<R>): void {
    const { lengths } = this
    const { row } = entry
    if (lengths.kind !== 'measured' || lengths.from !== 'dispatch') return
    if (row.state === 'executing') entry.startedNs = this.baseline.nowNs
    // It never runs, and no end will be reported for a watch that never began.
    else if (row.state === 'rejected') this.learn(entry, { durationNs: lengths.usual.of(row), watchNs: 0 })
  }

  private hear(outside: Outside<R>): void {
    if (!this.closed) this.outside.put(outside)
  }

  private happen(outside: Outside<R>): void {
    const { run } = this
    switch (outside.kind) {
      case 'arrives':
        return this.arrive(outside.entry)
      case 'leaves':
        if (outside.entry.call !== undefined) run.abandon(outside.entry.call)
        return
      case 'watch ends':
        if (outside.entry.call !== undefined) run.endWatch(outside.entry.call)
        return
      case 'facts':
        return tellFacts(run.engine, outside.facts)
      case 'configuration':
        run.configure(outside.configuration)
        this.sides.b.forgetAll()
    }
  }

  private arrive(entry: Entry<R>): void {
    const call = this.run.arrive(entry.request, entry)
    entry.call = call
    if (entry.length !== undefined) this.run.lasted(call, entry.length)
    this.changed(call)
  }

  /** Only the first known duration counts. */
  private learn(entry: Entry<R>, length: Length): void {
    if (entry.length !== undefined || this.lengths.kind === 'modelled') return
    entry.length = length
    if (entry.call !== undefined) this.run.lasted(entry.call, length)
  }

  private lengthOf({ owner: entry, ticket }: Call<Entry<R>>): Length | AtLeast | undefined {
    const { lengths } = this
    if (lengths.kind === 'modelled') return ticket === undefined ? undefined : lengths.begun(entry.row, ticket)
    if (entry.length !== undefined) return entry.length
    if (this.outside.size > MOST_BEHIND) {
      this.assumed += 1
      return (entry.length = { durationNs: lengths.usual.of(entry.row) })
    }
    const since = { dispatch: entry.startedNs, arrival: entry.arrivedNs, record: undefined }[lengths.from]
    return { atLeastNs: since === undefined ? 0 : this.baseline.nowNs - since }
  }

  private changed(call: Call<Entry<R>>): void {
    if (this.closed) return
    const { row } = call.owner
    if (this.lengths.kind === 'modelled' && call.ticket !== undefined && call.decision.kind === 'done')
      this.lengths.ended(row, call.ticket)
    row.candidate = candidateOf(call)
    this.touch(row)
    this.compare(row)
  }

  /** Once both have decided. */
  private compare(row: R): void {
    const { candidate } = row
    if (candidate === undefined || !hasDecided(candidate) || row.state === 'waiting') return
    // The baseline has not recorded yet where it placed the request.
    if (row.state === 'bypassed' && candidate.state !== 'bypassed') return
    if (this.undecided.delete(row) && !sameDecision(row, candidate)) this.differences.add(this.run.engine.nowNs)
  }

  private giveUpOldest(): void {
    const [oldest] = this.undecided
    if (oldest !== undefined) this.undecided.delete(oldest)
  }
}

const BEHIND = { level: '', schema: '', state: 'behind' } as const

/** Whether the candidate has dispatched or rejected the request. */
export const hasDecided = ({ state }: NonNullable<LiveRequest['candidate']>): boolean =>
  state !== 'behind' && state !== 'waiting'

/**
 * Whether both placed a request, about which both have decided, in the same schema and level, and both or neither
 * rejected it.
 */
export const sameDecision = (row: Compared, candidate: NonNullable<LiveRequest['candidate']>): boolean =>
  row.level === candidate.level && row.schema === candidate.schema && isRefused(row) === isRefused(candidate)

/** Where an engine only observes, a rejected request goes on, and its client may leave. */
const isRefused = ({ state, reason }: { readonly state: string; readonly reason?: string }): boolean =>
  state === 'rejected' || reason !== undefined

const STATES = {
  bypassed: 'bypassed',
  waiting: 'waiting',
  executing: 'executing',
  done: 'served',
  rejected: 'rejected',
} as const satisfies Readonly<Record<Decision['kind'], LiveRequest['state']>>

function candidateOf({ ticket, decision, waitNs }: Call): NonNullable<LiveRequest['candidate']> {
  return {
    level: ticket?.place.level ?? '',
    schema: ticket?.place.schema ?? '',
    state: STATES[decision.kind],
    ...(waitNs !== undefined && decision.kind !== 'bypassed' && { waitMs: nsToMs(waitNs) }),
    ...(decision.kind === 'rejected' && { reason: decision.reason }),
  }
}
