import { DUMP_HEALTH_MS, WATCHED_DUMPS_MS } from '../live/frames.ts'
import { CadenceSchema, type ServerHealth } from '../../core/contract/source.ts'
import { ProblemError } from '../../core/errors.ts'
import type { SimulationSpec, SimulationState } from '../../core/contract/simulation.ts'
import { SPEED } from '../../core/bounds.ts'
import { RECONCILER } from '../../core/config/objects.ts'
import { builtInObjects } from '../../core/config/builtIn.ts'
import type { EngineConfiguration } from '../../core/engine/apfEngine.ts'
import { ofAlgorithm } from '../../core/frame/frame.ts'
import { isWithoutLevels } from '../../core/frame/reading.ts'
import { AS_UPSTREAM, rulesOf } from '../../core/engine/profiles.ts'
import { CLUSTER } from '../../core/simulate/cluster.ts'
import { dumpFrame, serverFrame } from '../../core/simulate/serverFrame.ts'
import { ObjectStore, reconcile } from '../../core/simulate/objects.ts'
import { type Simulation, createSimulation } from '../../core/simulate/simulation.ts'
import type { Workload } from '../../core/simulate/workload.ts'
import { MS_PER_SECOND, nsToSeconds, secondsToNs, type UnixMs, unixMsAfter } from '../../core/units.ts'
import { createSimulatedObjects } from '../simulated/objects.ts'
import type { Emit } from '../../core/source/sourceEvent.ts'
import type { SimulationSource } from '../ports/source.ts'
import type { Environment } from '../ports/environment.ts'
import { createDriver } from './simulation/driver.ts'
import { createSimulationRows } from './simulation/rows.ts'

const SERVER = 'simulated-apiserver'
/** Initial backfill of the charts. */
const BACKFILL_SECONDS = 600

/** Dumps of the backfill: of its last minutes, and the seconds between two. */
const DUMPED_SECONDS = 300
const PAST_DUMP_SECONDS = 5

/** Settings that a test may change. */
export interface SimulationTuning {
  readonly workload?: Workload
  /** Simulated seconds before the present that are delivered at once. */
  readonly backfillSeconds?: number
  /** A clock of this machine in milliseconds, which advances during computation. */
  readonly stopwatch?: () => number
}

/**
 * A simulated cluster on the default objects. It follows the environment's clock, at a speed that can be changed; its
 * frames carry simulated time, which is the present as long as the speed is 1 and nothing was paused.
 *
 * It runs in slices of 15 ms, between which callers are served; when the machine cannot keep up with the speed, the
 * simulation falls behind rather than its thread.
 */
