import type { PastRead } from '../../../core/contract/source.ts'
import type { Problem } from '../../../core/errors.ts'
import { CLOCK, type FamilyGroup } from '../../../core/prom/asked.ts'
import {
  halves,
  planChunks,
  pointsPerChunk,
  resolutionFor,
  type Chunk,
  type Resolution,
} from '../../../core/prom/chunks.ts'
import { createPages, type PagesByServer } from '../../../core/prom/pages.ts'
import { named, selector, timestampsOf, type Matcher } from '../../../core/prom/promql.ts'
import type { Emit } from '../../../core/source/sourceEvent.ts'
import { rfc3339 } from '../../../core/units.ts'
import { backoffMs } from '../../cluster/reflector.ts'
import type { Environment } from '../../ports/environment.ts'
import { createPause } from '../../ports/pause.ts'
import { createInstanceTracker } from '../scrape/instances.ts'
import { PAST_LIMITS, type PrometheusApi, type Reply } from './api.ts'
import { frameMaker } from './frames.ts'
import { gatherGroups } from './groups.ts'
import type { Unanswered } from './problems.ts'

/** How often in a row a failure that may be temporary is retried. */
const MOST_TRIES = 6
/** A range begins with the sample before it, at most this many intervals earlier. */
const LEAD_INTERVALS = 2.5

const MOST_WARNINGS = 4

const NOT_READ = 'Not read for the past'

/** The pages of a chunk, and the warnings of the server. */
interface Found {
  readonly pages: PagesByServer
  readonly warnings: readonly string[]
}

export interface PastOptions {
  readonly api: PrometheusApi
  readonly environment: Environment
  readonly instanceLabel: string
  readonly emit: Emit
  readonly onProgress: (past: PastRead) => void
}

export interface PastRange {
  /** Unix milliseconds. */
  readonly from: number
  /** By server, the end of the time to read; included. */
  readonly until: ReadonlyMap<string, number>
  readonly intervalMs: number
  readonly groups: readonly FamilyGroup[]
  readonly matchers: readonly Matcher[]
  /** Series of the largest group. */
  readonly largest: number
}

/** Reads ranges before the present, one after the other. */
export interface Past {
  read(range: PastRange, signal: AbortSignal): void
  /** Ends the reading in progress; what has been read stays. */
  stop(): void
}

