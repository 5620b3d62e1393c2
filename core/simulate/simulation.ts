import {
  type ApfEngine,
  type ApfEngineOptions,
  type ConfigurationReport,
  type EngineConfiguration,
  createApfEngine,
  runTo,
  type ServerFacts,
} from '../engine/apfEngine.ts'
import type { Timed } from '../engine/timers.ts'
import type { User, RequestDigest } from '../request/match.ts'
import { type Nanoseconds, type Seats, secondsToNs } from '../units.ts'
import type { EngineRequest } from '../engine/ticket.ts'
import { WatchTracker } from '../engine/watchTracker.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import { CallBook, callMix, numbered, type ClientGroup, type Workload } from './workload.ts'
import { startClosedThread, startInformer, startOpenClient, type ClientContext } from './clients.ts'
import { drawNs, uniform, namedRandom } from './random.ts'
import { type Call, SimulatedServer, type Tally, emptyTally } from './server.ts'

/** A server counts its objects every minute, each time stretched by up to 2.2 (specification 5.7). */
const STATISTICS_PERIOD = uniform(60_000, 132_000)

const MINUTE_NS = secondsToNs(60)

export interface SimulationOptions extends Pick<
  ApfEngineOptions<Call>,
  'mode' | 'maxRequestsInFlight' | 'maxMutatingRequestsInFlight' | 'profile' | 'corrections' | 'startUnixMs'
> {
  readonly seed: number
  readonly configuration: EngineConfiguration
  readonly workload: Workload
  /** Happens every simulated minute: what the server does to its own objects (specification 7.8). */
  readonly onMinute?: () => void
}

/**
 * An API server under load, event by event: clients, the engine, and handlers that take their time. The same options give
 * the same events. It knows no wall clock: whoever drives it says how far it goes.
 */
export interface Simulation {
  /** Nanoseconds since the start. */
  readonly nowNs: Nanoseconds
  /** To look at, and to subscribe to; what changes it is the simulation's business. */
  readonly engine: ApfEngine<Call>
  /** Seats of the handlers that run now. */
  readonly runningSeats: Seats
  /** What the server's own metrics would tell of its objects and watches. */
  facts(): ServerFacts
  /** Lets the next event happen; `false` when nothing will ever happen again. */
  step(): boolean
  /**
   * Lets everything happen until `ns`, a finite time, and stops there; `false` when `mayGoOn`, asked now and then, ended it before. The
   * rest is then still to be done.
   */
  runTo(ns: Nanoseconds, mayGoOn?: () => boolean): boolean
  /** What came of the configuration that is in force. */
  readonly configured: ConfigurationReport
  /** Adopts the objects at once. */
  configure(configuration: EngineConfiguration): ConfigurationReport
  /** What became of the calls so far, by group. */
  tallies(): ReadonlyMap<string, Readonly<Tally>>
}

/** What clients and handlers do later, among what the engine itself waits for: of one instant in the order of planning. */
class Planned implements Timed {
  timerPlace = -1
  readonly run: () => void

  constructor(run: () => void) {
    this.run = run
  }
}

/** How many events happen before `mayGoOn` is asked. */
const EVENTS_AT_ONCE = 64

