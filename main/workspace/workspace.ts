import { isDeepStrictEqual } from 'node:util'
import type { Handlers } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import {
  CadenceSchema,
  type Connection,
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
import { followSession } from './follow.ts'
import { createObjects, type Elsewhere } from './objects.ts'
import { liveProcedures } from './live.ts'
import { isRememberable, publicSpec } from './recent.ts'
import { startSession, type Session } from './session.ts'
import { simulationProcedures } from './simulation.ts'

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
  /** Ends the connected source. */
  readonly close: () => void
}

const NOTHING: Connection = { state: 'none' }

/** The one place that owns state: the connected source, its history, settings and recent sources. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { environment, access } = options
  const store = openStore(options.stateDir)

  const connections = createTopic<Connection>()
  const sessions = createTopic<Session | undefined>()
  let session: Session | undefined
  /** As it was given, with the secrets that were typed. */
  let connectedSpec: SourceSpec | undefined
  let attempts = 0
  /** The attempt that decided what is connected now; an earlier one that is slower comes too late. */
  let decided = 0
  connections.publish(NOTHING)
  sessions.publish(undefined)
  const closing = new AbortController()
  // Also where nobody looks at the page.
  const warned = new Set<string>()
  store.notices.subscribe((notices) => {
    for (const { message } of notices) {
      if (!warned.has(message)) options.warn(message)
      warned.add(message)
    }
  }, closing.signal)
  const objects = createObjects({
    sessions,
    signal: closing.signal,
    store,
    environment,
    elsewhere: access,
  })

  const replaceSession = (next: Session | undefined, spec?: SourceSpec): Connection => {
    void session?.end()
    session = next
    connectedSpec = spec
    const connection = next?.connection ?? NOTHING
    connections.publish(connection)
    sessions.publish(next)
    return connection
  }

  /** What listens on the port that the next source wants must leave it first. */
  const makeRoom = async (spec: SourceSpec): Promise<void> => {
    const present = session
    if (present === undefined || !listensOn(present, portOf(spec))) return
    const ended = present.end()
    replaceSession(undefined)
    await ended
  }

  const connect = async (spec: SourceSpec): Promise<Connection> => {
    const id = ++attempts
    await makeRoom(spec)
    const made = await access.makeSource(spec, environment)
    if (!made.ok) throw new ProblemError(made.problem.code, made.problem.message, made.problem.details)
    if (id < decided) {
      made.source.discard?.()
      throw new ProblemError('cancelled', 'Another source was connected meanwhile.')
    }
    const cadence = spec.kind === 'scrape' ? spec.cadence : CadenceSchema.parse({})
    const started = startSession({
      id,
      source: made.source,
      simulation: made.simulation,
      spec,
      cadence,
      environment,
      onConnection: (connection) => {
        if (session?.connection.id === id) connections.publish(connection)
      },
    })
    decided = id
    const connection = replaceSession(started, spec)
    if (made.simulation !== undefined) options.onSimulation?.(made.simulation.server, started.ended)
    if (made.source.live !== undefined) options.onTraffic?.(made.source.live, started.ended)
    if (isRememberable(spec)) {
      const added = {
        at: new Date(environment.now()).toISOString(),
        name: made.source.info.name,
        spec: publicSpec(spec),
      }
      // The source is connected whether or not it can be remembered; the store says why it cannot.
      await store.recents.add(added).catch(() => undefined)
    }
    return connection
  }

  /** The page does not have the secrets of the connected source; it asks about it without. */
  const withTypedSecrets = (target: Target): Target => {
    const own = connectedSpec?.kind === 'scrape' ? connectedSpec : undefined
    const shown = own && publicSpec(own)
    return own && shown?.kind === 'scrape' && isDeepStrictEqual(shown.target, target) ? own.target : target
  }

  const connected = (): Session => {
    if (session === undefined) throw new ProblemError('not-found', 'No source is connected.')
    return session
  }

  const handlers: Handlers = {
    procedures: {
      'app.info': async () => ({ version: options.version, mode: options.mode, platform: options.platform }),
      'settings.read': () => store.settings.read(),
      'settings.write': (change) => store.settings.change(change),
      'sources.contexts': ({ file }) => access.listContexts(file),
      'sources.permissions': ({ target }) => access.permissionReports(withTypedSecrets(target)),
      'sources.connect': ({ spec }) => connect(spec),
      'sources.disconnect': async () => {
        decided = ++attempts
        return replaceSession(undefined)
      },
      'sources.cadence': async (cadence) => {
        const current = connected()
        if (current.connection.still) {
          throw new ProblemError('unsupported', 'A file is read once, so there is no interval to change.')
        }
        current.setCadence(cadence)
        return current.connection
      },
      'sources.tryNow': async ({ server }) => {
        connected().tryNow(server)
        return null
      },
      'sources.recent': () => store.recents.read(),
      'sources.forget': ({ at }) => store.recents.forget(at),
      'sources.facts': async ({ server }) => {
        const facts = connected().facts(server)
        return facts === undefined ? null : reportedFacts(facts)
      },
      'history.series': async ({ server, ...range }) => connected().history(server).series(range),
      'history.heatMap': async ({ server, ...cells }) => connected().history(server).heatMap(cells),
      'allocation.steps': async ({ server, from, to }) => [...connected().adjustments(server).steps(from, to)],
      ...objects.procedures,
      ...simulationProcedures(connected),
      ...liveProcedures(connected, objects.assertEditing),
    },
    streams: {
      connection: (_, emit, signal) => connections.subscribe(emit, signal),
      notices: (_, emit, signal) => store.notices.subscribe((notices) => emit([...notices]), signal),
      consent: (_, emit, signal) => access.consent.state.subscribe(emit, signal),
      frames: (_, emit, signal) =>
        followSession(sessions, signal, (current, end) => current.frames.subscribe(emit, end)),
      dumps: ({ server, level }, emit, signal) =>
        followSession(sessions, signal, (current, end) =>
          current.dumps(server, (dump) => emit(level === undefined ? dump : onlyLevel(dump, level)), end),
        ),
      objects: objects.stream,
      simulation: (_, emit, signal) =>
        followSession(sessions, signal, (current, end) => current.pace.subscribe(emit, end)),
      live: (_, emit, signal) =>
        followSession(sessions, signal, (current, end) => current.live?.rows.subscribe(emit, end)),
      liveState: (_, emit, signal) =>
        followSession(sessions, signal, (current, end) => current.live?.states.subscribe(emit, end)),
    },
  }
  return {
    handlers,
    close() {
      decided = Infinity
      replaceSession(undefined)
      closing.abort()
      store.close()
    },
  }
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
