import type { ObjectSet } from '../../core/config/objects.ts'
import { type Problem, toProblem } from '../../core/errors.ts'
import type { ProxySpec } from '../../core/contract/live.ts'
import { KEPT_REQUESTS } from '../../core/bounds.ts'
import { ofAlgorithm } from '../../core/frame/frame.ts'
import { engineText } from '../../core/frame/reading.ts'
import { AS_UPSTREAM, NEWEST_VERSION, rulesOf } from '../../core/engine/profiles.ts'
import { AgreementMeter } from '../../core/live/agreement.ts'
import { type LiveRow, RequestLog, UNTOLD } from '../../core/live/requestLog.ts'
import { type ServerFacts, tellFacts } from '../../core/engine/facts.ts'
import { UsualDurations } from '../../core/run/usualDurations.ts'
import { openConnection, type Connection } from '../cluster/connection.ts'
import type { Consent } from '../cluster/consent.ts'
import { createDraft } from '../live/draft.ts'
import { createEngineObjects, type EngineObjects } from '../live/engineObjects.ts'
import { createFrames } from '../live/frames.ts'
import { createModeRun } from '../live/modes.ts'
import { followFacts, readFacts } from '../live/followFacts.ts'
import { followUpstreamObjects, type UpstreamObjects } from '../live/upstreamObjects.ts'
import { openReached, type ReachedProxy } from '../proxy/openReached.ts'
import type { Source, SourceResult, LiveTraffic } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'

const SERVER = 'proxy'
const NOT_BESIDE =
  'The proxy does not see requests that reach the server directly: neither their seats nor their watches.'
const PASSES =
  'Requests pass at once. Queues, waits and rejections are what the engine would have done; each request holds its seats for as long as it really took.'

const CROWDED =
  'Answered 429: the heads of the requests that wait and run fill 64 MB. Look for a client that sends very long requests.'

export interface ProxySourceSurroundings {
  readonly environment: Environment
  readonly consent: Consent
  /** Folder for the console's own certificates and tokens, and for kubeconfigs of clients. */
  readonly folder: string
  /** Path for the kubeconfig of the clients. */
  readonly clientKubeconfig?: string | undefined
  /** Initial objects, instead of the server's or the built-in ones. */
  readonly given?: ObjectSet | undefined
}

/** A proxy in front of a server, with an engine that enforces or observes. It listens once it is created. */
export async function createProxySource(spec: ProxySpec, surroundings: ProxySourceSurroundings): Promise<SourceResult> {
  const life = new AbortController()
  try {
    const connection = await connectionOf(spec, surroundings)
    life.signal.addEventListener('abort', () => connection.close(), { once: true })
    return { ok: true, source: await open({ spec, connection, surroundings, life }) }
  } catch (error) {
    life.abort()
    return { ok: false, problem: toProblem(error) }
  }
}

/** The connection for queries about the upstream itself, in addition to the forwarded requests. */
function connectionOf(
  { upstream }: ProxySpec,
  { environment: { now }, consent }: ProxySourceSurroundings,
): Promise<Connection> {
  return upstream.kind === 'kubeconfig'
    ? openConnection(upstream, now, { consent })
    : openConnection({ kind: 'urls', urls: [`${upstream.url.replace(/\/+$/, '')}/metrics`] }, now, { consent })
}

interface Opening {
  readonly spec: ProxySpec
  readonly connection: Connection
  readonly surroundings: ProxySourceSurroundings
  readonly life: AbortController
}

