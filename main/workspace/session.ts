import type { AbortSignalLike, StreamEvent } from '../../core/contract/contract.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { Cadence, Connection, ServerHealth, SourceSpec } from '../../core/contract/source.ts'
import { createAdjustments, type Adjustments, withoutDeleted } from '../../core/impact/adjustments.ts'
import { createDeriver } from '../../core/frame/derive.ts'
import type { DerivedServer } from '../../core/frame/derived.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { FRAME_FORMAT_VERSION, type Frame, type ServerFrame } from '../../core/frame/frame.ts'
import { createHistory, type History } from '../../core/frame/history.ts'
import type { ServerFacts } from '../../core/engine/apfEngine.ts'
import type { SimulationState } from '../../core/contract/simulation.ts'
import { byCodeUnits } from '../../core/text/text.ts'
import { unixMsOf } from '../../core/units.ts'
import { noObjects, type ObjectDoor } from '../ports/objectDoor.ts'
import type { SimulationSource, Source, LiveTraffic } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import { createTopic, type Subscribable } from '../ports/topic.ts'
import { createLiveOutlet, type LiveOutlet } from './live.ts'
import { publicSpec } from './recent.ts'

type ConnectedState = Extract<Connection, { state: 'connected' }>

/** One connected source with everything that is known through it; discarded as a whole when another is connected. */
export interface Session {
  readonly connection: ConnectedState
  setCadence(cadence: Cadence): void
  tryNow(server: string | undefined): void
  /** History of one server; throws `not-found` for a server that the source does not have. */
  history(server: string): History
  /** Recomputations of one server's limits; throws like `history`. */
  adjustments(server: string): Pick<Adjustments, 'steps'>
  /** What a server stores and who watches it; `undefined` while the source does not report it. */
  facts(server: string): ServerFacts | undefined
  /** The latest frame first, when there is one. */
  readonly frames: Subscribable<StreamEvent<'frames'>>
  /** The latest reading first, when there is one. */
  dumps(server: string, emit: (dump: DumpFrame) => void, signal: AbortSignalLike): void
  /** Takes note of the objects as they are now; `undefined` while that is not known. */
  readonly knowObjects: (objects: ObjectSet | undefined) => void
  /** Flow-control objects of the source; a door to nothing where it has none. */
  readonly objects: ObjectDoor
  /** The source, when it is a simulation. */
  readonly simulation: SimulationSource | undefined
  /** How the simulation goes; nothing for other sources. */
  readonly pace: Subscribable<SimulationState>
  /** Tells it after it was changed. */
  tellPace(): void
  /** Single requests of the source, and what is told of them, where it sees them. */
  readonly traffic: LiveTraffic | undefined
  readonly live: LiveOutlet | undefined
  /** Aborted by `end`. */
  readonly ended: AbortSignal
  /** Settles once everything that the source took is given back. */
  end(): Promise<void>
}

export interface SessionOptions {
  readonly id: number
  readonly source: Source
  readonly simulation?: SimulationSource | undefined
  readonly spec: SourceSpec
  readonly cadence: Cadence
  readonly environment: Environment
  readonly onConnection: (connection: ConnectedState) => void
}

interface ServerState {
  readonly derive: (frame: ServerFrame) => DerivedServer
  readonly history: History
  readonly adjustments: Adjustments
  latest?: { readonly frame: ServerFrame; readonly derived: DerivedServer }
}

/**
 * Frames of several servers come within moments of each other; they are told together. One server's are told as soon
 * as the source has said everything that it had to say at once (a recording brings minutes at its start).
 */
const GATHER_MS = 40

