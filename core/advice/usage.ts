import type { ObjectSet } from '../config/objects.ts'
import type { Histogram, LevelFrame, Rejected, ServerFrame } from '../frame/frame.ts'
import { isExempt } from '../frame/reading.ts'
import { rejectedSince } from '../frame/recent.ts'
import { histogramIncrease, sumHistograms } from '../frame/quantile.ts'
import { reportedServerLimit } from '../impact/reportedLimit.ts'
import { createExistingLevels } from '../source/existingLevels.ts'
import { knownObjects, type SourceEvent } from '../source/sourceEvent.ts'
import { breakBetween } from '../twin/observe.ts'
import { unixMsOf, type UnixMs } from '../units.ts'
import type { LiveRequest } from '../contract/live.ts'
import { BoundaryTally, type SchemaFlows } from './boundaryTally.ts'
import { CallerTally, type LevelCallers } from './callerTally.ts'
import { type WithoutNamespace, WithoutNamespaceTally } from './missedTally.ts'

/** The time between pages that are further apart is not counted. */
const LONGEST_GAP_MS = 150_000
/** Further servers of a source are not recorded. */
const MOST_SERVERS = 64

/** Milliseconds spent at each whole number of seats. */
type SeatTimes = ReadonlyMap<number, number>

/** One level of one server over all samples. */
export interface LevelUsage {
  readonly name: string
  readonly last: LevelFrame
  /**
   * Time spent at each demand: the mean of an adjustment period, or the value of the page where the server reports
   * none.
   */
  readonly demand: SeatTimes
  /** The highest demand at any instant; `undefined` where it is not reported. */
  readonly peak: number | undefined
  /** Requests since `ServerUsage.since`. */
  readonly rejected: Rejected
  /** `undefined` where it is not reported. */
  readonly dispatched: number | undefined
  /** Seconds waited by requests since `ServerUsage.since`. */
  readonly waits: Histogram | undefined
  /** Queue length that each enqueued request found, since `ServerUsage.since`. */
  readonly queueLengths: Histogram | undefined
}

export interface ServerUsage {
  readonly id: string
  readonly version: string | undefined
  readonly from: UnixMs
  readonly to: UnixMs
  /** Time within `from` and `to` that samples cover, milliseconds. */
  readonly coveredMs: number
  /** When counting of requests began: the first sample, or the last restart or change of limits. */
  readonly since: UnixMs
  readonly last: ServerFrame
  /** Seats of the server. */
  readonly limit: number | undefined
  /** All levels, including exempt. */
  readonly demand: SeatTimes
  /** Without exempt. */
  readonly levels: readonly LevelUsage[]
}

/** What advice is based on. */
export interface Usage {
  readonly servers: readonly ServerUsage[]
  readonly objects: ObjectSet | undefined
  /** Which users send from which addresses: empty unless single requests are available. */
  readonly callers: readonly LevelCallers[]
  /** How requests are divided into flows: likewise empty. */
  readonly flows: readonly SchemaFlows[]
  /** Requests without a namespace: likewise empty. */
  readonly withoutNamespace: readonly WithoutNamespace[]
}

/** Aggregates the events of a source, in memory that does not grow with time. */
export interface UsageTally {
  take(event: SourceEvent): void
  read(): Usage
}

interface LevelTally {
  readonly demand: Map<number, number>
  peak: number | undefined
}

interface ServerTally {
  readonly from: UnixMs
  coveredMs: number
  /** The first page since the last restart or change of limits. */
  base: ServerFrame
  last: ServerFrame
  readonly demand: Map<number, number>
  readonly levels: Map<string, LevelTally>
}

