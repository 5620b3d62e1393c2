import { join } from 'node:path'
import type { ObjectSet } from '../../core/config/objects.ts'
import { type Problem, toProblem } from '../../core/errors.ts'
import type { FeedSpec } from '../../core/contract/live.ts'
import { KEPT_REQUESTS } from '../../core/bounds.ts'
import { ofAlgorithm } from '../../core/frame/frame.ts'
import { engineText } from '../../core/frame/reading.ts'
import { AS_UPSTREAM, rulesOf } from '../../core/engine/profiles.ts'
import type { FeedListener } from '../../core/feeds/feedEngine.ts'
import type { FeedRun } from '../../core/feeds/feedRun.ts'
import { UNTOLD } from '../../core/live/requestLog.ts'
import { nsToMs } from '../../core/units.ts'
import { openConnection, type Connection } from '../cluster/connection.ts'
import type { Consent } from '../cluster/consent.ts'
import { createFeed } from '../feeds/open.ts'
import { createBeside } from '../live/beside.ts'
import { makeCertificate } from '../listen/certificate.ts'
import { followFeedObjects } from '../live/feedObjects.ts'
import { createFrames, type Frames } from '../live/frames.ts'
import { followFacts, type FactsOptions } from '../live/followFacts.ts'
import { openStore } from '../store/store.ts'
import { writeAtomically } from '../files/files.ts'
import { ownFolder } from '../files/ownFolder.ts'
import type { Source, SourceResult, LiveTraffic } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'

const SERVER = 'feed'
const MOST_WARNINGS = 5
const HOSTS = ['127.0.0.1', 'localhost', '::1']

export interface FeedSurroundings {
  readonly environment: Environment
  readonly consent: Consent
  /** Folder of the store, which keeps positions in followed files, and of the configuration of a webhook. */
  readonly stateDir: string
  /** Initial objects, instead of the server's or the built-in ones. */
  readonly given?: ObjectSet | undefined
  /** Row changes are emitted from the first one on, as many as are kept: for a consumer that records them all. */
  readonly everyRow?: boolean
}

