import { isDeepStrictEqual } from 'node:util'
import type { Handlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import {
  CadenceSchema,
  type Cadence,
  type Connected,
  type FoundContext,
  type PermissionReport,
  type SourceSpec,
  type Target,
} from '../../core/contract/source.ts'
import { reportedFacts } from '../../core/live/serverFacts.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import type { Consent } from '../cluster/consent.ts'
import type { SourceResult, LiveTraffic, SimulatedApiServer } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import { openStore } from '../store/store.ts'
import { createTopic } from '../ports/topic.ts'
import { createObjects, type Elsewhere } from './objects.ts'
import { isRememberable, publicSpec } from './recent.ts'
import { createObjectDesk, type ObjectDesk } from './objectDesk.ts'
import { startSession, type Session } from './session.ts'

/** What the workspace asks of the rooms around it; passed in, so that tests need no cluster. */
export interface Access extends Elsewhere {
  readonly consent: Consent
  makeSource(spec: SourceSpec, environment: Environment): Promise<SourceResult>
  listContexts(file: string | undefined): Promise<FoundContext[]>
  permissionReports(target: Target): Promise<PermissionReport[]>
}

export interface WorkspaceOptions {
  /** Folder of the store; made when it is missing. */
  readonly stateDir: string
  readonly environment: Environment
  readonly access: Access
  readonly version: string
  readonly mode: 'desktop' | 'web' | 'memory'
  readonly platform: string
  /** Called with a sentence for each event that the operator should know about although nothing failed. */
  readonly warn: (sentence: string) => void
  /** Called when a simulated server is connected, and again when it is disconnected. */
  readonly onSimulation?: (server: SimulatedApiServer, ended: AbortSignal) => void
  /** Called with the engine of a live source that is connected, and again when it is disconnected. */
  readonly onTraffic?: (traffic: LiveTraffic, ended: AbortSignal) => void
}

export interface Workspace {
  readonly handlers: Handlers
  /** Ends the connected sources. */
  readonly close: () => void
}

/** A connected source. */
interface Open {
  readonly session: Session
  readonly desk: ObjectDesk
  /** As it was given, with the secrets that were typed. */
  readonly spec: SourceSpec
}

/** The one place that owns state: the connected sources, their history, settings and recent sources. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { environment, access } = options
  const store = openStore(options.stateDir)

  const connections = createTopic<Connected[]>()
  /** By place: a source that is connected in the place of another one takes over its place. */
  const open = new Map<number, Open>()
  /** The place of each connection there ever was, by its id. */
  const places = new Map<number, number>()
  /** By place, the attempt that decided what is connected there; an earlier one that is slower comes too late. */
  const decided = new Map<number, number>()
  let attempts = 0
  const closing = new AbortController()
  const tell = (): void => connections.publish([...open.values()].map(({ session }) => session.connection))
  tell()
  // Also where nobody looks at the page.
  const warned = new Set<string>()
  store.notices.subscribe((notices) => {
    for (const { message } of notices) {
      if (!warned.has(message)) options.warn(message)
      warned.add(message)
    }
  }, closing.signal)

  const find = (id: number): Open | undefined => {
    const found = open.get(places.get(id) ?? Number.NaN)
    return found?.session.connection.id === id ? found : undefined
  }
  const openOf = (id: number): Open => {
    const found = find(id)
    if (found === undefined) throw new ProblemError('not-found', 'This source is not connected any more.')
    return found
  }
  const sessionOf = (id: number): Session => openOf(id).session
  const objects = createObjects({ deskOf: (id) => openOf(id).desk, store, environment, elsewhere: access })

  /** Settles once the source has given back everything that it took. */
  const leave = (place: number): Promise<void> => {
    const ended = open.get(place)?.session.end() ?? Promise.resolve()
    if (open.delete(place)) tell()
    return ended
  }

  const connect = async (spec: SourceSpec, inPlaceOf: number | null | undefined): Promise<Connected> => {
    const id = ++attempts
    const place = inPlaceOf === undefined ? id : inPlaceOf === null ? 0 : (places.get(inPlaceOf) ?? id)
    const present = open.get(place)?.session
    // What listens on the port that the next source wants must leave it first.
    if (present !== undefined && listensOn(present, portOf(spec))) await leave(place)
    const made = await access.makeSource(spec, environment)
    if (!made.ok) throw new ProblemError(made.problem.code, made.problem.message, made.problem.details)
    if (closing.signal.aborted || id < (decided.get(place) ?? 0)) {
      made.source.discard?.()
      throw new ProblemError('cancelled', 'Another source was connected meanwhile.')
    }
    decided.set(place, id)
    void open.get(place)?.session.end()
    const session = startSession({
      id,
      source: made.source,
      simulation: made.simulation,
      spec,
      cadence: spec.kind === 'scrape' ? spec.cadence : CadenceSchema.parse({}),
      environment,
      onConnection: tell,
    })
    const desk = createObjectDesk(session, environment)
    places.set(id, place)
    open.set(place, { session, desk, spec })
    tell()
    objects.resolveOnce(desk, session.ended)
    if (made.simulation !== undefined) options.onSimulation?.(made.simulation.server, session.ended)
    if (made.source.live !== undefined) options.onTraffic?.(made.source.live, session.ended)
    if (isRememberable(spec)) {
      const added = {
        at: new Date(environment.now()).toISOString(),
        name: made.source.info.name,
        spec: publicSpec(spec),
      }
      // The source is connected whether or not it can be remembered; the store says why it cannot.
      await store.recents.add(added).catch(() => undefined)
    }
    return session.connection
  }

  /** The page does not have the secrets of a connected source; it asks about it without. */
  const withTypedSecrets = (target: Target): Target => {
    for (const { spec } of open.values()) {
      if (spec.kind !== 'scrape') continue
      const shown = publicSpec(spec)
      if (shown.kind === 'scrape' && isDeepStrictEqual(shown.target, target)) return spec.target
    }
    return target
  }

  const handlers: Handlers = {
    procedures: {
      'app.info': async () => ({ version: options.version, mode: options.mode, platform: options.platform }),
      'settings.read': () => store.settings.read(),
      'settings.write': (change) => store.settings.change(change),
      'sources.contexts': ({ file }) => access.listContexts(file),
      'sources.permissions': ({ target }) => access.permissionReports(withTypedSecrets(target)),
      'sources.connect': ({ spec, inPlaceOf }) => connect(spec, inPlaceOf),
      'sources.disconnect': async ({ connection }) => {
        const place = places.get(connection)
        if (place === undefined || find(connection) === undefined) return null
        decided.set(place, ++attempts)
        void leave(place)
        return null
      },
      'sources.cadence': async ({ connection, ...cadence }) => {
        const session = sessionOf(connection)
        if (session.connection.still) {
          throw new ProblemError('unsupported', 'A file is read once, so there is no interval to change.')
        }
        session.setCadence(cadence)
        return session.connection
      },
      'sources.tryNow': async ({ connection, server }) => {
        sessionOf(connection).tryNow(server)
        return null
      },
      'sources.recent': () => store.recents.read(),
      'sources.forget': ({ at }) => store.recents.forget(at),
      'sources.facts': async ({ connection, server }) => {
        const facts = sessionOf(connection).picture.facts(server)
        return facts === undefined ? null : reportedFacts(facts)
      },
      'history.series': async ({ connection, server, ...range }) =>
        sessionOf(connection).server(server).history.series(range),
      'history.heatMap': async ({ connection, server, ...cells }) =>
        sessionOf(connection).server(server).history.heatMap(cells),
      'allocation.steps': async ({ connection, server, from, to }) => [
        ...sessionOf(connection).server(server).adjustments.steps(from, to),
      ],
      ...objects.procedures,
      'simulation.state': async ({ connection }) => sessionOf(connection).simulation().state(),
      'simulation.control': async ({ connection, ...change }) => sessionOf(connection).simulation().control(change),
      'live.page': async ({ connection, before, since, count }) => {
        const traffic = sessionOf(connection).seen()
        traffic.settle()
        const { log } = traffic
        return { connection, event: log.event, requests: log.before(count, before, since) }
      },
      'live.candidate': async ({ connection, wish }) => sessionOf(connection).candidate(wish),
      'live.mode': async ({ connection, mode }) => {
        const session = sessionOf(connection)
        session.seen()
        objects.assertEditing(connection)
        return session.mode(mode)
      },
    },
    streams: {
      connections: (_, emit, signal) => connections.subscribe(emit, signal),
      notices: (_, emit, signal) => store.notices.subscribe((notices) => emit([...notices]), signal),
      consent: (_, emit, signal) => access.consent.state.subscribe(emit, signal),
      frames: ({ connection }, emit, signal) => find(connection)?.session.frames.subscribe(emit, signal),
      dumps: ({ connection, server, level }, emit, signal) =>
        find(connection)?.session.dumps(
          server,
          (dump) => emit(level === undefined ? dump : onlyLevel(dump, level)),
          signal,
        ),
      objects: ({ connection }, emit, signal) => find(connection)?.desk.states.subscribe(emit, signal),
      simulation: ({ connection }, emit, signal) => find(connection)?.session.pace.subscribe(emit, signal),
      live: ({ connection }, emit, signal) => find(connection)?.session.requests.subscribe(emit, signal),
      liveState: ({ connection }, emit, signal) => find(connection)?.session.requestStates.subscribe(emit, signal),
    },
  }
  return {
    handlers,
    close() {
      closing.abort()
      for (const place of open.keys()) void leave(place)
      store.close()
    },
  }
}

