import type { Agreement, FeedWaits } from '../contract/live.ts'
import type { ApfEngine, EngineConfiguration } from '../engine/apfEngine.ts'
import type { ServerFacts } from '../engine/facts.ts'
import type { Outcome } from '../live/outcome.ts'
import { RequestLog } from '../live/requestLog.ts'
import { lowerBound } from '../search.ts'
import { MS_PER_HOUR, type UnixMs } from '../units.ts'
import { Fifo } from '../run/fifo.ts'
import { type FeedArrival, type FeedRecord, quoted, type OpenRequest, OpenRequests, FeedRequest } from './request.ts'
import { FeedEngine, type FeedEngineOptions, type FeedListener } from './feedEngine.ts'
import { FeedFindings } from './findings.ts'
import { type FeedIdentity, limitsOf, Placing } from './placing.ts'
import type { ReportedTimes } from '../live/reportedTimes.ts'
import { ExecutionCorrection, MOST_SCRAPES } from './correction.ts'
import { type FeedCounts, FeedTally, ReportedWaits, Waited } from './tally.ts'

export interface FeedRunOptions {
  readonly engine: FeedEngineOptions
  readonly identity: FeedIdentity
  /** The start of the engine's clock, unless the first event is earlier. */
  readonly startUnixMs: UnixMs
  /** Rows that are kept, and most that are reported at once. */
  readonly kept: number
  readonly untold: number
  /** How much later than others of its time an event may come, milliseconds; 5 s if absent. */
  readonly windowMs?: number
  /**
   * How long requests are held back for the scrape after their end, which determines how long they executed. If absent,
   * their executions are not corrected: a user who follows a feed wants to see requests when they end.
   */
  readonly holdMs?: number
}

/** The requests of a feed, through an engine that runs by their time. */
export interface FeedRun {
  /** A new one after `FeedListener.began`: read it each time. */
  readonly engine: ApfEngine<unknown>
  /** Decisions of the engines before that. */
  readonly before: Outcome
  readonly log: RequestLog
  readonly counts: FeedCounts
  /** What the feed says of the server that its requests do not, in sentences. */
  readonly findings: readonly string[]
  /** The limits of this feed, in sentences. */
  readonly limits: readonly string[]
  /** Latest time in an event, Unix milliseconds; `undefined` before the first one. */
  readonly latestMs: number | undefined
  /**
   * Everything that ended up to this time (Unix milliseconds) has been processed, and its row was reported if somebody
   * listens; later ends are held back.
   */
  readonly passedMs: number
  /** Accepts records in the order of the feed. `nowMs` (Unix) is the reader's present. */
  take(records: Iterable<FeedRecord>, nowMs: number): void
  /** Advances time up to here (Unix milliseconds) even without events: older ones that come afterwards are late. */
  passTo(unixMs: UnixMs): void
  /** The feed is at its end: everything that is held back is processed. */
  finish(): void
  agreement(): Agreement
  /** How accurate the waits of the engine are. */
  readonly waits: FeedWaits
  configure(configuration: EngineConfiguration): void
  facts(facts: ServerFacts): void
  /** Histograms of the server that writes the feed, from a scrape; scrapes come in the order of time. */
  times(times: ReportedTimes): void
  subscribe(listener: FeedListener): () => void
}

const WINDOW_MS = 5_000
/** After such a gap earlier state does not matter; processing it would only take time. */
const GAP_MS = 6 * MS_PER_HOUR
/** Clocks differ; a time further ahead is invalid. */
const FUTURE_MS = MS_PER_HOUR
const GATEWAY_TIMEOUT = 504
const REMEMBERED_IDS = 200_000
/**
 * A request other than a long-running one that took a day: its times are garbage, and it would hold its seats for ever.
 */
