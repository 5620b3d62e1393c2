import type { CandidateWish } from '../../../core/contract/live.ts'
import { KEPT_REQUESTS } from '../../../core/bounds.ts'
import type { EngineConfiguration } from '../../../core/engine/apfEngine.ts'
import type { ServerFacts } from '../../../core/engine/facts.ts'
import { AS_UPSTREAM, profileFor } from '../../../core/engine/profiles.ts'
import type { FeedRecord } from '../../../core/feeds/request.ts'
import { mergedByTime, readLog } from '../../../core/feeds/logReader.ts'
import { createFeedRun, type FeedRun } from '../../../core/feeds/feedRun.ts'
import type { ReportedTimes } from '../../../core/live/reportedTimes.ts'
import { createBeside } from '../../live/beside.ts'
import type { LiveTraffic } from '../../ports/source.ts'
import type { Recognised } from './recognise.ts'

type LogFile = Extract<Recognised, { readonly kind: 'audit' | 'httplog' }>

/** A request is logged when it ends, at most a minute after its arrival; the whole file can be read ahead. */
const LONGEST_MS = 65_000

export interface LogSurroundings {
  readonly version: string
  readonly configuration: EngineConfiguration
  /** Seats of the server. */
  readonly serverLimit: number
  readonly facts?: ServerFacts | undefined
  /** From captures next to the logs, in chronological order. */
  readonly times: readonly ReportedTimes[]
  /** Unix milliseconds of the reading. */
  readonly now: number
}

/**
 * Passes the requests of audit and request logs among the files to an engine that only observes. Audit logs contain
 * user names, so if there are both kinds, the request logs are left out: together they would count each request twice.
 */
export function logTraffic(logs: readonly LogFile[], surroundings: LogSurroundings): LiveTraffic | undefined {
  const audit = logs.filter(({ kind }) => kind === 'audit')
  const used = audit.length > 0 ? audit : logs
  const [first] = used
  if (first === undefined) return undefined
  const records = mergedByTime(used.map(({ kind, text }) => readLog(kind, text, surroundings.now)))
  const replay = (wish: CandidateWish) => replayed(first.kind, records, surroundings, wish)
  let present = replay({ on: false })
  const title = `${first.kind === 'audit' ? 'audit log' : 'request log'} ${used.map(({ file }) => file).join(', ')}`
  return {
    version: surroundings.version,
    get log() {
      return present.run.log
    },
    get engine() {
      return present.run.engine
    },
    get before() {
      return present.run.before
    },
    settle: () => undefined,
    state() {
      const { counts, limits, waits } = present.run
      const { report } = present.beside
      return {
        title,
        mode: 'feed',
        limits: [...limits],
        arrived: counts.arrived,
        unreadable: counts.unreadable,
        ...(counts.lastUnreadable !== undefined && { lastUnreadable: counts.lastUnreadable }),
        agreement: present.run.agreement(),
        waits,
        ...(report !== undefined && { candidate: report }),
      }
    },
    // The log was read to its end, so a draft processes all of it again; rows keep their numbers.
    candidate(wish) {
      const { telling } = present.run.log
      present = replay(wish)
      present.run.log.telling = telling
    },
  }
}

function replayed(
  identity: LogFile['kind'],
  records: readonly FeedRecord[],
  { version, configuration, serverLimit, facts, times, now }: LogSurroundings,
  wish: CandidateWish,
): { readonly run: FeedRun; readonly beside: ReturnType<typeof createBeside> } {
  const engine = {
    maxRequestsInFlight: serverLimit,
    maxMutatingRequestsInFlight: 0,
    profile: profileFor(version),
    corrections: AS_UPSTREAM,
  }
  const run = createFeedRun({
    engine,
    identity,
    startUnixMs: now,
    kept: KEPT_REQUESTS,
    untold: KEPT_REQUESTS,
    windowMs: LONGEST_MS,
    // The capture after a request shows how long it executed, however much later it was taken.
    holdMs: Number.POSITIVE_INFINITY,
  })
  run.configure(configuration)
  if (facts !== undefined) run.facts(facts)
  const beside = createBeside({ run, engine, version })
  run.subscribe(beside.listener)
  beside.wish(wish)
  for (const { scrape, part } of byScrape(records, times)) {
    if (scrape !== undefined) run.times(scrape)
    run.take(part, now)
  }
  run.finish()
  return { run, beside }
}

/** Each scrape before the records that were logged up to it. */
function* byScrape(
  records: readonly FeedRecord[],
  times: readonly ReportedTimes[],
): Generator<{ readonly scrape: ReportedTimes | undefined; readonly part: readonly FeedRecord[] }> {
  let from = 0
  for (const scrape of times) {
    let to = from
    for (let next = records[to]; next !== undefined; next = records[++to]) {
      if (next.kind === 'arrival' && next.endedMs > scrape.atMs) break
    }
    yield { scrape, part: records.slice(from, to) }
    from = to
  }
  yield { scrape: undefined, part: records.slice(from) }
}
