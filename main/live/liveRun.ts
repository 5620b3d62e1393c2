import type { LiveRequest, ProxyMode } from '../../core/contract/live.ts'
import { type RequestInfo, readRequestLine } from '../../core/request/requestInfo.ts'
import type { Query } from '../../core/request/requestTarget.ts'
import {
  type Answer,
  type ApfEngine,
  type ConfigurationReport,
  type EngineConfiguration,
} from '../../core/engine/apfEngine.ts'
import { type HttpAnswer, httpAnswer, refusalAnswer } from '../../core/engine/httpAnswer.ts'
import type { LiveRow, RequestLog } from '../../core/live/requestLog.ts'
import { type Asked, follow, placed, rowOf } from '../../core/live/rows.ts'
import type { ArrivalListener } from '../../core/run/candidate.ts'
import { type Call, Run, type RunOptions } from '../../core/run/run.ts'
import { type Nanoseconds, nsToMs, unixMsAfter } from '../../core/units.ts'
import { type ClockedRun, type MonotonicClock, driveByClock } from './clock.ts'

/** The decision of the engine, once for each request. */
export type Verdict =
  /** It runs now; the headers belong on its answer. */
  | { readonly kind: 'run'; readonly headers: HttpAnswer['headers'] }
  | { readonly kind: 'refuse'; readonly answer: HttpAnswer }

export interface LiveArrival extends Asked {
  /** The upstream rejects it before it classifies, because of its credentials or impersonation headers. */
  readonly refusedThere?: boolean
  /** Size of its head, which stays in memory while it waits and runs. */
  readonly bytes: number
  readonly decide: (verdict: Verdict) => void
}

/** One request on its way. Each method may be called at any time and more than once; late calls have no effect. */
export interface LiveCall {
  readonly isWatch: boolean
  /** The client or the upstream disconnected before there was an answer. */
  abandon(state: 'cancelled' | 'failed'): void
  /** A watch has sent its initial events. */
  initialised(): void
  /** The answer is complete. */
  finished(status: number, server: LiveRequest['server']): void
}

/** Requests of a proxy with an engine: one that enforces its decisions, or one that only observes. */
export interface LiveRun {
  readonly log: RequestLog
  /** For inspection, after `settle`. */
  readonly engine: ApfEngine<unknown>
  /** Brings the engine to the present. */
  settle(): void
  arrive(arrival: LiveArrival): LiveCall
  configure(configuration: EngineConfiguration): ConfigurationReport
  /** Receives each step of the requests; one at most. */
  listen(listener: ArrivalListener<LiveRow> | undefined): void
  /** Requests that were rejected because the heads of those under way fill their budget. */
  readonly crowdedOut: number
  close(): void
}

export interface LiveRunOptions {
  readonly engine: RunOptions
  readonly clock: MonotonicClock
  /** Where its rows are written. */
  readonly log: RequestLog
  /** The answer arrived, with the server's report of where it placed the request. */
  readonly onAnswered?: (row: LiveRow) => void
}

/**
 * Budget for the heads of all requests under way; a head takes about three times as much memory. Usual ones have one or
 * two kB, so that tens of thousands may wait; clients that send them as long as allowed may fill this before they fill
 * the process.
 */
const MOST_HEAD_BYTES = 64 * 1024 * 1024
const CROWDED_RETRY_SECONDS = 1

/**
 * Requests that wait, run and are rejected as the engine decides (`enforce`); or that pass at once while it decides
 * alongside (`observe`): their rows show its decisions, so that a request that it would reject is `rejected` there but
 * still has the status that the server answered with.
 */
export function createLiveRun(mode: ProxyMode, { engine, clock, log, onAnswered }: LiveRunOptions): LiveRun {
  const run = new Run<LiveRequestCall>(engine, { onDecision: ({ owner }) => owner.decided() })
  const clocked = driveByClock(run, clock)
  const around: Surroundings = { run, clocked, log, onAnswered, listener: undefined, heldBytes: 0, crowdedOut: 0 }
  const create = mode === 'enforce' ? EnforcedCall : ObservedCall
  return {
    log,
    engine: run.engine,
    settle: () => clocked.settle(),
    arrive: (arrival) =>
      clocked.act(() => {
        const at = unixMsAfter(engine.startUnixMs, run.engine.nowNs)
        const read = readRequestLine(arrival.method, arrival.target)
        if (read.ok && arrival.refusedThere !== true)
          return new create(around, arrival, log.begin(rowOf(arrival, at, read.info))).arrive(read)
        // Requests that a server rejects before it classifies are rejected by the upstream itself.
        arrival.decide(NO_HEADERS)
        return unclassified(around, log.begin(rowOf(arrival, at)))
      }),
    configure: (configuration) => clocked.act(() => run.configure(configuration)),
    listen: (next) => void (around.listener = next),
    get crowdedOut() {
      return around.crowdedOut
    },
    close: () => clocked.close(),
  }
}