const LONGEST_MS = 24 * MS_PER_HOUR
/** Characters of URLs, users and groups that are held back with their requests; the memory is a few times as large. */
const MOST_HELD = 32_000_000
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
  private readonly observer: FeedEngine
  private readonly placing: Placing
  private readonly timeline = new Timeline<Step>()
  private readonly ended = new SeenIds(REMEMBERED_IDS)
  /** By audit-ID and arrival. */
  private readonly open = new OpenRequests()
  private watermarkMs = Number.NEGATIVE_INFINITY
  /** The watermark when rows were reported last. */
  private reportedMs = Number.NEGATIVE_INFINITY
  private held = 0
  private latest: number | undefined
  private readonly tally = new FeedTally()
  private readonly found = new FeedFindings()
  private readonly serverWaits = new ReportedWaits()
  private readonly waited = new Waited()
  private readonly correction: ExecutionCorrection
  private readonly corrects: boolean
  /** Scrapes of a time that the engine has not reached, oldest first. */
  private scrapes: ReportedTimes[] = []

  constructor({ engine, identity, startUnixMs, kept, untold, windowMs = WINDOW_MS, holdMs }: FeedRunOptions) {
    this.log = new RequestLog(kept, untold, { onTaken: () => void (this.reportedMs = this.watermarkMs) })
    this.identity = identity
    this.correction = new ExecutionCorrection(holdMs ?? 0)
    this.corrects = holdMs !== undefined
    this.windowMs = windowMs
    this.observer = new FeedEngine(engine, startUnixMs)
    const { observer, log, correction, serverWaits } = this
    this.placing = new Placing({ engine: observer, log, identity, correction, waits: serverWaits })
  }

  get engine(): ApfEngine<unknown> {
    return this.observer.engine
  }

  get before(): Outcome {
    return this.observer.before
  }

  get counts(): FeedCounts {
    return this.tally
  }

  get findings(): readonly string[] {
    return this.found.sentences
  }

  get limits(): readonly string[] {
    const { manyLate, manyUnfinished, lacks } = this.tally
    return limitsOf(this.identity, {
      scraped: this.observer.hasFacts,
      manyLate,
      manyUnfinished,
      lacks,
      waits: this.waits,
    })
  }

  get waits(): FeedWaits {
    const { reported } = this.waited
    const { report, uncorrected } = this.correction
    return {
      here: this.observer.waitedSeconds,
      ...(this.identity === 'audit' && { bounds: this.serverWaits.bounds }),
      ...(reported !== undefined && { reported }),
      ...(report !== undefined && { corrected: report }),
      ...(uncorrected.length > 0 && { uncorrected }),
    }
  }

  get passedMs(): number {
    return this.log.telling ? Math.min(this.reportedMs, this.watermarkMs) : this.watermarkMs
  }

  get latestMs(): number | undefined {
    return this.latest
  }

  take(records: Iterable<FeedRecord>, nowMs: number): void {
    for (const record of records) {
      if (record.kind === 'other') continue
      if (record.kind === 'unlisted') this.found.noteUnlisted(record.objects)
      else if (record.kind === 'unreadable') this.tally.noteUnreadable(record.problem)
      else if (record.endedMs > nowMs + FUTURE_MS) {
        this.tally.noteUnreadable(
          `The request ${quoted(record.auditId)} ends more than an hour after the present time of this computer.`,
        )
      } else if (!record.longRunning && record.endedMs - record.receivedMs > LONGEST_MS) {
        this.tally.noteUnreadable(`The request ${quoted(record.auditId)} has a duration of more than a day.`)
      } else this.hear(record)
    }
    this.release()
  }

  passTo(unixMs: UnixMs): void {
    if (this.latest === undefined) this.observer.moveTo(unixMs)
    else this.heard(unixMs)
    this.release()
  }

  finish(): void {
    if (this.latest === undefined) return
    // The feed contains nothing more about the time up to the available scrapes.
    this.correction.heardTo(Number.POSITIVE_INFINITY)
    this.letPass(this.latest)
    // A request that still waits or executes now ends within a minute.
    this.letPass(this.latest + 60_000)
  }

  agreement(): Agreement {
    return this.placing.agreement()
  }

  configure(configuration: EngineConfiguration): void {
    this.observer.configure(configuration)
  }

  facts(facts: ServerFacts): void {
    if (facts.startedMs !== undefined) this.open.serverStarted(facts.startedMs)
    // The reported watches are those of the running server: those of the one before must not be among them.
    this.forgetServerBefore(this.watermarkMs)
    this.observer.facts(facts)
  }

  times(times: ReportedTimes): void {
    this.scrapes.push(times)
    if (this.scrapes.length > MOST_SCRAPES) this.scrapes.shift()
    // A request log reports each execution.
    if (this.identity === 'audit' && this.corrects) this.correction.scraped(times)
  }

  subscribe(listener: FeedListener): () => void {
    return this.observer.subscribe(listener)
  }

  private hear(given: FeedArrival): void {
    const { auditId, stage, receivedMs, endedMs, lacks = [] } = given
    for (const one of lacks) this.tally.lacks.add(one)
    // Clients may choose the audit-ID, even the same one for each request.
    const id = `${auditId} ${receivedMs}`
    const known = this.open.get(id)
    if (known?.has(stage) === true || (known === undefined && this.ended.has(id))) {
      this.tally.repeated += 1
      return
    }
    // Clock adjustments may go back.
    const arrival = receivedMs <= endedMs ? given : { ...given, receivedMs: endedMs }
    this.noteTime(arrival)
    const request = known ?? new FeedRequest(arrival)
    if (known === undefined) this.keep(id, request)
    else {
      const before = known.characters
      known.merge(arrival)
      this.held += known.characters - before
      this.placing.learn(known)
    }
    if (stage !== 'complete' && stage !== 'panic') return
    if (arrival.status === GATEWAY_TIMEOUT && !arrival.longRunning) this.found.noteTimeout(arrival)
    // It is kept with its stages until none of them can come any more. A request that is placed late waits as long.
    const lateMs = arrival.refused && known === undefined ? Math.max(0, this.watermarkMs - arrival.receivedMs) : 0
    const atMs = Math.max(endedMs + lateMs, this.watermarkMs)
    this.timeline.put({ atMs, order: END, id, request })
    this.noteExecuted(request.arrival)
  }

  private noteExecuted(arrival: FeedArrival): void {
    const { line, user, outside, refused, longRunning, endedMs, executionMs, inAllMs } = arrival
    if (!this.correction.isKnown || outside !== undefined || refused || longRunning || !line.ok || !user) return
    const stayMs = executionMs ?? inAllMs
    if (stayMs === undefined) return
    const lane = this.observer.laneOf({ user, info: line.info })
    this.correction.ended({ ...lane, endedMs, stayMs, isExact: executionMs !== undefined })
  }

  /**
   * Everything up to here (Unix milliseconds) is complete and is processed, unless its executions are about to be
   * determined.
   */
  private heard(unixMs: number): void {
    this.watermarkMs = Math.max(this.watermarkMs, this.correction.heardTo(unixMs))
  }

  /** The first event sets the engine's clock; later ones carry it on, and a long gap sets it again. */
  private noteTime({ receivedMs, endedMs }: FeedArrival): void {
    const { latest } = this
    const sinceMs = endedMs - (latest ?? this.observer.nowMs)
    if (sinceMs > GAP_MS || (latest === undefined && receivedMs < this.observer.nowMs)) {
      this.finish()
      this.open.clear()
      this.placing.begin()
      this.correction.begin()
      this.latest = endedMs
      this.watermarkMs = Number.NEGATIVE_INFINITY
      // Events from before the window are late in any case.
      this.observer.begin(Math.floor(endedMs - this.windowMs))
    }
    this.latest = Math.max(this.latest ?? endedMs, endedMs)
    this.heard(this.latest - this.windowMs)
  }

  private keep(id: string, request: FeedRequest): void {
    const { receivedMs, endedMs, longRunning } = request.arrival
    const late = receivedMs < this.watermarkMs
    if (late && !longRunning) this.tally.late += 1
    const atMs = late ? this.watermarkMs : receivedMs
    this.timeline.put({ atMs, order: ARRIVAL, id, request })
    const tooMany = this.open.add(id, request)
    if (tooMany !== undefined) this.giveUp(tooMany)
    this.tally.heldBack += 1
    this.held += request.characters
    // They are placed now; older events that come later are late.
    if (this.held > MOST_HELD) this.letPass(this.latest ?? endedMs)
  }

  /** Nothing up to here is held back any longer. */
  private letPass(unixMs: number): void {
    this.heard(unixMs)
    this.watermarkMs = Math.max(this.watermarkMs, unixMs)
    this.release()
  }

  private release(): void {
    // The sums of waits are compared at the instants of the scrapes.
    for (let [scrape] = this.scrapes; scrape !== undefined && scrape.atMs <= this.reachedMs; [scrape] = this.scrapes) {
      this.scrapes.shift()
      this.releaseTo(scrape.atMs)
      this.waited.note({ atMs: scrape.atMs, here: this.observer.waitedSeconds, server: scrape.waitedSeconds })
    }
    this.releaseTo(this.watermarkMs)
    this.forgetServerBefore(this.watermarkMs)
    for (const overdue of this.open.overdue(this.watermarkMs)) this.giveUp(overdue)
    this.placing.refresh()
    this.correction.placedTo(this.watermarkMs)
  }

  /** How far time has passed, whether the feed contained events or not. */
  private get reachedMs(): number {
    return this.latest === undefined ? this.observer.nowMs : this.watermarkMs
  }

  private releaseTo(unixMs: number): void {
    for (let step = this.timeline.take(unixMs); step; step = this.timeline.take(unixMs)) {
      this.observer.moveTo(step.atMs)
      this.forgetServerBefore(step.atMs)
      if (step.order === ARRIVAL) this.arrive(step)
      else this.close(step.id, step.request)
    }
    if (unixMs > this.observer.nowMs) this.observer.moveTo(unixMs)
  }

  private arrive({ request, id, atMs }: Step): void {
    this.tally.arrived += 1
    this.tally.heldBack -= 1
    this.held -= request.characters
    this.placing.arrive(request, atMs)
    request.forgetTexts()
    const { isWatch, receivedMs } = request.arrival
    // For a watch from before the present, only the end is reported: it is not among the open ones.
    if (isWatch && request.complete && receivedMs < atMs) this.close(id, request)
  }

  /** Nothing more is expected of it. */
  private close(id: string, request: FeedRequest): void {
    this.open.delete(id)
    this.ended.add(id)
    if (request.over) return
    request.over = true
    request.complete = true
    this.placing.end(request)
  }

  /** Its end is overdue. */
  private giveUp([id, request]: OpenRequest): void {
    if (!request.complete) this.tally.unfinished += 1
    this.close(id, request)
  }

  /** Requests that a server had begun when it was killed ended with it, without a record. */
  private forgetServerBefore(unixMs: UnixMs): void {
    for (const [id, request] of this.open.ofServerBefore(unixMs)) this.close(id, request)
  }
}

