import type { Problem } from '../../../core/errors.ts'
import { CLOCK, FEW_SERVERS, isClock, pastGroups, presentGroups, type FamilyGroup } from '../../../core/prom/asked.ts'
import type { PromSeries } from '../../../core/prom/answer.ts'
import { discover, type FoundServer } from '../../../core/prom/discovery.ts'
import { hiddenByInterval } from '../../../core/prom/interval.ts'
import { nativeFamilies } from '../../../core/prom/nativeHistogram.ts'
import { createPages, type TimedPage } from '../../../core/prom/pages.ts'
import { equals, named, selector, type Matcher } from '../../../core/prom/promql.ts'
import { atScrapes, requestTimesQuery } from '../../../core/prom/requestTimes.ts'
import { FACT_FAMILIES, factsOf } from '../../../core/live/serverFacts.ts'
import { FAMILY } from '../../../core/metrics/familyNames.ts'
import type { ServerFrame } from '../../../core/frame/frame.ts'
import type { PrometheusSpec } from '../../../core/contract/prometheus.ts'
import type { Emit } from '../../../core/source/sourceEvent.ts'
import { plain } from '../../../core/text/format.ts'
import { rfc3339 } from '../../../core/units.ts'
import { backoffMs } from '../../cluster/reflector.ts'
import type { Environment } from '../../ports/environment.ts'
import { createPause } from '../../ports/pause.ts'
import { narrowOffset, offsetMs, type OffsetBounds } from '../scrape/clockOffset.ts'
import { createHealthBook, type HealthBook } from '../scrape/health.ts'
import { createInstanceTracker, type InstanceTracker } from '../scrape/instances.ts'
import { LIVE_LIMITS, type PrometheusApi, type Reply } from './api.ts'
import { frameMaker } from './frames.ts'
import { gatherGroups, type Gathered } from './groups.ts'
import type { Past } from './past.ts'
import { USUAL_INTERVAL_MS } from './range.ts'
import { instancesMatcher, MOST_SERVERS, serverMatchers, type Selected } from './servers.ts'

/** Minimum span of the first reading: the window of rates and quantiles. */
const FIRST_MS = 45_000
/** Older scrapes were missed while Prometheus could not be reached, and are read as the past. */
const MOST_TAIL_MS = 300_000
/** From the scrape until its samples can be queried, with a margin. */
const SETTLE_MS = 1_000
/** A page with fewer series than the previous one may still be being written: it is read once more, after this time. */
const AGAIN_MS = 2_000
/** How often objects and watches are counted. */
const FACTS_EVERY_MS = 300_000

const DUMPS: Problem = {
  code: 'unsupported',
  message: 'Prometheus stores metrics only. Connect to the API server directly to read its debug dumps.',
}

export interface TailOptions {
  readonly api: PrometheusApi
  readonly spec: PrometheusSpec
  readonly selected: Selected
  readonly environment: Environment
  readonly emit: Emit
  readonly past: Past
}

/** The present of the servers of a Prometheus: a frame of each after each scrape. */
export interface Tail {
  start(signal: AbortSignal): void
  /** Ends the present pause; does nothing while a query is in progress. */
  tryNow(): void
  readonly intervalMs: number
  /** Shown next to each server. */
  readonly health: () => Iterable<HealthBook>
}

interface ServerState {
  readonly health: HealthBook
  readonly frame: ReturnType<typeof frameMaker>
  readonly instances: InstanceTracker
  /** Unix milliseconds of the newest scrape that was emitted or skipped; 0 before the first. */
  lastAt: number
  /** Samples of the page that was emitted last. */
  samples: number
  version: string | undefined
  /** Usual distance between its scrapes, milliseconds; unknown before the second one. */
  intervalMs: number | undefined
  /** A scrape that is read again. */
  again: number | undefined
}

