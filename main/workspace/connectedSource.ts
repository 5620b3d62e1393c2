import type {
  AbortSignalLike,
  ProcedureHandlers,
  ProcedureOutput,
  SourceHandlers,
  SourceProcedureName,
  SourceStreamName,
  StreamEvent,
  StreamHandlers,
} from '../../core/contract/contract.ts'
import { ProblemError, type Problem } from '../../core/errors.ts'
import type { Diagnosis } from '../../core/contract/diagnosis.ts'
import type { Port } from '../../core/contract/protocol.ts'
import type { Moment, RecorderState } from '../../core/contract/recording.ts'
import { CadenceSchema, type Connected, type SourceSpec } from '../../core/contract/source.ts'
import { createUsageTally, type UsageTally } from '../../core/advice/usage.ts'
import type { Evidence } from '../../core/diagnose/facts.ts'
import type { Series } from '../../core/history/series.ts'
import type { TierQuery } from '../../core/history/tier.ts'
import { reportedFacts } from '../../core/live/serverFacts.ts'
import { stretchesBetween, type Picture, type ServerPicture } from '../../core/source/picture.ts'
import type { SourceEvent } from '../../core/source/sourceEvent.ts'
import { MS_PER_SECOND, unixMsOf, type UnixMs } from '../../core/units.ts'
import { asPart, rememberWork, type Work } from '../../core/work.ts'
import { NOW_MS } from '../../core/verdict/now.ts'
import type { Archive, Without } from '../ports/archive.ts'
import type { Environment } from '../ports/environment.ts'
import type { SourceResult } from '../ports/source.ts'
import type { Subscribable } from '../ports/topic.ts'
import { startFlightRecorder, type FlightRecorder } from '../recordings/flightRecorder.ts'
import { openStore, type Store } from '../store/store.ts'
import { createAlerting } from './alerting.ts'
import { createEffects, type Effects } from './effects.ts'
import { createKeptPages, KEPT_MS, PAGE_MS, type KeptPages } from '../recordings/keptPages.ts'
import { connectObjects } from './connectedObjects.ts'
import { createObjects } from './objects.ts'
import { createPastNotes } from './pastNotes.ts'
import { startSession, type Session } from './session.ts'
import { onlyLevel, eventHandlers } from './eventHandlers.ts'
import { inPieces, runOf } from './runs.ts'

/** State in a console that has no folder for recordings. */
const NO_RECORDER: RecorderState = { status: 'off', possible: false, folder: '' }

/** Enough for every sample of ten minutes, at one a second. */
const SERIES_POINTS = 1_000

/** A connected source in the form that the workspace and the pages use, wherever it runs. */
export interface ConnectedSource {
  readonly connection: Connected
  /** Port on which it accepts requests or events; `undefined` where it does not listen. */
  readonly port: number | undefined
  /** Calls a procedure of the source. Rejects with `ProblemError`. */
  call<N extends SourceProcedureName>(name: N, input: Parameters<ProcedureHandlers[N]>[0]): Promise<ProcedureOutput<N>>
  /** Subscribes to a stream of the source until the signal aborts. */
  hear<N extends SourceStreamName>(
    name: N,
    params: Parameters<StreamHandlers[N]>[0],
    emit: (event: StreamEvent<N>) => void,
    signal: AbortSignalLike,
  ): void
  /** Opens a line that serves a page, where the source runs in its own thread. */
  readonly line?: () => Port
  /** The flow-control families of its engine as a page of metrics, where it has an engine. */
  readonly metrics?: () => Promise<string>
  /**
   * Serves a simulated server over HTTP until the source has ended. Resolves to its address; rejects with the error of
   * `listen`.
   */
  readonly serveSimulation?: (port: number) => Promise<string>
  /** Aborted when it ends, for whatever reason. */
  readonly ended: AbortSignal
  /** Ends it; settles once everything that it acquired is released. */
  end(): Promise<void>
}

export interface SourceRequest {
  readonly id: number
  readonly spec: SourceSpec
  /** Called whenever `connection` changes. */
  readonly onConnection: (connection: Connected) => void
  /** What the source cannot read or store in the store of this machine, where it has a store of its own. */
  readonly onNotices: (notices: readonly Problem[]) => void
}

