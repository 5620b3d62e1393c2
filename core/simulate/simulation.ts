import {
  type ApfEngine,
  type ApfEngineOptions,
  type ConfigurationReport,
  type EngineConfiguration,
  createApfEngine,
  runTo,
  stepOf,
  type ServerFacts,
} from '../engine/apfEngine.ts'
import type { EngineCheckpoint } from '../engine/checkpoint.ts'
import type { Timed } from '../engine/timers.ts'
import type { User, RequestDigest } from '../request/match.ts'
import { type Nanoseconds, type Seats, secondsToNs } from '../units.ts'
import type { EngineRequest } from '../engine/ticket.ts'
import { WatchTracker } from '../engine/watchTracker.ts'
import { statisticsKey } from '../engine/workEstimator.ts'
import { CallBook, callMix, drawExecutionNs, numbered, type ClientGroup, type Workload } from './workload.ts'
import {
  answered,
  begin,
  callOf,
  type Client,
  type ClientPlan,
  type ClientState,
  type ClientTask,
  type ClientWorld,
  copyOfState,
  givesUp,
  makeCall,
} from './clients.ts'
import { drawNs, namedState, randomOf, type RandomState, uniform } from './random.ts'
import {
  type Call,
  emptyTally,
  type Flight,
  type Outcome,
  type ServerTask,
  SimulatedServer,
  type Tally,
} from './server.ts'

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
  /** Every execution time is multiplied by it; 1 without. */
  readonly executionFactor?: number
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
  /** Lets the next event happen if it is due by `untilNs`, whenever that is without; `false` when none is. */
  step(untilNs?: Nanoseconds): boolean
  /**
   * Lets everything happen until `ns`, a finite time, and stops there; `false` when `mayGoOn`, asked now and then, ended it before. The
   * rest is then still to be done.
   */
  runTo(ns: Nanoseconds, mayGoOn?: () => boolean): boolean
  /** What came of the configuration that is in force. */
  readonly configured: ConfigurationReport
  /** Adopts the objects at once. */
  configure(configuration: EngineConfiguration): ConfigurationReport
  /** From now on every execution time that is drawn is multiplied by this. */
  slow(executionFactor: number): void
  /** Levels go on as if this had been their smoothed demand until now, in seats, by name. */
  remember(smoothed: ReadonlyMap<string, Seats>): void
  /** What this group sends before `untilNs` arrives then: a network that lets nothing through. */
  pause(group: string, untilNs: Nanoseconds): void
  /** What became of the calls so far, by group. */
  tallies(): ReadonlyMap<string, Readonly<Tally>>
  /** The group of the client that makes a call. */
  groupOf(call: Pick<Call, 'client'>): string
  /** The simulation as it is now; it goes on undisturbed. Not within a callback of the engine. */
  checkpoint(): SimulationCheckpoint
  /**
   * Makes this simulation, made with the same options, continue where the checkpoint was taken; who listens to the engine
   * stays. Tickets from before mean nothing any more.
   */
  restore(checkpoint: SimulationCheckpoint): void
}

/** What happens later: data, so that a checkpoint can hold it. */
type Task =
  | ClientTask
  | ServerTask
  /** The server counts the objects of a kind, by its place in the workload. */
  | { readonly kind: 'count'; readonly object: number }
  | { readonly kind: 'minute' }

/** A task among what the engine itself waits for: of one instant in the order of planning. */
interface Planned extends Timed {
  readonly task: Task
}
const isPlanned = (due: Timed): due is Planned => 'task' in due

/** A simulation at one instant, clients included, as data that `structuredClone` copies and `postMessage` sends. */
export interface SimulationCheckpoint {
  readonly engine: EngineCheckpoint
  readonly clients: readonly ClientState[]
  /** Of the polls of object counts, by kind of object. */
  readonly polls: readonly RandomState[]
  readonly runningSeats: Seats
  readonly tallies: ReadonlyMap<string, Readonly<Tally>>
  readonly configured: ConfigurationReport
  readonly executionFactor: number
  readonly paused: ReadonlyMap<string, Nanoseconds>
}

/** How many events happen before `mayGoOn` is asked. */
const EVENTS_AT_ONCE = 64

export const createSimulation = (options: SimulationOptions): Simulation => new SimulatedCluster(options)