export function createSimulation(options: SimulationOptions): Simulation {
  const { workload, seed } = options
  const tallies = new Map<string, Tally>()
  const after = (ns: Nanoseconds, run: () => void): void => engine.appointments.set(new Planned(run), engine.nowNs + ns)
  const server = new SimulatedServer(() => engine, { capacity: workload.service.capacity, after })
  const engine = createApfEngine<Call>({
    mode: options.mode,
    maxRequestsInFlight: options.maxRequestsInFlight,
    maxMutatingRequestsInFlight: options.maxMutatingRequestsInFlight,
    profile: options.profile,
    corrections: options.corrections,
    startUnixMs: options.startUnixMs,
    onDispatch: (ticket) => server.execute(ticket),
    onTimeOut: (ticket, retryAfter) => server.refuse(ticket, retryAfter),
    onAppointment(due) {
      if (due instanceof Planned) due.run()
    },
  })
  let configured = engine.configure(options.configuration)

  const contextOf = (name: string, tally: Tally): ClientContext => {
    const random = namedRandom(seed, name)
    return {
      random,
      after,
      nowNs: () => engine.nowNs,
      send: (call, watchNs, done) =>
        server.send(call, { tally, executionNs: call.drawExecutionNs(random), watchNs, done }),
    }
  }
  const book = new CallBook(workload)
  for (const group of workload.groups) {
    const tally = emptyTally()
    tallies.set(group.name, tally)
    for (let index = 0; index < group.clients; index++) {
      startClient(group, index, book, (part) => contextOf(`${group.name}/${index}/${part}`, tally))
    }
  }
  countObjects(engine, workload, seed, after)
  const { onMinute } = options
  if (onMinute !== undefined) {
    const everyMinute = (): void => {
      onMinute()
      after(MINUTE_NS, everyMinute)
    }
    after(MINUTE_NS, everyMinute)
  }

  return {
    engine,
    get nowNs() {
      return engine.nowNs
    },
    get runningSeats() {
      return server.runningSeats
    },
    facts: () => simulatedFacts(workload, server.openWatches),
    step() {
      for (let next = engine.nextWakeNs(); next < Number.POSITIVE_INFINITY; next = engine.nextWakeNs()) {
        engine.moveTo(Math.max(next, engine.nowNs))
        if (engine.wake()) return true
      }
      return false
    },
    runTo(ns, mayGoOn = () => true) {
      let asked = 0
      return runTo(engine, ns, () => asked++ % EVENTS_AT_ONCE !== 0 || mayGoOn())
    },
    get configured() {
      return configured
    },
    configure(configuration) {
      configured = engine.configure(configuration)
      return configured
    },
    tallies: () => tallies,
  }
}

function startClient(
  { user: template, behaviour }: ClientGroup,
  index: number,
  book: CallBook,
  context: (part: string) => ClientContext,
): void {
  const user: User = {
    name: numbered(template.name, index),
    groups: template.groups.map((group) => numbered(group, index)),
  }
  switch (behaviour.kind) {
    case 'open':
      return startOpenClient(context('calls'), behaviour.arrivals, callMix(book, user, index, behaviour.calls))
    case 'closed': {
      const mix = callMix(book, user, index, behaviour.calls)
      for (let thread = 0; thread < behaviour.threads; thread++) {
        startClosedThread(context(`thread ${thread}`), behaviour, mix)
      }
      return
    }
    case 'informer':
      for (const target of behaviour.targets.map((one) => numbered(one, index))) {
        const separator = target.includes('?') ? '&' : '?'
        startInformer(context(target), behaviour, {
          list: book.prepare(user, 'GET', `${target}${separator}resourceVersion=0&limit=500`),
          watch: book.prepare(user, 'GET', `${target}${separator}watch=true&resourceVersion=1`),
        })
      }
  }
}

/** Tells the engine's estimator about objects as a server's own polls do. */
function countObjects(
  engine: ApfEngine<Call>,
  { objects }: Workload,
  seed: number,
  after: (ns: Nanoseconds, run: () => void) => void,
): void {
  for (const { key, count, averageSize } of objects) {
    const random = namedRandom(seed, `statistics of ${key}`)
    const poll = (): void => {
      engine.objectStatistics.set(key, count, averageSize)
      after(drawNs(STATISTICS_PERIOD, random), poll)
    }
    poll()
  }
}

interface OpenWatch {
  readonly payload: Pick<EngineRequest<unknown>, 'info' | 'query'>
}

/** What is true of a simulated server: its objects, and its watches of all objects of a resource. */
export function simulatedFacts({ objects }: Pick<Workload, 'objects'>, watches: Iterable<OpenWatch>): ServerFacts {
  // Which watches count is the engine's to say.
  const tracker = new WatchTracker()
  const watched = new Map<string, RequestDigest['info']>()
  for (const { payload } of watches) {
    tracker.register(payload.info, payload.query)
    watched.set(statisticsKey(payload.info), payload.info)
  }
  return {
    objects: new Map(objects.map(({ key, count, averageSize }) => [key, { count, averageSize }])),
    watches: [...watched.values()].map((info) => ({
      apiGroup: info.apiGroup,
      resource: info.resource,
      total: tracker.interested({ ...info, verb: 'update', namespace: '', name: '' }),
    })),
  }
}