/** A source that runs in this thread. */
export interface SourceHere extends ConnectedSource {
  readonly handlers: SourceHandlers
  /** State of its flight recorder, where it has one. */
  readonly recorder?: Subscribable<RecorderState>
}

/** Connects a source. Rejects with `ProblemError`. */
export type OpenSource = (request: SourceRequest) => Promise<ConnectedSource>

export interface SourceSurroundings {
  readonly environment: Environment
  readonly store: Store
  readonly makeSource: (spec: SourceSpec, environment: Environment) => Promise<SourceResult>
  /** Folder of the recordings; without it nothing is recorded. */
  readonly stateDir?: string
}

/** Connects a source in this thread. */
export async function openSource(
  { id, spec, onConnection }: Omit<SourceRequest, 'onNotices'>,
  { environment, store, makeSource, stateDir }: SourceSurroundings,
): Promise<SourceHere> {
  const made = await makeSource(spec, environment)
  if (!made.ok) throw ProblemError.of(made.problem)
  const { source, simulation, archive } = made
  const cadence = spec.kind === 'scrape' ? spec.cadence : CadenceSchema.parse({})
  const flight =
    stateDir === undefined
      ? undefined
      : await startFlightRecorder({
          stateDir,
          source: source.info,
          environment,
          settings: () => store.settings.read(),
          presence: () => store.presence(),
          stretches: (from, to) => stretchesBetween(session.picture, from, to),
        })
  const alerting = createAlerting(readsPast(spec) ? createPastNotes() : undefined)
  const pages = createKeptPages()
  const usage = createUsageTally()
  let effects: Effects | undefined
  let eventsTaken = 0
  const onEvent = (event: SourceEvent, picture: Picture, taken: ReturnType<Picture['take']>): void => {
    const notes = alerting.take(event, picture, taken, environment.now())
    flight?.take(event, notes)
    pages.take(event)
    usage.take(event)
    eventsTaken++
    effects?.take(event)
  }
  const session = startSession({
    id,
    source,
    simulation,
    spec,
    cadence,
    environment,
    onConnection,
    onEvent,
  })
  if (flight !== undefined) hearWhileRecording(session, flight)
  const connected = connectObjects(session, environment)
  const watching = createEffects({
    connection: id,
    targetKey: connected.gateway.targetKey,
    // The effects of edits of objects that end with their connection end with it too.
    store: (connected.gateway.fleeting === true ? openStore(undefined) : store).effects,
    first: () => session.picture.servers[0]?.latest.frame.id,
    latest: (server) => latestOf(session.picture.server(server)),
    frames: (server) => pages.frames(server),
    series: (server, from, to) => session.server(server).history.series({ from, to, maxPoints: SERIES_POINTS }),
  })
  effects = watching
  const objects = createObjects({ objectsOf: () => connected, store, environment, effects })
  objects.resolveOnce(connected, session.ended)
  const address = source.live?.state().address
  const { live } = source
  let served = Promise.resolve()

  const recorded = (): Archive => {
    if (archive !== undefined) return archive
    throw new ProblemError('unsupported', 'This is no recording; open the past of the source first.')
  }

  /** What is known by an instant of the past, where nothing that was recorded since counts. */
  const knownBy = (at: UnixMs | undefined): UnixMs => Math.min(at ?? Infinity, recorded().extent().last ?? 0)
  const pagesUntil = rememberWork(1, (to: UnixMs) => readRange(recorded(), createKeptPages(), rangeOfPages(to)))
  const pagesBy = (at: UnixMs | undefined): Work<KeptPages> => pagesUntil(String(knownBy(at)), knownBy(at))
  const usageUntil = rememberWork(1, (to: UnixMs) => readRange(recorded(), createUsageTally(), rangeOfUsage(to)))
  const usageBy = (at: UnixMs | undefined): Work<UsageTally> => usageUntil(String(knownBy(at)), knownBy(at))
  const judge = rememberWork(
    1,
    function* (of: Work<KeptPages> | undefined, asOf: UnixMs | undefined, by: (of: Evidence) => Diagnosis) {
      return by((of === undefined ? pages : yield* of).all(asOf, archive !== undefined))
    },
  )
  const verdictAt = async (at: UnixMs | undefined): Promise<Work<Diagnosis>> => {
    const { diagnose } = await import('../../core/diagnose/diagnose.ts')
    if (archive !== undefined) return judge(`${knownBy(at)} ${at}`, pagesBy(at), at, diagnose)
    // Simulated time may stand still, and a file does not age.
    const isTimeless = session.connection.still || simulation !== undefined
    const now = isTimeless ? undefined : environment.now()
    return judge(`${eventsTaken} ${Math.floor((now ?? 0) / MS_PER_SECOND)}`, undefined, now, diagnose)
  }
  /** Of a long past, what was used is most of the reading. */
  function* adviceAt(at: UnixMs | undefined, verdict: Work<Diagnosis>): Work<{ used: UsageTally; verdict: Diagnosis }> {
    const used = archive === undefined ? usage : yield* asPart(usageBy(at), 0, USAGE_PART)
    return { used, verdict: yield* asPart(verdict, USAGE_PART, 1) }
  }
  function* periodOf(server: string, range: TierQuery): Work<{ series: Series; moment: Moment }> {
    const series = recorded().series(server, range)
    yield 0.5
    return { series, moment: recorded().moment(range.to) }
  }

  const events = eventHandlers({ session, objects: connected, alerting, environment, archive })
  const handlers: SourceHandlers = {
    procedures: {
      ...events.procedures,
      'sources.cadence': async ({ intervalMs, dumpsEveryMs }) => {
        if (session.connection.still) {
          throw new ProblemError('unsupported', 'A file is read once, so there is no interval to change.')
        }
        session.setCadence({ intervalMs, dumpsEveryMs })
        return session.connection
      },
      'sources.stopPast': async () => {
        session.stopPast()
        return null
      },
      'alerts.silence': async ({ silences }) => {
        alerting.silence(silences)
        return null
      },
      'forecast.evidence': async ({ server, at }) => ({
        ...(at === undefined ? pages : await inPieces(pagesBy(at))).evidence(server),
        earlier: await watching.earlier(),
      }),
      'recorder.switch': async ({ on }) => {
        if (flight === undefined) throw new ProblemError('unsupported', 'This console records nothing.')
        flight.switch(on)
        return null
      },
      'past.extent': async () => recorded().extent(),
      'past.moment': async ({ at }) => recorded().moment(at),
      'past.step': async (step) => {
        const { step: take } = recorded()
        if (take === undefined) throw new ProblemError('unsupported', 'Only a run can be stepped through.')
        return take(step)
      },
      'past.facts': async ({ server, at }) => {
        const facts = recorded().facts(server, at)
        return facts === undefined ? null : reportedFacts(facts)
      },
      'past.dump': async ({ server, level, at }) => {
        const dump = recorded().dump(server, at)
        if (dump === undefined) return null
        return level === undefined ? dump : onlyLevel(dump, level)
      },
      'past.requests': async ({ at, count }) => recorded().requests(at, count),
      'past.notes': async ({ from, to }) => [...recorded().notes(from, to)],
      ...objects.procedures,
      'effects.read': async ({ id: entry }) => (await watching.read(entry)) ?? null,
      'simulation.state': async () => session.simulation().state(),
      'simulation.control': async (change) => session.simulation().control(change),
      'live.page': async ({ connection, before, since, count }) => {
        const traffic = session.seen()
        traffic.settle()
        const { log } = traffic
        return { connection, event: log.event, requests: log.before(count, before, since) }
      },
      'live.candidate': async ({ wish }) => session.candidate(wish),
      'live.mode': async ({ connection, mode }) => {
        session.seen()
        objects.assertEditing(connection)
        return session.mode(mode)
      },
      'etcd.change': async ({ change }) => session.etcd().change(change),
      'etcd.preview': async ({ change }) => session.etcd().preview(change),
      'etcd.advise': async () => [...(await session.etcd().advise())],
      'etcd.requests': async ({ wanted }) => [...(await session.etcd().requests(wanted))],
      'etcd.test': async ({ record }) => session.etcd().test(record),
    },
    streams: {
      etcd: (_, emit, signal) => session.etcdStates.subscribe(emit, signal),
      ...events.streams,
      diagnosis: runOf(environment, async ({ at }, following) => inPieces(await verdictAt(at), following)),
      advice: runOf(environment, async ({ at, nodes }, following) => {
        const { advise } = await import('../../core/advice/advise.ts')
        const { used, verdict } = await inPieces(adviceAt(at, await verdictAt(at)), following)
        return advise(used.read(), { nodes, verdict })
      }),
      pastAlerts: runOf(environment, async ({ at }, following) => {
        const { alertsAt } = await import('../../core/alerts/past.ts')
        return inPieces(alertsAt(recorded(), at), following)
      }),
      pastPeriod: runOf(environment, async ({ server, ...range }, following) =>
        inPieces(periodOf(server, range), following),
      ),
      simulation: (_, emit, signal) => session.pace.subscribe(emit, signal),
      live: (_, emit, signal) => session.requests.subscribe(emit, signal),
      liveState: (_, emit, signal) => session.requestStates.subscribe(emit, signal),
      effects: (_, emit, signal) => watching.states.subscribe(emit, signal),
      // A caller that requests the past waits for the state of the recorder.
      recorder: (_, emit, signal) => (flight === undefined ? emit(NO_RECORDER) : flight.state.subscribe(emit, signal)),
    },
  }
  return {
    get connection() {
      return session.connection
    },
    port: address === undefined ? undefined : Number(URL.parse(address)?.port),
    handlers,
    ...(flight && { recorder: flight.state }),
    call: (name, input) => handlers.procedures[name](input),
    hear: (name, params, emit, signal) => handlers.streams[name](params, emit, signal),
    ...(live !== undefined && {
      metrics: async () => (await import('../live/metricsServer.ts')).engineMetrics(live),
    }),
    ...(simulation !== undefined && {
      async serveSimulation(port) {
        const { startSimulatedHttpServer } = await import('../simulated/httpServer.ts')
        const http = await startSimulatedHttpServer({ server: simulation.server, port })
        served = new Promise((resolve) => {
          const close = (): void => void http.close().finally(resolve)
          if (session.ended.aborted) close()
          else session.ended.addEventListener('abort', close, { once: true })
        })
        return http.url
      },
    }),
    ended: session.ended,
    async end() {
      await session.end()
      await Promise.all([served, flight?.end()])
    },
  }
}

