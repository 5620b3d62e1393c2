import { isDeepStrictEqual } from 'node:util'
import {
  DISCONNECT,
  OPEN_PAST,
  type AbortSignalLike,
  type Handlers,
  type ProcedureHandlers,
  type SourceHandlers,
  type SourceProcedureName,
  type SourceRunName,
  type SourceStreamName,
  type StreamEvent,
  type StreamHandlers,
} from '../../core/contract/contract.ts'
import { standsInThePast } from '../../core/frame/reading.ts'
import { NOT_CONNECTED, ProblemError, toProblem, type Problem } from '../../core/errors.ts'
import type { ClusterService, PrometheusServers, PrometheusTarget, Through } from '../../core/contract/prometheus.ts'
import type { RecordingPart } from '../../core/contract/recording.ts'
import type { LineTo } from '../../core/contract/relay.ts'
import type {
  Cadence,
  Connected,
  FoundContext,
  PermissionReport,
  SourceSpec,
  Target,
} from '../../core/contract/source.ts'
import type { Consent } from '../cluster/consent.ts'
import type { SourceResult } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import type { RunEvent } from '../../core/contract/whatif.ts'
import type { Following, RecordingReader, WhatIfRunner } from '../ports/whatIf.ts'
import type { Shelf } from '../recordings/shelf.ts'
import type { Uploads } from '../recordings/uploads.ts'
import { openStore } from '../store/store.ts'
import { createTopic } from '../ports/topic.ts'
import type { ConnectedSource, OpenSource } from './connectedSource.ts'
import { keptProcedures, type Elsewhere } from './objects.ts'
import { forecastHandlers } from './forecast.ts'
import { whatIfHandlers } from './whatIf.ts'
import { createUpdates } from './updates.ts'
import { isRememberable, publicPrometheus, publicSpec } from './recent.ts'
import { runOf } from './runs.ts'

/** What the workspace needs from its environment; passed in, so that tests need no cluster. */
export interface Access extends Elsewhere {
  readonly consent: Consent
  readonly makeSource: (spec: SourceSpec, environment: Environment) => Promise<SourceResult>
  listContexts(file: string | undefined): Promise<FoundContext[]>
  permissionReports(target: Target): Promise<PermissionReport[]>
  /** The recordings in the state folder. */
  recordings(): Promise<Shelf>
  prometheusServers(target: PrometheusTarget, environment: Environment): Promise<PrometheusServers>
  /** Services of a cluster that answer as Prometheus, or the named one. */
  clusterServices(
    through: Through,
    named: string | undefined,
    environment: Environment,
  ): Promise<readonly ClusterService[]>
}

export interface WorkspaceOptions {
  /** Folder of the store, created when it is missing; `undefined` keeps everything in memory. */
  readonly stateDir: string | undefined
  readonly environment: Environment
  readonly access: Access
  readonly version: string
  readonly mode: 'desktop' | 'web' | 'memory'
  readonly platform: string
  /** Called with a sentence for each event that the operator should know about although nothing failed. */
  readonly warn: (sentence: string) => void
  /** Connects a source; by default in this thread. */
  readonly open?: OpenSource
  /** Compares variants and forecasts edits; without it neither is available. */
  readonly whatIf?: WhatIfRunner
  /** Called with each source that is connected. */
  readonly onConnected?: (source: ConnectedSource) => void
}

export interface Workspace {
  readonly handlers: Handlers
  /** Lines to connected sources that run elsewhere; for `serve`. */
  readonly lineTo: LineTo
  /** Ends the connected sources; settles once they have released what they acquired. */
  readonly close: () => Promise<void>
}

/** A connected source. */
interface Open {
  readonly id: number
  /** The connection whose past it is; such a connection is in no list. */
  readonly pastOf?: number
  readonly source: ConnectedSource
  /** As it was given, with the secrets that were typed. */
  readonly spec: SourceSpec
}

