import type { LiveRow } from '../live/requestLog.ts'
import type { Call } from '../run/run.ts'
import type { UsualDurations } from '../run/usualDurations.ts'
import { DEFAULT_REQUEST_TIMEOUT_SECONDS } from '../frame/reading.ts'
import { msToNs, nsToMs, secondsToNs, type UnixMs } from '../units.ts'
import { EXEMPT } from '../config/objects.ts'
import type { User } from '../request/match.ts'
import type { LiveRequest } from '../contract/live.ts'
import { deadlineNs, type RequestLine, waitEndNs } from '../request/requestInfo.ts'
import type { ExecutionCorrection } from './correction.ts'
import type { FeedEngine } from './feedEngine.ts'
import type { Lack, ReportedWaits } from './tally.ts'

/** A client that is rejected at once gets the answer within this time. */
const LONG_WAIT_MS = 500
/** `--request-timeout` where the flag is not set. */
const REQUEST_TIMEOUT_NS = secondsToNs(DEFAULT_REQUEST_TIMEOUT_SECONDS)

/** Of two stages, the later one has more information. */
const RANK = { received: 0, started: 1, complete: 2, panic: 3 } as const

const FORGOTTEN: RequestLine = { ok: false, status: 400, problem: 'It is not kept' }

/** The inputs of a request's execution time. */
export interface Durations {
  readonly engine: FeedEngine
  /** Usual durations of requests that ran, for those that never did. */
  readonly usual: UsualDurations
  readonly correction: ExecutionCorrection
  readonly waits: ReportedWaits
}

function charactersOf({ requestURI, user }: FeedArrival): number {
  let sum = requestURI.length + (user?.name.length ?? 0)
  for (const group of user?.groups ?? []) sum += group.length
  return sum
}

const mostOf = (waitAtMostMs: number | undefined): Pick<FeedArrival, 'waitAtMostMs'> =>
  waitAtMostMs === undefined ? {} : { waitAtMostMs }

/** A request from its first event to its last. */
export class FeedRequest {
  arrival: FeedArrival
  /** The timeout that the client of a watch requested, seconds; 0 if it did not. */
  readonly askedSeconds: number
  /** The longest wait that a server allows it, milliseconds after its receipt. */
  private readonly waitLimitMs: number
  /** Its last event has arrived, or it was given up. */
  complete = false
  /** Nothing more is passed to the engine. */
  over = false
  row: LiveRow | undefined
  call: Call<LiveRow> | undefined
  /** How long it executes in the engine. */
  runMs: number | undefined
  /** Characters that are kept for it. */
  characters: number
  /** A bit for each reported stage, by its rank. */
  private stages = 0
  /** The engine has its duration, or will have it as soon as it dispatches the request. */
  private reported = false

  constructor(arrival: FeedArrival) {
    this.arrival = arrival
    const { isWatch, line } = arrival
    this.askedSeconds = isWatch && line.ok ? Number(line.query.get('timeoutSeconds') ?? 0) : 0
    const deadline = line.ok && !isWatch ? deadlineNs(0, line.query, REQUEST_TIMEOUT_NS) : undefined
    this.waitLimitMs = nsToMs(waitEndNs(0, deadline, REQUEST_TIMEOUT_NS))
    this.characters = charactersOf(arrival)
    this.note(arrival.stage)
  }

  /**
   * Its client disconnected while it waited: it was rejected, but neither at once, as with full queues, nor because its
   * wait had reached its limit.
   */
  get hasLeft(): boolean {
    const { refused, server, receivedMs, endedMs } = this.arrival
    return refused && (server?.waitMs ?? 0) >= LONG_WAIT_MS && endedMs - receivedMs < this.waitLimitMs
  }

  has(stage: FeedStage): boolean {
    return (this.stages & (1 << RANK[stage])) !== 0
  }

  /** Drops what only its placing needs: requests may be open for hours, and clients choose the length of their URLs. */
  forgetTexts(): void {
    this.arrival = { ...this.arrival, requestURI: '', line: FORGOTTEN, user: undefined, client: '' }
    this.characters = 0
  }

  /** Adds the content of another stage. */
  merge(arrival: FeedArrival): void {
    const { arrival: before } = this
    this.note(arrival.stage)
    this.arrival = {
      ...(RANK[arrival.stage] > RANK[before.stage] ? arrival : before),
      executionMs: before.executionMs ?? arrival.executionMs,
      inAllMs: before.inAllMs ?? arrival.inAllMs,
      ...mostOf(before.waitAtMostMs ?? arrival.waitAtMostMs),
      server: arrival.server ?? before.server,
    }
    if (this.row === undefined) this.characters = charactersOf(this.arrival)
    else this.forgetTexts()
  }

  /** Passes its duration to the engine, once that is known or never will be. */
  tellDuration({ engine, usual, correction, waits }: Durations): void {
    const { row, call, complete } = this
    const { executionMs, inAllMs, isWatch, endedMs } = this.arrival
    if (row === undefined || call === undefined || this.reported) return
    if (executionMs === undefined && inAllMs === undefined && !complete) return
    this.reported = true
    if (row.level !== EXEMPT) waits.note(this.arrival.server?.waitMs, this.arrival.waitAtMostMs)
    const ran = (ms: number): void => {
      this.runMs = ms
      if (!isWatch) usual.note(row, msToNs(ms))
    }
    // For a watch, the histogram of executions has a different time than an event: until it was initialised.
    const knownMs =
      executionMs ??
      (inAllMs === undefined || isWatch ? undefined : correction.executionOf({ ...row, endedMs, stayMs: inAllMs }))
    if (knownMs !== undefined) {
      ran(knownMs)
      engine.lasted(row, call, knownMs)
    } else if (inAllMs !== undefined) {
      waits.guessed += 1
      engine.lastedInAll(row, call, inAllMs, ran)
    } else {
      this.runMs = isWatch ? 0 : nsToMs(usual.of(row))
      engine.lasted(row, call, this.runMs)
    }
  }