/** Whether the source reads the time before its connection from a Prometheus. */
const readsPast = (spec: SourceSpec): boolean =>
  spec.kind === 'prometheus' || (spec.kind === 'scrape' && spec.past !== undefined)

/** Time of the latest page. */
const latestOf = (server: ServerPicture | undefined): UnixMs | undefined => server && unixMsOf(server.latest.frame.at)

/** A range of the past, and what is not needed of it. */
interface Range extends Without {
  readonly from: UnixMs
  readonly to: UnixMs
}

/** The ten minutes before an instant of the past. What follows from all pages looks back less far. */
const rangeOfPages = (to: UnixMs): Range => ({
  from: to - KEPT_MS,
  to,
  pages: { until: to - NOW_MS, pageMs: PAGE_MS },
})

/** Reading more of a recording takes longer than a user waits. */
const ADVICE_MS = 2 * 3_600_000
const rangeOfUsage = (to: UnixMs): Range => ({
  from: to - ADVICE_MS,
  to,
  pages: { until: to, pageMs: PAGE_MS },
  dumps: true,
})
/** The fraction of an advice by which it has read that. */
const USAGE_PART = 0.9

/** Lets a reader take the events of a range, and yields the fraction of what is recorded of it. */
function* readRange<R extends { take(event: SourceEvent): void }>(
  archive: Archive,
  reader: R,
  { from, to, ...without }: Range,
): Work<R> {
  const first = Math.max(from, archive.extent().first ?? from)
  for (const { event, at } of archive.events(from, to, without)) {
    reader.take(event)
    yield Math.max(0, Math.min(1, (at - first) / Math.max(1, to - first)))
  }
  return reader
}

/** Individual requests and the state of an etcd proxy are emitted only while there is a listener. */
function hearWhileRecording({ requests, requestStates, etcdStates, ended }: Session, { state }: FlightRecorder): void {
  let hearing: AbortController | undefined
  state.subscribe(({ status }) => {
    if ((status === 'off') === (hearing === undefined)) return
    hearing?.abort()
    hearing = status === 'off' ? undefined : new AbortController()
    if (hearing === undefined) return
    requests.subscribe(() => undefined, hearing.signal)
    requestStates.subscribe(() => undefined, hearing.signal)
    etcdStates.subscribe(() => undefined, hearing.signal)
  }, ended)
  ended.addEventListener('abort', () => hearing?.abort(), { once: true })
}
