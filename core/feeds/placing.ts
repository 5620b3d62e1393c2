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
import type { ToldWaits } from './tally.ts'

export interface PlacingOptions {
  readonly engine: FeedEngine
  readonly log: RequestLog
  readonly identity: FeedIdentity
  readonly correction: ExecutionCorrection
  readonly waits: ToldWaits
}

/** Gives requests to the engine, at its present, and writes their rows. */
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

  /** The engine begins anew, and knows none of the requests before. */
  begin(): void {
    this.active = []
  }

  /** `atMs`: Unix time of the engine; when it came, unless that became known too late. */
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

  /** Another of its stages became known after its arrival: what that tells is told at once. */
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

  /** Writes what the engine has decided since. */
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

/** Where the feed does not tell who asked: somebody whom the schema that it tells admits. */
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

/** What the server said, with the names that its log cuts put back. */
function withFullNames(server: LiveRequest['server'], standIns: StandIns): LiveRequest['server'] {
  if (server?.schema === undefined || server.level === undefined) return server
  const schema = standIns.fullName(server.schema)
  const level = standIns.fullName(server.level)
  return schema === server.schema && level === server.level ? server : { ...server, schema, level }
}

export type FeedIdentity = 'audit' | 'httplog'

interface FeedFacts {
  /** A scrape of the server told its object counts and watches. */
  readonly scraped: boolean
  /** More than a few requests became known too late, or never ended. */
  readonly manyLate: boolean
  readonly manyUnfinished: boolean
  readonly waits: FeedWaits
}

const QUEUES =
  'The feed tells what the server did, not what it held back: queues, waits and seats here are those of the engine, which is given the same requests and lets each take as long as it took on the server.'
const REFUSED =
  'What the server refused never ran there; where the engine lets it run, it takes as long as requests of its verb and resource usually do.'
const ONE_SERVER =
  'A feed is taken for that of one server: where the logs of several are merged into one, their requests share the seats of one here.'
const SCRAPED = [
  'Object counts and sizes are those of the last scrape, not of the time of the request.',
  'Watches are those of the last scrape of the one server that was asked, the feed’s own among them. It counts watches of whole resources; of one namespace or one object only those that began in the feed are known, so changes may get too few final seats.',
]
const NOT_SCRAPED = [
  'Object counts and sizes are not known without a scrape of the server: every list counts as one seat.',
]
const OPEN_WATCHES = {
  audit: 'Watches that were open before the feed began are not counted, so changes may get too few final seats.',
  httplog:
    'Watches that are open are not counted without a scrape of the server, so changes may get too few final seats.',
} as const
const LATE =
  'More than one request in a hundred became known only after the engine had passed its arrival, because it took longer than five seconds or was told late, and was placed at the engine’s present.'
const UNFINISHED =
  'More than one request in a hundred never ended in the feed and was given up after five minutes, so seats here are taken for too long; the audit policy must not omit ResponseComplete.'

/** What a feed cannot know, in sentences (docs/feeds.md). */
export function limitsOf(identity: FeedIdentity, facts: FeedFacts): readonly string[] {
  return [
    ...(identity === 'audit'
      ? [
          'An audit log names no flow schema and no level, so there is nothing to compare with; a log of -v=3 has both.',
          'It has a queue wait only of requests that took more than half a second; of others the wait in the engine is taken for it.',
          'When a watch was initialised is not in it; the beginning of its response is used instead, and watches end when they end there.',
        ]
      : [
          'The log names no user. Each request is placed where apf_fs says, with a stand-in whom that flow schema admits: that is a check of our objects, not of who asked.',
          'One program on one address counts as one user, so flows by user are an estimate.',
          'The log has a watch only when it ends, so which watches are open is not in it.',
        ]),
    QUEUES,
    ...trustSentences(facts.waits),
    REFUSED,
    ONE_SERVER,
    ...(facts.scraped ? SCRAPED : [...NOT_SCRAPED, OPEN_WATCHES[identity]]),
    ...(facts.manyLate ? [LATE] : []),
    ...(facts.manyUnfinished ? [UNFINISHED] : []),
  ]
}