export function createTail({ api, spec, selected, environment, emit, past }: TailOptions): Tail {
  const { labels } = selected.discovery
  const base = serverMatchers(spec, selected)
  const pages = createPages(labels.instance)
  const servers = new Map<string, ServerState>()
  let intervalMs = selected.discovery.intervalMs ?? USUAL_INTERVAL_MS
  let offset: OffsetBounds | undefined
  let failures = 0
  let factsAt = Number.NEGATIVE_INFINITY
  let pastWanted = spec.pastMs > 0
  const pause = createPause(environment)

  const serverNow = (): number => environment.now() + (offset === undefined ? 0 : offsetMs(offset))

  const serverOf = (id: string): ServerState => {
    const known = servers.get(id)
    if (known !== undefined) return known
    const health = createHealthBook(id, [...api.notes, ...selected.notes], (entry) =>
      emit({ kind: 'health', health: entry }),
    )
    health.dumps({ status: 'off', problem: DUMPS })
    const made: ServerState = {
      health,
      frame: frameMaker(id),
      instances: createInstanceTracker(),
      lastAt: 0,
      samples: 0,
      version: undefined,
      intervalMs: undefined,
      again: undefined,
    }
    servers.set(id, made)
    return made
  }

  const ask = async (
    matchers: readonly Matcher[],
    rangeMs: number | undefined,
    at: number | undefined,
    signal: AbortSignal,
  ): Promise<Reply> => {
    const sentAt = environment.now()
    const reply = await api.query(selector(matchers, rangeMs), at, { signal, limits: LIVE_LIMITS })
    if (reply.ok && reply.date !== undefined) offset = narrowOffset(offset, reply.date, sentAt, environment.now())
    return reply
  }

  const versions = (): (string | undefined)[] => [...servers.values()].map(({ version }) => version)

  /** Selected servers in the response, with the times of their scrapes. */
  const wantedIn = (clocks: readonly PromSeries[]): readonly FoundServer[] => {
    const found = discover(clocks, labels)
    intervalMs = found.intervalMs ?? intervalMs
    const all = found.clusters.flatMap(({ servers: list }) => list)
    if (spec.instances !== undefined) return all.filter(({ instance }) => spec.instances?.includes(instance))
    const known = all.filter(({ instance }) => servers.has(instance))
    return [...known, ...all.filter(({ instance }) => !servers.has(instance))].slice(0, MOST_SERVERS)
  }

  const failAll = (problem: Problem, pauseMs: number): void => {
    const now = environment.now()
    for (const { health } of servers.values()) health.failed(rfc3339(now), problem, rfc3339(now + pauseMs))
  }

  /** Reads what is new. Returns the milliseconds until the next reading. */
  const poll = async (signal: AbortSignal): Promise<number> => {
    const lasts = [...servers.values()].map(({ lastAt }) => lastAt).filter((at) => at > 0)
    const since = Math.min(...lasts)
    const behind = lasts.length === 0 ? 0 : serverNow() - since
    const window = Math.min(MOST_TAIL_MS, Math.max(3 * intervalMs, FIRST_MS, behind))
    const clock = await ask([...CLOCK, ...base], window, undefined, signal)
    if (!clock.ok) return fail(clock.problem, clock.retryAfterMs)
    const wanted = wantedIn(clock.series)
    for (const server of wanted) {
      const state = serverOf(server.instance)
      state.intervalMs = server.intervalMs ?? state.intervalMs
    }
    const fresh = wanted.filter(({ instance, lastAt }) => lastAt > serverOf(instance).lastAt)
    if (fresh.length === 0) return missed(clock.warnings)
    return read(wanted, fresh, window, signal)
  }

  const read = async (
    wanted: readonly FoundServer[],
    fresh: readonly FoundServer[],
    window: number,
    signal: AbortSignal,
  ): Promise<number> => {
    const newest = Math.max(...fresh.map(({ lastAt }) => lastAt))
    // Emitted scrapes are not read again, except for a new server.
    const oldest = Math.min(...fresh.map(({ instance }) => serverOf(instance).lastAt))
    const range = Math.ceil(Math.min(window, newest - oldest))
    const matchers = [
      ...base,
      instancesMatcher(
        selected,
        wanted.map(({ instance }) => instance),
      ),
    ]
    if ([...servers.values()].every(({ version }) => version === undefined))
      await readVersions(matchers, newest, signal)
    const groups = presentGroups(versions(), wanted.length)
    const now = environment.now()
    const withFacts = now - factsAt >= FACTS_EVERY_MS
    const asked = withFacts ? [...groups, [...FACT_FAMILIES].filter((name) => !isAsked(groups, name))] : groups
    const gathered = await gatherGroups(asked, (names) => ask([named(names), ...matchers], range, newest, signal))
    if (!gathered.ok) return fail(gathered.problem, gathered.retryAfterMs)
    failures = 0
    if (withFacts) factsAt = now
    const times = wanted.length <= FEW_SERVERS ? await readTimes(gathered.series, matchers, newest, signal) : []
    const again = tell(
      { ...gathered, series: [...gathered.series, ...times] },
      { start: newest - range, matchers, withFacts, signal },
    )
    return again ? AGAIN_MS : untilNext()
  }

  /** Reads the versions of servers, so that families that they lack are not queried. */
  const readVersions = async (matchers: readonly Matcher[], at: number, signal: AbortSignal): Promise<void> => {
    const reply = await ask([named([FAMILY.buildInfo]), ...matchers], undefined, at, signal)
    if (!reply.ok) return
    for (const { labels: set } of reply.series) {
      const state = servers.get(set[labels.instance] ?? '')
      if (state !== undefined) state.version = set['git_version']
    }
  }

  /** Request times of all levels. If they cannot be read, frames have none. */
  const readTimes = async (
    series: readonly PromSeries[],
    matchers: readonly Matcher[],
    at: number,
    signal: AbortSignal,
  ): Promise<readonly PromSeries[]> => {
    const clocks = series.filter(({ labels: set }) => isClock(set))
    const reply = await api.query(requestTimesQuery(clocks, matchers, versions()), at, { signal, limits: LIVE_LIMITS })
    return reply.ok ? atScrapes(reply.series, clocks) : []
  }

  interface Reading {
    /** The data that was read begins after it, Unix milliseconds. */
    readonly start: number
    readonly matchers: readonly Matcher[]
    readonly withFacts: boolean
    readonly signal: AbortSignal
  }

  /** Emits the frames of a response; returns whether a part of it should be read again soon. */
  const tell = (gathered: Gathered, { start, withFacts, ...reading }: Reading): boolean => {
    const until = new Map<string, number>()
    const missing = new Map<string, { readonly from: number; readonly until: number }>()
    let again = false
    for (const [id, all] of pages.raw(gathered.series)) {
      const state = servers.get(id)
      const news = all.filter(({ at }) => state !== undefined && at > state.lastAt)
      const [first] = news
      const last = news.at(-1)
      if (state === undefined || first === undefined || last === undefined) continue
      if (isIncomplete(last, state)) {
        if (gathered.warnings.length > 0) {
          partial(state, last, gathered.warnings)
          continue
        }
        if (state.again !== last.at) {
          state.again = last.at
          again = true
          continue
        }
      }
      const known = state.lastAt
      // The first of several only serves as a comparison for the second, so the past includes it.
      if (known === 0) until.set(id, news.length > 1 ? first.at : first.at - 1)
      else if (known < start) missing.set(id, { from: known, until: first.at - 1 })
      tellServer(id, state, news, gathered)
      if (withFacts) emit({ kind: 'facts', server: id, facts: factsOf(last.page) })
    }
    if (pastWanted && until.size > 0) {
      pastWanted = false
      readPast(serverNow() - spec.pastMs, until, { ...reading, gathered })
    }
    if (missing.size > 0) {
      const from = Math.min(...[...missing.values()].map((range) => range.from))
      readPast(from, new Map([...missing].map(([id, range]) => [id, range.until])), { ...reading, gathered })
    }
    return again
  }

  const readPast = (
    from: number,
    until: ReadonlyMap<string, number>,
    { matchers, gathered, signal }: Omit<Reading, 'start' | 'withFacts'> & { readonly gathered: Gathered },
  ): void => {
    const groups = pastGroups(versions())
    past.read({ from, until, intervalMs, groups, matchers, largest: gathered.largest }, signal)
  }
  const tellServer = (
    id: string,
    state: ServerState,
    news: readonly TimedPage[],
    { ms, bytes, warnings, series }: Gathered,
  ): void => {
    const isFirst = state.lastAt === 0
    const last = news.at(-1)
    for (const timed of news) {
      state.lastAt = timed.at
      const frame = state.frame(timed, timed === last ? { fetchMs: Math.round(ms), bytes } : undefined)
      const verdict = state.instances.judge(frame.startedAt)
      if (verdict === 'leave-out') continue
      state.version = frame.version ?? state.version
      state.samples = timed.page.samples
      // Before the first frame of the present, the frames that it is compared with.
      const before = isFirst && timed !== last
      // Before its frame, so that a consumer that reads one frame has the notes as well.
      if (timed === last) good(id, state, frame, { warnings, native: nativeFamilies(series) })
      emit({ kind: 'frame', frame, ...(before && { past: true, ...(timed === news[0] && { lead: true }) }) })
    }
    const processes = state.instances.count()
    state.health.note('instances', processes > 1 ? severalProcesses(processes, id) : undefined)
  }

  const good = (
    id: string,
    state: ServerState,
    frame: ServerFrame,
    { warnings, native }: { readonly warnings: readonly string[]; readonly native: readonly string[] },
  ): void => {
    const { health } = state
    health.prometheus({
      // A label may be both given for the source and found.
      labels: [...new Map([...base, equals(labels.instance, id)].map(({ label, value }) => [label, value]))].map(
        ([label, value]) => ({ label, value }),
      ),
      ...(state.intervalMs !== undefined && { intervalMs: state.intervalMs }),
      ...(native.length > 0 && { native: [...native] }),
    })
    health.note('interval', state.intervalMs === undefined ? undefined : hiddenByInterval(state.intervalMs))
    health.note('warnings', warnings.length > 0 ? `Prometheus warns: ${warnings.join(' ')}` : undefined)
    if (frame.acquisition !== undefined) health.good(frame.at, frame.acquisition, undefined, undefined)
  }

  const isIncomplete = ({ page }: TimedPage, { samples, lastAt }: ServerState): boolean =>
    lastAt > 0 && page.samples < samples

  /**
   * A smaller response that the server itself marks as incomplete does not mean a smaller cluster: the previous values
   * stay.
   */
  const partial = ({ health }: ServerState, { at }: TimedPage, warnings: readonly string[]): void => {
    const now = environment.now()
    health.failed(
      rfc3339(now),
      {
        code: 'bad-answer',
        message: `${api.host} returned only a part of the scrape of ${plain.instant(at)}; check the stores behind it. The values before it stay.`,
        details: warnings.join('\n'),
      },
      rfc3339(now + untilNext()),
    )
  }

  const fail = (problem: Problem, retryAfterMs: number | undefined): number => {
    failures++
    const pauseMs = backoffMs(failures, () => environment.random(), retryAfterMs)
    failAll(problem, pauseMs)
    return pauseMs
  }

  /** Nothing new: the scrapes of a server may have stopped. */
  const missed = (warnings: readonly string[]): number => {
    failures = 0
    const now = environment.now()
    const pauseMs = untilNext()
    for (const [id, { health, lastAt, intervalMs: own = intervalMs }] of servers) {
      if (serverNow() - lastAt <= LATE_INTERVALS * own + SETTLE_MS) continue
      const since = lastAt === 0 ? 'yet' : `since ${plain.instant(lastAt)}`
      health.failed(
        rfc3339(now),
        {
          code: 'not-found',
          message: `Prometheus has no sample of ${id} ${since}; check whether its target is up, and whether the API server answers.`,
          ...(warnings.length > 0 && { details: warnings.join('\n') }),
        },
        rfc3339(now + pauseMs),
      )
    }
    return pauseMs
  }

  /** Milliseconds until the next scrape of any server can be read; shorter while one is late. */
  const untilNext = (): number => {
    const all = [...servers.values()]
    const oldest = Math.min(...all.map(({ lastAt }) => lastAt))
    // After one scrape the next due time is unknown.
    const isKnown = all.some((server) => server.intervalMs !== undefined)
    const due = isKnown ? oldest + intervalMs + SETTLE_MS - serverNow() : 0
    return Math.round(Math.max(SETTLE_MS, intervalMs / 4, Math.min(due, intervalMs)))
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    const pauseMs = await poll(signal)
    if (!signal.aborted) pause.begin(pauseMs, () => void run(signal))
  }

  return {
    start(signal) {
      signal.addEventListener('abort', pause.forget, { once: true })
      for (const instance of selected.instances) serverOf(instance)
      void run(signal)
    },
    tryNow: pause.end,
    get intervalMs() {
      return intervalMs
    },
    health: () => [...servers.values()].map(({ health }) => health),
  }
}

/** A scrape may be late; after this many intervals without any its target is probably down. */
const LATE_INTERVALS = 3

const isAsked = (groups: readonly FamilyGroup[], name: string): boolean => groups.some((names) => names.includes(name))

const severalProcesses = (count: number, id: string): string =>
  `${count} API servers answered the scrapes of ${id}. Limits and counters are per server, so one of them is followed; let Prometheus scrape each server at its own address to see them all.`