export function createSimulationSource(
  { seed, version, algorithm = 'upstream', maxRequestsInFlight, maxMutatingRequestsInFlight }: SimulationSpec,
  environment: Environment,
  tuning: SimulationTuning = {},
): SimulationSource {
  const { workload = CLUSTER, backfillSeconds = BACKFILL_SECONDS, stopwatch = () => performance.now() } = tuning
  const store = new ObjectStore(seed)
  const presentUnixMs = environment.now()
  const startUnixMs = presentUnixMs - backfillSeconds * MS_PER_SECOND
  const engine = {
    ...rulesOf(algorithm, version),
    startUnixMs,
    maxRequestsInFlight,
    maxMutatingRequestsInFlight,
    corrections: AS_UPSTREAM,
  } as const
  const simulation = createSimulation({
    ...engine,
    seed,
    configuration: store.replace(builtInObjects(version)),
    workload,
    onMinute: () => {
      const reconciled = reconcile(store.objects, version)
      if (reconciled !== store.objects) adopt(reconciled)
    },
  })
  const { promise: present, resolve: arrive } = Promise.withResolvers<void>()
  if (backfillSeconds === 0) arrive()
  const listeners = new Set<() => void>()
  /** Activates objects immediately. */
  const adopt = (objects: EngineConfiguration): void => {
    simulation.configure(store.replace(objects))
    writeConditions()
    gateway.changed()
    for (const listener of listeners) listener()
  }
  const gateway = createSimulatedObjects({
    target: 'the simulated cluster',
    targetKey: `simulation ${version}, seed ${seed}`,
    version,
    objects: () => store.objects,
    adopt: (objects) => {
      adopt(objects)
      driver.tell()
    },
    otherManager: RECONCILER,
    // Minutes of the past take milliseconds: its reconciler would take the edit back at once.
    ready: () => present,
    now: () => secondsTime(simulation, startUnixMs),
  })
  let cadence = CadenceSchema.parse({})
  let watched = false
  let dumpsReportedMs = Number.NEGATIVE_INFINITY
  // A filter without queues has nothing to dump.
  const dumpIntervalMs = (): number | null =>
    isWithoutLevels({ algorithm })
      ? null
      : watched && cadence.dumpsEveryMs !== null
        ? WATCHED_DUMPS_MS
        : cadence.dumpsEveryMs
  let emit: Emit = () => undefined
  let retryAfterSeconds: SimulationState['retryAfterSeconds'] = {}
  let health: ServerHealth = { id: SERVER, status: 'connecting', failures: [] }
  const tell = (change: Partial<ServerHealth>): void => {
    health = { ...health, ...change }
    emit({ kind: 'health', health })
  }
  let nextPastDumpNs = secondsToNs(Math.max(0, backfillSeconds - DUMPED_SECONDS))
  /** A forecast needs to know who came in the waves before the present. */
  const dumpPast = (): void => {
    if (simulation.nowNs < nextPastDumpNs || dumpIntervalMs() === null) return
    nextPastDumpNs = simulation.nowNs + secondsToNs(PAST_DUMP_SECONDS)
    emit({ kind: 'dump', dump: dumpFrame(SERVER, simulation.engine), past: true })
  }
  const driver = createDriver({
    simulation,
    environment,
    stopwatch,
    backfillNs: secondsToNs(backfillSeconds),
    onFrame() {
      const snapshot = simulation.engine.snapshot()
      retryAfterSeconds = Object.fromEntries(snapshot.levels.map(({ name, retryAfter }) => [name, retryAfter]))
      const frame = serverFrame(snapshot, { id: SERVER, version })
      const past = driver.isBehind
      if (!past) emit({ kind: 'facts', server: SERVER, facts: simulation.facts() })
      emit({ kind: 'frame', frame, ...(past && { past }) })
      if (past) return dumpPast()
      arrive()
      tell({ status: 'ok', lastGoodAt: new Date(environment.now()).toISOString() })
      tellPace()
    },
    onDump() {
      const dump = dumpFrame(SERVER, simulation.engine)
      emit({ kind: 'dump', dump })
      const nowMs = environment.now()
      if (nowMs - dumpsReportedMs < DUMP_HEALTH_MS) return
      dumpsReportedMs = nowMs
      tell({ dumps: { status: 'ok', costMs: 0, bytes: 0, lastAt: dump.at } })
    },
  })
  const writeConditions = (): void => {
    store.writeConditions(simulation.configured.conditions, secondsTime(simulation, startUnixMs))
  }
  writeConditions()
  const state = (): SimulationState => ({
    speed: driver.speed,
    paused: driver.paused,
    reachedSpeed: driver.reachedSpeed,
    at: isoTime(simulation, startUnixMs),
    elapsedSeconds: nsToSeconds(simulation.nowNs),
    ended: driver.ended,
    retryAfterSeconds,
  })
  const tellPace = (): void => emit({ kind: 'pace', pace: state() })
  return {
    info: {
      kind: 'simulation',
      name: 'Simulated cluster',
      via: `simulated API server ${version} with ${isWithoutLevels({ algorithm }) ? 'the max-in-flight filter' : 'the default objects'}, seed ${seed}`,
      ...ofAlgorithm(algorithm),
    },
    still: false,
    objects: gateway,
    live: createSimulationRows({
      simulation,
      engine,
      version,
      capacity: workload.service.capacity,
      fromNs: secondsToNs(backfillSeconds),
      now: stopwatch,
    }),
    server: {
      version,
      startUnixMs,
      engine: simulation.engine,
      objects: store,
      onObjects(listener, signal) {
        listeners.add(listener)
        signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
      },
    },
    start(signal, given) {
      emit = given
      signal.addEventListener('abort', () => arrive(), { once: true })
      tellPace()
      driver.setCadence(cadence.intervalMs, dumpIntervalMs())
      driver.start(signal)
    },
    tryNow: () => undefined,
    setCadence(next) {
      cadence = next
      driver.setCadence(next.intervalMs, dumpIntervalMs())
      if (next.dumpsEveryMs === null) tell({ dumps: { status: 'off' } })
    },
    watchDumps(now) {
      watched = now
      driver.setDumpInterval(dumpIntervalMs())
    },
    state,
    control({ speed = driver.speed, paused = driver.paused, step, stride = 'event' }) {
      if (!(speed >= SPEED.min && speed <= SPEED.max)) {
        throw new ProblemError('invalid-input', `A simulation runs at ×${SPEED.min} to ×${SPEED.max}.`)
      }
      const halts = !driver.paused && paused
      driver.setPace(speed, paused || step !== undefined)
      if (step !== undefined) driver.step(step, stride)
      // A stopped simulation emits its present state.
      else if (halts) driver.tell()
      tellPace()
      return state()
    },
  }
}

const isoTime = ({ nowNs }: Simulation, startUnixMs: UnixMs): string =>
  new Date(unixMsAfter(startUnixMs, nowNs)).toISOString()

/** Objects carry times in whole seconds. */
const secondsTime = (simulation: Simulation, startUnixMs: UnixMs): string =>
  isoTime(simulation, startUnixMs).replace(/\.\d+Z$/, 'Z')