export function startSession(options: SessionOptions): Session {
  const { id, source, simulation, environment } = options
  const abort = new AbortController()
  const servers = new Map<string, ServerState>()
  const health = new Map<string, ServerHealth>()
  const frames = createTopic<StreamEvent<'frames'>>()
  const pace = createTopic<SimulationState>()
  const dumps = new Map<string, DumpFrame>()
  const dumpListeners = new Set<(dump: DumpFrame) => void>()
  let cadence = options.cadence
  let seq = 0
  let objects: ObjectSet | undefined
  /** Servers with a frame that is about to be told. */
  const untold = new Set<string>()

  const state = (server: string): ServerState => {
    const known = servers.get(server) ?? {
      derive: createDeriver(server),
      history: createHistory(),
      adjustments: createAdjustments(),
    }
    servers.set(server, known)
    return known
  }
  const known = (server: string): ServerState => {
    const found = servers.get(server)
    if (found === undefined)
      throw new ProblemError('not-found', `The connected source has no server ${JSON.stringify(server)}.`)
    return found
  }
  const connection = (): ConnectedState => ({
    state: 'connected',
    id,
    source: source.info,
    spec: publicSpec(options.spec),
    cadence,
    servers: [...health.values()].toSorted((a, b) => byId(a, b)),
    ...(source.live !== undefined && { requests: true as const }),
    still: source.still,
  })
  const tellPace = (): void => {
    if (simulation !== undefined) pace.publish(simulation.state())
  }
  tellPace()
  const tellFrames = later(environment, () => {
    const latest = [...servers.values()].flatMap((server) => server.latest ?? [])
    const shown = latest.toSorted((a, b) => byId(a.frame, b.frame))
    seq++
    untold.clear()
    frames.publish({
      connection: id,
      seq,
      frame: frameOf(
        source,
        shown.map(({ frame }) => frame),
      ),
      derived: shown.map(({ derived }) => derived),
    })
    tellPace()
  })
  /** Of a simulation's history only the end is told: what came before it is asked for. */
  const isHistory = ({ at }: ServerFrame): boolean =>
    simulation !== undefined && !simulation.state().paused && unixMsOf(at) < simulation.presentUnixMs
  const tellConnection = later(environment, () => options.onConnection(connection()))

  source.start(abort.signal, {
    onServerFrame(page) {
      if (abort.signal.aborted) return
      const frame = objects === undefined ? page : withoutDeleted(page, objects)
      const server = state(frame.id)
      const derived = server.derive(frame)
      server.history.append(frame, derived)
      server.adjustments.append(frame, derived)
      server.latest = { frame, derived }
      if (isHistory(frame)) return
      // One that is never told by itself counts, so that readers know what they miss.
      if (untold.has(frame.id)) seq++
      untold.add(frame.id)
      tellFrames(servers.size > 1 ? GATHER_MS : 0)
    },
    onDump(dump) {
      if (abort.signal.aborted) return
      dumps.set(dump.server, dump)
      for (const listener of dumpListeners) listener(dump)
    },
    onHealth(entry) {
      if (abort.signal.aborted) return
      health.set(entry.id, entry)
      tellConnection(0)
    },
  })

  return {
    get connection() {
      return connection()
    },
    setCadence(next) {
      cadence = next
      source.setCadence(next)
      options.onConnection(connection())
    },
    tryNow(server) {
      source.tryNow(server)
      source.objects?.tryNow()
    },
    history: (server) => known(server).history,
    adjustments: (server) => known(server).adjustments,
    facts: (server) => source.facts?.(server),
    frames,
    dumps(server, emit, signal) {
      // A reader may name a server before anything came from it, or one that will never come: nothing is made for it.
      const listener = (dump: DumpFrame): void => void (dump.server === server && emit(dump))
      dumpListeners.add(listener)
      if (dumpListeners.size === 1) source.watchDumps?.(true)
      const leave = (): void => {
        if (dumpListeners.delete(listener) && dumpListeners.size === 0) source.watchDumps?.(false)
      }
      signal.addEventListener('abort', leave, { once: true })
      const latest = dumps.get(server)
      if (latest !== undefined) emit(latest)
    },
    knowObjects: (now) => {
      objects = now
    },
    objects: source.objects ?? noObjects(source.info.name, NO_OBJECTS),
    simulation,
    pace,
    tellPace,
    traffic: source.live,
    live: source.live && createLiveOutlet(id, source.live, environment),
    ended: abort.signal,
    async end() {
      abort.abort()
      await source.closed
    },
  }
}

const NO_OBJECTS = 'What is connected shows metrics alone, without the flow-control objects behind them.'

function frameOf(source: Source, servers: readonly ServerFrame[]): Frame {
  const at =
    servers
      .map((server) => server.at)
      .toSorted()
      .at(-1) ?? new Date(0).toISOString()
  return { formatVersion: FRAME_FORMAT_VERSION, at, source: source.info, servers: [...servers] }
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => byCodeUnits(a.id, b.id)

/** Calls once for all requests that come before it did. */
function later(environment: Environment, call: () => void): (ms: number) => void {
  let asked = false
  return (ms) => {
    if (asked) return
    asked = true
    environment.after(ms, () => {
      asked = false
      call()
    })
  }
}
