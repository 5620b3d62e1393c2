import type { Stride } from '../contract/simulation.ts'
import type { ApfEngine } from '../engine/apfEngine.ts'
import type { EngineEvent } from '../engine/events.ts'
import { type Nanoseconds, secondsToNs } from '../units.ts'

/** A run that advances event by event. */
export interface Steppable {
  /** Nanoseconds since its start. */
  readonly nowNs: Nanoseconds
  readonly engine: Pick<ApfEngine<unknown>, 'subscribe'>
  /** Processes the next event if it is due by `untilNs`; `false` when none is due. */
  step: (untilNs: Nanoseconds) => boolean
  /** Processes everything up to an instant and stops there. */
  runTo: (ns: Nanoseconds) => void
}

/** One that can be restored to an earlier state. */
export interface Rewindable<C> extends Steppable {
  checkpoint: () => C
  restore: (checkpoint: C) => void
}

const SECOND_NS = secondsToNs(1)

const isDecision = ({ kind }: EngineEvent<unknown>): boolean => kind === 'dispatched' || kind === 'rejected'
const isRecomputation = ({ kind }: EngineEvent<unknown>): boolean => kind === 'limits-adjusted'

const wantedBy = (stride: 'decision' | 'recomputation') => (stride === 'decision' ? isDecision : isRecomputation)

/** Advances by one stride, at most to the end; `false` when nothing of that kind happened before it. */
export function goOn(run: Steppable, stride: Stride, endNs: Nanoseconds): boolean {
  if (stride === 'event') return run.step(endNs)
  if (stride === 'second') {
    if (run.nowNs >= endNs) return false
    run.runTo(Math.min(run.nowNs + SECOND_NS, endNs))
    return true
  }
  const isWanted = wantedBy(stride)
  const seen = { wanted: false }
  const leave = run.engine.subscribe((event) => (seen.wanted ||= isWanted(event)))
  while (!seen.wanted && run.step(endNs));
  leave()
  return seen.wanted
}

interface Kept<C> {
  readonly events: number
  readonly atNs: Nanoseconds
  readonly state: C
}

export interface TimelineOptions {
  /** Where the run ends. */
  readonly endNs: Nanoseconds
  /** Events between two checkpoints, until there are too many of them. */
  readonly interval?: number
  /** Most checkpoints that are kept; beyond, every other one is dropped and the interval doubled. */
  readonly most?: number
}

/**
 * A run at any of its instants. It keeps checkpoints along the way, so that going back repeats only the events since
 * the last one: because the run is deterministic, an instant is the same however it was reached.
 */
export class Timeline<C> {
  readonly run: Rewindable<C>
  readonly endNs: Nanoseconds
  private readonly most: number
  private interval: number
  private happened = 0
  private kept: Kept<C>[]

  constructor(run: Rewindable<C>, { endNs, interval = 5_000, most = 128 }: TimelineOptions) {
    this.run = run
    this.endNs = endNs
    this.interval = interval
    this.most = Math.max(2, most)
    this.kept = [{ events: 0, atNs: run.nowNs, state: run.checkpoint() }]
  }

  get nowNs(): Nanoseconds {
    return this.run.nowNs
  }

  /** Events since the start. */
  get events(): number {
    return this.happened
  }

  /**
   * Goes to an instant, forwards or back, with everything processed that happens by then. `false` when `mayGoOn`,
   * called at every event, stopped it before.
   */
  seek(ns: Nanoseconds, mayGoOn: () => boolean = () => true): boolean {
    const target = Math.min(Math.max(ns, 0), this.endNs)
    // An instant is complete when everything at it is processed, so a partly processed one is repeated.
    this.takeBack(({ atNs }) => atNs <= target, this.nowNs > target)
    while (mayGoOn()) {
      if (this.next(target)) continue
      this.run.runTo(target)
      return true
    }
    return false
  }

  /** Advances by one stride, at most to the end; `false` when nothing of that kind happened before it. */
  forward(stride: Stride): boolean {
    const { run } = this
    const counted: Steppable = {
      engine: run.engine,
      nowNs: run.nowNs,
      step: (untilNs) => this.next(untilNs),
      runTo: (ns) => void this.seek(ns),
    }
    return goOn(counted, stride, this.endNs)
  }

  /** Goes to where this many events have happened; at most to the start or the end. */
  toEvent(events: number): void {
    const target = Math.max(0, events)
    this.takeBack((kept) => kept.events <= target, target < this.happened)
    while (this.happened < target && this.next(this.endNs));
  }

  /**
   * Advances to where this many events have happened, one by one, so that listeners of an engine receive each of them.
   */
  hearTo(events: number): void {
    while (this.happened < events && this.next(this.endNs));
  }

  /** Goes back by one stride, at most to the start: to right after the previous event that the stride counts. */
  back(stride: Stride): void {
    if (stride === 'event') return this.toEvent(this.happened - 1)
    if (stride === 'second') return void this.seek(this.nowNs - SECOND_NS)
    let until = this.happened
    // From checkpoint to checkpoint: usually the previous one is after the last of them.
    for (const { events: from } of this.kept.filter(({ events }) => events < until).toReversed()) {
      const found = this.lastBetween(from, until, wantedBy(stride))
      if (found !== undefined) return this.toEvent(found)
      until = from + 1
    }
    this.toEvent(0)
  }

  /** Passes each event of the engine from now on to the listener, until the returned function is called. */
  watch(listener: (event: EngineEvent<unknown>) => void): () => void {
    return this.run.engine.subscribe(listener)
  }

  /** The number of the last event of a kind after `from` and before `until`. */
  private lastBetween(
    from: number,
    until: number,
    isWanted: (event: EngineEvent<unknown>) => boolean,
  ): number | undefined {
    const seen = { wanted: false }
    let last: number | undefined
    this.toEvent(from)
    const leave = this.watch((event) => (seen.wanted ||= isWanted(event)))
    while (this.happened < until - 1 && this.next(this.endNs)) {
      if (seen.wanted) last = this.happened
      seen.wanted = false
    }
    leave()
    return last
  }

  private next(untilNs: Nanoseconds): boolean {
    if (!this.run.step(untilNs)) return false
    this.happened += 1
    const last = this.kept.at(-1)?.events ?? 0
    if (this.happened - last >= this.interval) this.keep()
    return true
  }

  private keep(): void {
    this.kept.push({ events: this.happened, atNs: this.nowNs, state: this.run.checkpoint() })
    if (this.kept.length <= this.most) return
    this.interval *= 2
    this.kept = this.kept.filter((_, place) => place % 2 === 0)
  }

  /**
   * To the last checkpoint that is early enough, if the run must go back or the checkpoint is nearer than its position.
   */
  private takeBack(isEarly: (kept: Kept<C>) => boolean, isBehind: boolean): void {
    const nearest = this.kept.findLast(isEarly)
    if (nearest === undefined || (!isBehind && nearest.events <= this.happened)) return
    this.run.restore(nearest.state)
    this.happened = nearest.events
  }
}
