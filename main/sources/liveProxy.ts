import type { ObjectSet } from '../../core/config/objects.ts'
import { type Problem, toProblem } from '../../core/contract/errors.ts'
import { KEPT_REQUESTS, type ProxySpec } from '../../core/contract/live.ts'
import { AS_UPSTREAM } from '../../core/engine/corrections.ts'
import { profileFor } from '../../core/engine/profiles.ts'
import { AgreementMeter } from '../../core/live/agreement.ts'
import type { LiveRow } from '../../core/live/requestLog.ts'
import { type ServerFacts, tellFacts } from '../../core/live/serverFacts.ts'
import { openConnection, type Connection } from '../cluster/connection.ts'
import { createDraft } from '../live/draft.ts'
import { createEngineObjects, type EngineObjects } from '../live/engineObjects.ts'
import { createFollowRun } from '../live/followRun.ts'
import { createFrames } from '../live/frames.ts'
import { createLiveRun } from '../live/liveRun.ts'
import { followFacts } from '../live/followFacts.ts'
import type { LiveTraffic } from '../live/traffic.ts'
import { followUpstreamObjects, type UpstreamObjects } from '../live/upstreamObjects.ts'
import { NEWEST_VERSION, UNTOLD } from '../live/usual.ts'
import { openProxy, type OpenedProxy } from '../proxy/open.ts'
import type { Environment, Source, SourceResult } from './source.ts'

const SERVER = 'proxy'
const NOT_BESIDE =
  'Requests that reach the server without the proxy are not seen here: neither their seats nor their watches.'
const PASSES =
  'Requests pass at once. Queues, waits and refusals are what the engine would have done; each request keeps its seats for as long as it really took.'

/**
 * A proxy in front of a server, with an engine that decides about its requests or watches them. It listens when it is made;
 * `given` are the objects to begin with, instead of the server's or the built-in ones.
 */
export async function createProxySource(
  spec: ProxySpec,
  environment: Environment,
  given?: ObjectSet,
): Promise<SourceResult> {
  const life = new AbortController()
  try {
    const connection = await connectionOf(spec, environment)
    life.signal.addEventListener('abort', () => connection.close(), { once: true })
    return { ok: true, source: await open({ spec, connection, environment, given, life }) }
  } catch (error) {
    life.abort()
    return { ok: false, problem: toProblem(error) }
  }
}

/** How the upstream is asked about itself, beside the requests that go through. */
function connectionOf({ upstream }: ProxySpec, { now }: Environment): Promise<Connection> {
  return upstream.kind === 'kubeconfig'
    ? openConnection(upstream, now)
    : openConnection({ kind: 'urls', urls: [`${upstream.url.replace(/\/+$/, '')}/metrics`] }, now)
}

interface Opening {
  readonly spec: ProxySpec
  readonly connection: Connection
  readonly environment: Environment
  readonly given: ObjectSet | undefined
  readonly life: AbortController
}

async function open({ spec, connection, environment, given, life }: Opening): Promise<Source> {
  let objects: EngineObjects | undefined
  /** Any HTTP server may be behind an address; it is asked about flow control only where that is wanted. */
  const asks = spec.upstream.kind === 'kubeconfig' || spec.objects === 'upstream'
  const upstream: UpstreamObjects | undefined = asks
    ? await followUpstreamObjects(connection, environment, life.signal, () => objects?.follow())
    : undefined
  const version = spec.version ?? upstream?.version ?? NEWEST_VERSION
  const agreement = new AgreementMeter()
  const engine = {
    mode: 'priority-and-fairness',
    maxRequestsInFlight: spec.maxRequestsInFlight,
    maxMutatingRequestsInFlight: spec.maxMutatingRequestsInFlight,
    profile: profileFor(version),
    corrections: AS_UPSTREAM,
    startUnixMs: environment.now(),
  } as const
  const enforces = spec.mode === 'enforce'
  const run = (enforces ? createLiveRun : createFollowRun)({
    engine,
    clock: { now: () => performance.now(), after: environment.after },
    kept: KEPT_REQUESTS,
    untold: UNTOLD,
    onAnswered: (row: LiveRow) => agreement.note(row, environment.now()),
  })
  run.log.telling = false
  const target = `proxy in front of ${connection.name}`
  const frames = createFrames({
    server: SERVER,
    version,
    environment,
    byClock: true,
    present() {
      run.settle()
      return run.engine
    },
  })
  let proxy: OpenedProxy | undefined
  let factsProblem: Problem | undefined
  const notes = (): string[] => [
    ...(objects?.notes() ?? []),
    ...(proxy?.notes ?? []),
    ...(factsProblem === undefined ? [] : [`${NO_FACTS} ${factsProblem.message}`]),
  ]
  const tellNotes = (): void => frames.setNotes(notes())
  const draft = createDraft({
    engine,
    version,
    first: run.engine,
    holdsBack: enforces,
    touch: (row) => run.log.touch(row),
    listen: (listener) => run.listen(listener),
  })
  objects = createEngineObjects({
    target,
    version,
    upstream: spec.objects === 'upstream' ? upstream : undefined,
    given,
    configure(set) {
      run.configure(set)
      tellNotes()
    },
    now: environment.now,
  })
  const nameOf = (uid: string): string | undefined => upstream?.names.get(uid)
  const opened = await openProxy(spec, {
    run,
    names: { level: nameOf, schema: nameOf },
    now: environment.now,
    env: process.env,
  })
  proxy = opened
  tellNotes()
  const closed = new Promise<void>((resolve) => {
    const close = async (): Promise<void> => {
      draft.close()
      await opened.close()
      run.close()
    }
    life.signal.addEventListener('abort', () => void close().finally(resolve), { once: true })
  })
  const [server] = connection.servers
  if (server !== undefined && upstream?.objects !== undefined) {
    const onFacts = (facts: ServerFacts): void => {
      run.settle()
      tellFacts(run.engine, facts)
      draft.facts(facts)
    }
    const onProblem = (problem: Problem | undefined): void => {
      if (problem?.message === factsProblem?.message) return
      factsProblem = problem
      tellNotes()
    }
    followFacts({ connection, server, environment, onFacts, onProblem }, life.signal)
  }
  const traffic: LiveTraffic = {
    log: run.log,
    version,
    engine: run.engine,
    settle() {
      run.settle()
      draft.settle()
    },
    state() {
      const { report } = draft
      return {
        title: opened.title,
        address: opened.url,
        mode: spec.mode,
        limits: [NOT_BESIDE, ...(enforces ? [] : [PASSES]), ...notes()],
        arrived: run.log.count,
        unreadable: 0,
        agreement: agreement.read(environment.now()),
        ...(report !== undefined && { shadow: report }),
      }
    },
    shadow: (wish) => draft.wish(wish),
  }
  return {
    info: { kind: 'proxy', name: target, via: viaOf(spec, opened, version) },
    still: false,
    objects: objects.door,
    live: traffic,
    closed,
    discard: () => life.abort(),
    start(signal, sink) {
      signal.addEventListener('abort', () => life.abort(), { once: true })
      frames.start(signal, sink)
    },
    tryNow: () => undefined,
    setCadence: (cadence) => frames.setCadence(cadence),
    watchDumps: (watched) => frames.watchDumps(watched),
  }
}

const NO_FACTS = 'How many objects there are is not known, so each list counts as one seat.'

const viaOf = ({ mode }: ProxySpec, { url }: OpenedProxy, version: string): string =>
  `${url}, ${mode === 'enforce' ? 'requests wait for' : 'requests pass beside'} the console’s own engine of ${version}`