/** Something that happens at a time. Things at the same time are ordered by the lower order, then by the smaller id. */
interface Happening {
  readonly atMs: number
  readonly order: number
  readonly id: string
}

const before = (a: Happening, b: Happening): boolean =>
  a.atMs !== b.atMs ? a.atMs < b.atMs : a.order !== b.order ? a.order < b.order : a.id < b.id

/** Holds back events that are out of order. Insertion is cheap for events nearly in order, which go near the end. */
export class Timeline<H extends Happening> extends Fifo<H> {
  override put(item: H): void {
    const { items } = this
    const last = items.at(-1)
    if (last === undefined || before(last, item)) return super.put(item)
    const place = lowerBound(this.first, items.length, (at) => {
      const there = items[at]
      return there === undefined || !before(there, item)
    })
    items.splice(place, 0, item)
  }

  /** Removes the first one, unless it is later than `untilMs`. */
  take(untilMs: number): H | undefined {
    return this.next === undefined || this.next.atMs > untilMs ? undefined : this.shift()
  }
}

/**
 * Which of the last requests occurred already, in bounded memory: between `most` and twice as many are kept, the oldest
 * are dropped together.
 */
export class SeenIds {
  private readonly most: number
  private recent = new Set<string>()
  private before = new Set<string>()

  constructor(most: number) {
    this.most = most
  }

  has(id: string): boolean {
    return this.recent.has(id) || this.before.has(id)
  }

  add(id: string): void {
    if (this.recent.size >= this.most) {
      this.before = this.recent
      this.recent = new Set()
    }
    this.recent.add(id)
  }
}
