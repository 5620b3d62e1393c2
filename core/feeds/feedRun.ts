import type { Agreement } from '../contract/live.ts'
import type { ApfEngine, EngineConfiguration } from '../engine/apfEngine.ts'
import { AgreementMeter } from '../live/agreement.ts'
import type { FollowedPayload } from '../live/follower.ts'
import { RequestLog } from '../live/requestLog.ts'
import type { FeedArrival, FeedRecord } from './arrival.ts'
import { FeedEngine, type FeedEngineOptions, type FeedListener, type ObjectFacts } from './feedEngine.ts'
import { userOf, withFullNames } from './identities.ts'
import { type FeedIdentity, limitsOf } from './limits.ts'
import { FeedRequest } from './request.ts'
import { place, rowOf, update } from './row.ts'
import { SeenIds } from './seenIds.ts'
import { type Happening, Timeline } from './timeline.ts'
import { UsualDurations } from './usualDurations.ts'

export interface FeedRunOptions {
  readonly engine: FeedEngineOptions
  readonly identity: FeedIdentity
  /** Where the engine's clock begins unless the first event is earlier. */
  readonly startUnixMs: number
  /** Rows that are kept, and most that are told at once. */
  readonly kept: number
  readonly untold: number
  /** How much later than others of its time an event may come, milliseconds; 5 s without. */
  readonly windowMs?: number
}

export interface FeedCounts {
  readonly arrived: number
  readonly unreadable: number
  readonly lastUnreadable: string | undefined
  /** Events that say again what was known. */
  readonly repeated: number
  /** Requests that became known only when the engine had passed their arrival: they were placed at its present. */
  readonly late: number
  /** Requests of which no end was heard before they were given up. */
  readonly unfinished: number
}

/** The requests that a feed tells of, through an engine that runs by their time. */
export interface FeedRun {
  /** Another one after `FeedListener.began`: ask each time. */
  readonly engine: ApfEngine<FollowedPayload>
  readonly log: RequestLog
  readonly counts: FeedCounts
  /** What this feed cannot know, in sentences. */
  readonly limits: readonly string[]
  /** Latest time that an event told, Unix milliseconds; `undefined` before the first one. */
  readonly latestMs: number | undefined
  /** Takes records in the order of the feed. `nowMs` (Unix) is the present of whoever reads them. */
  take(records: Iterable<FeedRecord>, nowMs: number): void
  /** Lets time pass up to here (Unix milliseconds), though nothing came: what comes later and is older is late. */
  passTo(unixMs: number): void
  /** The feed is at its end: everything that is held back happens. */
  finish(): void
  agreement(): Agreement
  configure(configuration: EngineConfiguration): void
  facts(facts: ObjectFacts): void
  subscribe(listener: FeedListener): () => void
}

const WINDOW_MS = 5_000
const HOUR_MS = 3_600_000
/** Nothing of before matters after such a gap; to go through it would only take time. */
const GAP_MS = 6 * HOUR_MS
/** Clocks differ; more than this is no time of an event. */
const FUTURE_MS = HOUR_MS
const REMEMBERED_IDS = 200_000
const MOST_OPEN = 100_000
/** Requests other than watches end within a minute or are cut off; what was not told to end by then never will be. */
const UNFINISHED_AFTER_MS = 300_000
const ARRIVAL = 0
const END = 1

interface Step extends Happening {
  readonly request: FeedRequest
}

export const createFeedRun = (options: FeedRunOptions): FeedRun => new EventTimeRun(options)

class EventTimeRun implements FeedRun {
  readonly log: RequestLog
  private readonly identity: FeedIdentity
  private readonly windowMs: number
  private readonly shadow: FeedEngine
  private readonly meter = new AgreementMeter()
  private readonly usual = new UsualDurations()
  private readonly timeline = new Timeline<Step>()
  private readonly ended = new SeenIds(REMEMBERED_IDS)
  /** By audit-ID, oldest first; those whose last event is not known. */
  private readonly open = new Map<string, FeedRequest>()
  /** Rows that the engine may still change. */
  private active: FeedRequest[] = []
  private watermarkMs = Number.NEGATIVE_INFINITY
  private latest: number | undefined
  private readonly tally = { arrived: 0, unreadable: 0, repeated: 0, late: 0, unfinished: 0 }
  private lastUnreadable: string | undefined

  constructor({ engine, identity, startUnixMs, kept, untold, windowMs = WINDOW_MS }: FeedRunOptions) {
    this.log = new RequestLog(kept, untold)
    this.identity = identity
    this.windowMs = windowMs
    this.shadow = new FeedEngine(engine, startUnixMs)
  }

  get engine(): ApfEngine<FollowedPayload> {
    return this.shadow.engine
  }

  get counts(): FeedCounts {
    return { ...this.tally, lastUnreadable: this.lastUnreadable }
  }

  get limits(): readonly string[] {
    return limitsOf(this.identity, { objectCounts: this.shadow.hasFacts })
  }

  get latestMs(): number | undefined {
    return this.latest
  }

  take(records: Iterable<FeedRecord>, nowMs: number): void {
    for (const record of records) {
      if (record.kind === 'other') continue
      if (record.kind === 'unreadable') this.unreadable(record.problem)
      else if (record.endedMs > nowMs + FUTURE_MS) {
        this.unreadable(`The request ${record.auditId} ends more than an hour after the present of this computer.`)
      } else this.hear(record)
    }
    this.release()
  }

  passTo(unixMs: number): void {
    if (this.latest === undefined) return this.shadow.moveTo(unixMs)
    this.watermarkMs = Math.max(this.watermarkMs, unixMs)
    this.release()
  }