class SimulatedCluster implements Simulation {
  readonly engine: ApfEngine<Call>
  configured: ConfigurationReport
  private readonly workload: Workload
  private readonly onMinute: (() => void) | undefined
  private executionFactor: number
  /** Groups whose requests do not come through, and until when. */
  private paused = new Map<string, Nanoseconds>()
  private readonly server: SimulatedServer
  private readonly parts: readonly ClientPart[]
  private readonly world: ClientWorld = {
    nowNs: () => this.engine.nowNs,
    later: (ns, task) => this.later(ns, task),
    send: (flight) => this.send(flight),
  }
  private clients: readonly Client[]
  private polls: readonly RandomState[]
  private tallyOf: Map<string, Tally>

  constructor({ seed, workload, configuration, onMinute, executionFactor = 1, ...engine }: SimulationOptions) {
    this.workload = workload
    this.executionFactor = executionFactor
    this.onMinute = onMinute
    this.server = new SimulatedServer(() => this.engine, {
      capacity: workload.service.capacity,
      later: (ns, task) => this.later(ns, task),
      settle: (call, outcome) => this.settle(call, outcome),
    })
    this.engine = createApfEngine<Call>({
      ...engine,
      onDispatch: (ticket) => this.server.execute(ticket),
      onTimeOut: (ticket, retryAfter) => this.server.refuse(ticket, retryAfter),
      onAppointment: (due) => {
        if (isPlanned(due)) this.happen(due.task)
      },
    })
    this.configured = this.engine.configure(configuration)
    this.tallyOf = new Map(workload.groups.map(({ name }) => [name, emptyTally()]))
    this.parts = partsOf(workload)
    this.clients = this.clientsWith(
      this.parts.map(({ name, plan }) => ({
        random: namedState(seed, name),
        ...(givesUp(plan) && { failures: namedState(seed, `${name}/failures`) }),
      })),
    )
    for (const client of this.clients) begin(client, this.world)
    this.polls = workload.objects.map(({ key }) => namedState(seed, `statistics of ${key}`))
    for (const object of workload.objects.keys()) this.countObjects(object)
    if (onMinute !== undefined) this.later(MINUTE_NS, { kind: 'minute' })
  }

  get nowNs(): Nanoseconds {
    return this.engine.nowNs
  }

  get runningSeats(): Seats {
    return this.server.runningSeats
  }

  facts(): ServerFacts {
    return simulatedFacts(this.workload, this.server.openWatches)
  }

  step(untilNs: Nanoseconds = Number.MAX_VALUE): boolean {
    return stepOf(this.engine, untilNs)
  }

  runTo(ns: Nanoseconds, mayGoOn: () => boolean = () => true): boolean {
    let asked = 0
    return runTo(this.engine, ns, () => asked++ % EVENTS_AT_ONCE !== 0 || mayGoOn())
  }

  configure(configuration: EngineConfiguration): ConfigurationReport {
    return (this.configured = this.engine.configure(configuration))
  }

  slow(executionFactor: number): void {
    this.executionFactor = executionFactor
  }

  remember(smoothed: ReadonlyMap<string, Seats>): void {
    for (const level of this.engine.levels()) {
      const seats = smoothed.get(level.plan.name)
      if (seats !== undefined) level.demand = { ...level.demand, smoothed: seats }
    }
  }

  pause(group: string, untilNs: Nanoseconds): void {
    this.paused.set(group, untilNs)
  }

  tallies(): ReadonlyMap<string, Readonly<Tally>> {
    return this.tallyOf
  }

  checkpoint(): SimulationCheckpoint {
    const { engine, server, clients, polls, tallyOf, configured, executionFactor, paused } = this
    return {
      engine: engine.checkpoint([...server.openWatches]),
      clients: clients.map(({ state }) => copyOfState(state)),
      polls: polls.map((state) => [...state]),
      runningSeats: server.runningSeats,
      tallies: new Map([...tallyOf].map(([group, tally]) => [group, { ...tally }])),
      configured,
      executionFactor,
      paused: new Map(paused),
    }
  }

  restore(checkpoint: SimulationCheckpoint): void {
    const { engine, clients, polls, runningSeats, tallies, configured, executionFactor, paused } = checkpoint
    if (clients.length !== this.parts.length || polls.length !== this.polls.length)
      throw new Error('the checkpoint is of a simulation of another workload')
    this.server.restore(runningSeats, this.engine.restore(engine))
    this.clients = this.clientsWith(clients.map(copyOfState))
    this.polls = polls.map((state) => [...state])
    this.tallyOf = new Map([...tallies].map(([group, tally]) => [group, { ...tally }]))
    this.configured = configured
    this.executionFactor = executionFactor
    this.paused = new Map(paused)
  }