export function createPast({ api, environment, instanceLabel, emit, onProgress }: PastOptions): Past {
  const pages = createPages(instanceLabel)
  const pause = createPause(environment)
  const frames = new Map<string, ReturnType<typeof frameMaker>>()
  let stopping: AbortController | undefined
  /**
   * How the first range ended: scrapes that were missed later are read in addition, and do not change how far back it
   * goes.
   */
  let settled: PastRead | undefined
  let last: Promise<void> = Promise.resolve()

  /** Emits the frames of a chunk, each server's after the frame that they follow; returns the time of the oldest page. */
  const tell = (found: PagesByServer, { from, to }: Chunk, until: PastRange['until']): number => {
    let oldest = Number.POSITIVE_INFINITY
    for (const [server, all] of found) {
      const make = frames.get(server) ?? frameMaker(server, NOT_READ)
      frames.set(server, make)
      const instances = createInstanceTracker()
      const end = Math.min(to, until.get(server) ?? Number.NEGATIVE_INFINITY)
      const lead = all.findLast(({ at }) => at <= from)
      for (const timed of all) {
        if (timed.at > end || (timed.at <= from && timed !== lead)) continue
        const frame = make(timed)
        if (instances.judge(frame.startedAt) === 'leave-out') continue
        emit({ kind: 'frame', frame, past: true, ...(timed === lead && { lead: true }) })
        oldest = Math.min(oldest, timed.at)
      }
    }
    return oldest
  }

  const ask = async (
    chunk: Chunk,
    { stepMs, raw }: Resolution,
    { groups, matchers, intervalMs }: PastRange,
    signal: AbortSignal,
  ): Promise<Found | Unanswered> => {
    const asking = { signal, limits: PAST_LIMITS }
    const query = (own: readonly Matcher[]): Promise<Reply> => {
      if (raw)
        return api.query(
          selector(own, chunk.to - chunk.from + Math.ceil(LEAD_INTERVALS * intervalMs)),
          chunk.to,
          asking,
        )
      return api.queryRange(selector(own), stepsOf(chunk, stepMs), asking)
    }
    const gathered = await gatherGroups(groups, (names) => query([named(names), ...matchers]))
    if (!gathered.ok) return gathered
    const { series, warnings } = gathered
    if (raw) return { pages: pages.raw(series), warnings }
    const clock = await api.queryRange(timestampsOf([...CLOCK, ...matchers]), stepsOf(chunk, stepMs), asking)
    if (!clock.ok) return clock
    return { pages: pages.stepped(series, clock.series), warnings: [...warnings, ...clock.warnings] }
  }

  const read = async (range: PastRange, signal: AbortSignal): Promise<void> => {
    const to = Math.max(...range.until.values())
    const wanted = rfc3339(range.from)
    const warnings = new Set<string>()
    let reached = to
    let oldest = to
    const resolution = resolutionFor(to - range.from, range.intervalMs, range.largest)
    const { stepMs, raw } = resolution
    const progress = (state: PastRead['state'], more: Pick<PastRead, 'begins' | 'problem'> = {}): void => {
      const present: PastRead = {
        state,
        wanted,
        reached: rfc3339(reached),
        ...(!raw && { stepMs }),
        ...(warnings.size > 0 && { warnings: [...warnings].slice(0, MOST_WARNINGS) }),
        ...more,
      }
      onProgress(state === 'done' ? (settled ?? present) : present)
      if (state !== 'reading') settled ??= present
    }
    const left = [...planChunks({ from: range.from, to }, resolution, pointsPerChunk(range.largest))].toReversed()
    let tries = 0
    progress('reading')
    for (let chunk = left.pop(); chunk !== undefined; chunk = left.pop()) {
      const found = await ask(chunk, resolution, range, signal)
      if (signal.aborted) {
        progress('stopped')
        return
      }
      if (!('ok' in found)) {
        tries = 0
        for (const warning of found.warnings) warnings.add(warning)
        oldest = Math.min(oldest, tell(found.pages, chunk, range.until))
        reached = Math.max(chunk.from, range.from)
        progress('reading')
        continue
      }
      const parts = found.tooMuch ? halves(chunk, resolution) : undefined
      if (parts !== undefined) {
        left.push(parts[1], parts[0])
        continue
      }
      if (!mayPass(found.problem) || ++tries > MOST_TRIES) {
        progress('failed', { problem: found.problem })
        return
      }
      left.push(chunk)
      await pause.wait(
        backoffMs(tries, () => environment.random(), found.retryAfterMs),
        signal,
      )
    }
    progress('done', oldest - range.from > LEAD_INTERVALS * stepMs ? { begins: rfc3339(oldest) } : {})
  }

  const readAfter = async (before: Promise<void>, range: PastRange, signal: AbortSignal): Promise<void> => {
    await before
    if (signal.aborted) return
    stopping = new AbortController()
    await read(range, AbortSignal.any([signal, stopping.signal]))
    stopping = undefined
  }

  return {
    read(range, signal) {
      last = readAfter(last, range, signal)
    },
    stop: () => stopping?.abort(),
  }
}

/** The steps of a chunk, and the one before it, whose frame leads. */
const stepsOf = ({ from, to }: Chunk, stepMs: number): { start: number; end: number; stepMs: number } => ({
  start: from,
  end: Math.max(from, Math.floor(to / stepMs) * stepMs),
  stepMs,
})

const mayPass = ({ code }: Problem): boolean => code === 'throttled' || code === 'unreachable' || code === 'timeout'