  private note(stage: FeedStage): void {
    this.stages |= 1 << RANK[stage]
    this.complete ||= stage === 'complete' || stage === 'panic'
  }
}

const MOST_OPEN = 100_000
/**
 * Requests other than watches end within a minute or are cut off; an end that was not reported by then never will be.
 */
const UNFINISHED_AFTER_MS = 300_000
/** A watch ends after the timeout that its client requested; closing and logging it take a moment more. */
const WATCH_GRACE_MS = 60_000
/** The start of a process is known to a second. */
const START_MS = 1_000

/** With its key in a feed. */
export type OpenRequest = readonly [id: string, request: FeedRequest]

/** Requests without their last event, oldest first, and which of them will never have one. */
export class OpenRequests {
  private readonly byId = new Map<string, FeedRequest>()
  /** When the server that writes the feed started, and whether that still has to be handled. */
  private startMs: number | undefined
  private isNewStart = false

  get(id: string): FeedRequest | undefined {
    return this.byId.get(id)
  }

  /** Returns the oldest one where there are too many. */
  add(id: string, request: FeedRequest): OpenRequest | undefined {
    this.byId.set(id, request)
    return this.byId.size > MOST_OPEN ? this.byId.entries().next().value : undefined
  }

  delete(id: string): void {
    this.byId.delete(id)
  }

  clear(): void {
    this.byId.clear()
  }

  serverStarted(unixMs: UnixMs): void {
    this.isNewStart ||= unixMs !== this.startMs
    this.startMs = unixMs
  }

  /** Requests of a server that was gone by `unixMs`, returned once for each start: it recorded no end of them. */
  ofServerBefore(unixMs: UnixMs): readonly OpenRequest[] {
    const { startMs } = this
    if (startMs === undefined || !this.isNewStart || unixMs < startMs) return []
    this.isNewStart = false
    return [...this.byId].filter(([, { arrival, complete }]) => !complete && arrival.receivedMs < startMs - START_MS)
  }

  /** Requests whose end is overdue at `unixMs`. */
  overdue(unixMs: UnixMs): readonly OpenRequest[] {
    const found: OpenRequest[] = []
    for (const one of this.byId) {
      const [, request] = one
      if (request.arrival.receivedMs > unixMs - UNFINISHED_AFTER_MS) break
      if (!request.complete && unixMs > overdueMs(request)) found.push(one)
    }
    return found
  }
}

function overdueMs({ arrival: { receivedMs, longRunning }, askedSeconds }: FeedRequest): number {
  if (!longRunning) return receivedMs + UNFINISHED_AFTER_MS
  // Without a requested timeout, the server chooses it, by a flag of its own.
  return askedSeconds > 0 ? receivedMs + askedSeconds * 1_000 + WATCH_GRACE_MS : Number.POSITIVE_INFINITY
}

/** How far a request had come when the server logged it: the stages of audit.k8s.io/v1. */
export type FeedStage = 'received' | 'started' | 'complete' | 'panic'

/** Content of one line or event about one request. Times are Unix milliseconds, durations milliseconds. */
export interface FeedArrival {
  readonly kind: 'arrival'
  /** One for each request, the same at all its stages. */
  readonly auditId: string
  readonly stage: FeedStage
  /**
   * After impersonation; `undefined` if the feed does not contain it, or the server could not authenticate the client.
   */
  readonly user: User | undefined
  /** A description of the client without its user: `kubectl at 10.0.0.7`. */
  readonly client: string
  /** Address of the client, where the feed has both it and the user. */
  readonly address?: string | undefined
  /** Verb as the server wrote it, in lower case. */
  readonly verb: string
  readonly requestURI: string
  /** The server's reading of the request line. */
  readonly line: RequestLine
  readonly isWatch: boolean
  /** Expected to last (specification 4.13): a watch, exec, log and the like. */
  readonly longRunning: boolean
  readonly receivedMs: number
  /** When the stage was reached. */
  readonly endedMs: number
  readonly status: number | undefined
  /** Its execution time; for a watch, until it was initialised. `undefined`: not reported, or it never ran. */
  readonly executionMs: number | undefined
  /** The same with its wait in a queue, where only the sum is reported. */
  readonly inAllMs: number | undefined
  /** The longest possible wait in a queue, where the wait is not reported; absent where nothing limits it. */
  readonly waitAtMostMs?: number
  /** What its log leaves out of events. */
  readonly lacks?: readonly Lack[]
  /** The server rejected it because of flow control. */
  readonly refused: boolean
  /** Why it never reached flow control, in a sentence. */
  readonly outside: string | undefined
  readonly server: LiveRequest['server']
}

/** Objects that a server logs that it cannot list (KEP-1040, Troubleshooting). */
export type Unlisted = 'PriorityLevelConfiguration' | 'FlowSchema'

/** The result of parsing a line or an event of a feed. `other`: neither about a request nor about flow control. */
export type FeedRecord =
  | FeedArrival
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'unlisted'; readonly objects: Unlisted }
  | { readonly kind: 'other' }

export const unreadable = (problem: string): FeedRecord => ({ kind: 'unreadable', problem })

/** Text of a feed in a sentence: its beginning, on one line. */
export const quoted = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}
