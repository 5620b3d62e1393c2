import type { Agreement, FeedWaits, LiveRequest } from '../contract/live.ts'
import { AgreementMeter } from '../live/agreement.ts'
import { trustSentences } from '../live/feedWaits.ts'
import type { RequestLog } from '../live/requestLog.ts'
import { follow, placed, rowOf } from '../live/rows.ts'
import { UsualDurations } from '../run/usualDurations.ts'
import type { User } from '../request/match.ts'
import type { FeedEngine, StandIns } from './feedEngine.ts'
import type { ExecutionCorrection } from './correction.ts'
import type { Durations, FeedRequest, FeedArrival } from './request.ts'
import type { Lack, ReportedWaits } from './tally.ts'

export interface PlacingOptions {
  readonly engine: FeedEngine
  readonly log: RequestLog
  readonly identity: FeedIdentity
  readonly correction: ExecutionCorrection
  readonly waits: ReportedWaits
}

/** Passes requests to the engine, at its present, and writes their rows. */
export class Placing {
  private readonly engine: FeedEngine
  private readonly log: RequestLog
  private readonly identity: FeedIdentity
  private readonly meter = new AgreementMeter()
  private readonly durations: Durations
  /** Rows that the engine may still change. */
  private active: FeedRequest[] = []

  constructor({ engine, log, identity, correction, waits }: PlacingOptions) {
    this.engine = engine
    this.log = log
    this.identity = identity
    this.durations = { engine, usual: new UsualDurations(), correction, waits }
  }

  /** The engine begins anew, without any of the requests before. */
  begin(): void {
    this.active = []
  }

  /** `atMs`: Unix time of the engine; the arrival, unless that was reported too late. */
  arrive(request: FeedRequest, atMs: number): void {
    const { arrival } = request
    const { line, outside, status, verb, requestURI, receivedMs, address } = arrival
    const { standIns } = this.engine
    const server = withFullNames(arrival.server, standIns)
    const user = arrival.user ?? standInFor(arrival, server, this.identity, standIns)
    const info = line.ok ? line.info : undefined
    const row = this.log.begin(rowOf({ user, method: verb, target: requestURI, address }, receivedMs, info))
    if (status !== undefined) row.status = status
    if (server !== undefined) row.server = server
    request.row = row
    if (!line.ok || outside !== undefined) return
    const call = this.engine.arrive(row, { user, info: line.info, query: line.query })
    request.call = call
    if (call.ticket === undefined) return
    Object.assign(row, placed(call.ticket))
    row.state = 'waiting'
    this.meter.note(row, atMs)
    request.tellDuration(this.durations)
    this.active.push(request)
  }

  /** Another of its stages was reported after its arrival: its content is passed on at once. */
  learn(request: FeedRequest): void {
    const { row } = request
    if (row === undefined) return
    const { status, server } = request.arrival
    if (status !== undefined) row.status = status
    if (server !== undefined) row.server = server
    this.log.touch(row)
    request.tellDuration(this.durations)
  }

  /** Nothing more is expected of it. */
  end(request: FeedRequest): void {
    request.tellDuration(this.durations)
    const { row, call, arrival } = request
    if (row === undefined || call === undefined) return
    if (request.hasLeft) this.engine.abandon(row, call)
    if (arrival.isWatch) this.engine.watchEnded(row, call)
  }

  /** Writes the engine's decisions since the last call. */
  refresh(): void {
    let kept = 0
    for (const request of this.active) {
      const { row, call, runMs } = request
      if (row === undefined || call === undefined) continue
      if (follow(row, call, runMs)) this.log.touch(row)
      const { kind } = call.decision
      if (kind === 'waiting' || kind === 'executing') this.active[kept++] = request
    }
    this.active.length = kept
  }

  agreement(): Agreement {
    return this.meter.read(this.engine.nowMs)
  }
}

const UNKNOWN_USER: User = { name: '', groups: [] }

/** For a feed without users: a stand-in whom the reported flow schema admits. */
function standInFor(
  { client, line }: FeedArrival,
  server: LiveRequest['server'],
  identity: FeedIdentity,
  standIns: StandIns,
): User {
  if (identity === 'audit') return UNKNOWN_USER
  const name = `unknown user: ${client}`
  const found = line.ok && server?.schema !== undefined ? standIns.userFor(server.schema, line.info, name) : undefined
  return found ?? { name, groups: ['system:authenticated'] }
}