/** Shared state of the requests of a run. */
interface Surroundings {
  readonly run: Run<LiveRequestCall>
  readonly clocked: ClockedRun
  readonly log: RequestLog
  readonly onAnswered: ((row: LiveRow) => void) | undefined
  listener: ArrivalListener<LiveRow> | undefined
  heldBytes: number
  crowdedOut: number
}

const NO_HEADERS = { kind: 'run', headers: {} } as const

/** For a request that is over at its arrival. */
const NO_CALL: LiveCall = {
  isWatch: false,
  abandon: () => undefined,
  initialised: () => undefined,
  finished: () => undefined,
}

/** The call of a request that takes no seats. A server that reports where it placed the request disagrees. */
const unclassified = ({ log, onAnswered }: Surroundings, row: LiveRow): LiveCall => ({
  ...NO_CALL,
  finished(status, server) {
    Object.assign(row, { status, ...(server === undefined ? {} : { server }) })
    log.touch(row)
    if (server !== undefined) onAnswered?.(row)
  },
})

interface ReadLine {
  readonly info: RequestInfo
  readonly query: Query
}

/** A request that the engine has placed, until its answer is complete. */
abstract class LiveRequestCall implements LiveCall {
  protected readonly around: Surroundings
  protected readonly arrival: LiveArrival
  protected readonly row: LiveRow
  /** Set when the engine has answered its arrival. */
  protected call: Call<LiveRequestCall> | undefined
  private isInitialised = false
  protected over = false

  constructor(around: Surroundings, arrival: LiveArrival, row: LiveRow) {
    this.around = around
    this.arrival = arrival
    this.row = row
  }

  get isWatch(): boolean {
    return this.call?.ticket?.kind.isWatch === true
  }

  /** The call itself, or another one if the engine does not handle the request. */
  arrive({ info, query }: ReadLine): LiveCall {
    const { around, arrival, row } = this
    const request = { user: arrival.user, info, query }
    const call = around.run.arrive(request, this, (answer) => this.answered(answer))
    if (call.ticket === undefined) return unclassified(around, row)
    this.call = call
    this.change({ state: 'waiting', ...placed(call.ticket) })
    this.show(call)
    around.listener?.arrived(row, request)
    return this
  }

  /** The engine has decided after its arrival, or the request is done there. */
  decided(): void {
    if (this.call !== undefined) this.show(this.call)
    // Its end is reported by the code that ended it.
    if (this.call?.decision.kind !== 'done') this.around.listener?.decided(this.row)
  }

  abandon(state: 'cancelled' | 'failed'): void {
    const { call, row, around } = this
    if (call === undefined || this.isEnded()) return
    around.clocked.act(() => {
      this.over = true
      this.free()
      if (!this.isInitialised && this.hasBegun()) this.change(this.ran(call))
      this.change({ state })
      around.run.abandon(call)
      around.listener?.abandoned(row)
      if (this.isInitialised) this.endWatch(call)
    })
  }

  initialised(): void {
    const { call } = this
    if (call === undefined || this.isInitialised || !this.isWatch || this.isEnded() || !this.hasBegun()) return
    this.isInitialised = true
    this.around.clocked.act(() => this.lasted(call))
  }

  finished(status: number, server: LiveRequest['server']): void {
    const { call, row, around } = this
    if (call === undefined || this.isEnded() || !this.hasBegun()) return
    around.clocked.act(() => {
      this.over = true
      this.free()
      this.change({ ...this.whenFinished, status, ...(server === undefined ? {} : { server }) })
      if (!this.isInitialised) this.lasted(call)
      if (this.isWatch) this.endWatch(call)
    })
    if (server !== undefined) around.onAnswered?.(row)
  }

  protected change(values: Partial<LiveRow>): void {
    Object.assign(this.row, values)
    this.around.log.touch(this.row)
  }

