import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtInObjects } from '../../core/config/builtInByVersion.ts'
import type { ObjectSet } from '../../core/config/objects.ts'
import { type Problem, toProblem } from '../../core/contract/errors.ts'
import { KEPT_REQUESTS, type FeedSpec, type LiveShadow, type ShadowReport } from '../../core/contract/live.ts'
import { AS_UPSTREAM } from '../../core/engine/corrections.ts'
import { profileFor } from '../../core/engine/profiles.ts'
import type { FeedListener } from '../../core/feeds/feedEngine.ts'
import type { FeedRun } from '../../core/feeds/feedRun.ts'
import type { ArrivalListener } from '../../core/live/draftShadow.ts'
import { ObjectStore } from '../../core/simulate/objects.ts'
import { openConnection, type Connection } from '../cluster/connection.ts'
import { createFeed } from '../feeds/open.ts'
import { makeCertificate } from '../live/certificate.ts'
import { createDraft, type Draft, type DraftOptions } from '../live/draft.ts'
import { createFrames, type Frames } from '../live/frames.ts'
import { followFacts, type ServerFacts } from '../live/serverFacts.ts'
import type { LiveTraffic } from '../live/traffic.ts'
import { followUpstreamObjects, type UpstreamObjects } from '../live/upstreamObjects.ts'
import { NEWEST_VERSION, UNTOLD } from '../live/usual.ts'
import type { ObjectDoor, ObjectsReading } from './objectDoor.ts'
import { storedSet } from './simulation/objects.ts'
import type { Environment, Source, SourceResult } from './source.ts'

const SERVER = 'feed'
const NO_CLUSTER =
  'No cluster was named beside the feed, so the engine has built-in objects; name the kubeconfig of the server to use its own.'
const READ_ONLY =
  'A feed tells what happened at the server, so nothing is edited here. Run a draft beside it on the Live screen, or connect to the server to change its objects.'
const MOST_WARNINGS = 5
const NS_PER_MS = 1e6
/** UIDs of built-in objects are the same each time. */
const SEED = 1
const HOSTS = ['127.0.0.1', 'localhost', '::1']

export interface FeedSurroundings {
  readonly environment: Environment
  /** Folder for positions in followed files and for the configuration of a webhook. */
  readonly folder: string
  /** Objects to begin with, instead of the server's or the built-in ones. */
  readonly given?: ObjectSet | undefined
}

/** What an audit log, an audit webhook or a request log tells, through an engine that only watches. */
export async function createFeedSource(spec: FeedSpec, surroundings: FeedSurroundings): Promise<SourceResult> {
  const life = new AbortController()
  try {
    return { ok: true, source: await open(spec, surroundings, life) }
  } catch (error) {
    life.abort()
    return { ok: false, problem: toProblem(error) }
  }
}

async function open(spec: FeedSpec, surroundings: FeedSurroundings, life: AbortController): Promise<Source> {
  const { environment, folder } = surroundings
  const { signal } = life
  const connection = await connectionOf(spec, environment, signal)
  const objects = await followObjects(spec, connection, surroundings, signal)
  const { version } = objects
  const engine = {
    maxRequestsInFlight: spec.maxRequestsInFlight,
    maxMutatingRequestsInFlight: spec.maxMutatingRequestsInFlight,
    profile: profileFor(version),
    corrections: AS_UPSTREAM,
  }
  const warnings: string[] = []
  const warn = (sentence: string): void => {
    // The newest few: a file that stays away would say so for ever.
    warnings.push(sentence)
    if (warnings.length > MOST_WARNINGS) warnings.shift()
    tellNotes()
  }
  let tellNotes = (): void => undefined
  const feed = await createFeed({
    spec: spec.feed,
    engine,
    kept: KEPT_REQUESTS,
    untold: UNTOLD,
    configuration: objects.now,
    clock: environment,
    positions: folder,
    certificate: async () => makeCertificate(HOSTS, environment.now()),
    warn,
  })
  const { run } = feed
  run.log.telling = false
  const closed = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => void feed.close().finally(resolve), { once: true })
  })
  if (feed.kubeconfig !== undefined) warn(await keepConfiguration(feed.kubeconfig, folder))
  objects.onChange = () => {
    run.configure(objects.now)
    tellNotes()
  }

  const frames = createFrames({
    server: SERVER,
    version,
    environment,
    byClock: false,
    present() {
      feed.settle()
      return run.latestMs === undefined ? undefined : run.engine
    },
  })
  const notes = (): string[] => [...objects.notes(), ...warnings]
  tellNotes = () => frames.setNotes(notes())
  tellNotes()
  const beside = createBeside({ run, engine, version })
  signal.addEventListener('abort', run.subscribe(beside.listener), { once: true })
  signal.addEventListener('abort', run.subscribe(frameListener(run, frames)), { once: true })
  const [server] = connection?.servers ?? []
  if (connection !== undefined && server !== undefined) {
    const onFacts = (facts: ServerFacts): void => {
      run.facts(facts)
      beside.facts(facts)
    }
    followFacts({ connection, server, environment, onFacts, onProblem: () => undefined }, signal)
  }
  const traffic: LiveTraffic = {
    log: run.log,
    version,
    get engine() {
      return run.engine
    },
    settle: () => feed.settle(),
    state() {
      const { counts } = run
      const { report } = beside
      return {
        title: feed.title,
        ...(feed.address !== undefined && { address: feed.address }),
        mode: 'feed',
        limits: [...run.limits, ...notes()],
        arrived: counts.arrived,
        unreadable: counts.unreadable,
        ...(counts.lastUnreadable !== undefined && { lastUnreadable: counts.lastUnreadable }),
        agreement: run.agreement(),
        ...(report !== undefined && { shadow: report }),
      }
    },
    shadow: (wish) => beside.wish(wish),
  }
  return {
    info: { kind: 'feed', name: feed.title, via: `through the console’s own engine of ${version}, which only watches` },
    still: spec.feed.kind !== 'audit-webhook' && !spec.feed.follow,
    objects: objects.door(feed.title),
    live: traffic,
    ended: () => feed.ended,
    closed,
    discard: () => life.abort(),
    start(ended, sink) {
      ended.addEventListener('abort', () => life.abort(), { once: true })
      frames.start(ended, sink)
    },
    tryNow: () => undefined,
    setCadence: (cadence) => frames.setCadence(cadence),
    watchDumps: (watched) => frames.watchDumps(watched),
  }
}

