import type { LiveRequest } from '../../core/contract/live.ts'
import type { RequestInfo } from '../../core/classify/requestInfo.ts'
import type { Query } from '../../core/classify/requestTarget.ts'
import type {
  ApfEngine,
  ApfEngineOptions,
  ConfigurationReport,
  EngineConfiguration,
} from '../../core/engine/apfEngine.ts'
import { readRequestLine } from '../../core/engine/digest.ts'
import { type HttpAnswer, httpAnswer, refusalAnswer } from '../../core/engine/httpSurface.ts'
import type { Ticket } from '../../core/engine/ticket.ts'
import type { ArrivalListener } from '../../core/live/draftShadow.ts'
import type { LiveRow, RequestLog } from '../../core/live/requestLog.ts'
import { type Asked, placed, rowOf } from '../../core/live/rows.ts'
import { type EngineHost, type MonotonicClock, createEngineHost } from './engineHost.ts'

/** What the engine decided, once. */
export type Verdict =
  /** It runs now; the headers belong on its answer. */
  | { readonly kind: 'run'; readonly headers: HttpAnswer['headers'] }
  | { readonly kind: 'refuse'; readonly answer: HttpAnswer }

export interface LiveArrival extends Asked {
  /** The upstream refuses it before it classifies, for what it says of its user. */
  readonly refusedThere?: boolean
  /** Of its head, which stays in memory while it waits and runs. */
  readonly bytes: number
  readonly decide: (verdict: Verdict) => void
}

/** One request on its way. Each of these may be called at any time and more than once; what comes too late is nothing. */
export interface LiveCall {
  readonly isWatch: boolean
  /** The client went away, or the upstream did, before there was an answer. */
  abandon(state: 'cancelled' | 'failed'): void
  /** A watch has sent its initial events. */
  initialised(): void
  /** The answer is complete. */
  finished(status: number, server: LiveRequest['server']): void
}

/** Requests of a proxy with an engine: one that decides about them, or one that only watches. */
export interface LiveRun {
  readonly log: RequestLog
  /** For inspection, after `settle`. */
  readonly engine: ApfEngine<unknown>
  /** Brings the engine to the present. */
  settle(): void
  arrive(arrival: LiveArrival): LiveCall
  configure(configuration: EngineConfiguration): ConfigurationReport
  /** Receives each step of the requests; one at most. */
  listen(listener: ArrivalListener | undefined): void
  /** Requests that were refused because the heads of those under way fill their room. */
  readonly crowdedOut: number
  close(): void
}

/** A run whose engine decides. */
export interface EnforcingRun extends LiveRun {
  readonly host: EngineHost<EngineCall>
}

export interface LiveRunOptions {
  readonly engine: Omit<ApfEngineOptions<EngineCall>, 'onDispatch' | 'onTimeOut'>
  readonly clock: MonotonicClock
  /** Where its rows are written. */
  readonly log: RequestLog
  /** The answer came, and with it what the server said of where it put the request. */
  readonly onAnswered?: (row: LiveRow) => void
}

/** What the engine's requests carry. */
export interface EngineCall {
  readonly dispatched: () => void
  readonly timedOut: (retryAfter: number) => void
}

const NS_PER_MS = 1e6
/**
 * Of the heads of all requests under way; a head takes about three times as much memory. Usual ones have one or two kB, so
 * that tens of thousands may wait; clients that send them as long as they may fill this before they fill the process.
 */
const MOST_HEAD_BYTES = 64 * 1024 * 1024
const CROWDED_RETRY_SECONDS = 1

/** What the requests of a run share. */
interface Surroundings {
  /** Room for a head until the returned function is called; `undefined` when there is none. */
  readonly hold: (bytes: number) => (() => void) | undefined
  readonly host: EngineHost<EngineCall>
  readonly log: RequestLog
  readonly listener: ArrivalListener | undefined
  readonly onAnswered: ((row: LiveRow) => void) | undefined
}

/** Requests that wait, run and are refused as the engine decides, each with its row in the log. */
export function createLiveRun({ engine, clock, log, onAnswered }: LiveRunOptions): EnforcingRun {
  const host = createEngineHost<EngineCall>(
    {
      ...engine,
      onDispatch: ({ payload }) => payload.payload.dispatched(),
      onTimeOut: ({ payload }, retryAfter) => payload.payload.timedOut(retryAfter),
    },
    clock,
  )
  let listener: ArrivalListener | undefined
  let heldBytes = 0
  let crowdedOut = 0
  const hold = (bytes: number): (() => void) | undefined => {
    if (heldBytes + bytes > MOST_HEAD_BYTES) {
      crowdedOut += 1
      return undefined
    }
    heldBytes += bytes
    let left = bytes
    return () => {
      heldBytes -= left
      left = 0
    }
  }
  const unixMs = (): number => engine.startUnixMs + host.nowNs() / NS_PER_MS

  return {
    log,
    host,
    engine: host.engine,
    settle: () => host.settle(),
    arrive(arrival) {
      const read = readRequestLine(arrival.method, arrival.target)
      if (!read.ok || arrival.refusedThere === true) return passed({ log, onAnswered }, arrival, unixMs())
      return admitted({ hold, host, log, listener, onAnswered }, arrival, read, unixMs())
    },
    configure: (configuration) => host.configure(configuration),
    listen: (next) => void (listener = next),
    get crowdedOut() {
      return crowdedOut
    },
    close: () => host.close(),
  }
}