/** The single owner of state: the connected sources, settings and recent sources. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { environment, access } = options
  const store = openStore(options.stateDir)
  const open: OpenSource =
    options.open ??
    (async (request) => {
      // A console with threads loads it in those.
      const { openSource } = await import('./connectedSource.ts')
      return openSource(request, { environment, store, makeSource: access.makeSource })
    })

  const connections = createTopic<Connected[]>()
  /** By place: a source that replaces another one gets its place. */
  const connected = new Map<number, Open>()
  /** The place of each connection there ever was, by its id. */
  const places = new Map<number, number>()
  /** By place, the attempt that decided what is connected there; an earlier but slower attempt is ignored. */
  const decided = new Map<number, number>()
  let attempts = 0
  const closing = new AbortController()
  const listed = (): Open[] => [...connected.values()].filter(({ pastOf }) => pastOf === undefined)
  const tell = (): void => connections.publish(listed().map(({ source }) => source.connection))
  tell()

  const notices = createTopic<readonly Problem[]>()
  /** Notices of this store, by connection of each source that has its own store, and of a source that was lost. */
  const noticed = new Map<number | 'own' | 'lost', readonly Problem[]>()
  // Even if no page shows the notices.
  const warned = new Set<string>()
  const notice = (of: number | 'own' | 'lost', problems: readonly Problem[]): void => {
    noticed.set(of, problems)
    const all = new Map([...noticed.values()].flat().map((problem) => [problem.message, problem]))
    notices.publish([...all.values()])
    for (const message of all.keys()) {
      if (!warned.has(message)) options.warn(message)
      warned.add(message)
    }
  }
  store.notices.subscribe((problems) => notice('own', problems), closing.signal)

  const find = (id: number): Open | undefined => {
    const found = connected.get(places.get(id) ?? Number.NaN)
    return found?.id === id ? found : undefined
  }
  const sourceOf = (id: number): ConnectedSource => {
    const found = find(id)
    if (found === undefined) throw new ProblemError('not-found', NOT_CONNECTED)
    return found.source
  }

  /** Settles once the source has released everything that it acquired. */
  const leave = (place: number): Promise<void> => {
    const left = connected.get(place)
    // This comes first: a source that is already disconnected when it ends was not lost.
    if (connected.delete(place)) tell()
    if (left !== undefined) leavePast(left.id)
    return left?.source.end() ?? Promise.resolve()
  }
  const leavePast = (of: number): void => {
    for (const [place, { pastOf }] of connected) if (pastOf === of) void leave(place)
  }

  const connect = async (given: SourceSpec, inPlaceOf: number | null | undefined): Promise<Connected> => {
    const id = ++attempts
    const spec = await comparisons.complete(withSecrets(given))
    const place = inPlaceOf === undefined ? id : inPlaceOf === null ? 0 : (places.get(inPlaceOf) ?? id)
    const port = portOf(spec)
    // If the old source listens on the port that the new one needs, it must end first.
    if (port !== 0 && connected.get(place)?.source.port === port) await leave(place)
    const source = await open({
      id,
      spec,
      onConnection: tell,
      onNotices: (problems) => notice(id, problems),
    })
    if (closing.signal.aborted || id < (decided.get(place) ?? 0)) {
      void source.end()
      throw new ProblemError('cancelled', 'Another source was connected meanwhile.')
    }
    decided.set(place, id)
    const before = connected.get(place)
    places.set(id, place)
    connected.set(place, { id, source, spec })
    void before?.source.end()
    if (before !== undefined) leavePast(before.id)
    source.ended.addEventListener('abort', () => lose(id, source.ended.reason), { once: true })
    notice('lost', [])
    tell()
    options.onConnected?.(source)
    const { connection } = source
    if (isRememberable(spec)) {
      const added = {
        at: new Date(environment.now()).toISOString(),
        name: connection.source.name,
        spec: publicSpec(spec),
      }
      // The source is connected whether or not it can be stored as recent; the store reports why it cannot.
      await store.recents.add(added).catch(() => undefined)
    }
    return source.connection
  }
  /** Notices of a source that ended no longer matter; a source that ended by itself is no longer connected. */
  const lose = (id: number, reason: unknown): void => {
    noticed.delete(id)
    const lost = find(id) !== undefined
    notice('lost', lost ? [toProblem(reason)] : (noticed.get('lost') ?? []))
    if (!lost) return
    connected.delete(places.get(id) ?? Number.NaN)
    leavePast(id)
    tell()
  }

  /**
   * Names of the recordings of a source: for a cluster or an etcd proxy, all that were made of it; for any other
   * source, only the present one.
   */
  const recordingsOf = async ({ source, id }: Open): Promise<string[]> => {
    const shelf = await access.recordings()
    const { spec } = source.connection
    const { kind, name, via } = source.connection.source
    const own = await recordingNow(source, id)
    const lasting = kind === 'scrape' || kind === 'prometheus' || (spec.kind === 'etcd' && spec.of.kind !== 'story')
    return shelf
      .list(await store.presence())
      .filter((one) => one.id === own || (lasting && isDeepStrictEqual(one.source, { kind, name, via })))
      .map((one) => one.id)
  }

  const openPast = async (of: number): Promise<number> => {
    const found = find(of)
    if (found === undefined) throw new ProblemError('not-found', NOT_CONNECTED)
    if (standsInThePast(found.spec)) return of
    const ids = await recordingsOf(found)
    if (ids.length === 0) throw new ProblemError('not-found', NOTHING_RECORDED)
    const spec: SourceSpec = { kind: 'recording', ids }
    const there = [...connected.values()].find(({ pastOf }) => pastOf === of)
    if (there !== undefined && isDeepStrictEqual(there.spec, spec)) return there.id
    const id = ++attempts
    const source = await open({ id, spec, onConnection: () => undefined, onNotices: () => undefined })
    if (closing.signal.aborted || find(of) === undefined) {
      void source.end()
      throw new ProblemError('cancelled', NOT_CONNECTED)
    }
    leavePast(of)
    places.set(id, id)
    connected.set(id, { id, source, spec, pastOf: of })
    return id
  }

  /** The page does not have the secrets of a connected source; it sends the target without them. */
  const withTypedSecrets = (target: Target): Target => {
    for (const { spec } of connected.values()) {
      if (spec.kind !== 'scrape') continue
      const shown = publicSpec(spec)
      if (shown.kind === 'scrape' && isDeepStrictEqual(shown.target, target)) return spec.target
    }
    return target
  }

  /** The same for a connected Prometheus: at the same address, as the same user or tenant. */
  const asConnected = (target: PrometheusTarget): PrometheusTarget => {
    for (const { spec } of connected.values()) {
      if (spec.kind !== 'prometheus') continue
      const { credentials, headers } = spec
      const { url, credentials: shown, tenant } = publicPrometheus(spec)
      if (!isDeepStrictEqual([url, shown, tenant], [target.url, target.credentials, target.tenant])) continue
      return { ...target, ...(credentials && { credentials }), ...(headers && { headers }) }
    }
    return target
  }

  const withSecrets = (spec: SourceSpec): SourceSpec => {
    if (spec.kind === 'prometheus') return { ...spec, ...asConnected(spec) }
    if (spec.kind === 'scrape' && spec.past) return { ...spec, past: { ...spec.past, ...asConnected(spec.past) } }
    return spec
  }

  let taking: Promise<Uploads> | undefined
  const uploads = (): Promise<Uploads> => (taking ??= access.recordings().then((shelf) => shelf.uploads(environment)))

  const { twinOf, forecast } = forecastHandlers({ runner: options.whatIf, sourceOf, environment })
  const tuning = { runner: options.whatIf, openPast, sourceOf, twinOf, environment }
  const comparisons = whatIfHandlers({ runner: options.whatIf, openPast, sourceOf, kept: store.scenarios })
  const updates = createUpdates({ store, version: options.version, now: () => environment.now() })
  /** In a thread, so that windows go on meanwhile. */
  const reader = async (): Promise<RecordingReader> =>
    (options.stateDir === undefined ? undefined : options.whatIf?.reader?.(options.stateDir)) ?? access.recordings()
  /** Exports a recording, or makes its report. */
  const share = <T>(work: (by: RecordingReader, part: RecordingPart, following: Following) => Promise<T>) =>
    runOf(environment, async (part: RecordingPart, following) => work(await reader(), part, following))
  const handlers: Handlers = {
    procedures: {
      'app.info': async () => ({ version: options.version, mode: options.mode, platform: options.platform }),
      'app.update': () => updates.read(),
      'settings.read': () => store.settings.read(),
      'settings.write': (change) => store.settings.change(change),
      'sources.contexts': ({ file }) => access.listContexts(file),
      'sources.permissions': ({ target }) => access.permissionReports(withTypedSecrets(target)),
      'sources.connect': ({ spec, inPlaceOf }) => connect(spec, inPlaceOf),
      [DISCONNECT]: async ({ connection }) => {
        const place = places.get(connection)
        if (place === undefined || find(connection) === undefined) return null
        decided.set(place, ++attempts)
        void leave(place)
        return null
      },
      'recordings.list': async () => [...(await access.recordings()).list(await store.presence())],
      'recordings.strip': async ({ id }) => (await reader()).strip(id, environment.now()),
      'recordings.remove': async ({ id }) => [...(await access.recordings()).remove(id, await store.presence())],
      'recordings.upload': async (file) => (await uploads()).begin(file),
      'recordings.uploadPart': async (part) => {
        await (await uploads()).add(part)
        return null
      },
      'recordings.cancelUpload': async ({ upload }) => {
        await (await uploads()).cancel(upload)
        return null
      },
      'recordings.import': async ({ upload }) => (await uploads()).import(upload),
      'recordings.imported': async ({ upload }) => (await uploads()).imported(upload),
      [OPEN_PAST]: ({ connection }) => openPast(connection),
      'sources.servers': ({ target }) => access.prometheusServers(asConnected(target), environment),
      'sources.services': async (through) => [...(await access.clusterServices(through, undefined, environment))],
      'sources.recent': () => store.recents.read(),
      'sources.forget': ({ at }) => store.recents.forget(at),
      ...keptProcedures(store, access, environment),
      ...comparisons.procedures,
      ...sourceProcedures(sourceOf),
    },
    streams: {
      connections: (_, emit, signal) => connections.subscribe(emit, signal),
      notices: (_, emit, signal) => notices.subscribe((problems) => emit([...problems]), signal),
      consent: (_, emit, signal) => access.consent.state.subscribe(emit, signal),
      ...comparisons.streams,
      export: share((by, part, following) => by.export(part, options.version, following)),
      report: share((by, part, following) => by.report(part, options.version, following)),
      // Loaded on first use: it needs the code of simulations.
      tune: (wish, emit, signal) =>
        void import('./tune.ts').then(
          ({ tuneHandlers }) => tuneHandlers(tuning).tune(wish, emit, signal),
          (thrown: unknown) => emit({ kind: 'failed', problem: toProblem(thrown) }),
        ),
      forecast,
      ...sourceStreams((id) => find(id)?.source),
    },
  }
  return {
    handlers,
    lineTo: (id) => find(id)?.source.line?.(),
    async close() {
      closing.abort()
      await (await taking?.catch(() => undefined))?.close()
      await Promise.all([...connected.keys()].map(leave))
      store.close()
    },
  }
}