  private clientsWith(states: readonly ClientState[]): readonly Client[] {
    return this.parts.flatMap(({ plan }, number) => {
      const state = states[number]
      if (state === undefined) return []
      const random = randomOf(state.random)
      const failureRandom = state.failures === undefined ? random : randomOf(state.failures)
      return [{ number, plan, state, random, failureRandom }]
    })
  }

  private later(ns: Nanoseconds, task: Task): void {
    const planned: Planned = { timerPlace: -1, task }
    this.engine.appointments.set(planned, this.engine.nowNs + ns)
  }

  private happen(task: Task): void {
    switch (task.kind) {
      case 'call':
        return makeCall(this.client(task.client), this.world)
      case 'retry':
        return this.send(task.flight)
      case 'count':
        return this.countObjects(task.object)
      case 'minute':
        this.onMinute?.()
        return this.later(MINUTE_NS, task)
      case 'handled':
      case 'watch over':
      case 'bypass over':
        return this.server.due(task)
    }
  }

  private client(number: number): Client {
    const client = this.clients[number]
    if (client === undefined) throw new Error(`there is no client ${number}`)
    return client
  }

  private send(flight: Flight): void {
    const pausedNs = this.paused.get(this.groupOf(flight)) ?? 0
    if (pausedNs > this.nowNs) return this.later(pausedNs - this.nowNs, { kind: 'retry', flight })
    const { plan, random } = this.client(flight.client)
    const call = callOf(plan, flight.call)
    if (call === undefined) throw new Error(`client ${flight.client} has no call ${flight.call}`)
    const executionNs = Math.round(drawExecutionNs(call, random) * this.executionFactor)
    this.tally(flight).offered += 1
    this.server.send(call, flight, executionNs)
  }

  private settle(flight: Flight, outcome: Outcome): void {
    this.tally(flight)[outcome.kind] += 1
    answered(this.client(flight.client), flight, outcome, this.world)
  }

  groupOf({ client }: Pick<Call, 'client'>): string {
    return this.parts[client]?.group ?? ''
  }

  private tally(flight: Flight): Tally {
    const tally = this.tallyOf.get(this.groupOf(flight))
    if (tally === undefined) throw new Error(`client ${flight.client} is in no group`)
    return tally
  }

  /** Tells the engine's estimator about objects as a server's own polls do. */
  private countObjects(object: number): void {
    const kind = this.workload.objects[object]
    const state = this.polls[object]
    if (kind === undefined || state === undefined) return
    this.engine.objectStatistics.set(kind.key, kind.count, kind.averageSize)
    this.later(drawNs(STATISTICS_PERIOD, randomOf(state)), { kind: 'count', object })
  }
}

/** What acts on its own: a client with all its calls, one thread of it, or one of its informers. */
interface ClientPart {
  readonly group: string
  /** By which its random numbers are told from those of others. */
  readonly name: string
  readonly plan: ClientPlan
}

function partsOf(workload: Workload): readonly ClientPart[] {
  const book = new CallBook(workload)
  return workload.groups.flatMap((group) =>
    Array.from({ length: group.clients }, (_, index) =>
      plansOf(group, index, book).map(({ part, plan }) => ({
        group: group.name,
        name: `${group.name}/${index}/${part}`,
        plan,
      })),
    ).flat(),
  )
}

function plansOf(
  { user: template, behaviour }: ClientGroup,
  index: number,
  book: CallBook,
): readonly { readonly part: string; readonly plan: ClientPlan }[] {
  const user: User = {
    name: numbered(template.name, index),
    groups: template.groups.map((group) => numbered(group, index)),
  }
  switch (behaviour.kind) {
    case 'open': {
      const { calls, ...open } = behaviour
      return [{ part: 'calls', plan: { ...open, mix: callMix(book, user, index, calls) } }]
    }
    case 'closed': {
      const { calls, ...closed } = behaviour
      const mix = callMix(book, user, index, calls)
      return Array.from({ length: behaviour.threads }, (_, thread) => ({
        part: `thread ${thread}`,
        plan: { ...closed, mix, thread },
      }))
    }
    case 'informer':
      return behaviour.targets.map((one) => {
        const target = numbered(one, index)
        const separator = target.includes('?') ? '&' : '?'
        const list = book.prepare(user, 'GET', `${target}${separator}resourceVersion=0&limit=500`)
        const watch = book.prepare(user, 'GET', `${target}${separator}watch=true&resourceVersion=1`)
        return { part: target, plan: { ...behaviour, list, watch } }
      })
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