const NO_HEADERS = { kind: 'run', headers: {} } as const

/** Of a request that is over when it has arrived. */
const NO_CALL: LiveCall = {
  isWatch: false,
  abandon: () => undefined,
  initialised: () => undefined,
  finished: () => undefined,
}

/** A request that a server refuses before it classifies: the upstream says so itself. */
export function passed(
  { log, onAnswered }: Pick<Surroundings, 'log' | 'onAnswered'>,
  arrival: LiveArrival,
  at: number,
): LiveCall {
  const row = log.begin(rowOf(arrival, at))
  arrival.decide(NO_HEADERS)
  return unclassified(log, row, onAnswered)
}

/** The call of a request that takes no seats. A server that says where it put the request disagrees. */
export const unclassified = (log: RequestLog, row: LiveRow, onAnswered?: (row: LiveRow) => void): LiveCall => ({
  isWatch: false,
  abandon: () => undefined,
  initialised: () => undefined,
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

function admitted(around: Surroundings, arrival: LiveArrival, { info, query }: ReadLine, at: number): LiveCall {
  const { host, log, listener, onAnswered } = around
  const row = log.begin(rowOf(arrival, at, info))
  const free = around.hold(arrival.bytes)
  if (free === undefined) {
    Object.assign(row, { state: 'crowded-out', status: 429, retryAfter: CROWDED_RETRY_SECONDS })
    arrival.decide({ kind: 'refuse', answer: refusalAnswer(CROWDED_RETRY_SECONDS, {}) })
    return NO_CALL
  }
  const change = (values: Partial<LiveRow>): void => {
    Object.assign(row, values)
    log.touch(row)
  }
  let headers: HttpAnswer['headers'] = {}
  let ticket: Ticket<EngineCall> | undefined
  const run = (): void => {
    if (ticket !== undefined) change({ state: 'executing', waitMs: (ticket.startedNs - ticket.arrivedNs) / NS_PER_MS })
    arrival.decide({ kind: 'run', headers })
  }
  const refuse = (answer: HttpAnswer, reason: LiveRequest['reason'], retryAfter: number): void => {
    const waitMs = ticket === undefined ? 0 : (host.engine.nowNs - ticket.arrivedNs) / NS_PER_MS
    // A client that went away is not told anything any more.
    if (row.state === 'cancelled' || row.state === 'failed') return change({ waitMs })
    free()
    change({ state: 'rejected', waitMs, retryAfter, status: 429, ...(reason === undefined ? {} : { reason }) })
    arrival.decide({ kind: 'refuse', answer })
  }
  const request = { user: arrival.user, info, query }
  const answer = host.arrive({
    ...request,
    payload: {
      dispatched() {
        run()
        listener?.decided(row)
      },
      timedOut(retryAfter) {
        refuse(refusalAnswer(retryAfter, headers), 'time-out', retryAfter)
        listener?.decided(row)
      },
    },
  })
  if (answer.kind === 'bypassed') {
    free()
    arrival.decide(NO_HEADERS)
    return unclassified(log, row, onAnswered)
  }
  ticket = answer.ticket
  const surface = httpAnswer(answer)
  if (answer.kind !== 'rejected') headers = surface.headers
  change({ state: 'waiting', ...placed(answer.ticket) })
  if (answer.kind === 'executing') run()
  else if (answer.kind === 'rejected') refuse(surface, answer.reason, answer.retryAfter)
  listener?.arrived(row, request)
  return callOf({ ...around, free }, ticket, row, change)
}

function callOf(
  { host, listener, onAnswered, free }: Surroundings & { readonly free: () => void },
  ticket: Ticket<EngineCall>,
  row: LiveRow,
  change: (values: Partial<LiveRow>) => void,
): LiveCall {
  let initialised = false
  let over = false
  const durationNs = (): number => host.nowNs() - ticket.startedNs
  const ran = (): Partial<LiveRow> => ({
    runMs: durationNs() / NS_PER_MS,
    lingerMs: ticket.additionalLatency / NS_PER_MS,
  })
  const release = (): void => {
    if (ticket.kind.isWatch) host.endWatch(ticket)
    else host.finish(ticket)
  }
  return {
    isWatch: ticket.kind.isWatch,
    abandon(state) {
      if (over || row.state === 'rejected') return
      over = true
      free()
      const executes = row.state === 'executing'
      change({ state, ...(executes && !initialised ? ran() : {}) })
      if (executes) release()
      else host.cancel(ticket)
      listener?.abandoned(row)
      if (initialised) listener?.watchEnded(row)
    },
    initialised() {
      if (over || initialised || !ticket.kind.isWatch || row.state !== 'executing') return
      initialised = true
      change(ran())
      listener?.lasted(row, durationNs())
      host.watchInitialised(ticket)
    },
    finished(status, server) {
      if (over || row.state !== 'executing') return
      over = true
      free()
      change({ state: 'served', status, ...(initialised ? {} : ran()), ...(server === undefined ? {} : { server }) })
      if (!initialised) listener?.lasted(row, durationNs())
      if (ticket.kind.isWatch) listener?.watchEnded(row)
      release()
      if (server !== undefined) onAnswered?.(row)
    },
  }
}