async function connectionOf(
  { cluster }: FeedSpec,
  { now }: Environment,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  if (cluster === undefined) return undefined
  const connection = await openConnection({ kind: 'kubeconfig', ...cluster }, now)
  signal.addEventListener('abort', () => connection.close(), { once: true })
  return connection
}

/** The objects of the engine: the server's, where one was named and they can be read, else the built-in ones. */
interface FeedObjects {
  readonly version: string
  readonly now: ObjectSet
  onChange: () => void
  notes(): readonly string[]
  door(title: string): ObjectDoor
}

async function followObjects(
  spec: FeedSpec,
  connection: Connection | undefined,
  { environment, given }: FeedSurroundings,
  signal: AbortSignal,
): Promise<FeedObjects> {
  let tell = (): void => undefined
  const upstream: UpstreamObjects | undefined =
    connection === undefined || given !== undefined
      ? undefined
      : await followUpstreamObjects(connection, environment, signal, () => {
          objects.onChange()
          tell()
        })
  const version = spec.version ?? upstream?.version ?? NEWEST_VERSION
  // What no server made gets UIDs as a server would give them.
  const builtIn = new ObjectStore(SEED).replace(given ?? builtInObjects(version))
  const builtInReading = (): ObjectsReading => ({ state: 'current', version, objects: storedSet(builtIn) })
  const objects: FeedObjects = {
    version,
    get now() {
      return upstream?.objects ?? builtIn
    },
    onChange: () => undefined,
    notes() {
      if (upstream === undefined) return given === undefined ? [NO_CLUSTER] : []
      return upstream.objects === undefined ? [cannotRead(version, upstream.problem)] : []
    },
    door: (title) => ({
      origin: upstream === undefined ? 'files' : 'cluster',
      target: upstream?.target ?? title,
      targetKey: upstream?.targetKey ?? title,
      start(ended, onReading) {
        tell = () => {
          if (!ended.aborted) onReading(upstream?.reading ?? builtInReading())
        }
        tell()
      },
      tryNow: () => undefined,
      editor: { impossible: READ_ONLY },
    }),
  }
  return objects
}

const cannotRead = (version: string, problem: Problem | undefined): string =>
  `The objects of the server cannot be read, so the engine has the built-in ones of ${version}. ${problem?.message ?? ''}`.trim()

/** Frames on the grid of the cadence, in the time of the events: a file is read faster than it was written. */
function frameListener(run: FeedRun, frames: Frames): FeedListener {
  let told = Number.NEGATIVE_INFINITY
  return {
    began: () => void (told = Number.NEGATIVE_INFINITY),
    moved(ns) {
      const at = Math.floor(ns / NS_PER_MS / frames.cadence.intervalMs)
      if (at <= told || run.latestMs === undefined) return
      told = at
      frames.tellFrame(run.engine)
    },
    arrived: () => undefined,
    lasted: () => undefined,
    watchEnded: () => undefined,
  }
}

interface Beside {
  readonly listener: FeedListener
  readonly report: ShadowReport | undefined
  wish(wish: LiveShadow): void
  facts(facts: ServerFacts): void
}

interface BesideOptions extends Pick<DraftOptions, 'version'> {
  readonly run: FeedRun
  readonly engine: Omit<DraftOptions['engine'], 'mode' | 'startUnixMs'>
}

/** The second engine, which begins anew with the first. */
function createBeside({ run, engine, version }: BesideOptions): Beside {
  let draft: Draft | undefined
  let wished: LiveShadow = { on: false }
  let known: ServerFacts | undefined
  let hearing: ArrivalListener | undefined
  return {
    get report() {
      return draft?.report
    },
    wish(wish) {
      draft?.wish(wish)
      wished = wish
    },
    facts(facts) {
      known = facts
      draft?.facts(facts)
    },
    listener: {
      began(startUnixMs) {
        draft?.close()
        draft = createDraft({
          engine: { ...engine, mode: 'priority-and-fairness', startUnixMs },
          version,
          first: run.engine,
          holdsBack: false,
          touch: (row) => run.log.touch(row),
          listen: (next) => void (hearing = next),
        })
        if (known !== undefined) draft.facts(known)
        draft.wish(wished)
      },
      moved: () => draft?.settle(),
      arrived: (row, request) => hearing?.arrived(row, request),
      lasted: (row, ns) => hearing?.lasted(row, ns),
      watchEnded: (row) => hearing?.watchEnded(row),
    },
  }
}

/** Keeps the configuration of a webhook where its server, and nobody else, can be given it. Says where. */
async function keepConfiguration(text: string, folder: string): Promise<string> {
  const path = join(folder, 'audit-webhook.kubeconfig')
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, text, { mode: 0o600 })
    return `Start the API server with --audit-webhook-config-file=${path}; the file is written anew with each start of the feed.`
  } catch (error) {
    return `The configuration for the API server could not be written to ${path}: ${toProblem(error).message}`
  }
}