/** Connects what the console opens with. Rejects with `ProblemError`. */
export async function connectFirst({ procedures }: Handlers, spec: SourceSpec, cadence: Cadence): Promise<void> {
  const { id: connection } = await procedures['sources.connect']({ spec, inPlaceOf: null })
  // The interval is no part of these as sources.
  if (spec.kind === 'demo' || spec.kind === 'simulation')
    await procedures['sources.cadence']({ connection, ...cadence })
}

/** 0 where any port will do, or none is wanted. */
const portOf = (spec: SourceSpec): number => {
  if (spec.kind === 'proxy') return spec.port
  return spec.kind === 'feed' && spec.feed.kind === 'audit-webhook' ? spec.feed.port : 0
}
const listensOn = ({ traffic }: Session, port: number): boolean => {
  const address = port === 0 ? undefined : traffic?.state().address
  return address !== undefined && URL.parse(address)?.port === String(port)
}

/** Levels are few and stay; queues and requests are what makes a dump large. */
function onlyLevel(dump: DumpFrame, level: string): DumpFrame {
  return {
    ...dump,
    ...(dump.queues && { queues: dump.queues.filter((queue) => queue.level === level) }),
    ...(dump.requests && { requests: dump.requests.filter((request) => request.level === level) }),
  }
}