  /** Its state according to the end of its answer. */
  protected abstract readonly whenFinished: Partial<LiveRow>
  /** Nanoseconds of the engine's clock at which it really began. */
  protected abstract beganNs(call: Call): Nanoseconds
  /** It really runs, or has run. */
  protected abstract hasBegun(): boolean
  protected abstract answered(answer: Answer<Call<LiveRequestCall>>): void
  /** Writes the engine's decision into the row, and carries it out. */
  protected abstract show(call: Call): void
  protected abstract isEnded(): boolean
  protected abstract free(): void

  /** Up to the run's present: the clock advances meanwhile, and seats must not be kept until the next call. */
  private ranNs(call: Call): Nanoseconds {
    return this.around.run.engine.nowNs - this.beganNs(call)
  }

  private ran(call: Call): Partial<LiveRow> {
    return { runMs: nsToMs(this.ranNs(call)), lingerMs: nsToMs(call.ticket?.additionalLatency ?? 0) }
  }

  private lasted(call: Call<LiveRequestCall>): void {
    const durationNs = this.ranNs(call)
    this.change(this.ran(call))
    this.around.listener?.lasted(this.row, durationNs)
    this.around.run.lasted(call, { durationNs })
  }

  private endWatch(call: Call<LiveRequestCall>): void {
    this.around.run.endWatch(call)
    this.around.listener?.watchEnded(this.row)
  }
}

/** It waits, runs and is rejected as the engine decides. */
class EnforcedCall extends LiveRequestCall {
  protected readonly whenFinished = { state: 'served' } as const
  private headers: HttpAnswer['headers'] = {}
  private heldBytes = 0

  override arrive(read: ReadLine): LiveCall {
    const { around, arrival } = this
    if (around.heldBytes + arrival.bytes > MOST_HEAD_BYTES) {
      around.crowdedOut += 1
      this.change({ state: 'crowded-out', status: 429, retryAfter: CROWDED_RETRY_SECONDS })
      arrival.decide({ kind: 'refuse', answer: refusalAnswer(CROWDED_RETRY_SECONDS, {}) })
      return NO_CALL
    }
    this.heldBytes = arrival.bytes
    around.heldBytes += arrival.bytes
    return super.arrive(read)
  }

  protected beganNs({ ticket }: Call): Nanoseconds {
    return ticket?.startedNs ?? 0
  }

  protected hasBegun(): boolean {
    return this.row.state === 'executing'
  }

  protected isEnded(): boolean {
    return this.over || this.row.state === 'rejected'
  }

  protected answered(answer: Answer<Call<LiveRequestCall>>): void {
    if (answer.kind === 'bypassed') {
      this.free()
      this.arrival.decide(NO_HEADERS)
    } else this.headers = httpAnswer(answer).headers
  }

  protected show({ decision, waitNs = 0 }: Call): void {
    const { arrival } = this
    const waitMs = nsToMs(waitNs)
    if (decision.kind === 'executing') {
      this.change({ state: 'executing', waitMs })
      arrival.decide({ kind: 'run', headers: this.headers })
    } else if (decision.kind === 'rejected') {
      // A client that disconnected gets no answer any more.
      if (this.over) return this.change({ waitMs })
      this.free()
      const { reason, retryAfter } = decision
      this.change({ state: 'rejected', waitMs, reason, retryAfter, status: 429 })
      arrival.decide({ kind: 'refuse', answer: refusalAnswer(retryAfter, this.headers) })
    }
  }

  protected free(): void {
    this.around.heldBytes -= this.heldBytes
    this.heldBytes = 0
  }
}

/** It passes at once. */
class ObservedCall extends LiveRequestCall {
  /** The engine decides that. */
  protected readonly whenFinished = {}
  private readonly arrivedNs = this.around.run.engine.nowNs

  protected beganNs(): Nanoseconds {
    return this.arrivedNs
  }

  protected hasBegun(): boolean {
    return true
  }

  protected isEnded(): boolean {
    return this.over
  }

  protected answered(): void {
    this.arrival.decide(NO_HEADERS)
  }

  protected show(call: Call): void {
    const { row } = this
    if (row.state === 'cancelled' || row.state === 'failed') return
    if (follow(row, call, undefined)) this.around.log.touch(row)
  }

  protected free(): void {
    // Its head continues at once.
  }
}