/** Pages have to arrive in order: one that is older than the last of its server is skipped. */
export function createUsageTally(): UsageTally {
  const servers = new Map<string, ServerTally>()
  const callers = new CallerTally()
  const flows = new BoundaryTally()
  const withoutNamespace = new WithoutNamespaceTally()
  const isNew = newRequests()
  const existing = createExistingLevels()
  let objects: ObjectSet | undefined

  function takeFrame(frame: ServerFrame): void {
    const at = unixMsOf(frame.at)
    const known = servers.get(frame.id)
    if (known === undefined) {
      if (servers.size >= MOST_SERVERS) return
      const tally = { from: at, coveredMs: 0, base: frame, last: frame, demand: new Map(), levels: new Map() }
      servers.set(frame.id, tally)
      return
    }
    const ms = at - unixMsOf(known.last.at)
    if (ms <= 0) return
    if (breakBetween(known.last, frame) !== undefined) known.base = frame
    if (ms <= LONGEST_GAP_MS) cover(known, frame, ms)
    known.last = frame
  }

  return {
    take(given) {
      const event = existing(given)
      if (event.kind === 'frame') takeFrame(event.frame)
      if (event.kind === 'requests' && 'changes' in event) {
        for (const request of event.changes.requests.filter(isNew)) {
          callers.take(request)
          flows.take(request)
          withoutNamespace.take(request)
        }
      }
      if (event.kind === 'objects') objects = knownObjects(event.reading) ?? objects
    },
    read: () => ({
      servers: [...servers].map(([id, tally]) => serverUsage(id, tally)),
      objects,
      callers: callers.read(),
      flows: flows.read(),
      withoutNamespace: withoutNamespace.read(),
    }),
  }
}

/** Requests that change after this many others were counted may be counted twice. */
const MOST_REMEMBERED = 50_000

/** A row is sent again whenever it changes: whether this is its first time. */
function newRequests(): (request: LiveRequest) => boolean {
  const remembered = new Set<string>()
  return ({ at, seq }) => {
    const request = `${at} ${seq}`
    if (remembered.has(request)) return false
    remembered.add(request)
    const [oldest] = remembered
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
    return true
  }
}

function cover(tally: ServerTally, frame: ServerFrame, ms: number): void {
  tally.coveredMs += ms
  if (!frame.levels.some(({ demand, seats }) => (demand.average ?? seats.executing) !== undefined)) return
  let all = 0
  for (const level of frame.levels) {
    const { average, highWatermark } = level.demand
    const seats = average ?? (level.seats.executing ?? 0) + (level.seats.queued ?? 0)
    all += seats
    const own = tally.levels.get(level.name) ?? { demand: new Map<number, number>(), peak: undefined }
    tally.levels.set(level.name, own)
    add(own.demand, Math.ceil(seats), ms)
    if (highWatermark !== undefined) own.peak = Math.max(own.peak ?? 0, highWatermark)
  }
  add(tally.demand, Math.ceil(all), ms)
}

const add = (times: Map<number, number>, seats: number, ms: number): void =>
  void times.set(seats, (times.get(seats) ?? 0) + ms)

function serverUsage(id: string, { from, coveredMs, base, last, demand, levels }: ServerTally): ServerUsage {
  return {
    id,
    version: last.version,
    from,
    to: unixMsOf(last.at),
    coveredMs,
    since: unixMsOf(base.at),
    last,
    limit: reportedServerLimit(last),
    demand: new Map(demand),
    levels: last.levels
      .filter((level) => !isExempt(level))
      .map((level) => {
        const own = levels.get(level.name)
        return levelUsage(
          level,
          base.levels.find(({ name }) => name === level.name),
          own ?? { demand: new Map(), peak: undefined },
        )
      }),
  }
}

function levelUsage(last: LevelFrame, base: LevelFrame | undefined, { demand, peak }: LevelTally): LevelUsage {
  const increase = (of: 'wait' | 'queueLength'): Histogram | undefined =>
    sumHistograms(
      last.schemas.flatMap((schema) => {
        const later = schema[of]
        const earlier = base?.schemas.find(({ name }) => name === schema.name)?.[of]
        return (later && histogramIncrease(later, earlier)) ?? []
      }),
    )
  return {
    name: last.name,
    last,
    demand: new Map(demand),
    peak,
    rejected: rejectedSince(last, base),
    dispatched: last.dispatched === undefined ? undefined : last.dispatched - (base?.dispatched ?? 0),
    waits: increase('wait'),
    queueLengths: increase('queueLength'),
  }
}

/** The smallest number of seats that was not exceeded during a share (0 to 1) of the time; `undefined` without time. */
export function seatsFor(share: number, times: SeatTimes): number | undefined {
  const total = [...times.values()].reduce((sum, ms) => sum + ms, 0)
  if (total === 0) return undefined
  let passed = 0
  for (const [seats, ms] of [...times].toSorted(([a], [b]) => a - b)) {
    passed += ms
    // Sums of milliseconds are whole, but a share of them may not be.
    if (passed >= share * total - 1e-6) return seats
  }
  return undefined
}
