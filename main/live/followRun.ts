import { readRequestLine } from '../../core/engine/digest.ts'
import type { ArrivalListener } from '../../core/live/draftShadow.ts'
import { type Followed, Follower, type FollowerOptions } from '../../core/live/follower.ts'
import type { LiveRow, RequestLog } from '../../core/live/requestLog.ts'
import { follow, placed, rowOf } from '../../core/live/rows.ts'
import type { MonotonicClock } from './engineHost.ts'
import { type LiveCall, type LiveRun, type LiveRunOptions, passed, unclassified } from './liveRun.ts'

const NS_PER_MS = 1e6
/** The engine is brought to the present at least so often, so that what ends then is not told much later. */
const TICK_MS = 100

export interface FollowRunOptions extends Omit<LiveRunOptions, 'engine'> {
  readonly engine: FollowerOptions
}

/**
 * Requests that pass at once, while an engine decides beside them. Their rows show its decisions: one that it would refuse
 * is `rejected` there and has nevertheless the status that the server answered with.
 */
export function createFollowRun({ engine, clock, log, onAnswered }: FollowRunOptions): LiveRun {
  const follower = new Follower(engine)
  const startedMs = clock.now()
  let listener: ArrivalListener | undefined
  const nowNs = (): number => Math.max(follower.engine.nowNs, Math.floor((clock.now() - startedMs) * NS_PER_MS))
  const settle = (): void => follower.moveTo(nowNs())
  const cancelTick = every(clock, TICK_MS, settle)

  return {
    log,
    engine: follower.engine,
    settle,
    configure: (configuration) => follower.configure(configuration),
    listen: (next) => void (listener = next),
    crowdedOut: 0,
    close: cancelTick,
    arrive(arrival) {
      settle()
      const atNs = nowNs()
      const at = engine.startUnixMs + atNs / NS_PER_MS
      const read = readRequestLine(arrival.method, arrival.target)
      if (!read.ok || arrival.refusedThere === true) return passed({ log, onAnswered }, arrival, at)
      const row = log.begin(rowOf(arrival, at, read.info))
      const request = { user: arrival.user, info: read.info, query: read.query }
      const followed = follower.arrive(request, (changed) => {
        show(log, row, changed)
        listener?.decided(row)
      })
      arrival.decide({ kind: 'run', headers: {} })
      if (followed.ticket === undefined) return unclassified(log, row, onAnswered)
      Object.assign(row, placed(followed.ticket))
      show(log, row, followed)
      listener?.arrived(row, request)
      return callOf({ follower, followed, log, row, listener, onAnswered, atNs, nowNs, settle })
    },
  }
}

/** Writes the engine's decision into the row, unless its client has left. */
function show(log: RequestLog, row: LiveRow, followed: Followed): void {
  if (row.state === 'cancelled' || row.state === 'failed') return
  if (follow(row, followed, undefined)) log.touch(row)
}

interface FollowedCall {
  readonly follower: Follower
  readonly followed: Followed
  readonly log: RequestLog
  readonly row: LiveRow
  readonly listener: ArrivalListener | undefined
  readonly onAnswered: ((row: LiveRow) => void) | undefined
  /** When it came, and with that when it began to run. */
  readonly atNs: number
  readonly nowNs: () => number
  readonly settle: () => void
}

function callOf(options: FollowedCall): LiveCall {
  const { follower, followed, log, row, listener, onAnswered, atNs, nowNs, settle } = options
  const isWatch = followed.ticket?.kind.isWatch ?? false
  let initialised = false
  let over = false
  const lasted = (): void => {
    const durationNs = nowNs() - atNs
    row.runMs = durationNs / NS_PER_MS
    follower.lasted(followed, durationNs)
    listener?.lasted(row, durationNs)
  }
  return {
    isWatch,
    abandon(state) {
      if (over) return
      over = true
      settle()
      if (!initialised) row.runMs = (nowNs() - atNs) / NS_PER_MS
      row.state = state
      log.touch(row)
      follower.abandon(followed)
      listener?.abandoned(row)
      if (!initialised) return
      follower.endWatch(followed)
      listener?.watchEnded(row)
    },
    initialised() {
      if (over || initialised || !isWatch) return
      initialised = true
      settle()
      lasted()
      log.touch(row)
    },
    finished(status, server) {
      if (over) return
      over = true
      settle()
      row.status = status
      if (server !== undefined) row.server = server
      if (!initialised) lasted()
      if (isWatch) {
        follower.endWatch(followed)
        listener?.watchEnded(row)
      }
      settle()
      log.touch(row)
      if (server !== undefined) onAnswered?.(row)
    },
  }
}

/** Calls again and again until the returned function is called. */
function every(clock: MonotonicClock, ms: number, call: () => void): () => void {
  let cancel = (): void => undefined
  const again = (): void => {
    cancel = clock.after(ms, () => {
      call()
      again()
    })
  }
  again()
  return () => cancel()
}
