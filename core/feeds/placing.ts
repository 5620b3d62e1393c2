import type { Agreement, LiveRequest } from '../contract/live.ts'
import { AgreementMeter } from '../live/agreement.ts'
import type { RequestLog } from '../live/requestLog.ts'
import { follow, placed, rowOf } from '../live/rows.ts'
import { UsualDurations } from '../run/usualDurations.ts'
import type { User } from '../request/match.ts'
import type { FeedEngine, StandIns } from './feedEngine.ts'
import type { FeedRequest } from './request.ts'
import type { FeedArrival } from './arrival.ts'
import type { FeedIdentity } from './limits.ts'

export interface PlacingOptions {
  readonly engine: FeedEngine
  readonly log: RequestLog
  readonly identity: FeedIdentity
}

/** Gives requests to the engine, at its present, and writes their rows. */
export class Placing {
  private readonly engine: FeedEngine
  private readonly log: RequestLog
  private readonly identity: FeedIdentity
  private readonly meter = new AgreementMeter()
  private readonly usual = new UsualDurations()
  /** Rows that the engine may still change. */
  private active: FeedRequest[] = []

  constructor({ engine, log, identity }: PlacingOptions) {
    this.engine = engine
    this.log = log
    this.identity = identity
  }

  /** The engine begins anew, and knows none of the requests before. */
  begin(): void {
    this.active = []
  }

  /** `atMs`: Unix time of the engine; when it came, unless that became known too late. */
  arrive(request: FeedRequest, atMs: number): void {
    const { arrival } = request
    const { line, outside, status, verb, requestURI, receivedMs } = arrival
    const { standIns } = this.engine
    const server = withFullNames(arrival.server, standIns)
    const user = userOf({ ...arrival, server }, this.identity, standIns)
    const info = line.ok ? line.info : undefined
    const row = this.log.begin(rowOf({ user, method: verb, target: requestURI }, receivedMs, info))
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
    request.tellDuration(this.engine, this.usual)
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
    request.tellDuration(this.engine, this.usual)
  }

  /** Nothing more is expected of it. */
  end(request: FeedRequest): void {
    request.tellDuration(this.engine, this.usual)
    const { row, call, arrival } = request
    if (row !== undefined && call !== undefined && arrival.isWatch) this.engine.watchEnded(row, call)
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

/** Who asked; where the feed does not tell that, somebody whom the schema that it tells admits. */
function userOf({ user, client, line, server }: FeedArrival, identity: FeedIdentity, standIns: StandIns): User {
  if (user !== undefined) return user
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
