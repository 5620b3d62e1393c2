import type { AbortSignalLike, StreamEvent } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/errors.ts'
import type { LiveEvent, CandidateWish, LiveState, ProxyMode } from '../../core/contract/live.ts'
import type { EtcdState } from '../../core/contract/etcd.ts'
import type { SimulationState } from '../../core/contract/simulation.ts'
import type { Cadence, Connected, SourceSpec } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { ALGORITHM_OPTIONS } from '../../core/engine/profiles.ts'
import { frameOf, ofAlgorithm } from '../../core/frame/frame.ts'
import { createPicture, type Picture, type ServerPicture } from '../../core/source/picture.ts'
import type { ObjectsReading, SourceEvent } from '../../core/source/sourceEvent.ts'
import { repeat, type Environment } from '../ports/environment.ts'
import { noObjects, type ObjectGateway } from '../ports/objectGateway.ts'
import type { EtcdControl, LiveTraffic, SimulationSource, Source } from '../ports/source.ts'
import { createTopic, whileHeard, type Subscribable } from '../ports/topic.ts'
import { publicSpec } from './recent.ts'

/** One connected source with all data that was read through it; discarded as a whole when it ends. */
export interface Session {
  readonly connection: Connected
  /** The picture of all events of the source so far. */
  readonly picture: Picture
  /** Throws `not-found` for a server that the source does not have. */
  server(id: string): ServerPicture
  setCadence(cadence: Cadence): void
  tryNow(server: string | undefined): void
  /** Stops reading the past; does nothing where the source does not read it. */
  stopPast(): void
  /** The latest frame first, when there is one. */
  readonly frames: Subscribable<StreamEvent<'frames'>>
  /** Key figures of all servers, where there are more servers than frames are emitted for. */
  readonly whole: Source['whole']
  /** The latest reading first, when there is one. */
  dumps(server: string, emit: (dump: DumpFrame) => void, signal: AbortSignalLike): void
  /** Flow-control objects of the source; an empty gateway where it has none. */
  readonly objects: ObjectGateway
  /** Begins to read the objects, and calls `onReading` with every reading. Once per session. */
  readObjects(onReading: (reading: ObjectsReading) => void): void
  /** State of the simulation, the present first; nothing for other sources. */
  readonly pace: Subscribable<SimulationState>
  /** Throws `unsupported` for a source that is not a simulation. */
  simulation(): Pick<SimulationSource, 'state' | 'control'>
  /** Individual requests of the source, where it observes them. */
  readonly traffic: LiveTraffic | undefined
  /** The same; throws `unsupported` where no individual requests are observed. */
  seen(): LiveTraffic
  readonly requests: Subscribable<LiveEvent>
  readonly requestStates: Subscribable<LiveState>
  /** Throws `unsupported` for a source that is not an etcd proxy. */
  etcd(): EtcdControl
  readonly etcdStates: Subscribable<EtcdState>
  /** Starts, changes or ends a draft that runs alongside; throws like `seen`. */
  candidate(wish: CandidateWish): LiveState
  /** Throws `unsupported` for a source that is not a proxy. */
  mode(mode: ProxyMode): LiveState
  /** Aborted by `end`. */
  readonly ended: AbortSignal
  /** Settles once everything that the source acquired is released. */
  end(): Promise<void>
}

export interface SessionOptions {
  readonly id: number
  readonly source: Source
  readonly simulation?: SimulationSource | undefined
  readonly spec: SourceSpec
  readonly cadence: Cadence
  readonly environment: Environment
  readonly onConnection: (connection: Connected) => void
  /** Called with every event of the source, once it is part of the picture, and with the picture's result for a frame. */
  readonly onEvent?: (event: SourceEvent, picture: Picture, taken: ReturnType<Picture['take']>) => void
}

/**
 * Frames of several servers arrive within moments of each other; they are emitted together. The frames of a single
 * server are emitted as soon as the source has emitted all events of the same moment (a recording emits minutes at its
 * start).
 */
export const GATHER_MS = 40
/** Between two events of individual requests, and between two states, while there is a listener; milliseconds. */
const ROWS_MS = 100
const STATE_MS = 1_000