/** Passes the requests of an audit log, an audit webhook or a request log to an engine that only observes. */
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
  const { environment, stateDir, everyRow = false } = surroundings
  const folder = join(stateDir, 'feeds')
  const { signal } = life
  const connection = await connectionOf(spec, surroundings, signal)
  const objects = await followFeedObjects({ spec, connection, environment, given: surroundings.given, signal })
  const { version } = objects
  const engine = {
    maxRequestsInFlight: spec.maxRequestsInFlight,
    maxMutatingRequestsInFlight: spec.maxMutatingRequestsInFlight,
    ...rulesOf(spec.algorithm ?? 'upstream', version),
    ...(spec.consistentReadsFromCache === false && { consistentReadsFromCache: false }),
    corrections: AS_UPSTREAM,
  }
  const warnings: string[] = []
  const warn = (sentence: string): void => {
    // Only the newest few: a missing file would add warnings indefinitely.
    warnings.push(sentence)
    if (warnings.length > MOST_WARNINGS) warnings.shift()
    tellNotes()
  }
  let tellNotes = (): void => undefined
  const store = spec.feed.kind === 'audit-webhook' ? undefined : openStore(stateDir)
  store?.notices.subscribe((notices) => notices.forEach(({ message }) => warn(message)), signal)
  let closed = Promise.resolve()
  // Even when the feed cannot be opened.
  signal.addEventListener('abort', () => void closed.finally(() => store?.close()), { once: true })
  const feed = await createFeed({
    spec: spec.feed,
    engine,
    kept: KEPT_REQUESTS,
    untold: everyRow ? KEPT_REQUESTS : UNTOLD,
    configuration: objects.now,
    clock: environment,
    places: store?.places,
    certificate: () => makeCertificate(HOSTS, environment.now()),
    warn,
  })
  const { run } = feed
  run.log.telling = everyRow
  closed = new Promise<void>((resolve) => {
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
  let factsProblem: Problem | undefined
  const notes = (): string[] => [
    ...objects.notes(),
    ...(factsProblem === undefined ? [] : [`Object counts and watches cannot be read: ${factsProblem.message}`]),
    ...warnings,
  ]
  tellNotes = () => frames.setNotes(notes())
  tellNotes()
  const beside = createBeside({ run, engine, version })
  signal.addEventListener('abort', run.subscribe(beside.listener), { once: true })
  signal.addEventListener('abort', run.subscribe(frameListener(run, frames)), { once: true })
  const [server] = connection?.servers ?? []
  if (connection !== undefined && server !== undefined) {
    const onFacts: FactsOptions['onFacts'] = (reported) => {
      frames.tellFacts(reported)
      run.facts(reported)
    }
    const onProblem: FactsOptions['onProblem'] = (problem) => {
      factsProblem = problem
      tellNotes()
    }
    followFacts({ connection, server, environment, onFacts, onTimes: (times) => run.times(times), onProblem }, signal)
  }
  const traffic: LiveTraffic = {
    log: run.log,
    version,
    get engine() {
      return run.engine
    },
    get before() {
      return run.before
    },
    settle: () => feed.settle(),
    state() {
      const { counts } = run
      const { report } = beside
      return {
        title: feed.title,
        ...(feed.address !== undefined && { address: feed.address }),
        mode: 'feed',
        findings: [...run.findings],
        limits: [...run.limits, ...notes()],
        arrived: counts.arrived,
        ...(counts.heldBack > 0 && { heldBack: counts.heldBack }),
        unreadable: counts.unreadable,
        ...(counts.lastUnreadable !== undefined && { lastUnreadable: counts.lastUnreadable }),
        ...(feed.refused !== undefined && { refused: feed.refused }),
        agreement: run.agreement(),
        waits: run.waits,
        ...(report !== undefined && { candidate: report }),
      }
    },
    candidate: (wish) => beside.wish(wish),
    finish: () => feed.finish(),
  }
  return {
    info: {
      kind: 'feed',
      name: feed.title,
      via: `through the console’s own ${engineText(spec.algorithm, version)}, which only watches`,
      ...ofAlgorithm(spec.algorithm),
    },
    still: spec.feed.kind !== 'audit-webhook' && !spec.feed.follow,
    objects: objects.gateway(feed.title),
    live: traffic,
    closed,
    start(ended, emit) {
      ended.addEventListener('abort', () => life.abort(), { once: true })
      frames.start(ended, emit)
      void feed.over?.then(() => emit({ kind: 'note', note: 'ended' }))
    },
    setCadence: (cadence) => frames.setCadence(cadence),
    watchDumps: (watched) => frames.watchDumps(watched),
  }
}

async function connectionOf(
  { cluster }: FeedSpec,
  { environment: { now }, consent }: FeedSurroundings,
  signal: AbortSignal,
): Promise<Connection | undefined> {
  if (cluster === undefined) return undefined
  const connection = await openConnection({ kind: 'kubeconfig', ...cluster }, now, { consent })
  signal.addEventListener('abort', () => connection.close(), { once: true })
  return connection
}

/** Frames on the grid of the cadence, in the time of the events: a file is read faster than it was written. */
function frameListener(run: FeedRun, frames: Frames): FeedListener {
  let reportedMs = Number.NEGATIVE_INFINITY
  return {
    began: () => void (reportedMs = Number.NEGATIVE_INFINITY),
    moved(ns) {
      const at = Math.floor(nsToMs(ns) / frames.cadence.intervalMs)
      if (at <= reportedMs || run.latestMs === undefined) return
      reportedMs = at
      frames.tellFrame(run.engine)
    },
    arrived: () => undefined,
    lasted: () => undefined,
    watchEnded: () => undefined,
    abandoned: () => undefined,
    onFacts: () => undefined,
  }
}

/** Writes the configuration of a webhook to a file that only this user can read. Returns a sentence with its path. */
async function keepConfiguration(text: string, folder: string): Promise<string> {
  const path = join(folder, 'audit-webhook.kubeconfig')
  try {
    ownFolder(folder)
    await writeAtomically(path, text)
    return `Start the API server with --audit-webhook-config-file=${path}; the file is written anew with each start of the feed.`
  } catch (error) {
    return `The configuration for the API server could not be written to ${path}: ${toProblem(error).message}`
  }
}