async function open({ spec, connection, surroundings, life }: Opening): Promise<Source> {
  const { environment, consent, folder, clientKubeconfig, given } = surroundings
  let objects: EngineObjects | undefined
  /** Any HTTP server may be at an address; flow control is queried only if the spec requests it. */
  const asks = spec.upstream.kind === 'kubeconfig' || spec.objects === 'upstream'
  const upstream: UpstreamObjects | undefined = asks
    ? await followUpstreamObjects(connection, environment, life.signal, () => objects?.follow())
    : undefined
  const version = spec.version ?? upstream?.version ?? NEWEST_VERSION
  const [server] = connection.servers
  const limits = await limitsOf(spec, async () => {
    if (server === undefined || upstream?.objects === undefined) return undefined
    return readFacts({ connection, server }, life.signal)
  })
  const agreement = new AgreementMeter()
  const engine = {
    ...rulesOf(spec.algorithm ?? 'upstream', version),
    ...limits.engine,
    ...(spec.consistentReadsFromCache === false && { consistentReadsFromCache: false }),
    corrections: AS_UPSTREAM,
  } as const
  const run = createModeRun(spec.mode, {
    engine,
    now: environment.now,
    clock: { now: () => performance.now(), after: environment.after },
    log: new RequestLog(KEPT_REQUESTS, UNTOLD),
    onAnswered: (row) => agreement.note(row, environment.now()),
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
  let proxy: ReachedProxy | undefined
  let facts: ServerFacts | undefined
  let factsProblem: Problem | undefined
  const notes = (): string[] => [
    ...(objects?.notes() ?? []),
    ...(limits.note === undefined ? [] : [limits.note]),
    ...(proxy?.notes ?? []),
    ...(factsProblem === undefined ? [] : [`${NO_FACTS} ${factsProblem.message}`]),
  ]
  const tellNotes = (): void => frames.setNotes([...notes(), ...(proxy?.hints ?? [])])
  const draft = createDraft<LiveRow>({
    version,
    beside: () => ({ baseline: run.engine, engine: { ...engine, startUnixMs: run.startUnixMs } }),
    lengths: () => ({
      kind: 'measured',
      from: run.mode === 'enforce' ? 'dispatch' : 'arrival',
      usual: new UsualDurations(),
    }),
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
  const opened = await openReached(spec, {
    upstream: connection.name,
    folder,
    clientKubeconfig,
    run,
    names: { level: nameOf, schema: nameOf },
    now: environment.now,
    env: process.env,
    consent,
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
  if (server !== undefined && upstream?.objects !== undefined) {
    const onFacts = (latest: ServerFacts): void => {
      facts = latest
      run.settle()
      tellFacts(run.engine, latest)
      frames.tellFacts(latest)
      draft.facts(latest)
    }
    const onProblem = (problem: Problem | undefined): void => {
      factsProblem = problem
      tellNotes()
    }
    followFacts({ connection, server, environment, onFacts, onProblem }, life.signal)
  }
  const traffic: LiveTraffic = {
    log: run.log,
    version,
    get engine() {
      return run.engine
    },
    settle() {
      run.settle()
      draft.settle()
    },
    state() {
      const { report } = draft
      return {
        title: opened.title,
        address: opened.url,
        ...(opened.clientKubeconfig !== undefined && { clientKubeconfig: opened.clientKubeconfig }),
        mode: run.mode,
        limits: [NOT_BESIDE, ...(run.mode === 'enforce' ? [] : [PASSES]), ...notes()],
        arrived: run.log.count,
        unreadable: 0,
        ...(run.crowdedOut > 0 && { refused: { count: run.crowdedOut, last: CROWDED } }),
        agreement: agreement.read(environment.now()),
        ...(report !== undefined && { candidate: report }),
      }
    },
    candidate: (wish) => draft.wish(wish),
    change(mode) {
      if (mode === run.mode) return
      run.settle()
      run.change(mode)
      if (facts !== undefined) tellFacts(run.engine, facts)
      draft.renew()
    },
  }
  return {
    info: {
      kind: 'proxy',
      name: target,
      via: `${opened.url}, the console’s own ${engineText(spec.algorithm, version)}`,
      ...ofAlgorithm(spec.algorithm),
    },
    still: false,
    objects: objects.gateway,
    live: traffic,
    closed,
    start(signal, emit) {
      signal.addEventListener('abort', () => life.abort(), { once: true })
      frames.start(signal, emit)
    },
    setCadence: (cadence) => frames.setCadence(cadence),
    watchDumps: (watched) => frames.watchDumps(watched),
  }
}

/** The default flags of a server. */
const USUAL = { maxRequestsInFlight: 400, maxMutatingRequestsInFlight: 200 } as const

interface Limits {
  readonly engine: { readonly maxRequestsInFlight: number; readonly maxMutatingRequestsInFlight: number }
  /** The origin of the limits, unless they were given. */
  readonly note?: string
}

/** The given limits, or those that the upstream reports, of which only the sum is known and relevant. */
async function limitsOf(
  { maxRequestsInFlight, maxMutatingRequestsInFlight }: ProxySpec,
  ask: () => Promise<Awaited<ReturnType<typeof readFacts>> | undefined>,
): Promise<Limits> {
  if (maxRequestsInFlight !== undefined || maxMutatingRequestsInFlight !== undefined) {
    return {
      engine: {
        maxRequestsInFlight: maxRequestsInFlight ?? USUAL.maxRequestsInFlight,
        maxMutatingRequestsInFlight: maxMutatingRequestsInFlight ?? USUAL.maxMutatingRequestsInFlight,
      },
    }
  }
  const read = await ask()
  const seats = read?.ok === true ? read.facts.seats : undefined
  if (seats !== undefined) {
    return {
      engine: { maxRequestsInFlight: seats, maxMutatingRequestsInFlight: 0 },
      note: `The engine has ${seats} seats, as the server reports in its metrics.`,
    }
  }
  const why = read?.ok === false ? ` ${read.problem.message}` : ''
  return {
    engine: USUAL,
    note: `The limits of the server are unknown, so the engine assumes 600 seats, the default of a server. Set --max-requests-inflight and --max-mutating-requests-inflight to those of the server.${why}`,
  }
}

const NO_FACTS = 'Object counts are unknown, so each list counts as one seat.'