/** A session accumulates the events of its source, and passes queries and commands to it. */
export function startSession(options: SessionOptions): Session {
  const { id, source, simulation, environment } = options
  const abort = new AbortController()
  const picture = createPicture()
  const frames = createTopic<StreamEvent<'frames'>>()
  const pace = createTopic<SimulationState>()
  const objects = source.objects ?? noObjects(source.info.name, NO_OBJECTS)
  let onReading = (_reading: ObjectsReading): void => undefined
  let chosen = options.cadence
  let seq = 0
  /** Servers with a frame that has not been emitted yet. */
  const untold = new Set<string>()

  const connection = (): Connected => ({
    id,
    source: source.info,
    spec: publicSpec(options.spec),
    cadence: source.ownCadence ?? chosen,
    servers: [...picture.health],
    ...(source.live !== undefined && { requests: true as const }),
    ...((source.etcd ?? picture.etcd) !== undefined && { etcd: true as const }),
    ...ofAlgorithm(ALGORITHM_OPTIONS.find(([name]) => name === source.info.algorithm)?.[1]),
    still: source.still,
  })
  const tellFrames = later(environment, () => {
    const latest = picture.servers.map((server) => server.latest)
    seq++
    untold.clear()
    frames.publish({
      connection: id,
      seq,
      frame: frameOf(
        source.info,
        latest.map(({ frame }) => frame),
      ),
      derived: latest.map(({ derived }) => derived),
    })
  })
  const tellConnection = later(environment, () => options.onConnection(connection()))

  const take = (event: SourceEvent): void => {
    if (abort.signal.aborted) return
    const taken = picture.take(event)
    options.onEvent?.(event, picture, taken)
    switch (event.kind) {
      case 'frame':
        if (event.past === true) return
        // A frame that is never emitted by itself counts, so that readers can detect what they missed.
        if (untold.has(event.frame.id)) seq++
        untold.add(event.frame.id)
        return tellFrames(picture.servers.length > 1 ? GATHER_MS : 0)
      case 'dump':
        if (event.past !== true) dumps.tell(event.dump)
        return
      case 'health':
        return tellConnection(0)
      case 'objects':
        return onReading(event.reading)
      case 'requests':
        if ('state' in event) requestStates.tell(event.state)
        else requests.tell({ connection: id, ...event.changes })
        return
      case 'pace':
        return pace.publish(event.pace)
      case 'etcd':
        return etcdStates.tell(event.state)
    }
  }

  const dumps = whileHeard<DumpFrame>(() => {
    source.watchDumps?.(true)
    return () => source.watchDumps?.(false)
  })
  const { live } = source
  const requests = whileHeard<LiveEvent>(
    () => {
      if (live === undefined) return () => undefined
      live.log.telling = true
      const stop = repeat(environment, ROWS_MS, () => {
        live.settle()
        const changes = live.log.takeChanges()
        if (changes.event !== changes.from) take({ kind: 'requests', changes })
      })
      return () => {
        stop()
        live.log.telling = false
      }
    },
    // A reader that reconnects can detect that it missed something, even if nothing more happens.
    () => live && { connection: id, from: live.log.event, event: live.log.event, requests: [], dropped: 0 },
  )
  const stateOf = (from: LiveTraffic): LiveState => {
    from.settle()
    return from.state()
  }
  const tellState = (from: LiveTraffic): LiveState => {
    const state = stateOf(from)
    take({ kind: 'requests', state })
    return state
  }
  const requestStates = whileHeard<LiveState>(
    () => (live === undefined ? () => undefined : repeat(environment, STATE_MS, () => tellState(live))),
    () => live && stateOf(live),
  )
  const seen = (): LiveTraffic => {
    if (live !== undefined) return live
    throw new ProblemError('unsupported', 'The connected source shows no single requests; connect a proxy or a feed.')
  }

  const etcdStates = whileHeard<EtcdState>(
    () => {
      const etcd = source.etcd
      if (etcd === undefined) return () => undefined
      // The health of the source reports failures.
      const look = (): void =>
        void etcd.state().then(
          (state) => take({ kind: 'etcd', state }),
          () => undefined,
        )
      look()
      return repeat(environment, STATE_MS, look)
    },
    () => picture.etcd,
  )

  source.start(abort.signal, take)
  return {
    get connection() {
      return connection()
    },
    picture,
    server(server) {
      const found = picture.server(server)
      if (found !== undefined) return found
      throw new ProblemError('not-found', `The connected source has no server ${JSON.stringify(server)}.`)
    },
    setCadence(next) {
      if (source.ownCadence !== undefined) throw new ProblemError('unsupported', OWN_CADENCE)
      chosen = next
      source.setCadence(next)
      options.onConnection(connection())
    },
    stopPast: () => source.stopPast?.(),
    tryNow(server) {
      source.tryNow(server)
      objects.tryNow()
    },
    frames,
    whole: source.whole,
    dumps(server, emit, signal) {
      // A reader may name a server before its first event, or one that never appears: nothing is created for it.
      dumps.subscribe((dump) => void (dump.server === server && emit(dump)), signal)
      const latest = picture.dump(server)
      if (latest !== undefined) emit(latest)
    },
    objects,
    readObjects(listener) {
      onReading = listener
      objects.start(abort.signal, (reading) => take({ kind: 'objects', origin: objects.origin, reading }))
    },
    pace,
    simulation() {
      if (simulation !== undefined) return simulation
      throw new ProblemError('unsupported', 'The connected source is not a simulation, so you cannot control it.')
    },
    traffic: live,
    seen,
    requests,
    requestStates,
    candidate(wish) {
      const traffic = seen()
      traffic.candidate(wish)
      return tellState(traffic)
    },
    mode(mode) {
      const traffic = seen()
      if (traffic.change === undefined) {
        throw new ProblemError('unsupported', 'Only a proxy can enforce; connect one first.')
      }
      traffic.change(mode)
      return tellState(traffic)
    },
    etcdStates,
    etcd() {
      if (source.etcd !== undefined) return source.etcd
      throw new ProblemError('unsupported', 'The connected source is no etcd proxy; connect one first.')
    },
    ended: abort.signal,
    async end() {
      abort.abort()
      await source.closed
    },
  }
}

const OWN_CADENCE = 'A frame follows each scrape of Prometheus; change scrape_interval in its configuration.'
const NO_OBJECTS = 'This source has metrics only, without flow-control objects.'

/** Calls once for all requests made before the call. */
function later({ after }: Environment, call: () => void): (ms: number) => void {
  let asked = false
  return (ms) => {
    if (asked) return
    asked = true
    after(ms, () => {
      asked = false
      call()
    })
  }
}