/** The server's decision, with the names that its log truncates restored. */
function withFullNames(server: LiveRequest['server'], standIns: StandIns): LiveRequest['server'] {
  if (server?.schema === undefined || server.level === undefined) return server
  const schema = standIns.fullName(server.schema)
  const level = standIns.fullName(server.level)
  return schema === server.schema && level === server.level ? server : { ...server, schema, level }
}

export type FeedIdentity = 'audit' | 'httplog'

interface FeedFacts {
  /** A scrape of the server provided its object counts and watches. */
  readonly scraped: boolean
  /** More than one request in a hundred was reported too late, or never ended. */
  readonly manyLate: boolean
  readonly manyUnfinished: boolean
  /** What its events leave out. */
  readonly lacks: ReadonlySet<Lack>
  readonly waits: FeedWaits
}

const QUEUES =
  'The feed reports what the server did, but not its queues: queues, waits and seats here are those of the engine, which receives the same requests, each with the duration that it had on the server.'
const REFUSED =
  'Requests that the server rejected never ran there. If the engine dispatches one, it takes as long as requests of its verb and resource usually do.'
const ONE_SERVER =
  'A feed is treated as that of one server. If it merges the logs of several servers, their requests share the seats of one here.'
const SCRAPED = [
  'Object counts and sizes come from the last scrape, not from the time of the request.',
  'Watch counts come from the last scrape of one server and include the feed’s own watches. A scrape counts only watches of whole resources. Watches of one namespace or one object are counted only if they began in the feed, so changes may get too few final seats.',
]
const NOT_SCRAPED = [
  'Without a scrape of the server, object counts and sizes are unknown: every list counts as one seat.',
]
const OPEN_WATCHES = {
  audit: 'Watches that were open before the feed began are not counted, so changes may get too few final seats.',
  httplog: 'Without a scrape of the server, open watches are not counted, so changes may get too few final seats.',
} as const
const LATE =
  'More than 1 % of the requests appeared in the feed only after the engine had passed their arrival, because they took longer than five seconds or were reported late. They were placed at the engine’s present.'
const UNFINISHED =
  'More than 1 % of the requests never ended in the feed and were given up after five minutes, so they held their seats here too long. Do not omit ResponseComplete in the audit policy.'
/** What it costs that a log leaves something out. */
export const LACKING: Readonly<Record<Lack, string>> = {
  cloud:
    'Cloud Audit Logs (GKE) leave out groups, URL parameters, durations and waits. Flow schemas that match groups may be wrong, lists count without limit and selectors, each request takes as long as an unknown one, and the waits of the server are unknown.',
  groups:
    'Events leave out groups: those that follow from the names of users are assumed. Flow schemas that match other groups may be wrong.',
  latencies: 'Events of long requests leave out their latencies (annotations), so the waits of the server are unknown.',
}

/** The limits of a feed, in sentences (docs/feeds.md). */
export function limitsOf(identity: FeedIdentity, facts: FeedFacts): readonly string[] {
  return [
    ...(identity === 'audit'
      ? [
          'An audit log contains no flow schema or level to compare with; a log of -v=3 has both.',
          'It contains the queue wait only for requests that took more than half a second; for others, the wait in the engine is used.',
          'It does not contain when a watch was initialised, so the start of its response is used. Watches end when they end in the log.',
        ]
      : [
          'The log contains no users. Each request is placed in the flow schema of its apf_fs, with a stand-in user whom that schema admits. This checks our objects, not the real users.',
          'One program on one address counts as one user, so flows by user are an estimate.',
          'The log contains a watch only when it ends, so it does not show which watches are open.',
        ]),
    QUEUES,
    ...trustSentences(facts.waits),
    REFUSED,
    ONE_SERVER,
    ...(facts.scraped ? SCRAPED : [...NOT_SCRAPED, OPEN_WATCHES[identity]]),
    ...[...facts.lacks].map((one) => LACKING[one]),
    ...(facts.manyLate ? [LATE] : []),
    ...(facts.manyUnfinished ? [UNFINISHED] : []),
  ]
}