type About<I> = I & { readonly connection: number }

/** Each procedure calls the source that its input names. */
function sourceProcedures(of: (id: number) => ConnectedSource): SourceHandlers['procedures'] {
  const asks =
    <N extends SourceProcedureName>(name: N) =>
    async (input: About<Parameters<ProcedureHandlers[N]>[0]>) =>
      of(input.connection).call(name, input)
  return {
    'sources.cadence': asks('sources.cadence'),
    'sources.tryNow': asks('sources.tryNow'),
    'sources.stopPast': asks('sources.stopPast'),
    'sources.facts': asks('sources.facts'),
    'alerts.silence': asks('alerts.silence'),
    'forecast.evidence': asks('forecast.evidence'),
    'recorder.switch': asks('recorder.switch'),
    'past.extent': asks('past.extent'),
    'past.moment': asks('past.moment'),
    'past.step': asks('past.step'),
    'past.facts': asks('past.facts'),
    'past.dump': asks('past.dump'),
    'past.requests': asks('past.requests'),
    'past.notes': asks('past.notes'),
    'history.series': asks('history.series'),
    'history.heatMap': asks('history.heatMap'),
    'allocation.steps': asks('allocation.steps'),
    'editing.switch': asks('editing.switch'),
    'objects.check': asks('objects.check'),
    'objects.apply': asks('objects.apply'),
    'objects.giveUp': asks('objects.giveUp'),
    'journal.read': asks('journal.read'),
    'journal.undo': asks('journal.undo'),
    'journal.redo': asks('journal.redo'),
    'effects.read': asks('effects.read'),
    'drafts.read': asks('drafts.read'),
    'simulation.state': asks('simulation.state'),
    'simulation.control': asks('simulation.control'),
    'live.page': asks('live.page'),
    'live.candidate': asks('live.candidate'),
    'live.mode': asks('live.mode'),
    'etcd.change': asks('etcd.change'),
    'etcd.preview': asks('etcd.preview'),
    'etcd.advise': asks('etcd.advise'),
    'etcd.requests': asks('etcd.requests'),
    'etcd.test': asks('etcd.test'),
  }
}

