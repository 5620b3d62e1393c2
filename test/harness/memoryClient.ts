import type { ConnectedClient } from '../../core/contract/client.ts'
import type { Handlers, StreamEvent } from '../../core/contract/contract.ts'
import { ProblemError, type Problem } from '../../core/contract/errors.ts'
import { SettingsSchema, type Settings } from '../../core/contract/settings.ts'
import type { Connected, Consent, RecentSource, SourceSpec } from '../../core/contract/source.ts'
import { createPicture, type ServerPicture } from '../../core/source/picture.ts'
import { syntheticStory, type StoryMoment } from '../fixtures/synthetic.ts'
import { memoryClient } from './memoryPorts.ts'
import { foundContexts, healthOf, permissionReports, prometheusServers } from './memoryAnswers.ts'
import { sendMany } from './memoryDumps.ts'
import { memoryLive, type MemoryLiveOptions } from './memoryLive.ts'
import { memoryObjects, type MemoryObjects } from './memoryObjects.ts'
import { memorySimulation } from './memorySimulation.ts'
import { LIVE_SPECS, scrapeSpec, sourceOf } from './memorySources.ts'

export interface StoryClientOptions {
  readonly levels?: number
  readonly servers?: number
  /** Seconds of history that exist at the start. */
  readonly history?: number
  readonly intervalMs?: number
  /** Whether the story is connected from the start. */
  readonly connected?: boolean
  /** Whether contexts of a kubeconfig are found on this machine. */
  readonly kubeconfig?: boolean
  readonly settings?: Partial<Settings>
  readonly now?: () => number
  /** Frames come only from `tick`. */
  readonly manual?: boolean
  /** Instead of the story's dumps ten a second of so many queues. */
  readonly manyQueues?: number
  /** The story is told by a proxy or a feed, which tells of single requests too. */
  readonly live?: Pick<MemoryLiveOptions, 'mode' | 'perSecond' | 'before'>
}

export interface StoryClient {
  readonly client: ConnectedClient
  /** What is connected, for a component that is shown without `startState`. */
  readonly connections: () => readonly Connected[]
  /** Lives through the next second of the story. */
  tick(): void
  /** Lives through the next tenth of a second of the single requests. */
  tickLive(): void
  /** No frames while silent, as when the server does not answer. */
  setSilent(silent: boolean): void
  /** Says what the console cannot read or keep. */
  setNotices(notices: Problem[]): void
  /** The operator is asked something, or not any more. */
  setConsent(state: Consent): void
  /** The server's flow-control objects, to be changed behind the console's back. */
  readonly objects: Pick<MemoryObjects, 'tell' | 'writeElsewhere' | 'setBroken' | 'keptDraft'>
  stop(): void
}