  finish(): void {
    if (this.latest === undefined) return
    this.passTo(this.latest)
    // What waits or executes by now gets the minute that it has at most.
    this.passTo(this.latest + 60_000)
  }

  agreement(): Agreement {
    return this.meter.read(this.shadow.nowMs)
  }

  configure(configuration: EngineConfiguration): void {
    this.shadow.configure(configuration)
  }

  facts(facts: ObjectFacts): void {
    this.shadow.facts(facts)
  }

  subscribe(listener: FeedListener): () => void {
    return this.shadow.subscribe(listener)
  }

  private unreadable(problem: string): void {
    this.tally.unreadable += 1
    this.lastUnreadable = problem
  }

  private hear(arrival: FeedArrival): void {
    const { auditId, stage } = arrival
    const known = this.open.get(auditId)
    if (known?.has(stage) === true || (known === undefined && this.ended.has(auditId))) {
      this.tally.repeated += 1
      return
    }
    this.noteTime(arrival)
    const request = known ?? new FeedRequest(arrival)
    if (known === undefined) this.keep(auditId, request)
    else this.merge(known, arrival)
    if (stage !== 'complete' && stage !== 'panic') return
    // It is remembered with its stages until none of them can come any more.
    const atMs = Math.max(arrival.endedMs, this.watermarkMs)
    this.timeline.put({ atMs, order: END, id: auditId, request })
  }

  /** The first event sets the engine's clock; later ones carry it on, and a long gap sets it again. */
  private noteTime({ receivedMs, endedMs }: FeedArrival): void {
    const { latest } = this
    const sinceMs = endedMs - (latest ?? this.shadow.nowMs)
    if (sinceMs > GAP_MS || (latest === undefined && receivedMs < this.shadow.nowMs)) {
      this.finish()
      this.open.clear()
      this.active = []
      this.latest = endedMs
      this.watermarkMs = Number.NEGATIVE_INFINITY
      this.shadow.begin(Math.floor(Math.min(receivedMs, endedMs - this.windowMs)))
    }
    this.latest = Math.max(this.latest ?? endedMs, endedMs)
    this.watermarkMs = Math.max(this.watermarkMs, this.latest - this.windowMs)
  }

  private keep(auditId: string, request: FeedRequest): void {
    const late = request.arrival.receivedMs < this.watermarkMs
    if (late) this.tally.late += 1
    const atMs = late ? this.watermarkMs : request.arrival.receivedMs
    this.timeline.put({ atMs, order: ARRIVAL, id: auditId, request })
    this.open.set(auditId, request)
    if (this.open.size <= MOST_OPEN) return
    const [oldest] = this.open
    if (oldest !== undefined) this.close(...oldest)
  }

  private merge(request: FeedRequest, arrival: FeedArrival): void {
    request.merge(arrival)
    const { row } = request
    if (row === undefined) return
    // It was released before: what is told later is told at once.
    const { status, server } = request.arrival
    if (status !== undefined) row.status = status
    if (server !== undefined) row.server = server
    this.log.touch(row)
    request.tellDuration(this.shadow, this.usual)
  }

  private release(): void {
    for (let step = this.timeline.take(this.watermarkMs); step; step = this.timeline.take(this.watermarkMs)) {
      this.shadow.moveTo(step.atMs)
      if (step.order === ARRIVAL) this.arrive(step.request, step.atMs)
      else this.close(step.id, step.request)
    }
    if (this.watermarkMs > this.shadow.nowMs) this.shadow.moveTo(this.watermarkMs)
    this.giveUpUnfinished()
    this.refreshRows()
  }

  private arrive(request: FeedRequest, atMs: number): void {
    const { arrival } = request
    this.tally.arrived += 1
    const { line, outside } = arrival
    const { standIns } = this.shadow
    const told = { ...arrival, server: withFullNames(arrival.server, standIns) }
    const user = userOf(told, this.identity, standIns)
    const row = this.log.begin(rowOf(told, user, arrival.receivedMs))
    request.row = row
    if (!line.ok || outside !== undefined) return
    const followed = this.shadow.arrive(row, { user, info: line.info, query: line.query })
    request.followed = followed
    if (followed.decision.kind === 'bypassed') return
    place(row, followed)
    this.meter.note(row, atMs)
    request.tellDuration(this.shadow, this.usual)
    this.active.push(request)
  }

  /** Nothing more is expected of it. */
  private close(id: string, request: FeedRequest): void {
    this.open.delete(id)
    this.ended.add(id)
    if (request.over) return
    request.over = true
    if (!request.complete) {
      this.tally.unfinished += 1
      request.complete = true
    }
    request.tellDuration(this.shadow, this.usual)
    const { row, followed, arrival } = request
    if (row !== undefined && followed !== undefined && arrival.isWatch) this.shadow.watchEnded(row, followed)
  }

  private giveUpUnfinished(): void {
    for (const [id, request] of this.open) {
      if (request.arrival.receivedMs > this.watermarkMs - UNFINISHED_AFTER_MS) return
      if (!request.arrival.longRunning && !request.complete) this.close(id, request)
    }
  }

  private refreshRows(): void {
    let kept = 0
    for (const request of this.active) {
      const { row, followed, runMs } = request
      if (row === undefined || followed === undefined) continue
      if (update(row, followed, runMs)) this.log.touch(row)
      const { kind } = followed.decision
      if (kind === 'waiting' || kind === 'executing') this.active[kept++] = request
    }
    this.active.length = kept
  }
}