const LOST = {
  kind: 'failed',
  problem: { code: 'not-found', message: NOT_CONNECTED },
} as const satisfies RunEvent<never>

/** A source that is not connected emits nothing, and a run of it fails. */
function sourceStreams(of: (id: number) => ConnectedSource | undefined): SourceHandlers['streams'] {
  const hears =
    <N extends SourceStreamName>(name: N) =>
    (
      params: About<Parameters<StreamHandlers[N]>[0]>,
      emit: (event: StreamEvent<N>) => void,
      signal: AbortSignalLike,
    ): void =>
      of(params.connection)?.hear(name, params, emit, signal)
  const runs =
    <N extends SourceRunName>(name: N) =>
    (
      params: About<Parameters<StreamHandlers[N]>[0]>,
      emit: (event: StreamEvent<N> | typeof LOST) => void,
      signal: AbortSignalLike,
    ): void => {
      if (of(params.connection) === undefined) emit(LOST)
      else hears(name)(params, emit, signal)
    }
  return {
    diagnosis: runs('diagnosis'),
    advice: runs('advice'),
    pastAlerts: runs('pastAlerts'),
    pastPeriod: runs('pastPeriod'),
    frames: hears('frames'),
    summary: hears('summary'),
    dumps: hears('dumps'),
    objects: hears('objects'),
    simulation: hears('simulation'),
    live: hears('live'),
    liveState: hears('liveState'),
    etcd: hears('etcd'),
    recorder: hears('recorder'),
    alerts: hears('alerts'),
    notes: hears('notes'),
    effects: hears('effects'),
  }
}

