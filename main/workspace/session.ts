import type { AbortSignalLike, StreamEvent } from '../../core/contract/contract.ts'
import { ProblemError } from '../../core/contract/errors.ts'
import type { LiveEvent, CandidateWish, LiveState, ProxyMode } from '../../core/contract/live.ts'
import type { EtcdState } from '../../core/contract/etcd.ts'
import type { SimulationState } from '../../core/contract/simulation.ts'
import type { Cadence, Connected, SourceSpec } from '../../core/contract/source.ts'
import type { DumpFrame } from '../../core/frame/dump.ts'
import { frameOf } from '../../core/frame/frame.ts'
import { createPicture, type Picture, type ServerPicture } from '../../core/source/picture.ts'
import type { ObjectsReading, SourceEvent } from '../../core/source/sourceEvent.ts'
import { repeat, type Environment } from '../ports/environment.ts'
import { noObjects, type ObjectDoor } from '../ports/objectDoor.ts'
import type { EtcdDesk, LiveTraffic, SimulationSource, Source } from '../ports/source.ts'
import { createTopic, whileHeard, type Subscribable } from '../ports/topic.ts'
import { publicSpec } from './recent.ts'

/** One connected source with everything that is known through it; discarded as a whole when it ends. */
export interface Session {
  readonly connection: Connected
  /** What the source has told so far. */
  readonly picture: Picture
  /** Throws `not-found` for a server that the source does not have. */
  server(id: string): ServerPicture
  setCadence(cadence: Cadence): void
  tryNow(server: string | undefined): void
  /** Stops reading the past; nothing where the source does not read it. */
  stopPast(): void
  /** The latest frame first, when there is one. */
  readonly frames: Subscribable<StreamEvent<'frames'>>
  /** All servers in a few numbers, where there are more than frames are of. */
  readonly whole: Source['whole']
  /** The latest reading first, when there is one. */
  dumps(server: string, emit: (dump: DumpFrame) => void, signal: AbortSignalLike): void
  /** Flow-control objects of the source; a door to nothing where it has none. */
  readonly objects: ObjectDoor
  /** Begins to read the objects, and tells what is known of them at every change. Once for a session. */
  readObjects(onReading: (reading: ObjectsReading) => void): void
  /** How the simulation goes, the present first; nothing for other sources. */
  readonly pace: Subscribable<SimulationState>
  /** Throws `unsupported` for what is no simulation. */
  simulation(): Pick<SimulationSource, 'state' | 'control'>
  /** Single requests of the source, where it sees them. */
  readonly traffic: LiveTraffic | undefined
  /** The same; throws `unsupported` where no single requests are seen. */
  seen(): LiveTraffic
  readonly requests: Subscribable<LiveEvent>
  readonly requestStates: Subscribable<LiveState>
  /** Throws `unsupported` for what is no etcd proxy. */
  etcd(): EtcdDesk
  readonly etcdStates: Subscribable<EtcdState>
  /** Begins, changes or ends a draft beside; throws like `seen`. */
  candidate(wish: CandidateWish): LiveState
  /** Throws `unsupported` for what is no proxy. */
  mode(mode: ProxyMode): LiveState
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
  readonly onConnection: (connection: Connected) => void
  /** Called with everything that the source tells, once it is part of the picture, and what a frame became there. */
  readonly onEvent?: (event: SourceEvent, picture: Picture, taken: ReturnType<Picture['take']>) => void
}

/**
 * Frames of several servers come within moments of each other; they are told together. One server's are told as soon
 * as the source has said everything that it had to say at once (a recording brings minutes at its start).
 */
export const GATHER_MS = 40
/** Between two events of single requests, and between two states, while somebody listens; milliseconds. */
const ROWS_MS = 100
const STATE_MS = 1_000

/** A session is what the events of its source add up to, and the questions and wishes that its source takes. */
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
  /** Servers with a frame that is about to be told. */
  const untold = new Set<string>()

  const connection = (): Connected => ({
    id,
    source: source.info,
    spec: publicSpec(options.spec),
    cadence: source.ownCadence ?? chosen,
    servers: [...picture.health],
    ...(source.live !== undefined && { requests: true as const }),
    ...((source.etcd ?? picture.etcd) !== undefined && { etcd: true as const }),
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
        // One that is never told by itself counts, so that readers know what they miss.
        if (untold.has(event.frame.id)) seq++
        untold.add(event.frame.id)
        return tellFrames(picture.servers.length > 1 ? GATHER_MS : 0)
      case 'dump':
        return dumps.tell(event.dump)
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
    // A reader that comes back learns that it missed something, although nothing more may happen.
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
      const desk = source.etcd
      if (desk === undefined) return () => undefined
      // What fails is told by the health of the source.
      const look = (): void =>
        void desk.state().then(
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
      // A reader may name a server before anything came from it, or one that will never come: nothing is made for it.
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

/** Calls once for all requests that come before it did. */
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