/** The whole console without another side: a client whose answers come from a synthetic story, in real time. */
export function storyClient(options: StoryClientOptions = {}): StoryClient {
  const { levels = 8, servers = 3, history = 600, intervalMs = 1_000, now = () => Date.now() } = options
  const startAt = now() - history * 1_000
  const story = syntheticStory({ levels, servers, seconds: Number.POSITIVE_INFINITY, startAt })
  let latest: StoryMoment | undefined
  const picture = createPicture()
  let settings = SettingsSchema.parse(options.settings ?? {})
  let recent: RecentSource[] = [
    { at: new Date(startAt).toISOString(), name: 'prod-eu-1', spec: scrapeSpec('prod-eu-1') },
    { at: new Date(startAt - 86_400_000).toISOString(), name: 'kind-dev', spec: scrapeSpec('kind-dev') },
  ]
  let connection: Connected | undefined
  let silent = false
  let seq = 0
  const onNotices = new Set<(notices: Problem[]) => void>()
  const onConnections = new Set<(connections: Connected[]) => void>()
  let consent: Consent = { waiting: null }
  const onConsent = new Set<(state: Consent) => void>()
  const onFrame = new Set<(event: StreamEvent<'frames'>) => void>()
  const onDump = new Set<() => void>()

  const next = (): void => {
    const { value, done } = story.next()
    if (done === true) return
    latest = value
    for (const frame of value.frame.servers) picture.take({ kind: 'frame', frame })
  }
  const serverOf = (id: string): ServerPicture => {
    const found = picture.server(id)
    if (found === undefined) throw new ProblemError('not-found', `The story has no server ${JSON.stringify(id)}.`)
    return found
  }
  for (let second = 0; second <= history; second += 1) next()

  const event = (): StreamEvent<'frames'> | undefined => {
    if (latest === undefined || connection === undefined) return undefined
    const frame = { ...latest.frame, source: connection.source }
    return { connection: connection.id, seq, frame, derived: latest.derived }
  }
  const connections = (): Connected[] => (connection === undefined ? [] : [connection])
  const announce = (): void => {
    connection &&= { ...connection, servers: healthOf(latest?.frame.servers ?? [], silent, now()) }
    for (const emit of onConnections) emit(connections())
  }
  const connect = (spec: SourceSpec): Connected => {
    const id = (connection?.id ?? 0) + 1
    const source = sourceOf(spec)
    const cadence = spec.kind === 'scrape' ? spec.cadence : { intervalMs: 1_000, dumpsEveryMs: 5_000 }
    const made = { id, source, spec, cadence, servers: [], still: source.kind === 'file' }
    connection = made
    seq += 1
    announce()
    const first = event()
    if (first !== undefined) for (const emit of onFrame) emit(first)
    return made
  }
  const tick = (): void => {
    if (silent) {
      announce()
      return
    }
    next()
    seq += 1
    const arrived = event()
    if (arrived === undefined || connection?.still === true) return
    for (const emit of onFrame) emit(arrived)
    if (seq % 5 === 0) {
      announce()
      for (const emit of onDump) emit()
    }
  }
  if (options.connected ?? true) connect(options.live === undefined ? { kind: 'demo' } : LIVE_SPECS[options.live.mode])

  const simulation = memorySimulation()
  const objects = memoryObjects()
  const live = memoryLive({
    ...(options.live ?? { mode: 'simulation', perSecond: 0, before: 0 }),
    now,
    connection: () => connection?.id ?? 0,
  })
  const handlers: Handlers = {
    procedures: {
      'app.info': async () => ({ version: '0.1.0', mode: 'memory', platform: 'page' }),
      'settings.read': async () => settings,
      'settings.write': async (change) => (settings = SettingsSchema.parse({ ...settings, ...change })),
      'sources.contexts': async () => (options.kubeconfig === false ? [] : foundContexts),
      'sources.permissions': async ({ target }) => permissionReports(target, now()),
      'sources.servers': async ({ target }) => prometheusServers(target, now()),
      'sources.stopPast': async () => null,
      'sources.connect': async ({ spec }) => connect(spec),
      'sources.disconnect': async () => {
        connection = undefined
        announce()
        return null
      },
      'sources.cadence': async ({ connection: _the, ...cadence }) => {
        if (connection === undefined) throw new ProblemError('not-found', 'Nothing is connected.')
        connection = { ...connection, cadence }
        announce()
        return connection
      },
      'sources.tryNow': async () => {
        silent = false
        return null
      },
      'sources.recent': async () => recent,
      'sources.forget': async ({ at }) => (recent = recent.filter((entry) => entry.at !== at)),
      'recorder.switch': async () => null,
      'history.series': async ({ server, ...query }) => serverOf(server).history.series(query),
      'history.heatMap': async ({ server, ...query }) => serverOf(server).history.heatMap(query),
      ...simulation.procedures,
      ...objects.procedures,
      ...live.procedures,
      'sources.facts': async () => null,
      'allocation.steps': async ({ server, from, to }) => [
        ...(picture.server(server)?.adjustments.steps(from, to) ?? []),
      ],
    },
    streams: {
      recorder: () => undefined,
      consent: (_params, emit, signal) => {
        onConsent.add(emit)
        signal.addEventListener('abort', () => void onConsent.delete(emit))
        emit(consent)
      },
      connections: (_params, emit, signal) => {
        onConnections.add(emit)
        signal.addEventListener('abort', () => void onConnections.delete(emit))
        emit(connections())
      },
      frames: (_params, emit, signal) => {
        onFrame.add(emit)
        signal.addEventListener('abort', () => void onFrame.delete(emit))
        const first = event()
        if (first !== undefined) emit(first)
      },
      notices: (_params, emit, signal) => {
        onNotices.add(emit)
        signal.addEventListener('abort', () => void onNotices.delete(emit))
        emit([])
      },
      simulation: simulation.stream,
      objects: objects.stream,
      ...live.streams,
      dumps: ({ server, level }, emit, signal) => {
        if (options.manyQueues !== undefined) return sendMany({ server, level }, options.manyQueues, emit, signal)
        const send = (): void => {
          if (latest !== undefined) emit(latest.dump(server, level))
        }
        onDump.add(send)
        signal.addEventListener('abort', () => void onDump.delete(send))
        send()
      },
    },
  }
  const client = memoryClient(handlers, {
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
    random: () => Math.random(),
  })
  const timer = options.manual === true ? undefined : setInterval(tick, intervalMs)
  const liveTimer = options.manual === true || options.live === undefined ? undefined : setInterval(live.tick, 100)
  return {
    client,
    connections,
    tick,
    tickLive: live.tick,
    setNotices(notices) {
      for (const emit of onNotices) emit(notices)
    },
    objects,
    setConsent(state) {
      consent = state
      for (const emit of onConsent) emit(state)
    },
    setSilent: (value) => {
      silent = value
      announce()
    },
    stop: () => {
      clearInterval(timer)
      clearInterval(liveTimer)
      client.close()
    },
  }
}