/** Connects the initial source. Rejects with `ProblemError`. */
export async function connectFirst({ procedures }: Handlers, spec: SourceSpec, cadence: Cadence): Promise<void> {
  const { id: connection } = await procedures['sources.connect']({ spec, inPlaceOf: null })
  // The specifications of these sources do not contain the interval.
  if (spec.kind === 'demo' || spec.kind === 'simulation')
    await procedures['sources.cadence']({ connection, ...cadence })
}

const NOTHING_RECORDED =
  'Nothing of this source is recorded. The Connection screen shows whether recording is on, and switches it on.'

/** The name of the recording in progress of a source; `undefined` if there is none. */
async function recordingNow(source: ConnectedSource, connection: number): Promise<string | undefined> {
  const heard = new AbortController()
  try {
    return await new Promise((resolve) => {
      source.hear('recorder', { connection }, ({ id }) => resolve(id), heard.signal)
      source.ended.addEventListener('abort', () => resolve(undefined), { once: true })
    })
  } finally {
    heard.abort()
  }
}

/** 0 where any port will do, or none is needed. */
const portOf = (spec: SourceSpec): number => {
  if (spec.kind === 'proxy') return spec.port
  return spec.kind === 'feed' && spec.feed.kind === 'audit-webhook' ? spec.feed.port : 0
}
